// Draws: the cells' numbers count what Philox scrambles, and elementwise operations make numbers of its bits.
#include "pilum/random.h"

#include <cmath>

#include "numeric/drawn_cells.h"
#include "numeric/elementwise.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/math.h"

namespace pilum::numeric::random {
namespace {

using kernel::Op;

constexpr DType kDType = DType::Float64;  // of what parameters scale

// One elementwise operation of a draw.
Array apply(const Call& call, const Rule& rule, const Shape& shape, const Operand& a) {
  const Operand* const operands[] = {&a};
  return record_new(call, rule, operands, shape);
}
Array apply(const Call& call, const Rule& rule, const Shape& shape, const Operand& a, const Operand& b) {
  const Operand* const operands[] = {&a, &b};
  return record_new(call, rule, operands, shape);
}

constexpr Rule plain(Op op, DType dtype) {
  return Rule{op, dtype, dtype};
}

// Cells whose rows are shorter than a core's vectors are drawn as one line, and that is put into rows: less than a
// third of the time, though it is a pass more. Where they are cut lines would not be cut as rows are.
bool is_drawn_as_line(const Call& call, const Shape& shape) {
  constexpr std::int64_t kShortRow = 8;
  if (shape.rank() < 2 || shape[shape.rank() - 1] < 2 || shape[shape.rank() - 1] >= kShortRow) return false;
  const auto& processors = recorder_of(call).processors();
  return !processors.are_gpus && processors.count == 1;
}

enum class Cells : std::uint8_t { InPlace, AsLine };

// One draw: its shape, and the number that it has among those of its seed. What it makes are new arrays of the shape.
// Seed and number are scalars of operations, so that plans and kernels of one draw serve the next.
class Draw {
 public:
  Draw(const Call& call, const Shape& shape, std::uint64_t seed, std::uint64_t number, Cells cells = Cells::AsLine)
      : call_(call),
        asked_(shape),
        shape_(cells == Cells::AsLine && is_drawn_as_line(call, shape) ? Shape{shape.elements()} : shape),
        cell_(cell_number()),
        numbers_(same_everywhere(Op::Cast, number)),
        keys_(same_everywhere(Op::Not, ~seed)),
        counter_(shape.rank() == 0 ? Operand(0, call.where) : Operand(cell_, call.where)),
        number_(numbers_, call.where),
        key_(keys_, call.where) {}
  Draw(const Draw&) = delete;
  Draw& operator=(const Draw&) = delete;

  // The op on what is given, which counts as int64 or floating in `dtype`.
  Array integer(Op op, const Operand& a, std::int64_t b) const {
    return apply(call_, plain(op, DType::Int64), shape_, a, Operand(b, call_.where));
  }
  Array integer(Op op, const Operand& a, const Operand& b) const {
    return apply(call_, plain(op, DType::Int64), shape_, a, b);
  }
  Array floating(Op op, DType dtype, const Operand& a) const { return apply(call_, plain(op, dtype), shape_, a); }
  Array floating(Op op, DType dtype, const Operand& a, double b) const {
    return apply(call_, plain(op, dtype), shape_, a, Operand(b, call_.where));
  }
  Array floating(Op op, DType dtype, const Operand& a, const Operand& b) const {
    return apply(call_, plain(op, dtype), shape_, a, b);
  }

  // With parameters, which have the shape that is asked for.
  Array with(Op op, const Operand& drawn, const Operand& parameter) const {
    return apply(call_, plain(op, kDType), asked_, drawn, parameter);
  }

  // 64 random bits a cell: the lower or the upper half of what Philox gives. Both are made of the same values, so that
  // a kernel that needs both computes them once.
  Array bits(Op half) const {
    const Operand* const operands[] = {&counter_, &number_, &key_};
    return record_new(call_, plain(half, DType::Int64), operands, shape_);
  }

  // k 2^-digits in [0, 1). Shifted bits count from -2^(digits - 1), for they are signed.
  Array uniform(DType dtype) const {
    const int digits = dtype == DType::Float64 ? 53 : 24;
    Array count = floating(Op::Cast, dtype, integer(Op::RightShift, bits(Op::PhiloxLow), 64 - digits));
    return in_rows(
        floating(Op::Add, dtype, floating(Op::Multiply, dtype, std::move(count), std::ldexp(1.0, -digits)), 0.5));
  }

  // The logarithm of a number in [2^-63, 1], which has all digits of the dtype however small it is.
  Array logarithm(DType dtype) const {
    Array positive = integer(Op::Or, integer(Op::And, bits(Op::PhiloxLow), INT64_MAX), 1);
    return floating(Op::Log, dtype,
                    floating(Op::Multiply, dtype, floating(Op::Cast, dtype, std::move(positive)), 0x1p-63));
  }

  Array exponential(DType dtype) const { return in_rows(floating(Op::Negate, dtype, logarithm(dtype))); }

  // Cells 2k and 2k + 1 are of the Philox of k: one logarithm and one angle give both.
  Array normal(DType dtype) const {
    const Operand* const operands[] = {&counter_, &number_, &key_};
    return in_rows(record_new(call_, Rule{Op::StandardNormal, DType::Int64, dtype}, operands, shape_));
  }

