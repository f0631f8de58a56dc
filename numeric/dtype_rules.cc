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
                   ": use a wider dtype (astype), or a number within");
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

bool overflows(const Operand& number, DType dtype) {
  return number.kind() == Operand::Kind::Integer && dtype == DType::Int32 &&
         !std::in_range<std::int32_t>(number.integer());
}

Scalar to_scalar(const Call& call, const Operand& number, DType dtype) {
  if (number.kind() != Operand::Kind::Floating) {
    if (overflows(number, dtype)) refuse_number(call, number, dtype);
    return cast(Scalar::of(number.integer()), dtype);
  }
  if (is_integer(dtype)) {
    const double whole = std::trunc(number.floating());
    const double limit = dtype == DType::Int32 ? 0x1p31 : 0x1p63;
    if (!(whole >= -limit && whole < limit)) refuse_number(call, number, dtype);
  }
  return cast(Scalar::of(number.floating()), dtype);
}

bool casts_within_kind(DType from, DType to) {
  return kind(from) <= kind(to);
}

}  // namespace pilum::numeric

namespace pilum::numeric::detail {

void refuse_large_number(std::uint64_t number, std::source_location where) {
  fail<ValueError>(Call{"number", where}, "the number ", number,
                   " does not fit int64: use a floating one, or one below 2^63");
}

}  // namespace pilum::numeric::detail
