// The way of an array's cells to the user: item, to_vector, and what an `if` asks for.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "numeric/array_state.h"
#include "runtime/base/scalar.h"

namespace pilum::numeric {
namespace {

// 2^63 is a double, INT64_MAX is none; so a number that was rounded up to it is not taken back.
bool is_double(const Scalar& number) {
  if (number.dtype != DType::Int64 && number.dtype != DType::UInt64) return true;
  const double rounded = cast(number, DType::Float64).as<double>();
  const double end = number.dtype == DType::Int64 ? 0x1p63 : 0x1p64;
  return rounded < end && cast(Scalar::of(rounded), number.dtype) == number;
}

std::uint64_t bits_at(const std::byte* cell, DType dtype) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, cell, itemsize(dtype));
  return bits;
}

// As complex numbers of parts that hold all of the numbers.
std::vector<std::byte> widened(const std::vector<std::byte>& cells, DType from, DType to) {
  const DType part = pilum::detail::part_of(to), from_part = pilum::detail::part_of(from);
  const std::size_t count = cells.size() / itemsize(from), parts = is_complex(from) ? 2 : 1;
  std::vector<std::byte> wide(count * itemsize(to));
  for (std::size_t k = 0; k < count * parts; ++k) {
    const std::uint64_t bits =
        cast(Scalar{from_part, bits_at(cells.data() + k * itemsize(from_part), from_part)}, part).bits;
    std::memcpy(wide.data() + k * (2 / parts) * itemsize(part), &bits, itemsize(part));
  }
  return wide;
}

// The cells in a dtype that holds them all.
std::vector<std::byte> widened(const Call& call, const std::vector<std::byte>& cells, DType from, DType to) {
  if (is_complex(to)) return widened(cells, from, to);
  const std::size_t count = cells.size() / itemsize(from);
  std::vector<std::byte> wide(count * itemsize(to));
  for (std::size_t k = 0; k < count; ++k) {
    const Scalar number{from, bits_at(cells.data() + k * itemsize(from), from)};
    if (is_floating(to) && !is_double(number)) {
      fail<ValueError>(call, "the ", from, " ", to_string(number), " is not exactly a float64: ask for std::", from,
                       "_t, or cast it with astype first");
    }
    const std::uint64_t bits = cast(number, to).bits;
    std::memcpy(wide.data() + k * itemsize(to), &bits, itemsize(to));
  }
  return wide;
}

// Whether a number, cut to a whole one, is one of this dtype.
bool is_within(const Scalar& number, DType integer) {
  const bool has_sign = is_signed(integer);
  const int bits = static_cast<int>(8 * itemsize(integer)) - (has_sign ? 1 : 0);
  if (is_floating(number.dtype)) {
    const double whole = std::trunc(cast(number, DType::Float64).as<double>());
    return whole < std::ldexp(1.0, bits) && whole >= (has_sign ? -std::ldexp(1.0, bits) : 0.0);
  }
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  if (number.dtype == DType::UInt64) return number.as<std::uint64_t>() <= most;
  const auto value = cast(number, DType::Int64).as<std::int64_t>();
  if (value >= 0) return static_cast<std::uint64_t>(value) <= most;
  return has_sign && value >= -static_cast<std::int64_t>(most) - 1;
}

// A number as one of a dtype that does not hold all of its own: fractions are cut off where that is asked for, floats
// are rounded to floats.
Scalar narrowed(const Call& call, const Scalar& number, DType to, bool truncates) {
  const Scalar there = cast(number, to);
  bool is_same = true;
  if (is_floating(to)) {
    is_same = is_floating(number.dtype) || (is_within(there, number.dtype) && cast(there, number.dtype) == number);
  } else {
    const double value = cast(number, DType::Float64).as<double>();
    is_same = is_within(number, to) && (truncates || !is_floating(number.dtype) || std::trunc(value) == value);
  }
  if (is_same) return there;
  fail<ValueError>(call, "the ", number.dtype, " ", to_string(number), " is no ", to,
                   ": name the array's own C++ type, or cast it with astype first");
}

// The call that made the array, for what has no line of its own.
Call maker_of(const ArrayState* state, const char* name) {
  return Call{name, state ? state->store().where : std::source_location()};
}

}  // namespace

void Array::check_one_cell(std::source_location where) const {
  const Call call{"item", where};
  const ArrayState& state = checked_state(call, *this);
  if (state.shape.elements() != 1) {
    fail<ValueError>(call, "shape ", state.shape, " has ", state.shape.elements(),
                     " cells, item takes an array of one: index one, or use to_vector");
  }
}

void Array::refuse_copy(std::source_location where) const {
  fail<MemoryError>(Call{"to_vector", where}, "the process has no memory left for a copy of the cells of shape ",
                    shape(), ", ", dtype(), ": fetch it part by part, through views, or raise the limit (ulimit -v)");
}

std::vector<std::byte> Array::fetch(DType dtype, const char* operation, std::source_location where) const {
  const Call call{operation, where};
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& state = checked_state(call, *this, recorder);
  if (promote(state.dtype(), dtype) != dtype) {
    fail<DTypeError>(call, "the array is ", state.dtype(), ", it was asked for as ", dtype,
                     ", which does not hold all of these: name the array's own C++ type, or cast it with astype first");
  }
  if (state.shape.elements() == 0) return {};
  std::vector<std::byte> cells = recorder.fetch(state.view(), operation, where);
  if (state.dtype() == dtype) return cells;
  try {
    return widened(call, cells, state.dtype(), dtype);
  } catch (const std::bad_alloc&) {
    refuse_copy(where);
  }
}

std::vector<std::byte> Array::fetch_cell(DType dtype, bool truncates, std::source_location where) const {
  const Call call{"item", where};
  scheduler::Recorder& recorder = recorder_of(call);
  const ArrayState& state = checked_state(call, *this, recorder);
  const DType own = state.dtype();
  if (promote(own, dtype) == dtype || is_complex(own) || dtype == DType::Bool) return fetch(dtype, "item", where);
  const std::vector<std::byte> cell = recorder.fetch(state.view(), "item", where);
  const std::uint64_t bits = narrowed(call, Scalar{own, bits_at(cell.data(), own)}, dtype, truncates).bits;
  std::vector<std::byte> narrow(itemsize(dtype));
  std::memcpy(narrow.data(), &bits, narrow.size());
  return narrow;
}

std::int64_t Array::length(std::source_location where) const {
  const Call call{"for", where};
  const Shape& shape = checked_state(call, *this).shape;
  if (shape.rank() == 0) fail<ValueError>(call, "an array without axes cannot be iterated over: item() gives its cell");
  return shape[0];
}

std::source_location Array::made_at() const {
  return maker_of(state_, "").where;
}

bool Array::is_true() const {
  const Call call = maker_of(state_, "bool");
  const ArrayState& state = checked_state(call, *this);
  if (state.shape.elements() != 1) {
    fail<ValueError>(call, "what `", state.store().operation, "` made here has ", state.shape.elements(),
                     " truth values, shape ", state.shape,
                     ": np::min(x) asks whether all are true, np::max(x) whether any; & and | stand for && and ||");
  }
  const DType dtype = state.dtype();
  const std::vector<std::byte> cell = recorder_of(call).fetch(state.view(), call.name, call.where);
  const DType part = pilum::detail::part_of(dtype);
  bool is_true = false;
  for (std::size_t at = 0; at < itemsize(dtype); at += itemsize(part))
    is_true |= cast(Scalar{part, bits_at(cell.data() + at, part)}, DType::Bool).as<bool>();
  return is_true;
}

}  // namespace pilum::numeric
