// The way of an array's cells to the user: item, to_vector, and what an `if` asks for.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "runtime/base/scalar.h"

namespace pilum::numeric {
namespace {

// Whether a number, cut to a whole one, is one of this dtype. What is behind the highest integer is a double, where
// that itself may be none.
bool is_within(const Scalar& number, DType integer) {
  const IntegerRange range = range_of(integer);
  if (is_floating(number.dtype)) {
    const double whole = std::trunc(cast(number, DType::Float64).as<double>());
    const std::uint64_t half = range.highest / 2 + 1;
    return whole >= static_cast<double>(range.lowest) && whole < 2 * static_cast<double>(half);
  }
  if (number.dtype == DType::UInt64) return number.as<std::uint64_t>() <= range.highest;
  const auto value = cast(number, DType::Int64).as<std::int64_t>();
  return value < 0 ? value >= range.lowest : static_cast<std::uint64_t>(value) <= range.highest;
}

// Floats may be rounded, integers not.
bool is_one_of(const Scalar& number, DType floating) {
  if (!is_integer(number.dtype)) return true;
  const Scalar there = cast(number, floating);
  return is_within(there, number.dtype) && cast(there, number.dtype) == number;
}

std::uint64_t bits_at(const std::byte* cell, DType dtype) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, cell, pilum::itemsize(dtype));
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
    std::memcpy(wide.data() + k * (2 / parts) * pilum::itemsize(part), &bits, itemsize(part));
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
    if (is_floating(to) && !is_one_of(number, to)) {
      fail<ValueError>(call, "the ", from, " ", to_string(number), " is not exactly a float64: ask for std::", from,
                       "_t, or cast it with astype first");
    }
    const std::uint64_t bits = cast(number, to).bits;
    std::memcpy(wide.data() + k * itemsize(to), &bits, itemsize(to));
  }
  return wide;
}

// A number as one of a dtype that does not hold all of its own: fractions are cut off where that is asked for.
Scalar narrowed(const Call& call, const Scalar& number, DType to, bool truncates) {
  const auto is_whole = [&] {
    const double value = cast(number, DType::Float64).as<double>();
    return !is_floating(number.dtype) || std::trunc(value) == value;
  };
  if (is_floating(to) ? is_one_of(number, to) : is_within(number, to) && (truncates || is_whole()))
    return cast(number, to);
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
  std::vector<std::byte> narrow(pilum::itemsize(dtype));
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
  for (std::size_t at = 0; at < pilum::itemsize(dtype); at += pilum::itemsize(part))
    is_true |= cast(Scalar{part, bits_at(cell.data() + at, part)}, DType::Bool).as<bool>();
  return is_true;
}

}  // namespace pilum::numeric
