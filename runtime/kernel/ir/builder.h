// Makes kernels with value numbering: a value asked for twice is one node.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/base/scalar.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// Builds one kernel, operands first. A cast to the value's own dtype is the value itself; a cast of a constant is the
// constant it gives, where C++ defines it; a part of a complex number that was put together is what it was made of.
// Operations of complex numbers become those of their parts (complex_ops.h), those of Float16 ones of Float32
// (half_ops.h). Of floats, -a times b is -(a times b), the same number: what is computed of a times b, too, is one
// node. Nothing else is simplified, and operands are never swapped: bits are as written. Misuse (an operand of the
// wrong dtype, a missing value) is a bug of the caller and stops at PILUM_CHECK. One thread; about 20 ns a node.
class Builder {
 public:
  explicit Builder(int rank);

  // Arguments are numbered in the order they are added. finish() keeps them all, used or not.
  std::int16_t add_array(const ArrayArgument& array);
  std::int16_t add_scalar(DType dtype);

  ValueId load(int array, const Offset& offset = {});
  ValueId index(int axis);
  ValueId argument(int scalar);
  ValueId constant(const Scalar& value);
  ValueId cast(ValueId a, DType to);
  ValueId unary(Op op, ValueId a);
  ValueId binary(Op op, ValueId a, ValueId b);
  ValueId ternary(Op op, ValueId a, ValueId b, ValueId c);
  ValueId select(ValueId condition, ValueId a, ValueId b);

  void store(int array, ValueId value);
  void accumulate(int array, ValueId value, Fold fold, unsigned reduced_axes);

  DType dtype(ValueId value) const { return node(value).dtype; }
  const Node& node(ValueId value) const { return kernel_.nodes[static_cast<std::size_t>(value)]; }

  // The kernel without the nodes that no store and no accumulation needs. The builder is spent.
  [[nodiscard]] Kernel finish();

 private:
  static constexpr std::size_t kFirstSlots = 128;

  ValueId part(Op op, ValueId a);
  ValueId intern(const Node& node);
  void grow();

  Kernel kernel_;
  // Open addressing, a power of two of slots, at most half full; -1 is free. Small kernels use `first_slots_`.
  std::array<ValueId, kFirstSlots> first_slots_;
  std::vector<ValueId> more_slots_;
  ValueId* slots_ = nullptr;
  std::size_t slot_count_ = kFirstSlots;

 public:
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
};

}  // namespace pilum::kernel
