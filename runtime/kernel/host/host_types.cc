#include "runtime/kernel/host/host_types.h"

#include <algorithm>

#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

struct Names {
  const char *value, *vector;
};
const Names& names_of(DType dtype) {
  static constexpr Names kNames[] = {{"bool", "maskv"}, {"i32", "i32v"}, {"i64", "i64v"}, {"f32", "f32v"},
                                     {"f64", "f64v"},   {"i8", "i8v"},   {"i16", "i16v"}, {"u8", "u8v"},
                                     {"u16", "u16v"},   {"u32", "u32v"}, {"u64", "u64v"}, {"c64", "c64v"},
                                     {"c128", "c128v"}, {"u16", "u16v"}};  // Float16's bits
  static_assert(std::size(kNames) == kDTypeCount);
  return kNames[static_cast<std::size_t>(dtype)];
}

Level level_of(const Kernel& kernel, const Node& node, const std::vector<Level>& levels) {
  switch (node.op) {
    case Op::Constant:
    case Op::Argument: return Level::Call;
    case Op::Index: return node.axis == kernel.rank - 1 ? Level::Point : Level::Row;
    case Op::Load: {
      const ArrayArgument& array = kernel.arrays[static_cast<std::size_t>(node.argument)];
      return array.access == Access::Read && array.inner == Inner::Broadcast ? Level::Row : Level::Point;
    }
    default: break;
  }
  Level level = Level::Call;
  for (const ValueId operand : {node.a, node.b, node.c}) {
    if (operand >= 0) level = std::max(level, levels[static_cast<std::size_t>(operand)]);
  }
  return level;
}

// Bytes of the widest dtype that the vector body handles; complex numbers are two vectors of their parts.
int widest(const Kernel& kernel, const std::vector<Level>& levels) {
  std::size_t bytes = 1;
  for (std::size_t i = 0; i < kernel.nodes.size(); ++i) {
    if (levels[i] == Level::Point) bytes = std::max(bytes, itemsize(detail::part_of(kernel.nodes[i].dtype)));
  }
  for (const ArrayArgument& array : kernel.arrays) {
    if (array.access != Access::Read) bytes = std::max(bytes, itemsize(detail::part_of(array.dtype)));
  }
  return static_cast<int>(bytes);
}

bool is_costly(const Node& node) {
  return is_elementary(node.op) || node.op == Op::Power || node.op == Op::Sqrt || node.op == Op::Divide;
}

int first_contiguous(const HostPlan& plan) {
  for (const StoreOutput& store : plan.kernel.stores) {
    if (plan.array(store.argument).inner == Inner::Contiguous) return store.argument;
  }
  for (const Accumulation& accumulation : plan.kernel.accumulations) {
    if (!plan.folds_rows() && plan.array(accumulation.argument).inner == Inner::Contiguous)
      return accumulation.argument;
  }
  return -1;
}

// Every array is walked cell by cell or stands still, and nothing is accumulated.
bool can_pad(const HostPlan& plan) {
  if (!plan.vectorised || !plan.kernel.accumulations.empty() || plan.aligned < 0) return false;
  const auto of_complex = [](const ArrayArgument& array) { return is_complex(array.dtype); };
  if (std::any_of(plan.kernel.arrays.begin(), plan.kernel.arrays.end(), of_complex)) return false;
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const Node& node = plan.kernel.nodes[i];
    if (node.op == Op::Load && plan.levels[i] == Level::Point && is_strided(plan.array(node.argument))) return false;
  }
  return std::none_of(plan.kernel.stores.begin(), plan.kernel.stores.end(),
                      [&](const StoreOutput& store) { return is_strided(plan.array(store.argument)); });
}

}  // namespace

HostPlan make_host_plan(const Kernel& kernel, const EmitOptions& options) {
  HostPlan plan{kernel, options};
  plan.levels.reserve(kernel.nodes.size());
  for (const Node& node : kernel.nodes) plan.levels.push_back(level_of(kernel, node, plan.levels));
  plan.mask_bytes = widest(kernel, plan.levels);
  plan.lanes = 64 / plan.mask_bytes;
  plan.run = kernel.rank;
  if (!kernel.accumulations.empty()) {
    const unsigned reduced = kernel.accumulations.front().reduced_axes;
    while (plan.run > 0 && (reduced >> (plan.run - 1) & 1)) --plan.run;
  }
  const int contiguous = first_contiguous(plan);
  const bool gains =
      contiguous >= 0 || plan.folds_rows() || std::any_of(kernel.nodes.begin(), kernel.nodes.end(), is_costly);
  plan.vectorised = gains && !options.scalar;
  // A fold of rows starts at the row's first element wherever that lies: its bits must not depend on addresses.
  plan.aligned = plan.folds_rows() ? -1 : contiguous;
  plan.padded = options.padded && can_pad(plan);
  return plan;
}

const char* value_type(DType dtype) {
  return names_of(dtype).value;
}

const char* memory_type(DType dtype) {
  return dtype == DType::Bool ? "u8" : value_type(dtype);
}

const char* vector_type(DType dtype) {
  return names_of(dtype).vector;
}

bool is_strided(const ArrayArgument& array) {
  return array.inner == Inner::Strided || (array.inner == Inner::Broadcast && array.access != Access::Read);
}

}  // namespace pilum::kernel
