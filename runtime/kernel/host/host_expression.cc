#include "runtime/kernel/host/host_expression.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "runtime/base/check.h"
#include "runtime/base/scalar.h"
#include "runtime/kernel/host/function_text.h"
#include "runtime/kernel/ir/op_facts.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {
namespace {

const char* symbol(Op op) {
  switch (op) {
    case Op::Add: return " + ";
    case Op::Subtract: return " - ";
    case Op::Multiply: return " * ";
    case Op::Divide: return " / ";
    case Op::Equal: return " == ";
    case Op::NotEqual: return " != ";
    case Op::Less: return " < ";
    case Op::LessEqual: return " <= ";
    case Op::Greater: return " > ";
    case Op::GreaterEqual: return " >= ";
    case Op::And: return " & ";
    case Op::Or: return " | ";
    case Op::Xor: return " ^ ";
    default: PILUM_CHECK(false, "{} is no operator", name(op));
  }
}

// Bool operands: logic, and false < true. `a`, `b` are bools, or masks of 0 and -1.
std::string bool_expression(Op op, Form form, const std::string& a, const std::string& b) {
  const char* no = form == Form::Scalar ? "!" : "~";
  switch (op) {
    case Op::Add:
    case Op::Maximum:
    case Op::Or: return join(a, " | ", b);
    case Op::Multiply:
    case Op::Minimum:
    case Op::And: return join(a, " & ", b);
    case Op::Subtract:
    case Op::Xor:
    case Op::NotEqual: return join(a, " ^ ", b);
    case Op::Equal: return form == Form::Scalar ? join(a, " == ", b) : join("~(", a, " ^ ", b, ")");
    case Op::Less: return join(no, a, " & ", b);
    case Op::LessEqual: return join(no, a, " | ", b);
    case Op::Greater: return join(a, " & ", no, b);
    case Op::GreaterEqual: return join(a, " | ", no, b);
    default: PILUM_CHECK(false, "{} of bool", name(op));
  }
}

// A comparison of vectors as lanes of maskv.
std::string masked(const std::string& comparison) {
  return join("__builtin_convertvector(", comparison, ", maskv)");
}

std::string cast_expression(const HostPlan& plan, const Node& node, Form form) {
  const std::string a = value_name(node.a, form);
  const DType from = plan.node(node.a).dtype;
  if (wraps(from, node.dtype)) return join(wrap_name(node.dtype), "(", a, ")");
  if (form == Form::Scalar) {
    return node.dtype == DType::Bool ? join(a, " != 0") : join("(", value_type(node.dtype), ")", a);
  }
  const char* to = vector_type(node.dtype);
  if (node.dtype == DType::Bool) return from == DType::Bool ? a : masked(join(a, " != ", vector_type(from), "{}"));
  return join("__builtin_convertvector(", from == DType::Bool ? "-" : "", a, ", ", to, ")");
}

// The functions are of words of 32 bits.
std::string half_expression(Op op, Form form, const std::string& a) {
  const bool narrows = op == Op::ToHalf, scalar = form == Form::Scalar;
  const std::string word = narrows ? join(function_name(op), "(", a, ")") : a;
  const std::string moved = scalar ? join(narrows ? "(u16)" : "(u32)", word)
                                   : join("__builtin_convertvector(", word, narrows ? ", u16v)" : ", u32v)");
  return narrows ? moved : join(function_name(op), "(", moved, ")");
}

std::string float_literal(double value, bool wide) {
  const char* suffix = wide ? "" : "f";
  if (std::isnan(value)) return join("__builtin_nan", suffix, "(\"\")");
  if (std::isinf(value)) return join(value < 0 ? "-" : "", "__builtin_inf", suffix, "()");
  char text[40];
  std::snprintf(text, sizeof text, wide ? "%.17g" : "%.9g", value);
  const bool whole = std::string_view(text).find_first_of(".e") == std::string_view::npos;
  return join(text, whole ? ".0" : "", suffix);
}

}  // namespace

bool wraps(DType from, DType to) {
  return is_floating(from) && is_integer(to) && (is_unsigned(to) || itemsize(to) < sizeof(std::int32_t));
}

std::string wrap_name(DType to) {
  return join("wrap_", value_type(to));
}

std::string value_name(ValueId id, Form form) {
  return join(form == Form::Scalar ? "v" : "w", id);
}

bool keeps_pairs(const HostPlan& plan, ValueId id) {
  return plan.vectorised && plan.node(id).op == Op::StandardNormal && plan.level(id) == Level::Point;
}

std::string pairs_name(ValueId id) {
  return join("pairs", id);
}

bool divides_by_number(const HostPlan& plan, ValueId id) {
  const Node& node = plan.node(id);
  return plan.vectorised && node.op == Op::Divide && node.dtype == DType::Float64 && plan.level(id) == Level::Point &&
         plan.level(node.b) != Level::Point;
}

