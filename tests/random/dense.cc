#include "tests/random/dense.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tests/random/dense_complex.h"
#include "tests/random/dense_functions.h"

namespace pilum::random_programs {
namespace {

constexpr std::int64_t kMaxCells = 4'000'000;  // of an array

DType dtype_of_weak(Number::Kind kind) {
  if (kind == Number::Kind::Bool) return DType::Bool;
  if (kind == Number::Kind::Complex) return DType::Complex128;
  return kind == Number::Kind::Integer ? DType::Int64 : DType::Float64;
}

int kind_of(DType dtype) {
  return dtype == DType::Bool ? 0 : is_integer(dtype) ? 1 : is_complex(dtype) ? 3 : 2;
}

// Whole numbers up to 2^bits, and whether negative ones too.
struct Reach {
  int bits;
  bool negative;
};
Reach reach_of(DType dtype) {
  if (dtype == DType::Bool) return {1, false};
  if (is_floating(dtype)) return {dtype == DType::Float16 ? 11 : dtype == DType::Float32 ? 24 : 53, true};
  return {static_cast<int>(8 * itemsize(dtype)) - is_signed(dtype), is_signed(dtype)};
}

bool holds(DType dtype, DType other) {
  if (is_floating(other)) return is_floating(dtype) && itemsize(dtype) >= itemsize(other);
  const Reach own = reach_of(dtype), of_other = reach_of(other);
  return own.bits >= of_other.bits && (own.negative || !of_other.negative);
}

DType common_dtype(const Dense& a, const Dense& b) {
  if (a.weak && !b.weak) {
    if (is_complex(a.dtype) && is_floating(b.dtype)) return complex_of(b.dtype);
    return kind_of(a.dtype) <= kind_of(b.dtype) ? b.dtype : a.dtype;
  }
  if (b.weak && !a.weak) return common_dtype(b, a);
  if (is_complex(a.dtype) || is_complex(b.dtype))
    return complex_of(common_dtype(Dense{part_of(a.dtype)}, Dense{part_of(b.dtype)}));
  // The narrowest dtype in this order that holds what both hold.
  for (const DType dtype : {DType::Bool, DType::UInt8, DType::Int8, DType::UInt16, DType::Int16, DType::UInt32,
                            DType::Int32, DType::UInt64, DType::Int64, DType::Float16, DType::Float32}) {
    if (holds(dtype, a.dtype) && holds(dtype, b.dtype)) return dtype;
  }
  return DType::Float64;
}

// A cell's number, and back: of uint64, cells hold 2^64 less from 2^63 on.
__int128 number_of(std::int64_t cell, DType dtype) {
  return dtype == DType::UInt64 ? static_cast<__int128>(static_cast<std::uint64_t>(cell)) : cell;
}
std::int64_t wrapped(__int128 number, DType dtype) {
  if (dtype == DType::Bool) return static_cast<std::int64_t>(number);
  const int unused = 64 - static_cast<int>(8 * itemsize(dtype));
  const std::uint64_t high = static_cast<std::uint64_t>(number) << unused;
  return is_unsigned(dtype) ? static_cast<std::int64_t>(high >> unused) : static_cast<std::int64_t>(high) >> unused;
}

template <class T>
T smaller_or_larger(Op op, T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b && std::signbit(a) != std::signbit(b)) throw Invalid("the smaller one of 0.0 and -0.0");
  return (op == Op::Minimum) == (b < a) ? b : a;
}

// a - floor(a / b) * b: the magnitudes' rest, then towards the divisor's sign. A zero has the divisor's sign.
template <class T>
T remainder_of(T a, T b) {
  const T rest = std::fmod(std::fabs(a), std::fabs(b));
  if (std::isnan(rest) || rest == 0) return std::isnan(rest) ? rest : std::signbit(b) ? -T{0} : T{0};
  const T with_sign = std::signbit(a) ? -rest : rest;
  return std::signbit(a) == std::signbit(b) ? with_sign : with_sign + b;
}

__int128 remainder_of(__int128 a, __int128 b) {
  return b == 0 ? 0 : (a % b + b) % b;
}

template <class T>
double floating(Op op, double left, double right) {
  const T a = static_cast<T>(left);
  const T b = static_cast<T>(right);
  switch (op) {
    case Op::Add: return static_cast<T>(a + b);
    case Op::Subtract: return static_cast<T>(a - b);
    case Op::Multiply: return static_cast<T>(a * b);
    case Op::Divide: return static_cast<T>(a / b);
    case Op::Minimum:
    case Op::Maximum: return smaller_or_larger(op, a, b);
    case Op::Remainder: return remainder_of(a, b);
    case Op::Negative: return -a;
    case Op::Abs: return std::fabs(a);
    case Op::Sqrt: return std::sqrt(a);
    case Op::Sign: return a > 0 ? 1 : a < 0 ? -1 : a == 0 ? 0 : a;
    default: return float_function(op, left, right, std::is_same_v<T, float> ? DType::Float32 : DType::Float64);
  }
}

// Each operation is rounded.
double floating_half(Op op, double a, double b) {
  const bool has_own = op == Op::Nextafter || op == Op::NanToNum;
  return rounded_half(has_own ? float_function(op, a, b, DType::Float16) : floating<float>(op, a, b));
}

// In numbers that are not bounded.
__int128 unbounded(Op op, __int128 a, __int128 b, DType dtype) {
  const bool boolean = dtype == DType::Bool;
  switch (op) {
    case Op::Add: return boolean ? a | b : a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply:
      return static_cast<__int128>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    case Op::Minimum: return std::min(a, b);
    case Op::Maximum: return std::max(a, b);
    case Op::Remainder: return remainder_of(a, b);
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Invert: return boolean ? 1 - a : -1 - a;
    case Op::Negative: return -a;
    case Op::Abs: return a < 0 ? -a : a;
    case Op::Sign: return (a > 0) - (a < 0);
    default: return integer_function(op, a, b, dtype);
  }
}

template <class T>
bool compared(Op op, T a, T b) {
  switch (op) {
    case Op::Equal: return a == b;
    case Op::NotEqual: return a != b;
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    default: return a >= b;
  }
}

Cell computed(Op op, Cell a, Cell b, DType dtype) {
  if (is_complex(dtype)) return complex_cell(op, a, b, dtype);
  if (is_comparison(op)) return Cell{.integer = compared(op, a.floating, b.floating)};
  if (op == Op::Signbit) {
    if (is_floating(dtype) && std::isnan(a.floating)) throw Invalid("the sign of a NaN");
    return Cell{.integer = is_floating(dtype) ? std::signbit(a.floating) : number_of(a.integer, dtype) < 0};
  }
  if (op == Op::BitwiseCount) {
    const __int128 number = number_of(a.integer, dtype);
    return Cell{.integer = std::popcount(static_cast<std::uint64_t>(number < 0 ? -number : number))};
  }
  if (op == Op::FrexpExponent)
    return Cell{.integer = static_cast<std::int64_t>(float_function(op, a.floating, 0, dtype))};
  if (!is_floating(dtype)) return Cell{.integer = integral(op, a.integer, b.integer, dtype)};
  if (dtype == DType::Float16) return Cell{.floating = floating_half(op, a.floating, b.floating)};
  return Cell{.floating = dtype == DType::Float32 ? floating<float>(op, a.floating, b.floating)
                                                  : floating<double>(op, a.floating, b.floating)};
}

void check_fits(const Dense& value, DType dtype) {
  if (!value.weak || *value.weak != Number::Kind::Integer || !is_integer(dtype)) return;
  const __int128 number = value.cells[0].integer;
  if (number_of(wrapped(number, dtype), dtype) != number) throw Invalid("a number that the dtype cannot hold");
}

// Computes in `dtype`, cell by cell of the arguments' common shape.
Dense elementwise(Op op, const Dense& a, const Dense& b, DType dtype) {
  const DType dtype_of_cells = is_comparison(op)   ? DType::Bool
                               : is_complex(dtype) ? dtype_of_complex_result(op, dtype)
                                                   : dtype_of_result(op, dtype);
  Dense result{dtype_of_cells, broadcast(a.shape, b.shape)};
  const std::vector<std::size_t> of_a = broadcast_places(a.shape, result.shape);
  const std::vector<std::size_t> of_b = broadcast_places(b.shape, result.shape);
  const bool exactly = is_comparison(op) && kind_of(a.dtype) < 2 && kind_of(b.dtype) < 2;
  if (!exactly) check_fits(a, dtype), check_fits(b, dtype);
  for (std::size_t cell = 0; cell < of_a.size(); ++cell) {
    if (exactly) {
      const __int128 left = number_of(a.cells[of_a[cell]].integer, a.dtype);
      result.cells.push_back(Cell{.integer = compared(op, left, number_of(b.cells[of_b[cell]].integer, b.dtype))});
      continue;
    }
    const Cell left = cast(a.cells[of_a[cell]], a.dtype, dtype);
    const Cell right = cast(b.cells[of_b[cell]], b.dtype, dtype);
    result.cells.push_back(computed(op, left, right, dtype));
    if (is_complex(dtype) && is_inexact_of_complex(op)) {
      result.tolerance.push_back(complex_tolerance(op, result.cells.back(), dtype));
    } else if (is_inexact(op)) {
      result.tolerance.push_back(tolerance_of(op, left.floating, right.floating, result.cells.back().floating, dtype));
    }
  }
  return result;
}

Dense choose(const Dense& condition, const Dense& a, const Dense& b) {
  const DType dtype = common_dtype(a, b);
  check_fits(a, dtype), check_fits(b, dtype);
  Dense result{dtype, broadcast(condition.shape, broadcast(a.shape, b.shape))};
  const std::vector<std::size_t> of_condition = broadcast_places(condition.shape, result.shape);
  const std::vector<std::size_t> of_a = broadcast_places(a.shape, result.shape);
  const std::vector<std::size_t> of_b = broadcast_places(b.shape, result.shape);
  for (std::size_t cell = 0; cell < of_a.size(); ++cell) {
    const bool first = is_true(condition.cells[of_condition[cell]], condition.dtype);
    result.cells.push_back(first ? cast(a.cells[of_a[cell]], a.dtype, dtype)
                                 : cast(b.cells[of_b[cell]], b.dtype, dtype));
  }
  return result;
}

}  // namespace

