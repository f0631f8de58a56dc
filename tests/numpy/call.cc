#include "tests/numpy/call.h"

#include <complex>
#include <cstring>
#include <span>
#include <stdexcept>

#include "runtime/base/dtype_visit.h"

namespace pilum::numpy_suite {
namespace {

using numeric::all;
using numeric::Array;
using numeric::Index;
using numeric::Operand;

Array along(const Array& a, int axis, const Index& index) {
  Index place[kMaxAxes];
  for (int k = 0; k < a.ndim(); ++k) place[k] = k == axis ? index : Index(all);
  return a(place[0], place[1], place[2], place[3], place[4], place[5], place[6], place[7]);
}

std::vector<int> as_ints(const std::vector<std::int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

Array apply(const Array& a, const ViewStep& step) {
  switch (step.kind) {
    case ViewStep::Kind::Slice: return along(a, step.axis, Index(step.range));
    case ViewStep::Kind::Transpose:
      return step.extents.empty() ? a : a.transpose(numeric::Axes(std::span<const int>(as_ints(step.extents))));
    case ViewStep::Kind::Broadcast: break;
  }
  return numeric::broadcast_to(a, Shape(std::span<const std::int64_t>(step.extents)));
}

Array view_of(const Array& base, const Argument& argument) {
  Array view = base;
  for (const ViewStep& step : argument.steps) view = apply(view, step);
  return view;
}

}  // namespace

Array make(const Cells& cells) {
  const Array flat = visit_dtype(cells.dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<bool> bits;
      for (const std::byte byte : cells.bytes) bits.push_back(byte != std::byte{});
      return numeric::array(bits, DType::Bool);
    } else {
      std::vector<T> numbers(cells.bytes.size() / sizeof(T));
      if (!numbers.empty()) std::memcpy(numbers.data(), cells.bytes.data(), cells.bytes.size());
      return numeric::array(numbers, cells.dtype);
    }
  });
  return flat.reshape(cells.shape);
}

Cells cells_of(const Array& array) {
  Cells cells{array.dtype(), array.shape(), {}};
  visit_dtype(array.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (const T number : array.to_vector<T>()) {
      const auto* first = reinterpret_cast<const std::byte*>(&number);
      cells.bytes.insert(cells.bytes.end(), first, first + sizeof number);
    }
  });
  return cells;
}

Arguments::Arguments(const std::vector<Argument>& arguments) : arguments_(arguments) {
  for (const Argument& argument : arguments) {
    const bool is_array = argument.kind == Argument::Kind::Array;
    bases_.push_back(is_array ? make(argument.base) : Array());
    views_.push_back(is_array ? view_of(bases_.back(), argument) : Array());
    std::vector<Array> entries;
    for (const Argument& entry : argument.list) {
      if (entry.kind == Argument::Kind::Array) entries.push_back(view_of(make(entry.base), entry));
    }
    lists_.push_back(entries);
  }
}

bool Arguments::has(std::size_t place) const {
  return place < arguments_.size() && arguments_[place].kind != Argument::Kind::None;
}

const Array& Arguments::array(std::size_t place) const {
  return views_.at(place);
}

Operand Arguments::operand(std::size_t place, std::source_location where) const {
  const Argument& argument = arguments_.at(place);
  switch (argument.kind) {
    case Argument::Kind::Array: return Operand(views_[place], where);
    case Argument::Kind::Bool: return Operand(argument.integer != 0, where);
    case Argument::Kind::Integer: return Operand(argument.integer, where);
    case Argument::Kind::Floating: return Operand(argument.floating, where);
    case Argument::Kind::Complex: return Operand(std::complex<double>(argument.floating, argument.imaginary), where);
    default: throw std::runtime_error("a case's argument is no operand");
  }
}

std::vector<Array> Arguments::arrays(std::size_t place) const {
  return lists_.at(place);
}

std::int64_t Arguments::integer(std::size_t place, std::int64_t otherwise) const {
  return has(place) ? arguments_[place].integer : otherwise;
}

double Arguments::real(std::size_t place, double otherwise) const {
  if (!has(place)) return otherwise;
  const Argument& argument = arguments_[place];
  return argument.kind == Argument::Kind::Floating ? argument.floating : static_cast<double>(argument.integer);
}

bool Arguments::flag(std::size_t place, bool otherwise) const {
  return integer(place, otherwise) != 0;
}

std::string Arguments::word(std::size_t place) const {
  return arguments_.at(place).word;
}

std::vector<std::int64_t> Arguments::integers(std::size_t place) const {
  const Argument& argument = arguments_.at(place);
  return argument.kind == Argument::Kind::Integer ? std::vector{argument.integer} : argument.integers;
}

Shape Arguments::shape(std::size_t place) const {
  return Shape(std::span<const std::int64_t>(arguments_.at(place).integers));
}

numeric::Axes Arguments::axes(std::size_t place) const {
  if (!has(place)) return {};
  const Argument& argument = arguments_[place];
  if (argument.kind == Argument::Kind::Integer) return numeric::Axes(static_cast<int>(argument.integer));
  return numeric::Axes(std::span<const int>(as_ints(argument.integers)));
}

std::optional<DType> Arguments::dtype(std::size_t place) const {
  if (!has(place)) return {};
  return arguments_[place].dtype;
}

DType Arguments::dtype(std::size_t place, DType otherwise) const {
  return dtype(place).value_or(otherwise);
}

const Table& functions() {
  static const Table table = [] {
    Table made;
    add_elementwise(made);
    add_operators(made);
    add_folds(made);
    add_fold_options(made);
    add_lines(made);
    add_creation(made);
    add_manipulation(made);
    add_bins(made);
    add_by_function(made);
    add_linalg(made);
    add_fft(made);
    add_sets(made);
    add_grids(made);
    add_masked(made);
    return made;
  }();
  return table;
}

}  // namespace pilum::numpy_suite
