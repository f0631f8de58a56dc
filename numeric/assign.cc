// a(…) = value, and the operators that write in place.
#include "numeric/elementwise.h"
#include "numeric/nested.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"

namespace pilum::numeric {
namespace {

void check_broadcasts(const Call& call, const Shape& value, const ArrayState& target) {
  if (broadcasts_to(value, target.shape)) return;
  fail<ShapeError>(call, "a value of shape ", value, " does not broadcast to the array's ", target.shape,
                   ": give it that shape, or fewer axes or extents of 1");
}

void write(const Call& call, const Operand& value, const ArrayState& target) {
  if (value.kind() == Operand::Kind::Array) check_broadcasts(call, value.array().shape(), target);
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
                     ": write name = name.astype(", rule.result, ") first, or assign the cast result",
                     target.shape.rank() == 0 ? ", or take the number: name.item<…>()" : "");
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
      const Shape shape = without_leading_ones(source.shape, target.shape.rank());
      const Array fitting = value.array().reshape(shape, call.where);
      return write(call, Operand(fitting, call.where), target);
    }
  }
  write(call, value, target);
}

void Array::operator=(std::initializer_list<detail::Cell> values) && {
  const std::source_location where = values.size() ? values.begin()->where() : std::source_location::current();
  const Call call{"a(…) =", where};
  const ArrayState& target = checked_state(call, *this);
  detail::Cells cells;
  const DType dtype = read_cells(call, values, cells);
  check_broadcasts(call, without_leading_ones(cells.shape, target.shape.rank()), target);
  const Array value = detail::import_cells(std::move(cells), dtype, {}, where);
  static_cast<Array&&>(*this) = Operand(value, where);
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

Array& Array::operator%=(const Operand& value) {
  update(Call{"%=", value.where()}, remainder_rule, *this, value);
  return *this;
}

Array& Array::operator&=(const Operand& value) {
  update(Call{"&=", value.where()}, bitwise_and_rule, *this, value);
  return *this;
}

Array& Array::operator|=(const Operand& value) {
  update(Call{"|=", value.where()}, bitwise_or_rule, *this, value);
  return *this;
}

Array& Array::operator^=(const Operand& value) {
  update(Call{"^=", value.where()}, bitwise_xor_rule, *this, value);
  return *this;
}

Array& Array::operator<<=(const Operand& value) {
  update(Call{"<<=", value.where()}, left_shift_rule, *this, value);
  return *this;
}

Array& Array::operator>>=(const Operand& value) {
  update(Call{">>=", value.where()}, right_shift_rule, *this, value);
  return *this;
}

}  // namespace pilum::numeric
