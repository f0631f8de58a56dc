#include "runtime/kernel/ir/builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/kernel/ir/complex_ops.h"
#include "runtime/kernel/ir/half_ops.h"
#include "runtime/kernel/ir/node_hash.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

// Whether static_cast of the number to the dtype is defined.
bool cast_is_defined(const Scalar& value, DType to) {
  if (!is_floating(value.dtype) || !is_integer(to)) return true;
  const double number = pilum::cast(value, DType::Float64).as<double>();
  const double limit = std::ldexp(1.0, static_cast<int>(8 * itemsize(to)) - is_signed(to));
  return number > (is_signed(to) ? -limit : -1.0) && number < limit;
}

}  // namespace

Builder::Builder(int rank) {
  PILUM_CHECK(rank >= 1 && rank <= kMaxAxes, "rank {}", rank);
  kernel_.rank = static_cast<std::int8_t>(rank);
  kernel_.nodes.reserve(32);
  first_slots_.fill(-1);
  slots_ = first_slots_.data();
}

std::int16_t Builder::add_array(const ArrayArgument& array) {
  kernel_.arrays.push_back(array);
  return static_cast<std::int16_t>(kernel_.arrays.size() - 1);
}

std::int16_t Builder::add_scalar(DType dtype) {
  PILUM_CHECK(!is_complex(dtype), "a complex number is two scalars");
  kernel_.scalars.push_back(dtype);
  return static_cast<std::int16_t>(kernel_.scalars.size() - 1);
}

ValueId Builder::load(int array, const Offset& offset) {
  PILUM_CHECK(array >= 0 && array < static_cast<int>(kernel_.arrays.size()), "array {}", array);
  const ArrayArgument& argument = kernel_.arrays[static_cast<std::size_t>(array)];
  PILUM_CHECK(argument.access == Access::Read || (argument.access == Access::ReadWrite && offset == Offset{}),
              "array {} is not loaded at this offset", array);
  Node node{.op = Op::Load, .dtype = argument.dtype};
  node.argument = static_cast<std::int16_t>(array);
  node.offset = offset;
  return intern(node);
}

ValueId Builder::index(int axis) {
  PILUM_CHECK(axis >= 0 && axis < kernel_.rank, "axis {} of {}", axis, kernel_.rank);
  Node node{.op = Op::Index, .dtype = DType::Int64};
  node.axis = static_cast<std::int8_t>(axis);
  return intern(node);
}

ValueId Builder::argument(int scalar) {
  PILUM_CHECK(scalar >= 0 && scalar < static_cast<int>(kernel_.scalars.size()), "scalar {}", scalar);
  Node node{.op = Op::Argument, .dtype = kernel_.scalars[static_cast<std::size_t>(scalar)]};
  node.argument = static_cast<std::int16_t>(scalar);
  return intern(node);
}

ValueId Builder::constant(const Scalar& value) {
  PILUM_CHECK(!is_complex(value.dtype), "a complex number is two constants");
  Node node{.op = Op::Constant, .dtype = value.dtype};
  node.bits = value.bits;
  return intern(node);
}

ValueId Builder::cast(ValueId a, DType to) {
  const Node& from = node(a);
  if (from.dtype == to) return a;
  if (is_complex(from.dtype) || is_complex(to)) return complex_cast(*this, a, to);
  if (from.op == Op::Constant) {
    const Scalar value{from.dtype, from.bits};
    if (cast_is_defined(value, to)) return constant(pilum::cast(value, to));
  }
  if (from.dtype == DType::Float16 || to == DType::Float16) return half_cast(*this, a, to);
  Node node{.op = Op::Cast, .dtype = to};
  node.a = a;
  return intern(node);
}

ValueId Builder::unary(Op op, ValueId a) {
  PILUM_CHECK(arity(op) == 1 && op != Op::Cast && accepts(op, dtype(a)), "{} of {}", name(op), name(dtype(a)));
  if (op == Op::Real || op == Op::Imaginary) return part(op, a);
  if (is_complex(dtype(a))) return complex_unary(*this, op, a);
  if (dtype(a) == DType::Float16 && op != Op::FromHalf) return half_unary(*this, op, a);
  const DType result = op == Op::ToHalf ? DType::Float16 : op == Op::FromHalf ? DType::Float32 : dtype(a);
  Node node{.op = op, .dtype = result};
  node.a = a;
  return intern(node);
}

ValueId Builder::part(Op op, ValueId a) {
  const Node& from = node(a);
  if (from.op == Op::Complex) return op == Op::Real ? from.a : from.b;
  Node node{.op = op, .dtype = detail::part_of(from.dtype)};
  node.a = a;
  return intern(node);
}

ValueId Builder::binary(Op op, ValueId a, ValueId b) {
  PILUM_CHECK(arity(op) == 2 && dtype(a) == dtype(b) && accepts(op, dtype(a)), "{} of {} and {}", name(op),
              name(dtype(a)), name(dtype(b)));
  if (is_complex(dtype(a))) return complex_binary(*this, op, a, b);
  if (dtype(a) == DType::Float16) return half_binary(*this, op, a, b);
  if (op == Op::Multiply && is_floating(dtype(a)) && node(a).op == Op::Negate)
    return unary(Op::Negate, binary(op, node(a).a, b));
  const DType result = is_comparison(op) ? DType::Bool : op == Op::Complex ? detail::complex_of(dtype(a)) : dtype(a);
  Node node{.op = op, .dtype = result};
  node.a = a;
  node.b = b;
  return intern(node);
}