std::int64_t integral(Op op, std::int64_t a, std::int64_t b, DType dtype) {
  return wrapped(unbounded(op, number_of(a, dtype), number_of(b, dtype), dtype), dtype);
}

bool is_true(Cell cell, DType dtype) {
  if (is_complex(dtype)) return cell.floating != 0 || cell.imaginary != 0;
  return is_floating(dtype) ? cell.floating != 0 : cell.integer != 0;
}

void check_exact(const Dense& value) {
  if (!value.tolerance.empty()) throw Invalid("an inexact value as an input");
}

// Of two large arrays, one along each axis, there would be billions; of a fold of no cells, too.
void check_count(const Extents& shape) {
  if (count_of(shape) > kMaxCells) throw Invalid("more cells than a test needs");
}

double epsilon_of(DType dtype) {
  return dtype == DType::Float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

std::int64_t count_of(const Extents& shape) {
  std::int64_t count = 1;
  for (std::int64_t extent : shape) count *= extent;
  return count;
}

Extents broadcast(const Extents& a, const Extents& b) {
  if (a.size() < b.size()) return broadcast(b, a);
  Extents shape = a;
  const std::size_t front = a.size() - b.size();
  for (std::size_t axis = 0; axis < b.size(); ++axis) {
    std::int64_t& extent = shape[front + axis];
    if (extent != b[axis] && extent != 1 && b[axis] != 1) throw Invalid("shapes that do not broadcast");
    if (extent == 1) extent = b[axis];
  }
  check_count(shape);
  return shape;
}

std::vector<std::size_t> broadcast_places(const Extents& from, const Extents& to) {
  const std::size_t front = to.size() - from.size();
  std::vector<std::size_t> places;
  Extents at(to.size(), 0);
  for (std::int64_t cell = 0; cell < count_of(to); ++cell) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
      place = place * from[axis] + (from[axis] == 1 ? 0 : at[front + axis]);
    }
    places.push_back(static_cast<std::size_t>(place));
    for (std::size_t axis = to.size(); axis-- > 0;) {
      if (++at[axis] < to[axis]) break;
      at[axis] = 0;
    }
  }
  return places;
}

