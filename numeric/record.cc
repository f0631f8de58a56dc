#include "numeric/record.h"

#include "numeric/shapes.h"

namespace pilum::numeric {
namespace {

void set_input(const Call& call, scheduler::Operand& input, const Operand& operand, const Rule& rule, DType dtype,
               const Shape& shape) {
  if (operand.kind() != Operand::Kind::Array) {
    const bool at_once = rule.op == kernel::Op::Select;
    input.scalar = at_once ? to_scalar_at_once(call, operand, dtype) : to_scalar(call, operand, dtype);
    return;
  }
  input.view = ArrayAccess::state(operand.array())->view();
  broadcast_view(input.view, shape);
}

// All of the operation but its output. Filled where it lies: an Operation is more than 1 KB.
scheduler::Elementwise& set_elementwise(scheduler::Operation& operation, const Call& call, const Rule& rule,
                                        Operands operands, const Shape& shape) {
  operation.name = call.name;
  operation.where = call.where;
  auto& elementwise = std::get<scheduler::Elementwise>(operation.what);
  elementwise.op = rule.op;
  elementwise.compute = rule.compute;
  elementwise.inputs.resize(operands.size());
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const bool condition = rule.op == kernel::Op::Select && k == 0;
    set_input(call, elementwise.inputs[k], *operands[k], rule, condition ? DType::Bool : rule.compute, shape);
  }
  return elementwise;
}

// Once the operation is recorded.
void let_go(Operands operands) {
  for (const Operand* operand : operands) ArrayAccess::let_go(*operand);
}

}  // namespace

void check_writable(const Call& call, const ArrayState& target) {
  for (int axis = 0; axis < target.shape.rank(); ++axis) {
    if (target.shape[axis] > 1 && target.map.store_axis_of(axis) < 0) {
      fail<ValueError>(call, "the array, of shape ", target.shape, ", repeats its cells along axis ", axis,
                       " and cannot be written: copy() it first");
    }
  }
}

Shape common_shape(const Call& call, Operands operands, const scheduler::Recorder& recorder) {
  Shape shape;
  for (const Operand* operand : operands) {
    if (operand->kind() != Operand::Kind::Array) continue;
    const Shape& other = checked_state(call, operand->array(), recorder).shape;
    shape = shape.rank() == 0 ? other : broadcast_shapes(call, shape, other);
  }
  return shape;
}

Array record_new(const Call& call, const Rule& rule, Operands operands) {
  return record_new(call, rule, operands, common_shape(call, operands, recorder_of(call)));
}

Array record_new(const Call& call, const Rule& rule, Operands operands, const Shape& shape) {
  check_shape(call, shape, rule.result);
  scheduler::Recorder& recorder = recorder_of(call);
  scheduler::Operation operation;
  scheduler::Elementwise& elementwise = set_elementwise(operation, call, rule, operands, shape);
  Array array = make_array(recorder.make_store(shape, rule.result, call.name, call.where));
  if (shape.elements() == 0) return array;
  elementwise.output = ArrayAccess::state(array)->view();
  recorder.record(std::move(operation));
  let_go(operands);
  return array;
}

void record_into(const Call& call, const Rule& rule, Operands operands, const ArrayState& target) {
  check_writable(call, target);
  scheduler::Operation operation;
  scheduler::Elementwise& elementwise = set_elementwise(operation, call, rule, operands, target.shape);
  if (target.shape.elements() == 0) return;
  elementwise.output = target.view();
  recorder_of(call).record(std::move(operation));
  let_go(operands);
}

Array record_index(const Call& call, const Shape& shape, int axis, DType dtype) {
  check_shape(call, shape, dtype);
  scheduler::Recorder& recorder = recorder_of(call);
  Array array = make_array(recorder.make_store(shape, dtype, call.name, call.where));
  if (shape.elements() == 0) return array;
  scheduler::Operation operation;
  scheduler::Elementwise& elementwise =
      set_elementwise(operation, call, Rule{kernel::Op::Index, DType::Int64, dtype}, {}, shape);
  elementwise.axis = static_cast<std::int8_t>(axis);
  elementwise.output = ArrayAccess::state(array)->view();
  recorder.record(std::move(operation));
  return array;
}

}  // namespace pilum::numeric
