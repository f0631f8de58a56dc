// Strands that are calls: each folds all of its points into one cell, in the order that it has alone, and a block of
// each goes by turns. A core of a Xeon of 2023 summed four chunks of 512 KB at 20 GB/s, one after the other at 13.
#include <algorithm>

#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/host/host_fold.h"
#include "runtime/kernel/host/host_row.h"
#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::kernel {
namespace {

constexpr int kLeastVectors = 6;  // of a row: of four it took a tenth longer than alone

}  // namespace

bool HostRow::goes_in_calls() const {
  if (plan_.options.walk != Walk::Strands || !plan_.vectorised || plan_.run > 0 || plan_.kernel.accumulations.empty())
    return false;
  for (std::size_t id = 0; id < plan_.kernel.nodes.size(); ++id) {
    if (keeps_pairs(plan_, static_cast<ValueId>(id))) return false;
  }
  return plan_.kernel.arrays.size() <= kMostArraysByTurns;
}

int calls_together(const Kernel& kernel) {
  const HostPlan plan = make_host_plan(kernel, {.walk = Walk::Strands});
  return HostRow(plan).goes_in_calls() ? kMostCallsTogether : 1;
}

std::int64_t least_row_of_calls(const Kernel& kernel) {
  return std::int64_t{kLeastVectors} * make_host_plan(kernel, {}).lanes;
}

void HostRow::write_calls(SourceText& text) const {
  const int inner = plan_.inner();
  const std::size_t folds = plan_.kernel.accumulations.size();
  text.open("struct Strand");
  text.line("i64 at[", inner + 1, "];  // the next point");
  for (std::size_t i = 0; i < folds; ++i) text.line("Partial", i, " partial", i, ";");
  text.close("};");
  text.line("const KernelCall* const calls = call;");
  text.line("const i64 count = 1 + call->more;");
  text.line("Strand strands[", kMostCallsTogether, "];");
  text.open("for (i64 s = 0; s < count; ++s)");
  text.line("for (i64& at : strands[s].at) at = 0;");
  text.close();
  text.line("i64 left = count;");
  text.open("while (left)");
  text.open("for (i64 s = 0; s < count; ++s)");
  text.line("const KernelCall* const call = calls + s;");
  text.line("Strand& strand = strands[s];");
  text.line("if (strand.at[0] >= call->extent[0]) continue;");
  write_bindings(text);
  for (int axis = 0; axis < inner; ++axis) {
    text.line("const i64 i", axis, " = strand.at[", axis, "];");
    text.line("(void)i", axis, ";");
  }
  for (std::size_t i = 0; i < plan_.kernel.arrays.size(); ++i) {
    std::string place = join("a", i, "_0");
    for (int axis = 0; axis < inner; ++axis) place += join(" + i", axis, " * a", i, "_stride", axis);
    if (inner > 0) text.line("char* a", i, "_", inner, " = ", place, ";");
  }
  write_pointers(text);
  write_row_values(text);
  for (std::size_t i = 0; i < folds; ++i) text.line("Partial", i, " partial", i, " = strand.partial", i, ";");
  const std::string n = join("n", inner);
  text.line("i64 j = strand.at[", inner, "];");
  text.line("const i64 end = j + ", kBlockVectors * plan_.lanes, " < ", n, " ? j + ", kBlockVectors * plan_.lanes,
            " : ", n, ";");
  write_folded_vectors(text, "end");
  text.open("if (end == ", n, ")");
  write_folded_rest(text);
  text.close();
  for (std::size_t i = 0; i < folds; ++i) text.line("strand.partial", i, " = partial", i, ";");
  text.line("strand.at[", inner, "] = j;");
  text.line("if (end < ", n, ") continue;");
  for (int axis = inner; axis > 0; --axis) {
    text.line("strand.at[", axis, "] = 0;");
    text.line("if (++strand.at[", axis - 1, "] < n", axis - 1, ") continue;");
  }
  text.line("--left;");
  write_totals(text, plan_, 0);
  text.close();
  text.close();
}

}  // namespace pilum::kernel
