#include "numeric/record.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "numeric/field_order.h"
#include "numeric/shapes.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::numeric {
namespace {

void set_input(const Call& call, scheduler::Operand& input, const Operand& operand, const Rule& rule, DType dtype,
               const Shape& shape) {
  if (operand.kind() != Operand::Kind::Array) {
    const bool at_once = rule.op == kernel::Op::Select;
    input.scalar = at_once ? to_scalar_at_once(call, operand, dtype) : to_scalar(call, operand, dtype);
    return;
  }
  ArrayAccess::state(operand.array())->write_view(input.view);
  broadcast_view(input.view, shape);
}

bool is_complex_number(const Operand& operand) {
  return operand.kind() == Operand::Kind::Complex;
}

bool is_condition(const Rule& rule, std::size_t place) {
  return rule.op == kernel::Op::Select && place == 0;
}

// Complex numbers go to operations that are made for them, and real results come of them by a cast alone.
void check_takes_complex(const Call& call, const Rule& rule, Operands operands) {
  if (is_complex(rule.compute)) {
    if (!kernel::accepts_complex(rule.op)) refuse_complex(call, rule.compute);
    return;
  }
  if (rule.op == kernel::Op::Cast || rule.compute == DType::Bool) return;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k]->kind() != Operand::Kind::Array || is_condition(rule, k)) continue;
    const DType dtype = ArrayAccess::state(operands[k]->array())->dtype();
    if (is_complex(dtype)) refuse_complex(call, dtype);
  }
}

// The operands, complex numbers among them as arrays of the shape, which are put together where they are read.
class WithoutComplexNumbers {
 public:
  WithoutComplexNumbers(const Call& call, const Rule& rule, Operands operands, const Shape& shape)
      : operands_(operands) {
    if (!are_plainly_real(rule, operands)) replace_numbers(call, rule, operands, shape);
  }
  operator Operands() const { return operands_; }

 private:
  // Of nearly all operations: this is looked at for each.
  static bool are_plainly_real(const Rule& rule, Operands operands) {
    if (is_complex(rule.compute)) return false;
    for (const Operand* operand : operands) {
      if (operand->kind() == Operand::Kind::Array && ArrayAccess::state(operand->array())->dtype() != rule.compute)
        return false;
    }
    return true;
  }
  [[gnu::noinline]] void replace_numbers(const Call& call, const Rule& rule, Operands operands, const Shape& shape) {
    check_takes_complex(call, rule, operands);
    if (!is_complex(rule.compute) ||
        std::none_of(operands.begin(), operands.end(), [](const Operand* one) { return is_complex_number(*one); })) {
      return;
    }
    PutTogether& made = *(made_ = std::make_unique<PutTogether>());
    for (std::size_t k = 0; k < operands.size(); ++k) {
      made.pointers[k] = operands[k];
      if (!is_complex_number(*operands[k]) || is_condition(rule, k)) continue;
      const Rule put_together{kernel::Op::Complex, pilum::detail::part_of(rule.compute), rule.compute};
      const Operand re(operands[k]->floating(), call.where), im(operands[k]->imaginary(), call.where);
      const Operand* const parts[] = {&re, &im};
      made.arrays[k] = record_new(call, put_together, parts, shape);
      made.pointers[k] = &made.operands[k].emplace(made.arrays[k], call.where);
    }
    operands_ = Operands(made.pointers).first(operands.size());
  }

  struct PutTogether {
    std::array<const Operand*, 3> pointers{};
    std::array<Array, 3> arrays;
    std::array<std::optional<Operand>, 3> operands;
  };
  Operands operands_;
  std::unique_ptr<PutTogether> made_;  // where there are complex numbers
};

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
    set_input(call, elementwise.inputs[k], *operands[k], rule, is_condition(rule, k) ? DType::Bool : rule.compute,
              shape);
  }
  return elementwise;
}

// Behind the inputs.
void write_output(const ArrayState& target, scheduler::Elementwise& elementwise) {
  target.write_view(elementwise.output);
  if (!is_in_order(elementwise.output)) [[unlikely]]
    put_in_order(elementwise);
}

// The first operand has this shape and no smaller cells: so such an array there can be.
bool is_known_shape(const Shape& shape, DType dtype, Operands operands) {
  if (operands.empty() || operands[0]->kind() != Operand::Kind::Array) return false;
  const ArrayState& first = *ArrayAccess::state(operands[0]->array());
  return is_same(first.shape, shape) && (first.dtype() == dtype || itemsize(first.dtype()) >= itemsize(dtype));
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
    if (shape.rank() == 0) {
      shape = other;
    } else if (!is_same(shape, other)) {
      shape = broadcast_shapes(call, shape, other);
    }
  }
  return shape;
}

Array record_new(const Call& call, const Rule& rule, Operands operands) {
  return record_new(call, rule, operands, common_shape(call, operands, recorder_of(call)));
}

Array record_new(const Call& call, const Rule& rule, Operands operands, const Shape& shape) {
  if (!is_known_shape(shape, rule.result, operands)) check_shape(call, shape, rule.result);
  const WithoutComplexNumbers real(call, rule, operands, shape);
  scheduler::Recorder& recorder = recorder_of(call);
  scheduler::Operation operation;
  scheduler::Elementwise& elementwise = set_elementwise(operation, call, rule, real, shape);
  Array array = make_new(recorder, call, shape, rule.result);
  if (shape.elements() == 0) return array;
  write_output(*ArrayAccess::state(array), elementwise);
  recorder.record(std::move(operation));
  let_go(operands);
  return array;
}

void record_into(const Call& call, const Rule& rule, Operands operands, const ArrayState& target) {
  check_writable(call, target);
  const WithoutComplexNumbers real(call, rule, operands, target.shape);
  scheduler::Operation operation;
  scheduler::Elementwise& elementwise = set_elementwise(operation, call, rule, real, target.shape);
  if (target.shape.elements() == 0) return;
  write_output(target, elementwise);
  target.store().true_cells = nullptr;
  recorder_of(call).record(std::move(operation));
  let_go(operands);
}

Array record_index(const Call& call, const Shape& shape, int axis, DType dtype) {
  check_shape(call, shape, dtype);
  scheduler::Recorder& recorder = recorder_of(call);
  Array array = make_new(recorder, call, shape, dtype);
  if (shape.elements() == 0) return array;
  scheduler::Operation operation;
  scheduler::Elementwise& elementwise =
      set_elementwise(operation, call, Rule{kernel::Op::Index, DType::Int64, dtype}, {}, shape);
  elementwise.axis = static_cast<std::int8_t>(axis);
  write_output(*ArrayAccess::state(array), elementwise);
  recorder.record(std::move(operation));
  return array;
}

}  // namespace pilum::numeric
