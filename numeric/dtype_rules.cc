#include "numeric/dtype_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/format.h"

namespace pilum::numeric {
namespace {

// 0 bool, 1 integer, 2 floating
int kind(DType dtype) {
  return dtype == DType::Bool ? 0 : is_floating(dtype) ? 2 : 1;
}

DType default_of_kind(int kind) {
  constexpr DType kDefaults[] = {DType::Bool, DType::Int64, DType::Float64};
  return kDefaults[kind];
}

std::string text_of(const Operand& number) {
  if (number.is_large()) return std::to_string(static_cast<std::uint64_t>(number.integer()));
  if (number.kind() != Operand::Kind::Floating) return std::to_string(number.integer());
  const double value = number.floating();
  return format_scalar(DType::Float64, std::as_bytes(std::span(&value, 1)));
}

[[noreturn, gnu::cold]] void refuse_number(const Call& call, const Operand& number, DType dtype) {
  const auto low =
      dtype == DType::Int32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
  const auto high =
      dtype == DType::Int32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
  fail<ValueError>(call, "the number ", text_of(number), " does not fit ", dtype, ", which holds ", low, " to ", high,
                   dtype == DType::Int32 ? ": use a wider dtype (astype), or a number within"
                                         : ": use a floating dtype (astype), or a number within");
}

}  // namespace

DType common_dtype(std::span<const Operand* const> operands) {
  bool any_array = false;
  DType dtype = DType::Bool;
  int number_kind = 0;
  for (const Operand* operand : operands) {
    if (operand->kind() == Operand::Kind::Array) {
      dtype = any_array ? promote(dtype, operand->array().dtype()) : operand->array().dtype();
      any_array = true;
    } else {
      number_kind = std::max(number_kind, static_cast<int>(operand->kind()) - static_cast<int>(Operand::Kind::Bool));
    }
  }
  return number_kind > kind(dtype) ? default_of_kind(number_kind) : dtype;
}

double value_of(const Operand& number) {
  if (number.kind() == Operand::Kind::Floating) return number.floating();
  return number.is_large() ? static_cast<double>(static_cast<std::uint64_t>(number.integer()))
                           : static_cast<double>(number.integer());
}

bool overflows(const Operand& number, DType dtype) {
  if (number.kind() != Operand::Kind::Integer) return false;
  if (number.is_large()) return is_integer(dtype);
  return dtype == DType::Int32 && !std::in_range<std::int32_t>(number.integer());
}

Scalar to_scalar(const Call& call, const Operand& number, DType dtype) {
  if (number.kind() != Operand::Kind::Floating) {
    if (overflows(number, dtype)) refuse_number(call, number, dtype);
    // Python's int becomes a float, and that a float32: rounded twice beyond 2^53.
    if (is_floating(dtype)) return cast(Scalar::of(value_of(number)), dtype);
    return cast(Scalar::of(number.integer()), dtype);
  }
  if (is_integer(dtype)) {
    const double whole = std::trunc(number.floating());
    const double limit = dtype == DType::Int32 ? 0x1p31 : 0x1p63;
    if (!(whole >= -limit && whole < limit)) refuse_number(call, number, dtype);
  }
  return cast(Scalar::of(number.floating()), dtype);
}

Scalar to_scalar_at_once(const Call& call, const Operand& number, DType dtype) {
  if (number.kind() != Operand::Kind::Integer || dtype != DType::Float32) return to_scalar(call, number, dtype);
  return number.is_large() ? Scalar::of(static_cast<float>(static_cast<std::uint64_t>(number.integer())))
                           : Scalar::of(static_cast<float>(number.integer()));
}

bool casts_within_kind(DType from, DType to) {
  return kind(from) <= kind(to);
}

}  // namespace pilum::numeric