  // low + floor(count x / 2^64) for 64 random bits x, or 128 where the count is long: each number's share of them
  // differs by one at most. A count of 0 is 2^64.
  Array integers(std::int64_t low, std::uint64_t count) const {
    const auto factor = static_cast<std::int64_t>(count);
    if (count == 0) return in_rows(bits(Op::PhiloxLow));
    Array first = integer(Op::MultiplyHigh, bits(count >> 32 ? Op::PhiloxHigh : Op::PhiloxLow), factor);
    if (count >> 32) first = integer(Op::Add, std::move(first), carry(factor));
    return in_rows(integer(Op::Add, std::move(first), low));
  }

  // The same of bounds that are arrays.
  Array integers_between(const Operand& low, const Operand& high) const {
    const Array count = integer(Op::Subtract, high, low);
    const Operand factor(count, call_.where);
    Array first = integer(Op::Add, integer(Op::MultiplyHigh, bits(Op::PhiloxHigh), factor), carry(factor));
    return integer(Op::Add, std::move(first), low);
  }

 private:
  // 1 where the lower half of the bits, times the factor, carries into what the upper half gives.
  Array carry(const Operand& factor) const {
    const Array rest = integer(Op::MultiplyHigh, bits(Op::PhiloxLow), factor);
    Array sum = integer(Op::Add, integer(Op::Multiply, bits(Op::PhiloxHigh), factor), rest);
    Array a = integer(Op::Xor, std::move(sum), INT64_MIN), b = integer(Op::Xor, rest, INT64_MIN);  // in unsigned order
    return apply(call_, Rule{Op::Less, DType::Int64, DType::Int64}, shape_, Operand(std::move(a), call_.where),
                 Operand(std::move(b), call_.where));
  }

  // By different ops, for two that are alike would be taken for a loop.
  Array same_everywhere(Op op, std::uint64_t value) const {
    return apply(call_, plain(op, DType::Int64), shape_, Operand(static_cast<std::int64_t>(value), call_.where));
  }

  // Of each cell, row-major; of an array without axes nothing.
  Array cell_number() const {
    Array number;
    for (int axis = 0; axis < shape_.rank(); ++axis) {
      Array coordinate = record_index(call_, shape_, axis, DType::Int64);
      number = axis == 0
                   ? coordinate
                   : integer(Op::Add, integer(Op::Multiply, std::move(number), shape_[axis]), std::move(coordinate));
    }
    return number;
  }

  Array in_rows(Array drawn) const {
    return shape_.rank() == asked_.rank() ? std::move(drawn) : drawn.reshape(asked_, call_.where);
  }