Dense dense(const Number& number) {
  const DType dtype = dtype_of_weak(number.kind);
  Cell cell{.integer = static_cast<std::int64_t>(number.value)};
  if (is_floating(dtype) || is_complex(dtype)) cell = Cell{.floating = number.value, .imaginary = number.imaginary};
  Dense result{dtype, {}, {cell}};
  result.weak = number.kind;
  return result;
}

Cell cast(Cell cell, DType from, DType to) {
  if (from == to) return cell;
  if (is_complex(to)) {
    Cell result = cast(Cell{cell}, part_of(from), part_of(to));
    result.imaginary =
        is_complex(from) ? cast(Cell{.floating = cell.imaginary}, part_of(from), part_of(to)).floating : 0;
    return result;
  }
  if (is_complex(from) && to != DType::Bool) return cast(Cell{.floating = cell.floating}, part_of(from), to);
  if (to == DType::Bool) return Cell{.integer = is_true(cell, from)};
  if (to == DType::Float16) {
    return Cell{.floating = rounded_half(is_floating(from) ? cell.floating
                                                           : static_cast<double>(number_of(cell.integer, from)))};
  }
  if (is_floating(to)) {
    const bool single = to == DType::Float32;
    if (is_floating(from)) return Cell{.floating = single ? static_cast<float>(cell.floating) : cell.floating};
    const __int128 number = number_of(cell.integer, from);
    return Cell{.floating = single ? static_cast<float>(number) : static_cast<double>(number)};
  }
  if (!is_floating(from)) return Cell{.integer = wrapped(number_of(cell.integer, from), to)};
  const double limit = std::ldexp(1.0, reach_of(to).bits);
  const bool fits = cell.floating < limit && cell.floating > (is_signed(to) ? -limit : -1.0);
  if (!fits) throw Invalid("a float that the integer dtype cannot hold");
  return Cell{.integer = wrapped(static_cast<__int128>(cell.floating), to)};
}

