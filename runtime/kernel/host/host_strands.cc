// Several rows at a time, or parts of one, a block of each by turns. A core's prefetchers follow a page at a time, and
// what it waits for is latency: of four rows beside each other more cells are on their way at once. On a Xeon of 2023 a
// core copied 28 GB/s instead of 24 and summed five neighbours at 26 instead of 20.
#include "runtime/kernel/host/host_fold.h"
#include "runtime/kernel/host/host_row.h"

namespace pilum::kernel {
namespace {

constexpr int kStrands = 4;
constexpr int kLeastBlocks = 12;  // of a strand: of 6 a row took a tenth longer

}  // namespace

std::int64_t least_row_of_strands(const Kernel& kernel) {
  return std::int64_t{kLeastBlocks} * kBlockVectors * make_host_plan(kernel, {}).lanes;
}

// Folds keep their order: each row's is its own, and what is added to cells comes row by row in each block. One fold of
// several rows goes along one after the other.
bool HostRow::goes_in_strands() const {
  const bool is_one_by_one = !plan_.folds_rows() || (plan_.run == plan_.inner() && plan_.inner() > 0);
  return plan_.options.walk == Walk::Strands && plan_.vectorised && !plan_.padded && is_one_by_one &&
         plan_.kernel.arrays.size() <= kMostArraysByTurns;
}

// The strands of a group of rows, or of one row.
void HostRow::write_strands(SourceText& text) const {
  const int inner = plan_.inner(), outer = inner - 1;
  const int block = kBlockVectors * plan_.lanes;
  const std::string n = join("n", inner), rows = outer < 0 ? "1" : join("n", outer);
  const std::string first = join("first", inner);
  if (outer >= 0) {
    std::string steps;
    for (std::size_t i = 0; i < plan_.kernel.arrays.size(); ++i)
      steps += join(", a", i, "_", outer, " += together * a", i, "_stride", outer);
    // What is added to a cell comes in the order of rows: then their blocks end at the same columns.
    const bool adds = !plan_.kernel.accumulations.empty() && !plan_.folds_rows() && plan_.aligned >= 0;
    text.line("const i64 together = ", n, " >= ", kLeastBlocks * block,
              adds ? join(" && a", plan_.aligned, "_stride", outer, " % 64 == 0") : "", " ? ", kStrands, " : 1;");
    text.open("for (i64 ", first, " = 0; ", first, " < ", rows, "; ", first, " += together", steps, ")");
    text.line("const i64 left = ", rows, " - ", first, ", rows = left < together ? left : together;");
  } else {
    text.line("const i64 rows = 1;");
  }
  if (plan_.folds_rows()) {
    text.line("const i64 parts = 1;");
    for (std::size_t i = 0; i < plan_.kernel.accumulations.size(); ++i)
      text.line("Partial", i, " partials", i, "[", kStrands, "];");
  } else {
    text.line("// A row by itself is cut into as many parts.");
    text.line("const i64 parts = rows == 1 && ", n, " >= ", kStrands * kLeastBlocks * block, " ? ", kStrands, " : 1;");
  }
  text.line("const i64 strands = rows * parts, part = ", n, " / parts;");
  text.line("i64 at[", kStrands, "];");
  text.line("for (i64 s = 0; s < strands; ++s) at[s] = parts > 1 ? s * part : 0;");
  text.line("bool some = true;");
  text.open("for (i64 step = strands > 1 ? ", block, " : ", n, "; some; step += ", block, ")");
  text.line("some = false;");
  text.open("for (i64 s = 0; s < strands; ++s)");
  text.line("const i64 start = parts > 1 ? s * part : 0, last = parts > 1 && s + 1 < parts ? start + part : ", n, ";");
  text.line("const i64 end = start + step < last ? start + step : last;");
  if (outer >= 0) {
    text.line("const i64 row = parts > 1 ? 0 : s, i", outer, " = ", first, " + row;");
    text.line("(void)i", outer, ";");
    for (std::size_t i = 0; i < plan_.kernel.arrays.size(); ++i)
      text.line("char* a", i, "_", inner, " = a", i, "_", outer, " + row * a", i, "_stride", outer, ";");
  }
  write_pointers(text);
  write_row_values(text);
  plan_.folds_rows() ? write_folded_strand(text) : write_strand(text);
  text.line("at[s] = j;");
  text.line("some = some || j < last;");
  text.close();
  text.close();
  if (outer >= 0) text.close();
}

// From where the strand is to the end of its block.
void HostRow::write_strand(SourceText& text) const {
  text.line("i64 j = at[s], stop = j;");
  if (plan_.aligned >= 0) text.line("if (j == start) stop += ", cells_to_line(" + j"), ";");
  text.line("if (stop > last) stop = last;");
  text.open("for (;;)");
  text.open("for (; j < stop; ++j)");
  write_body(text, Form::Scalar);
  text.close();
  text.line("if (j >= end) break;");
  write_alignments(text, "");
  text.open("for (; j + ", plan_.lanes, " <= end; j += ", plan_.lanes, ")");
  write_prefetches(text);
  write_body(text, Form::Vector);
  text.close();
  text.line("if (end < last) break;");
  text.line("stop = last;");
  text.close();
}

void HostRow::write_folded_strand(SourceText& text) const {
  const std::size_t folds = plan_.kernel.accumulations.size();
  for (std::size_t i = 0; i < folds; ++i) text.line("Partial", i, " partial", i, " = partials", i, "[s];");
  text.line("i64 j = at[s];");
  write_folded_vectors(text, "end");
  text.open("if (end == last)");
  write_folded_rest(text);
  text.line("j = last;");
  write_totals(text, plan_, plan_.inner());
  text.close();
  for (std::size_t i = 0; i < folds; ++i) text.line("partials", i, "[s] = partial", i, ";");
}

}  // namespace pilum::kernel