  const Call& call_;
  const Shape& asked_;
  const Shape shape_;
  const Array cell_, numbers_, keys_;
  const Operand counter_, number_, key_;
};

Array draw_uniform(const Call& call, const Operand& low, const Operand& high, const Shape* size, std::uint64_t seed,
                   std::uint64_t& draws) {
  const Operand* const parameters[] = {&low, &high};
  const Shape shape = drawn_shape(call, parameters, size);
  const bool numbers = low.kind() != Operand::Kind::Array && high.kind() != Operand::Kind::Array;
  if (numbers && !std::isfinite(value_of(high) - value_of(low))) {
    fail<ValueError>(call, "the range from ", value_of(low), " to ", value_of(high),
                     " is not finite: give bounds whose distance a float64 holds");
  }
  const Draw draw(call, shape, seed, draws++);
  Array widths;
  if (!numbers) widths = draw.with(Op::Subtract, held(call, high), held(call, low));
  const Operand width =
      numbers ? Operand(value_of(high) - value_of(low), call.where) : Operand(std::move(widths), call.where);
  return draw.with(Op::Add, draw.with(Op::Multiply, draw.uniform(kDType), width), low);
}

Array draw_normal(const Call& call, const Operand& loc, const Operand& scale, const Shape* size, std::uint64_t seed,
                  std::uint64_t& draws) {
  const Operand* const parameters[] = {&loc, &scale};
  const Shape shape = drawn_shape(call, parameters, size);
  check_scale(call, "scale", scale);
  const Draw draw(call, shape, seed, draws++);
  return draw.with(Op::Add, draw.with(Op::Multiply, draw.normal(kDType), scale), loc);
}

Array draw_lognormal(const Call& call, const Operand& mean, const Operand& sigma, const Shape* size, std::uint64_t seed,
                     std::uint64_t& draws) {
  check_scale(call, "sigma", sigma);
  Array normal = draw_normal(call, mean, sigma, size, seed, draws);
  const Shape shape = normal.shape();
  return apply(call, plain(Op::Exp, kDType), shape, std::move(normal));
}

Array draw_exponential(const Call& call, const Operand& scale, const Shape* size, std::uint64_t seed,
                       std::uint64_t& draws) {
  const Operand* const parameters[] = {&scale};
  const Shape shape = drawn_shape(call, parameters, size);
  check_scale(call, "scale", scale);
  const Draw draw(call, shape, seed, draws++);
  return draw.with(Op::Multiply, draw.exponential(kDType), scale);
}

}  // namespace

Array Generator::random(const Shape& size, DType dtype, std::source_location where) {
  const Call call{"random", where};
  check_drawn_dtype(call, dtype);
  check_shape(call, size, DType::Float64);
  return Draw(call, size, seed_, draws_++).uniform(dtype);
}

Array Generator::uniform(const Operand& low, const Operand& high, std::source_location where) {
  return draw_uniform(Call{"uniform", where}, low, high, nullptr, seed_, draws_);
}
Array Generator::uniform(const Operand& low, const Operand& high, const Shape& size, std::source_location where) {
  return draw_uniform(Call{"uniform", where}, low, high, &size, seed_, draws_);
}

Array Generator::integers(std::int64_t low, std::int64_t high, const Shape& size, DType dtype, bool endpoint,
                          std::source_location where) {
  const Call call{"integers", where};
  if (is_inexact(dtype)) fail<DTypeError>(call, dtype, " is not a dtype of integers: draw int64, another one or bool");
  check_shape(call, size, DType::Int64);
  if (low > high || (low == high && !endpoint)) {
    fail<ValueError>(call, "there is no integer from ", low, " to ", high, endpoint ? "" : " - 1",
                     ": give a low below the high");
  }
  const std::int64_t largest = endpoint ? high : high - 1;
  const auto refuse = [&](std::int64_t bound) {
    fail<ValueError>(call, bound, " is no ", dtype, ": give bounds that the dtype holds, or draw another one");
  };
  for (const std::int64_t bound : {low, largest}) {
    if (dtype == DType::Bool && (bound < 0 || bound > 1)) refuse(bound);
    if (overflows(Operand(bound, where), dtype)) refuse(bound);
  }
  const Draw draw(call, size, seed_, draws_++);
  const Array drawn = draw.integers(low, static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(low) + 1);
  return dtype == DType::Int64 ? drawn : apply(call, plain(Op::Cast, dtype), size, drawn);
}

Array Generator::integers_between(const Operand& low, const Operand& high, const Shape* size,
                                  std::source_location where) {
  const Call call{"integers", where};
  const Operand* const parameters[] = {&low, &high};
  for (const Operand* bound : parameters) {
    const DType dtype =
        bound->kind() == Operand::Kind::Array ? checked_state(call, bound->array()).dtype() : common_dtype({&bound, 1});
    if (is_inexact(dtype)) fail<DTypeError>(call, "a bound is ", dtype, ": cast it to integers first, with astype");
  }
  const Shape shape = drawn_shape(call, parameters, size);
  std::vector<Array> cast;
  cast.reserve(2);
  const auto in_int64 = [&](const Operand& bound) {
    if (bound.kind() != Operand::Kind::Array) return bound;
    return Operand(cast.emplace_back(bound.array().astype(DType::Int64, where)), where);
  };
  const Operand from = in_int64(low), to = in_int64(high);
  return Draw(call, shape, seed_, draws_++, Cells::InPlace).integers_between(from, to);
}

Array Generator::normal(const Operand& loc, const Operand& scale, std::source_location where) {
  return draw_normal(Call{"normal", where}, loc, scale, nullptr, seed_, draws_);
}
Array Generator::normal(const Operand& loc, const Operand& scale, const Shape& size, std::source_location where) {
  return draw_normal(Call{"normal", where}, loc, scale, &size, seed_, draws_);
}
Array Generator::standard_normal(const Shape& size, DType dtype, std::source_location where) {
  const Call call{"standard_normal", where};
  check_drawn_dtype(call, dtype);
  check_shape(call, size, DType::Float64);
  return Draw(call, size, seed_, draws_++).normal(dtype);
}

Array Generator::lognormal(const Operand& mean, const Operand& sigma, std::source_location where) {
  return draw_lognormal(Call{"lognormal", where}, mean, sigma, nullptr, seed_, draws_);
}
Array Generator::lognormal(const Operand& mean, const Operand& sigma, const Shape& size, std::source_location where) {
  return draw_lognormal(Call{"lognormal", where}, mean, sigma, &size, seed_, draws_);
}

Array Generator::exponential(const Operand& scale, std::source_location where) {
  return draw_exponential(Call{"exponential", where}, scale, nullptr, seed_, draws_);
}
Array Generator::exponential(const Operand& scale, const Shape& size, std::source_location where) {
  return draw_exponential(Call{"exponential", where}, scale, &size, seed_, draws_);
}
Array Generator::standard_exponential(const Shape& size, DType dtype, std::source_location where) {
  const Call call{"standard_exponential", where};
  check_drawn_dtype(call, dtype);
  check_shape(call, size, DType::Float64);
  return Draw(call, size, seed_, draws_++).exponential(dtype);
}

namespace detail {

void check_seed(bool negative, std::source_location where) {
  if (negative) fail<ValueError>(Call{"default_rng", where}, "a seed is not negative: give 0 or more");
}

}  // namespace detail

}  // namespace pilum::numeric::random
