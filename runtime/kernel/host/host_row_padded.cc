// Rows whose ends go through vectors of their own: what the body loads there is copied into them, and what it stores is
// copied out of them. Lanes past the end hold zeros, or cells of the end before.
#include <algorithm>

#include "runtime/kernel/host/host_row.h"

namespace pilum::kernel {

void HostRow::find_accesses() {
  const auto need = [this](const RowAccess& access) {
    if (std::find(accesses_.begin(), accesses_.end(), access) == accesses_.end()) accesses_.push_back(access);
  };
  for (std::size_t i = 0; i < plan_.kernel.nodes.size(); ++i) {
    const Node& node = plan_.kernel.nodes[i];
    if (node.op != Op::Load || plan_.levels[i] != Level::Point) continue;
    const ArrayArgument& array = plan_.array(node.argument);
    if (array.inner != Inner::Contiguous) continue;
    need({pointer_of(node.argument, node.offset), inner_displacement(array, node.offset), false});
  }
  for (const StoreOutput& store : plan_.kernel.stores) need({pointer_of(store.argument, {}), 0, true});
}

int HostRow::access_of(const RowAccess& access) const {
  return static_cast<int>(std::find(accesses_.begin(), accesses_.end(), access) - accesses_.begin());
}

void HostRow::write_padded(SourceText& text) const {
  const std::string n = join("n", plan_.inner());
  const auto dtype_of = [this](const RowAccess& access) {
    return plan_.array(pointers_[static_cast<std::size_t>(access.pointer)].argument).dtype;
  };
  // The first end is shorter than a line of the array that rows are aligned for: several vectors where that is narrow.
  const std::size_t size = itemsize(plan_.array(plan_.aligned).dtype);
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    text.line("alignas(64) ", memory_type(dtype_of(accesses_[i])), " e", i, "[", 64 / size, "] = {};");
  }
  text.line("i64 j = 0, few = (i64)(-(u64)r", pointer_of(plan_.aligned, {}), " % 64 / ", size,
            ");  // elements of an end");
  text.line("if (few > ", n, ") few = ", n, ";");
  text.open("while (j < ", n, ")");
  text.line("if (!few && ", n, " - j < ", plan_.lanes, ") few = ", n, " - j;");
  text.line("const i64 start = j, stop = few ? j + few : ", n, " - ", plan_.lanes - 1, ";");
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const auto& [pointer, displacement, written] = accesses_[i];
    const std::string type = join(written ? "" : "const ", memory_type(dtype_of(accesses_[i])), "*");
    text.line(type, " p", i, " = r", pointer, signed_term(displacement), ";");
  }
  text.open("if (few)");
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    if (!accesses_[i].written) text.line("__builtin_memcpy(e", i, ", p", i, " + j, few * sizeof *p", i, ");");
    text.line("p", i, " = e", i, " - j;");
  }
  text.close();
  write_alignments(text, "!few && ");
  text.open("for (; j < stop; j += ", plan_.lanes, ")");
  write_prefetches(text);
  write_body(text, Form::Vector);
  text.close();
  text.line("if (!few) continue;");
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const auto& [pointer, displacement, written] = accesses_[i];
    if (written) text.line("__builtin_memcpy(r", pointer, " + start, e", i, ", few * sizeof *r", pointer, ");");
  }
  text.line("j = start + few;");
  text.line("few = 0;");
  text.close();
}

}  // namespace pilum::kernel