ValueId Builder::select(ValueId condition, ValueId a, ValueId b) {
  PILUM_CHECK(dtype(condition) == DType::Bool && dtype(a) == dtype(b), "select of {} and {}", name(dtype(a)),
              name(dtype(b)));
  if (a == b) return a;  // and clang takes twice as long for each one more that is built on it
  if (is_complex(dtype(a))) return complex_select(*this, condition, a, b);
  if (node(a).op == Op::ToHalf || node(b).op == Op::ToHalf) return half_select(*this, condition, a, b);
  Node node{.op = Op::Select, .dtype = dtype(a)};
  node.a = condition;
  node.b = a;
  node.c = b;
  return intern(node);
}

ValueId Builder::ternary(Op op, ValueId a, ValueId b, ValueId c) {
  PILUM_CHECK(
      arity(op) == 3 && op != Op::Select && dtype(a) == dtype(b) && dtype(a) == dtype(c) && accepts(op, dtype(a)),
      "{} of {}, {} and {}", name(op), name(dtype(a)), name(dtype(b)), name(dtype(c)));
  Node node{.op = op, .dtype = op == Op::StandardNormal ? DType::Float64 : dtype(a)};
  node.a = a;
  node.b = b;
  node.c = c;
  return intern(node);
}

void Builder::store(int array, ValueId value) {
  const ArrayArgument& argument = kernel_.arrays[static_cast<std::size_t>(array)];
  PILUM_CHECK(argument.access == Access::Write || argument.access == Access::ReadWrite, "array {} is not written",
              array);
  PILUM_CHECK(argument.dtype == dtype(value), "{} stored to {}", name(dtype(value)), name(argument.dtype));
  kernel_.stores.push_back({static_cast<std::int16_t>(array), value});
}

void Builder::accumulate(int array, ValueId value, Fold fold, unsigned reduced_axes) {
  const ArrayArgument& argument = kernel_.arrays[static_cast<std::size_t>(array)];
  PILUM_CHECK(argument.access == Access::Reduce && argument.dtype == dtype(value), "array {}: {} folded into {}", array,
              name(dtype(value)), name(argument.dtype));
  PILUM_CHECK(!is_complex(argument.dtype), "complex numbers are folded as two folds of their parts");
  PILUM_CHECK(argument.dtype != DType::Float16, "float16 is folded in float32");
  PILUM_CHECK(reduced_axes >> kernel_.rank == 0, "axes {:#x} of {}", reduced_axes, kernel_.rank);
  PILUM_CHECK(kernel_.accumulations.empty() || kernel_.accumulations[0].reduced_axes == reduced_axes,
              "accumulations of one kernel reduce the same axes");
  kernel_.accumulations.push_back(
      {static_cast<std::int16_t>(array), value, fold, static_cast<std::uint8_t>(reduced_axes)});
}

Kernel Builder::finish() {
  std::vector<Node>& nodes = kernel_.nodes;
  std::vector<ValueId> place(nodes.size(), -1);  // of live nodes; first only "not -1"
  const auto mark = [&](ValueId value) {
    if (value >= 0) place[static_cast<std::size_t>(value)] = 0;
  };
  for (const StoreOutput& store : kernel_.stores) mark(store.value);
  for (const Accumulation& accumulation : kernel_.accumulations) mark(accumulation.value);
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (place[i] < 0) continue;
    mark(nodes[i].a);
    mark(nodes[i].b);
    mark(nodes[i].c);
  }
  std::size_t live = 0;
  const auto moved = [&](ValueId value) { return value < 0 ? value : place[static_cast<std::size_t>(value)]; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (place[i] < 0) continue;
    place[i] = static_cast<ValueId>(live);
    Node& node = nodes[live++] = nodes[i];
    node.a = moved(node.a);
    node.b = moved(node.b);
    node.c = moved(node.c);
  }
  nodes.resize(live);
  for (StoreOutput& store : kernel_.stores) store.value = moved(store.value);
  for (Accumulation& accumulation : kernel_.accumulations) accumulation.value = moved(accumulation.value);
  return std::move(kernel_);
}

ValueId Builder::intern(const Node& node) {
  const auto home = [this](const Node& wanted) { return hash_node(0, wanted) & (slot_count_ - 1); };
  std::size_t slot = home(node);
  for (; slots_[slot] >= 0; slot = (slot + 1) & (slot_count_ - 1)) {
    if (this->node(slots_[slot]) == node) return slots_[slot];
  }
  const std::size_t count = kernel_.nodes.size();
  PILUM_CHECK(count < std::numeric_limits<ValueId>::max(), "a kernel of more than {} nodes", count);
  slots_[slot] = static_cast<ValueId>(count);
  kernel_.nodes.push_back(node);
  if (2 * kernel_.nodes.size() > slot_count_) grow();
  return static_cast<ValueId>(count);
}

void Builder::grow() {
  slot_count_ *= 4;
  more_slots_.assign(slot_count_, -1);
  slots_ = more_slots_.data();
  for (std::size_t i = 0; i < kernel_.nodes.size(); ++i) {
    std::size_t slot = hash_node(0, kernel_.nodes[i]) & (slot_count_ - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slot_count_ - 1);
    slots_[slot] = static_cast<ValueId>(i);
  }
}

}  // namespace pilum::kernel
