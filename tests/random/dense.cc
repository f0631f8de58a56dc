#include "tests/random/dense.h"

#include <algorithm>
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

std::int64_t integral(Op op, std::int64_t a, std::int64_t b, DType dtype) {
  return wrapped(unbounded(op, number_of(a, dtype), number_of(b, dtype), dtype), dtype);
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

void check_exact(const Dense& value) {
  if (!value.tolerance.empty()) throw Invalid("an inexact value as an input");
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

bool is_true(Cell cell, DType dtype) {
  if (is_complex(dtype)) return cell.floating != 0 || cell.imaginary != 0;
  return is_floating(dtype) ? cell.floating != 0 : cell.integer != 0;
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

double epsilon_of(DType dtype) {
  return dtype == DType::Float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}
double largest_of(DType dtype) {
  return dtype == DType::Float32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
}

// A folded float and its largest error: 0 where every order of folding gives these bits.
struct Folded {
  double value;
  double tolerance;
};

// The largest power of two that divides x (finite, not 0), as an exponent.
int last_bit(double x) {
  int exponent;
  double mantissa = std::abs(std::frexp(x, &exponent));
  while (mantissa != std::floor(mantissa)) {
    mantissa *= 2;
    --exponent;
  }
  while (std::fmod(mantissa, 2) == 0) {
    mantissa /= 2;
    ++exponent;
  }
  return exponent;
}

Folded folded_sum(const std::vector<double>& cells, DType dtype) {
  double sum = 0;
  double size = 0;
  int grain = std::numeric_limits<int>::max();
  bool special = false;
  for (double x : cells) {
    sum += x;
    special |= !std::isfinite(x);
    if (!std::isfinite(x)) continue;
    size += std::abs(x);
    if (x != 0) grain = std::min(grain, last_bit(x));
  }
  if (size > largest_of(dtype) / 4) throw Invalid("a sum near overflow");
  const int bits = dtype == DType::Float32 ? 24 : 53;
  if (special || size == 0 || size < std::ldexp(1.0, std::min(grain + bits, 1000))) return {sum, 0};
  long double exact = 0;
  for (double x : cells) exact += x;
  const double value = dtype == DType::Float32 ? static_cast<float>(exact) : static_cast<double>(exact);
  return {value, (static_cast<double>(cells.size()) + 2) * epsilon_of(dtype) * size};
}

Folded folded_product(const std::vector<double>& cells, DType dtype) {
  long double product = 1;
  double exponents = 0;
  double mantissa_bits = 0;
  bool zero_or_special = false;
  for (double x : cells) {
    product *= x;
    zero_or_special |= x == 0 || !std::isfinite(x);
    if (x == 0 || !std::isfinite(x)) continue;
    exponents += std::abs(std::log2(std::abs(x)));
    mantissa_bits += std::log2(std::ldexp(std::abs(x), -last_bit(x)));
  }
  if (exponents > (dtype == DType::Float32 ? 120 : 1000)) throw Invalid("a product near overflow");
  const double value = dtype == DType::Float32 ? static_cast<float>(product) : static_cast<double>(product);
  const bool exact = zero_or_special || mantissa_bits < (dtype == DType::Float32 ? 23.9 : 52.9);
  return {value, exact ? 0 : (static_cast<double>(cells.size()) + 2) * epsilon_of(dtype) * std::abs(value)};
}

Folded folded_extreme(Op op, const std::vector<double>& cells) {
  double value = cells[0];
  for (double x : cells) value = smaller_or_larger(op == Op::Min ? Op::Minimum : Op::Maximum, value, x);
  return {value, 0};
}

Folded folded_float(Op op, const std::vector<double>& cells, DType dtype);

// In float32, and rounded once.
Folded folded_half(Op op, const std::vector<double>& cells) {
  const Folded wide = folded_float(op, cells, DType::Float32);
  const double value = rounded_half(wide.value);
  if (wide.tolerance == 0) return {value, 0};
  if (std::abs(wide.value) + wide.tolerance > 60'000) throw Invalid("a fold near overflow");
  return {value, wide.tolerance + std::ldexp(std::abs(wide.value), -10) + std::ldexp(1.0, -24)};
}

Folded folded_float(Op op, const std::vector<double>& cells, DType dtype) {
  if (dtype == DType::Float16) return folded_half(op, cells);
  if (op == Op::Min || op == Op::Max) return folded_extreme(op, cells);
  if (op == Op::Prod) return folded_product(cells, dtype);
  Folded sum = folded_sum(cells, dtype);
  if (op == Op::Sum) return sum;
  const double count = static_cast<double>(cells.size());
  return {dtype == DType::Float32 ? floating<float>(Op::Divide, sum.value, count) : sum.value / count,
          sum.tolerance > 0 ? sum.tolerance / count : 0};
}

// Of any, all and count_nonzero.
std::int64_t folded_truth(Op op, const std::vector<Cell>& cells, DType dtype) {
  const auto count = std::count_if(cells.begin(), cells.end(), [=](Cell cell) { return is_true(cell, dtype); });
  if (op == Op::CountNonzero) return count;
  return op == Op::Any ? count > 0 : count == static_cast<std::int64_t>(cells.size());
}

std::int64_t folded_integer(Op op, const std::vector<Cell>& cells, DType dtype) {
  const Op step = op == Op::Sum ? Op::Add : op == Op::Prod ? Op::Multiply : op == Op::Min ? Op::Minimum : Op::Maximum;
  const bool extreme = op == Op::Min || op == Op::Max;
  std::int64_t value = op == Op::Prod ? 1 : extreme ? cells[0].integer : 0;
  for (Cell cell : cells) value = integral(step, value, cell.integer, dtype);
  return value;
}

DType dtype_of_fold(Op op, DType dtype) {
  if (op == Op::Any || op == Op::All) return DType::Bool;
  if (op == Op::CountNonzero) return DType::Int64;
  if (op == Op::Min || op == Op::Max || kind_of(dtype) > 1) return dtype;
  return op == Op::Mean ? DType::Float64 : is_unsigned(dtype) ? DType::UInt64 : DType::Int64;
}

struct FoldedCell {
  Cell value;
  double tolerance;
};

// A sum is that of each part; a mean is divided as complex numbers are.
FoldedCell folded_complex(Op op, const std::vector<Cell>& cells, DType dtype) {
  if (op == Op::Prod) {
    const ComplexProduct product = complex_product(cells, dtype);
    return {product.value, product.tolerance};
  }
  std::vector<double> re, im;
  for (Cell cell : cells) re.push_back(cell.floating), im.push_back(cell.imaginary);
  const Folded sum_re = folded_sum(re, part_of(dtype)), sum_im = folded_sum(im, part_of(dtype));
  const double tolerance = std::max(sum_re.tolerance, sum_im.tolerance);
  const Cell sum{.floating = sum_re.value, .imaginary = sum_im.value};
  if (op == Op::Sum) return {sum, tolerance};
  const auto count = static_cast<double>(cells.size());
  return {complex_cell(Op::Divide, sum, Cell{.floating = count}, dtype), tolerance > 0 ? 2 * tolerance / count : 0};
}

// Of two large arrays, one along each axis, there would be billions; of a fold of no cells, too.
void check_count(const Extents& shape) {
  if (count_of(shape) > kMaxCells) throw Invalid("more cells than a test needs");
}

}  // namespace

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

Dense compute(const Expression& expression, const std::vector<Dense>& arguments) {
  const Op op = expression.op;
  bool all_weak = true;
  for (const Dense& argument : arguments) {
    check_exact(argument);
    all_weak &= argument.weak.has_value();
  }
  if (all_weak) throw Invalid("an operation of numbers alone");
  const Dense& first = arguments[0];
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

Dense reduce(const Expression& expression, const Dense& argument) {
  check_exact(argument);
  if (argument.weak) throw Invalid("a reduction of a number");
  const Op op = expression.op;
  if (is_complex(argument.dtype) && (op == Op::Min || op == Op::Max)) throw Invalid("the order of complex numbers");
  std::vector<bool> folds(argument.shape.size(), expression.axes.empty());
  for (int axis : expression.axes) {
    const int count = static_cast<int>(folds.size());
    if (axis < -count || axis >= count) throw Invalid("an axis that is not there");
    const auto place = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    if (folds[place]) throw Invalid("an axis named twice");
    folds[place] = true;
  }

  Extents kept = argument.shape;  // with extent 1 where folded
  Extents shape;
  std::int64_t folded_cells = 1;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (!folds[axis] || expression.keepdims) shape.push_back(folds[axis] ? 1 : kept[axis]);
    if (!folds[axis]) continue;
    folded_cells *= kept[axis];
    kept[axis] = 1;
  }
  if (folded_cells == 0 && (op == Op::Min || op == Op::Max)) throw Invalid("the smallest of nothing");

  check_count(kept);
  std::vector<std::vector<Cell>> groups(static_cast<std::size_t>(count_of(kept)));
  const std::vector<std::size_t> places = broadcast_places(kept, argument.shape);
  for (std::size_t cell = 0; cell < places.size(); ++cell) groups[places[cell]].push_back(argument.cells[cell]);

  Dense result{dtype_of_fold(op, argument.dtype), shape};
  bool exact = true;
  for (const std::vector<Cell>& group : groups) {
    result.tolerance.push_back(0);
    if (op >= Op::Any) {
      result.cells.push_back(Cell{.integer = folded_truth(op, group, argument.dtype)});
      continue;
    }
    if (is_complex(result.dtype)) {
      const FoldedCell folded = folded_complex(op, group, result.dtype);
      result.cells.push_back(folded.value);
      result.tolerance.back() = folded.tolerance;
      exact &= folded.tolerance == 0 && op != Op::Prod;
      continue;
    }
    if (!is_floating(result.dtype)) {
      result.cells.push_back(Cell{.integer = folded_integer(op, group, result.dtype)});
      continue;
    }
    std::vector<double> cells;
    for (Cell cell : group) cells.push_back(cast(cell, argument.dtype, result.dtype).floating);
    const Folded folded = folded_float(op, cells, result.dtype);
    result.cells.push_back(Cell{.floating = folded.value});
    result.tolerance.back() = folded.tolerance;
    exact &= folded.tolerance == 0;
  }
  if (exact) result.tolerance.clear();
  return result;
}

}  // namespace pilum::random_programs
