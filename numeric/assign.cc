// a(…) = value, and the operators that write in place.
#include "numeric/elementwise.h"
#include "numeric/record.h"
#include "numeric/shapes.h"

namespace pilum::numeric {
namespace {

// As NumPy's setitem: axes of extent 1 in front of the target's are dropped from the value.
Array without_leading_ones(const Call& call, const Array& value, int rank) {
  Shape shape = value.shape();
  while (shape.rank() > rank && shape[0] == 1) shape = Shape(std::span(shape.begin() + 1, shape.end()));
  return value.reshape(shape, call.where);
}

void write(const Call& call, const Operand& value, const ArrayState& target) {
  if (value.kind() == Operand::Kind::Array && !broadcasts_to(value.array().shape(), target.shape)) {
    fail<ShapeError>(call, "a value of shape ", value.array().shape(), " does not broadcast to the array's ",
                     target.shape, ": give it that shape, or fewer axes or extents of 1");
  }
  const Operand* const operands[] = {&value};
  record_into(call, Rule{kernel::Op::Cast, target.dtype(), target.dtype()}, operands, target);
}

void update(const Call& call, Rule (*rule_of)(const Call&, Operands), const Array& array, const Operand& value) {
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& target = checked_state(call, array, recorder);
  const Operand self(array, call.where);
  const Operand* const operands[] = {&self, &value};
  const Shape shape = common_shape(call, operands, recorder);
  const Rule rule = rule_of(call, Operands(operands));
  if (!casts_within_kind(rule.result, target.dtype())) {
    fail<DTypeError>(call, "the result is ", rule.result, " and cannot be cast back to the array's ", target.dtype(),
                     ": write name = name.astype(", rule.result, ") first, or assign the cast result");
  }
  if (shape != target.shape) {
    fail<ShapeError>(call, "the value makes the result's shape ", shape, ", and the array written has ", target.shape,
                     ": the value must broadcast to the array");
  }
  record_into(call, rule, operands, target);
}

}  // namespace

void Array::operator=(const Operand& value) && {
  const Call call{"a(…) =", value.where()};
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& target = checked_state(call, *this, recorder);
  if (value.kind() == Operand::Kind::Array) {
    const ArrayState& source = checked_state(call, value.array(), recorder);
    if (source.shape.rank() > target.shape.rank()) {
      const Array fitting = without_leading_ones(call, value.array(), target.shape.rank());
      return write(call, Operand(fitting, call.where), target);
    }
  }
  write(call, value, target);
}

Array& Array::operator+=(const Operand& value) {
  update(Call{"+=", value.where()}, add_rule, *this, value);
  return *this;
}

Array& Array::operator-=(const Operand& value) {
  update(Call{"-=", value.where()}, subtract_rule, *this, value);
  return *this;
}

Array& Array::operator*=(const Operand& value) {
  update(Call{"*=", value.where()}, multiply_rule, *this, value);
  return *this;
}

Array& Array::operator/=(const Operand& value) {
  update(Call{"/=", value.where()}, divide_rule, *this, value);
  return *this;
}

}  // namespace pilum::numeric