bool is_divisor(const HostPlan& plan, ValueId id) {
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const auto quotient = static_cast<ValueId>(i);
    if (divides_by_number(plan, quotient) && plan.node(quotient).b == id) return true;
  }
  return false;
}

std::string reciprocal_name(ValueId id) {
  return join("reciprocal", id);
}

std::string literal(DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case DType::Bool: return bits & 1 ? "true" : "false";
    case DType::Int32: {
      const auto value = static_cast<std::int32_t>(bits);
      return value == INT32_MIN ? "(-2147483647 - 1)" : std::to_string(value);
    }
    case DType::Int64: {
      const auto value = static_cast<std::int64_t>(bits);
      return value == INT64_MIN ? "(-9223372036854775807l - 1)" : join(value, "l");
    }
    case DType::Float16: return join("(u16)", static_cast<std::uint16_t>(bits));
    case DType::UInt32: return join(static_cast<std::uint32_t>(bits), "u");
    case DType::UInt64: return join(bits, "ul");
    case DType::Int8:
    case DType::Int16:
    case DType::UInt8:
    case DType::UInt16: return join("(", value_type(dtype), ")", to_string(Scalar{dtype, bits}));
    case DType::Float32: return float_literal(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), /*wide=*/false);
    case DType::Complex64:
    case DType::Complex128: PILUM_CHECK(false, "complex numbers are put together of their parts");
    case DType::Float64: break;
  }
  return float_literal(std::bit_cast<double>(bits), /*wide=*/true);
}

std::string splat(DType dtype, const std::string& number) {
  const char* vector = vector_type(dtype);
  if (dtype == DType::Bool) return join("(maski)-", number, " - ", vector, "{}");
  if (!is_complex(dtype)) return splat(number, vector);
  const char* part = vector_type(detail::part_of(dtype));
  return join("{", splat(number + ".re", part), ", ", splat(number + ".im", part), "}");
}

std::string splat(const std::string& number, const char* vector) {
  return join(number, " - ", vector, "{}");
}

std::string cell_at(const char* type, const std::string& place) {
  return join("*(", type, "*)(", place, ")");
}

std::string binary_expression(Op op, DType dtype, Form form, const std::string& a, const std::string& b) {
  if (dtype == DType::Bool) return bool_expression(op, form, a, b);
  if (op == Op::Minimum || op == Op::Maximum) return join(name(op), "(", a, ", ", b, ")");
  if (is_function(op)) return join(function_name(op), "(", a, ", ", b, ")");
  const bool mask = is_comparison(op) && form == Form::Vector;
  return mask ? masked(join(a, symbol(op), b)) : join(a, symbol(op), b);
}

std::string expression(const HostPlan& plan, ValueId id, Form form) {
  const Node& node = plan.node(id);
  switch (node.op) {
    case Op::Argument: return cell_at(value_type(node.dtype), join("call->scalars + ", node.argument));
    case Op::Constant: return literal(node.dtype, node.bits);
    default: break;
  }
  const std::string a = value_name(node.a, form);
  if (node.op == Op::Erfc && node.dtype == DType::Float64 && plan.node(node.a).op == Op::Negate)
    return join("erfc_of_negated(", value_name(plan.node(node.a).a, form), ")");
  if (node.op == Op::ToHalf || node.op == Op::FromHalf) return half_expression(node.op, form, a);
  if (is_function(node.op) && arity(node.op) == 1) return join(function_name(node.op), "(", a, ")");
  if (is_function(node.op) && arity(node.op) == 3) {
    const bool remembers = keeps_pairs(plan, id) && form == Form::Vector;
    return join(function_name(node.op), "(", a, ", ", value_name(node.b, form), ", ", value_name(node.c, form),
                remembers ? join(", ", pairs_name(id)) : std::string(), ")");
  }
  if (form == Form::Vector && divides_by_number(plan, id))
    return join("divide_by(", a, ", ", value_name(node.b, form), ", ", reciprocal_name(node.b), ")");
  switch (node.op) {
    case Op::Cast: return cast_expression(plan, node, form);
    case Op::Negate: return node.dtype == DType::Bool ? a : join("-", a);
    case Op::Not: return join(form == Form::Scalar && node.dtype == DType::Bool ? "!" : "~", a);
    case Op::Absolute: return node.dtype == DType::Bool ? a : join("absolute(", a, ")");
    case Op::Sqrt: return join("sqrt(", a, ")");
    case Op::Real: return join(a, ".re");
    case Op::Imaginary: return join(a, ".im");
    case Op::Complex:
      return join(form == Form::Scalar ? value_type(node.dtype) : vector_type(node.dtype), "{", a, ", ",
                  value_name(node.b, form), "}");
    case Op::Select:
      return form == Form::Scalar
                 ? join(a, " ? ", value_name(node.b, form), " : ", value_name(node.c, form))
                 : join("select(", a, ", ", value_name(node.b, form), ", ", value_name(node.c, form), ")");
    default: return binary_expression(node.op, plan.node(node.a).dtype, form, a, value_name(node.b, form));
  }
}

}  // namespace pilum::kernel
