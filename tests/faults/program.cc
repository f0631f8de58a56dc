#include "tests/faults/program.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace pilum::faults {
namespace {

constexpr std::array<const char*, kKinds> kKindNames = {"zeros",
                                                        "full",
                                                        "empty",
                                                        "arange",
                                                        "linspace",
                                                        "import",
                                                        "fill",
                                                        "assign_number",
                                                        "assign_view",
                                                        "add_number_in_place",
                                                        "multiply_number_in_place",
                                                        "add_in_place",
                                                        "subtract_in_place",
                                                        "add",
                                                        "subtract",
                                                        "multiply",
                                                        "maximum",
                                                        "add_number",
                                                        "where",
                                                        "astype",
                                                        "sum",
                                                        "max",
                                                        "sum_axis",
                                                        "max_axis",
                                                        "subtract_total",
                                                        "smooth",
                                                        "scale",
                                                        "pair",
                                                        "gather",
                                                        "window",
                                                        "count",
                                                        "item",
                                                        "to_vector",
                                                        "print",
                                                        "wait",
                                                        "handle",
                                                        "return",
                                                        "exit",
                                                        "quick_exit",
                                                        "throw",
                                                        "kill",
                                                        "delay",
                                                        "stop",
                                                        "endless"};

std::string text_of(const View& view) {
  return " " + std::to_string(view.name) + "[" + std::to_string(view.offset) + "::" + std::to_string(view.step) + "]";
}

// Not its kind: with arrays of floats a number is one of them.
std::string text_of_number(const Step& step) {
  double value = step.number.value;
  if (step.kind == Kind::Arange) value = static_cast<double>(first_of(step));
  if (step.kind == Kind::Linspace) value = last_of(step);
  char text[40];
  std::snprintf(text, sizeof text, " %a", value);
  return text;
}

}  // namespace

const char* name(Kind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::int64_t first_of(const Step& step) {
  return static_cast<std::int64_t>(step.number.value * 4);
}

double last_of(const Step& step) {
  const double cells = static_cast<double>(step.extent * std::max<std::int64_t>(step.columns, 1));
  return (cells - 1) * (1 + step.number.value * 0.125);
}

Fields fields_of(Kind kind) {
  switch (kind) {
    case Kind::Zeros:
    case Kind::Empty: return {.extent = true, .dtype = true};
    case Kind::Arange:
    case Kind::Linspace:
    case Kind::Full: return {.extent = true, .dtype = true, .number = true};
    case Kind::Import: return {.extent = true, .dtype = true, .data = true};
    case Kind::Fill: return {.number = true};
    case Kind::AssignNumber:
    case Kind::AddNumberInPlace:
    case Kind::MultiplyNumberInPlace:
    case Kind::AddNumber: return {.number = true, .a = true};
    case Kind::AssignView:
    case Kind::AddInPlace:
    case Kind::SubtractInPlace:
    case Kind::Add:
    case Kind::Subtract:
    case Kind::Multiply:
    case Kind::Maximum: return {.a = true, .b = true};
    case Kind::Where: return {.number = true, .a = true, .b = true};
    case Kind::AsType: return {.dtype = true, .a = true};
    case Kind::Sum:
    case Kind::Max: return {.a = true};
    case Kind::SumAxis:
    case Kind::MaxAxis: return {.a = true, .axis = true};
    case Kind::SubtractTotal: return {.a = true};
    case Kind::Smooth: return {.number = true, .a = true, .b = true, .task = true, .width = true};
    case Kind::Scale: return {.a = true, .captured = true, .task = true};
    case Kind::Pair: return {.number = true, .a = true, .task = true};
    case Kind::Gather: return {.a = true, .b = true, .captured = true, .task = true};
    case Kind::Window: return {.a = true, .b = true, .task = true, .width = true};
    case Kind::Count: return {.a = true, .task = true, .fold = true};
    case Kind::Item: return {.a = true};
    default: return {};
  }
}

std::string text_of(const Step& step) {
  if (step.kind == Kind::Handle || step.kind == Kind::Delay) return {};
  const Fields fields = fields_of(step.kind);
  std::string text = name(step.kind);
  if (fields.extent) text += " extent " + std::to_string(step.extent) + "," + std::to_string(step.columns);
  if (fields.dtype) text += std::string(" ") + pilum::name(step.dtype);
  if (fields.number) text += text_of_number(step);
  if (fields.a) text += text_of(step.a);
  if (fields.b) text += text_of(step.b);
  if (fields.a || fields.b) text += " of " + std::to_string(step.count);
  if (fields.axis) text += " axis " + std::to_string(step.axis);
  if (fields.data)
    text += " data " + std::to_string(step.data) + "/" + std::to_string(step.altered) + (step.altered_on ? " on" : "");
  if (fields.captured) text += " captured " + std::to_string(step.captured);
  if (fields.task) text += " task " + step.task + (step.other_body ? "'" : "");
  if (fields.width) text += " width " + std::to_string(step.width);
  if (fields.fold) text += step.maximum ? " maximum" : " sum";
  if (step.kind == Kind::Fill || step.kind == Kind::ToVector || step.kind == Kind::Print) {
    text += " " + std::to_string(step.target);
  }
  return text;
}

}  // namespace pilum::faults