Dense cast(const Dense& value, DType to) {
  check_exact(value);
  Dense result{to, value.shape};
  check_fits(value, to);
  for (Cell cell : value.cells) result.cells.push_back(cast(cell, value.dtype, to));
  return result;
}

// The operand of a square: of bools int8.
Dense squared(const Dense& value) {
  return value.dtype == DType::Bool ? cast(value, DType::Int8) : value;
}

namespace {

// A cell to the power of another: of integers in numbers that wrap, of floats 2, 1 and 0.5 as numbers are products and
// a root, which are exact.
Dense powers(const Dense& a, const Dense& b) {
  const DType common = common_dtype(a, b), dtype = common == DType::Bool ? DType::Int8 : common;
  if (is_complex(dtype)) throw Invalid("a power of complex numbers");
  check_fits(a, dtype), check_fits(b, dtype);
  Dense result{dtype, broadcast(a.shape, b.shape)};
  const std::vector<std::size_t> of_a = broadcast_places(a.shape, result.shape),
                                 of_b = broadcast_places(b.shape, result.shape);
  const double number = b.weak ? cast(b.cells[0], b.dtype, DType::Float64).floating : 0;
  const bool is_exact = !is_floating(dtype) || number == 2 || number == 1;
  for (std::size_t cell = 0; cell < of_a.size(); ++cell) {
    const Cell left = cast(a.cells[of_a[cell]], a.dtype, dtype), right = cast(b.cells[of_b[cell]], b.dtype, dtype);
    if (!is_floating(dtype)) {
      if (number_of(right.integer, dtype) < 0 || number_of(right.integer, dtype) > 100)
        throw Invalid("an exponent of integers");
      std::int64_t power = 1;
      for (std::int64_t k = 0; k < right.integer; ++k) power = integral(Op::Multiply, power, left.integer, dtype);
      result.cells.push_back(Cell{.integer = power});
      continue;
    }
    if (is_exact) {
      result.cells.push_back(number == 2 ? computed(Op::Multiply, left, left, dtype) : left);
      continue;
    }
    const bool is_special = left.floating == 0 || !std::isfinite(left.floating) || !std::isfinite(right.floating);
    if (is_special) throw Invalid("a power of 0 or of what is not finite");  // tests/kernel has these
    const auto value = static_cast<double>(
        std::pow(static_cast<long double>(left.floating), static_cast<long double>(right.floating)));
    if (std::abs(value) > 1e30 || std::abs(value) < 1e-30) throw Invalid("a power far out");
    if (dtype == DType::Float16 && std::abs(value) > 60'000) throw Invalid("a power near overflow");
    result.cells.push_back(cast(Cell{.floating = value}, DType::Float64, dtype));
    const bool is_half = dtype == DType::Float16;
    const double unit = is_half ? 0x1p-10 : epsilon_of(dtype);
    result.tolerance.push_back(2 * unit * std::abs(value) + (is_half ? 0x1p-24 : 0));
  }
  return result;
}

// In float64. What is special about 0, infinities and NaN is exact.
Dense float_powers(const Dense& a, const Dense& b) {
  if (is_complex(a.dtype) || is_complex(b.dtype)) throw Invalid("a power of complex numbers");
  Dense result{DType::Float64, broadcast(a.shape, b.shape)};
  const std::vector<std::size_t> of_a = broadcast_places(a.shape, result.shape),
                                 of_b = broadcast_places(b.shape, result.shape);
  for (std::size_t cell = 0; cell < of_a.size(); ++cell) {
    const double base = cast(a.cells[of_a[cell]], a.dtype, DType::Float64).floating,
                 exponent = cast(b.cells[of_b[cell]], b.dtype, DType::Float64).floating;
    const auto value = static_cast<double>(std::pow(static_cast<long double>(base), exponent));
    const bool is_special = base == 0 || !std::isfinite(base) || !std::isfinite(exponent) || std::isnan(value);
    if (!is_special && (std::abs(value) > 1e30 || std::abs(value) < 1e-30)) throw Invalid("a power far out");
    result.cells.push_back(Cell{.floating = value});
    result.tolerance.push_back(is_special ? 0 : 2 * epsilon_of(DType::Float64) * std::abs(value));
  }
  return result;
}

}  // namespace

Dense compute(const Expression& expression, const std::vector<Dense>& arguments) {
  const Op op = expression.op;
  bool all_weak = true;
  for (const Dense& argument : arguments) {
    check_exact(argument);
    all_weak &= argument.weak.has_value();
  }
  if (all_weak) throw Invalid("an operation of numbers alone");
  const Dense& first = arguments[0];
  if (op == Op::Power) return powers(first, arguments[1]);
  if (op == Op::FloatPower) return float_powers(first, arguments[1]);
  if (op == Op::DivmodQuotient) return compute({.op = Op::FloorDivide}, arguments);
  if (op == Op::DivmodRest) return compute({.op = Op::Remainder}, arguments);
  if (op == Op::Where) return choose(first, arguments[1], arguments[2]);
  if (op == Op::AsType) return cast(first, expression.dtype);
  if (op == Op::Copy) return cast(first, first.dtype);

  DType dtype = is_binary(op) ? common_dtype(first, arguments[1]) : first.dtype;
  if (op == Op::IsNan || op == Op::IsFinite) {
    Dense result{DType::Bool, first.shape};
    for (Cell cell : first.cells) {
      const bool is_exact = kind_of(first.dtype) < 2;
      const bool nan = !is_exact && (std::isnan(cell.floating) || std::isnan(cell.imaginary));
      const bool finite = is_exact || (std::isfinite(cell.floating) && std::isfinite(cell.imaginary));
      result.cells.push_back(Cell{.integer = op == Op::IsNan ? nan : finite});
    }
    return result;
  }
  if (op == Op::Square) return compute({.op = Op::Multiply}, {squared(first), squared(first)});
  if (op == Op::Real || op == Op::Imag || op == Op::Conj) {
    if (is_complex(dtype)) static_cast<void>(complex_cell(op, Cell{.floating = 1}, Cell{.floating = 1}, dtype));
    if (is_complex(dtype)) return elementwise(op, first, first, dtype);
    Dense result = cast(first, op == Op::Conj && dtype == DType::Bool ? DType::Int8 : dtype);
    if (op == Op::Imag) result.cells.assign(result.cells.size(), cast(Cell{.integer = 0}, DType::Int64, dtype));
    return result;
  }
  if (op == Op::Angle && !is_complex(dtype)) {
    // arctan2(0, a), where the number of bools' is an int64.
    const DType with_zero = dtype == DType::Bool ? DType::Int64 : dtype;
    return elementwise(Op::Arctan2, dense({Number::Kind::Integer, 0}), first,
                       dtype_of_function(Op::Arctan2, with_zero, itemsize(with_zero)));
  }
  if (op == Op::Not) return elementwise(Op::Equal, first, dense({Number::Kind::Bool, 0}), dtype);
  if (op == Op::Remainder && dtype == DType::Bool) dtype = DType::Int8;
  const bool bitwise = op == Op::And || op == Op::Or || op == Op::Xor || op == Op::Invert;
  if (is_complex(dtype)) static_cast<void>(complex_cell(op, Cell{.floating = 1}, Cell{.floating = 1}, dtype));
  if (is_complex(dtype)) return elementwise(op, first, is_binary(op) ? arguments[1] : first, dtype);
  if (bitwise && is_floating(dtype)) throw Invalid("bits of floats");
  if (dtype == DType::Bool && (op == Op::Subtract || op == Op::Negative || op == Op::Sign))
    throw Invalid("subtracting bools");
  if (is_function(op)) {
    std::size_t widest = 0;
    bool lifted = dtype != DType::Bool;  // bools by a number
    for (const Dense& argument : arguments) {
      if (argument.weak) continue;
      widest = std::max(widest, itemsize(argument.dtype));
      lifted &= argument.dtype == DType::Bool;
    }
    if (lifted) widest = itemsize(dtype);
    return elementwise(op, first, is_binary(op) ? arguments[1] : first, dtype_of_function(op, dtype, widest));
  }
  if (op == Op::Sqrt) dtype = dtype_of_function(op, dtype, itemsize(first.dtype));
  const bool always_float = op == Op::Divide;
  if (always_float && !is_floating(dtype)) dtype = DType::Float64;
  return elementwise(op, first, is_binary(op) ? arguments[1] : first, dtype);
}

}  // namespace pilum::random_programs
