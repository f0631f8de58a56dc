#include "runtime/kernel/device/device_point.h"

#include <cstdlib>
#include <set>

#include "runtime/kernel/host/host_expression.h"

namespace pilum::kernel {

DevicePlan::DevicePlan(const Kernel& kernel, const DeviceOptions& options)
    : kernel(kernel), options(options), layout{kernel}, scalar(make_host_plan(kernel, {.scalar = true})) {}

std::string DevicePlan::displacement(int array, const Offset& offset) const {
  std::string text;
  for (int axis = 0; axis < this->array(array).store_rank; ++axis) {
    const int cells = offset[static_cast<std::size_t>(axis)];
    if (!cells) continue;
    text += cells < 0 ? " - " : " + ";
    if (std::abs(cells) != 1) text += join(std::abs(cells), " * ");
    text += word(layout.pitch(array, axis));
  }
  return text;
}

namespace {

void write_value(SourceText& text, const DevicePlan& plan, ValueId id, const std::string& value) {
  text.line("const ", value_type(plan.scalar.node(id).dtype), " ", value_name(id, Form::Scalar), " = ", value, ";");
}

// A quotient of float64 that differs from point to point.
bool divides_at_points(const DevicePlan& plan, ValueId id) {
  const Node& node = plan.scalar.node(id);
  return node.op == Op::Divide && node.dtype == DType::Float64 && plan.scalar.level(id) != Level::Call;
}

// Of a divisor, before its first quotient.
void write_reciprocal(SourceText& text, ValueId divisor) {
  text.line("const f64 ", reciprocal_name(divisor), " = reciprocal_for(", value_name(divisor, Form::Scalar), ");");
}

}  // namespace

bool divides_at_points(const DevicePlan& plan) {
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    if (divides_at_points(plan, static_cast<ValueId>(i))) return true;
  }
  return false;
}

void write_call_values(SourceText& text, const DevicePlan& plan) {
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (plan.scalar.level(id) != Level::Call) continue;
    const Node& node = plan.scalar.node(id);
    write_value(text, plan, id,
                node.op == Op::Argument ? join("scalar<", value_type(node.dtype), ">((u64)",
                                               DevicePlan::word(plan.layout.scalar(node.argument)), ")")
                                        : expression(plan.scalar, id, Form::Scalar));
  }
  std::set<ValueId> divisors;
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const ValueId divisor = plan.scalar.node(id).b;
    if (!divides_at_points(plan, id) || plan.scalar.level(divisor) != Level::Call) continue;
    if (divisors.insert(divisor).second) write_reciprocal(text, divisor);
  }
}

void write_point_values(SourceText& text, const DevicePlan& plan, const std::function<std::string(const Node&)>& load,
                        const std::function<std::string(int axis)>& index) {
  std::set<ValueId> divisors;
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (plan.scalar.level(id) == Level::Call) continue;
    const Node& node = plan.scalar.node(id);
    if (divides_at_points(plan, id)) {
      if (plan.scalar.level(node.b) != Level::Call && divisors.insert(node.b).second) write_reciprocal(text, node.b);
      write_value(text, plan, id,
                  join("divide_by(", value_name(node.a, Form::Scalar), ", ", value_name(node.b, Form::Scalar), ", ",
                       reciprocal_name(node.b), ")"));
      continue;
    }
    write_value(text, plan, id,
                node.op == Op::Load    ? load(node)
                : node.op == Op::Index ? index(node.axis)
                                       : expression(plan.scalar, id, Form::Scalar));
  }
}

std::string in_memory(const DevicePlan& plan, ValueId value) {
  const DType dtype = plan.scalar.node(value).dtype;
  return join(dtype == DType::Bool ? "(u8)" : "", value_name(value, Form::Scalar));
}

std::string as_value(DType dtype, const std::string& cell) {
  return join(cell, dtype == DType::Bool ? " != 0" : "");
}

}  // namespace pilum::kernel
