#include "numeric/dtype_rules.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "numeric/array_state.h"
#include "numeric/format.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

// 0 bool, 1 integer, 2 floating, 3 complex
int kind(DType dtype) {
  return dtype == DType::Bool ? 0 : is_complex(dtype) ? 3 : is_floating(dtype) ? 2 : 1;
}

// The same, integers without a sign before those that have one.
int kind_of_casts(DType dtype) {
  return 2 * kind(dtype) - is_unsigned(dtype);
}

// Of integers and bools.
DType function_dtype_of_size(std::size_t itemsize) {
  return pilum::detail::dtype_of_size(pilum::detail::DTypeKind::Floating, 2 * itemsize);
}

constexpr int kComplexKind = 3;

DType default_of_kind(int kind) {
  constexpr DType kDefaults[] = {DType::Bool, DType::Int64, DType::Float64, DType::Complex128};
  return kDefaults[kind];
}

std::string text_of(const Operand& number) {
  if (number.is_large()) return std::to_string(static_cast<std::uint64_t>(number.integer()));
  if (number.kind() == Operand::Kind::Complex) {
    const std::complex<double> value(number.floating(), number.imaginary());
    return format_scalar(DType::Complex128, std::as_bytes(std::span(&value, 1)));
  }
  if (number.kind() != Operand::Kind::Floating) return std::to_string(number.integer());
  const double value = number.floating();
  return format_scalar(DType::Float64, std::as_bytes(std::span(&value, 1)));
}

[[noreturn, gnu::cold]] void refuse_number(const Call& call, const Operand& number, DType dtype) {
  const IntegerRange range = range_of(dtype);
  fail<ValueError>(call, "the number ", text_of(number), " does not fit ", dtype, ", which holds ", range.lowest,
                   " to ", range.highest,
                   itemsize(dtype) < sizeof(std::int64_t) ? ": use a wider dtype (astype), or a number within"
                                                          : ": use a floating dtype (astype), or a number within");
}

// Of arrays, or what stands for them, and of numbers of at most this kind.
DType with_numbers(DType dtype, int number_kind) {
  if (number_kind <= kind(dtype)) return dtype;
  // A complex number keeps the width of floats.
  return number_kind == kComplexKind && is_floating(dtype) ? pilum::detail::complex_of(dtype)
                                                           : default_of_kind(number_kind);
}

int kind_of_number(const Operand& number) {
  return static_cast<int>(number.kind()) - static_cast<int>(Operand::Kind::Bool);
}

}  // namespace

DType weakly_promoted(DType dtype, std::span<const Operand* const> numbers) {
  int number_kind = 0;
  for (const Operand* number : numbers) number_kind = std::max(number_kind, kind_of_number(*number));
  return with_numbers(dtype, number_kind);
}

DType common_dtype(std::span<const Operand* const> operands) {
  bool any_array = false;
  DType dtype = DType::Bool;
  int number_kind = 0;
  for (const Operand* operand : operands) {
    if (operand->kind() == Operand::Kind::Array) {
      const ArrayState* state = ArrayAccess::state(operand->array());
      const DType other = state ? state->dtype() : DType::Float64;
      if (!any_array) dtype = other;
      if (dtype != other) dtype = promote(dtype, other);
      any_array = true;
    } else {
      number_kind = std::max(number_kind, kind_of_number(*operand));
    }
  }
  return with_numbers(dtype, number_kind);
}

double value_of(const Operand& number) {
  if (number.kind() == Operand::Kind::Floating || number.kind() == Operand::Kind::Complex) return number.floating();
  return number.is_large() ? static_cast<double>(static_cast<std::uint64_t>(number.integer()))
                           : static_cast<double>(number.integer());
}

bool overflows(const Operand& number, DType dtype) {
  if (number.kind() != Operand::Kind::Integer) return false;
  if (!is_integer(dtype)) return false;
  if (number.is_large()) return dtype != DType::UInt64;
  const IntegerRange range = range_of(dtype);
  return number.integer() < range.lowest || std::cmp_greater(number.integer(), range.highest);
}

Scalar to_scalar(const Call& call, const Operand& number, DType dtype) {
  if (number.kind() == Operand::Kind::Floating && dtype == DType::Float64) return Scalar::of(number.floating());
  if (number.kind() == Operand::Kind::Complex) {
    fail<DTypeError>(call, "the number ", text_of(number), " is complex, and a real one of ", dtype,
                     " is needed: use its real part, or complex numbers (complex64, complex128)");
  }
  if (is_complex(dtype)) return to_scalar(call, number, pilum::detail::part_of(dtype));
  if (number.kind() != Operand::Kind::Floating) {
    if (overflows(number, dtype)) refuse_number(call, number, dtype);
    // Python's int becomes a float, and that a float32: rounded twice beyond 2^53.
    if (is_floating(dtype)) return cast(Scalar::of(value_of(number)), dtype);
    return cast(Scalar::of(number.integer()), dtype);
  }
  if (is_integer(dtype)) {
    const double whole = std::trunc(number.floating());
    const IntegerRange range = range_of(dtype);
    const double end = std::ldexp(1.0, static_cast<int>(8 * itemsize(dtype)) - is_signed(dtype));
    if (!(whole >= static_cast<double>(range.lowest) && whole < end)) refuse_number(call, number, dtype);
  }
  return cast(Scalar::of(number.floating()), dtype);
}

Scalar to_scalar_at_once(const Call& call, const Operand& number, DType dtype) {
  if (number.kind() != Operand::Kind::Integer || pilum::detail::part_of(dtype) != DType::Float32)
    return to_scalar(call, number, dtype);
  return number.is_large() ? Scalar::of(static_cast<float>(static_cast<std::uint64_t>(number.integer())))
                           : Scalar::of(static_cast<float>(number.integer()));
}

bool casts_within_kind(DType from, DType to) {
  return kind_of_casts(from) <= kind_of_casts(to);
}

void refuse_complex(const Call& call, DType dtype) {
  if (!is_complex(dtype)) return;
  fail<DTypeError>(call, "it takes real numbers, and these are ", dtype,
                   ": give np::real(x), np::imag(x) or np::abs(x) of them");
}

IntegerRange range_of(DType dtype) {
  if (!is_integer(dtype)) return {};
  return visit_dtype(dtype, []<class T>(T) -> IntegerRange {
    if constexpr (std::is_integral_v<T>) {
      return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    } else {
      return {};
    }
  });
}

DType function_dtype(std::span<const Operand* const> operands) {
  const DType common = common_dtype(operands);
  if (is_floating(common) || is_complex(common)) return common;
  std::size_t widest = 0;
  bool lifted = common != DType::Bool;  // bools by an integer number, to int64
  for (const Operand* operand : operands) {
    if (operand->kind() != Operand::Kind::Array) continue;
    widest = std::max(widest, itemsize(operand->array().dtype()));
    lifted &= operand->array().dtype() == DType::Bool;
  }
  return function_dtype_of_size(lifted ? itemsize(common) : widest);
}

DType function_dtype(DType dtype) {
  return is_floating(dtype) || is_complex(dtype) ? dtype : function_dtype_of_size(itemsize(dtype));
}

}  // namespace pilum::numeric
