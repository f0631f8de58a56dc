// The program as text.
//
//   kernel of 2 axes
//     array 0: float64 read contiguous, 2 store axes
//     scalar 0: float64
//     %0 = load float64 array 0 at (-1, 0)
//     %1 = argument float64 scalar 0
//     %2 = multiply float64 %0 %1
//     store array 1 = %2
#include <string>

#include "runtime/base/scalar.h"
#include "runtime/kernel/ir/kernel.h"
#include "runtime/kernel/ir/op_facts.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {
namespace {

const char* name(Inner inner) {
  static constexpr const char* kNames[] = {"contiguous", "broadcast", "strided"};
  return kNames[static_cast<int>(inner)];
}

const char* name(Access access) {
  static constexpr const char* kNames[] = {"read", "write", "read-write", "accumulate"};
  return kNames[static_cast<int>(access)];
}

std::string operands(const Kernel& kernel, const Node& node) {
  switch (node.op) {
    case Op::Load: {
      const int axes = kernel.arrays[static_cast<std::size_t>(node.argument)].store_rank;
      std::string text = join(" array ", node.argument);
      if (node.offset == Offset{}) return text;
      for (int axis = 0; axis < axes; ++axis) {
        text += join(axis ? ", " : " at (", +node.offset[static_cast<std::size_t>(axis)]);
      }
      return text + (axes == 1 ? ",)" : ")");
    }
    case Op::Index: return join(" axis ", +node.axis);
    case Op::Argument: return join(" scalar ", node.argument);
    case Op::Constant: return join(" ", to_string(Scalar{node.dtype, node.bits}));
    default: break;
  }
  std::string text = join(" %", node.a);
  if (arity(node.op) > 1) text += join(" %", node.b);
  if (arity(node.op) > 2) text += join(" %", node.c);
  return text;
}

std::string axes(unsigned bits) {
  std::string text;
  for (int axis = 0; axis < kMaxAxes; ++axis) {
    if (bits >> axis & 1) text += join(text.empty() ? "" : ", ", axis);
  }
  return text;
}

}  // namespace

std::string print(const Kernel& kernel) {
  std::string text = join("kernel of ", +kernel.rank, kernel.rank == 1 ? " axis\n" : " axes\n");
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    const ArrayArgument& array = kernel.arrays[i];
    text += join("  array ", i, ": ", name(array.dtype), " ", name(array.access), " ", name(array.inner), ", ",
                 +array.store_rank, array.store_rank == 1 ? " store axis\n" : " store axes\n");
  }
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i)
    text += join("  scalar ", i, ": ", name(kernel.scalars[i]), "\n");
  for (std::size_t i = 0; i < kernel.nodes.size(); ++i) {
    const Node& node = kernel.nodes[i];
    text += join("  %", i, " = ", name(node.op), " ", name(node.dtype), operands(kernel, node), "\n");
  }
  for (const StoreOutput& store : kernel.stores)
    text += join("  store array ", store.argument, " = %", store.value, "\n");
  for (const Accumulation& accumulation : kernel.accumulations) {
    text += join("  accumulate array ", accumulation.argument, " ", name(accumulation.fold), " %", accumulation.value,
                 " over axes ", axes(accumulation.reduced_axes), "\n");
  }
  return text;
}

}  // namespace pilum::kernel
