// Arrays from nothing: zeros, ones, full, empty, arange, linspace, array.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/cells.h"
#include "pilum/export.h"
#include "pilum/mistakes.h"

namespace pilum::numeric {

// Arrays of a shape, as numpy.zeros, ones, empty: zeros({3, 4}), ones(5), zeros({}) has no axes and one cell.
// The cells of `empty` hold anything. Throws ShapeError: a negative extent, more than 8 axes, 2^63 bytes or more.
PILUM_API Array zeros(Shape shape, DType dtype = float64, std::source_location where = std::source_location::current());
PILUM_API Array ones(Shape shape, DType dtype = float64, std::source_location where = std::source_location::current());
PILUM_API Array empty(Shape shape, DType dtype = float64, std::source_location where = std::source_location::current());

// As numpy.full: every cell is `value`, or an array broadcast to `shape`. Without a dtype it is the array's own, for
// numbers bool, int64, float64, complex128. Throws as zeros, and ValueError for a number that the dtype cannot hold.
PILUM_API Array full(Shape shape, const Operand& value, std::optional<DType> dtype = {});

// start, start + step, … up to but not including stop, as numpy.arange: int64 for integers, float64 as soon as one
// number is floating, complex128 as one is complex, or as given; of complex numbers as many as go along the real axis
// and along the other one, whichever are fewer, and DTypeError for a real dtype. The first is `start` itself, -0.0 too.
// Throws ValueError for a step of 0 and where the numbers make no count (start or stop is not finite), DTypeError for
// more than two bools.
PILUM_API Array arange(const Operand& stop, std::optional<DType> dtype = {});
PILUM_API Array arange(const Operand& start, const Operand& stop, const Operand& step = 1,
                       std::optional<DType> dtype = {});
inline Array arange(const Operand& start, const Operand& stop, DType dtype) {
  return arange(start, stop, Operand(1, start.where()), dtype);
}

// `count` numbers from start to stop, evenly spaced; the last one is exactly `stop`, or one step before it without
// `endpoint`. As numpy.linspace. float64 unless given (an integer dtype takes the floor). Throws ValueError for a
// negative count.
PILUM_API Array linspace(double start, double stop, std::int64_t count = 50, bool endpoint = true,
                         DType dtype = float64, std::source_location where = std::source_location::current());
inline Array linspace(double start, double stop, std::int64_t count, DType dtype,
                      std::source_location where = std::source_location::current()) {
  return linspace(start, stop, count, /*endpoint=*/true, dtype, where);
}

// The same from array to array, which broadcast together: the numbers are a new axis, in front unless `axis` says where
// (numpy.linspace of arrays). float64 unless given, of float32 alone float32; of complex numbers complex (DTypeError
// for another dtype).
PILUM_API Array linspace(const Operand& start, const Operand& stop, std::int64_t count = 50, bool endpoint = true,
                         std::optional<DType> dtype = {}, Axis axis = 0);
inline Array linspace(const Operand& start, const Operand& stop, std::int64_t count, DType dtype) {
  return linspace(start, stop, count, /*endpoint=*/true, dtype);
}

// `base` to the power of each number of linspace(start, stop, count, endpoint) (numpy.logspace). And numbers from start
// to stop of which each is the one before it times the same factor: the first and, with `endpoint`, the last are
// exactly `start` and `stop`; between numbers of different signs they are nan (numpy.geomspace). An integer dtype takes
// what is before the point. Throw as linspace; geomspace ValueError for a start or stop of 0.
PILUM_API Array logspace(double start, double stop, std::int64_t count = 50, bool endpoint = true, double base = 10.0,
                         DType dtype = float64, std::source_location where = std::source_location::current());
PILUM_API Array geomspace(double start, double stop, std::int64_t count = 50, bool endpoint = true,
                          DType dtype = float64, std::source_location where = std::source_location::current());
inline Array logspace(double start, double stop, std::int64_t count, DType dtype,
                      std::source_location where = std::source_location::current()) {
  return logspace(start, stop, count, /*endpoint=*/true, 10.0, dtype, where);
}
inline Array geomspace(double start, double stop, std::int64_t count, DType dtype,
                       std::source_location where = std::source_location::current()) {
  return geomspace(start, stop, count, /*endpoint=*/true, dtype, where);
}
// The same from array to array, by powers of an array's cells (numpy.logspace and numpy.geomspace of arrays): a new
// axis in front unless `axis` says where; dtypes as linspace of arrays. Cells of 0 give nan (NumPy: ValueError).
PILUM_API Array logspace(const Operand& start, const Operand& stop, std::int64_t count = 50, bool endpoint = true,
                         const Operand& base = 10.0, std::optional<DType> dtype = {}, Axis axis = 0);
PILUM_API Array geomspace(const Operand& start, const Operand& stop, std::int64_t count = 50, bool endpoint = true,
                          std::optional<DType> dtype = {}, Axis axis = 0);

namespace detail {

// The coordinates along one axis of a shape's cells, and what says that a function takes other ones.
PILUM_API Array coordinates_along(const Shape& shape, int axis, DType dtype, std::source_location where);
PILUM_API void check_coordinates(const Shape& shape, DType dtype, std::source_location where);
[[noreturn]] PILUM_API void refuse_axes(const Shape& shape, std::source_location where);

template <std::size_t>
using CoordinatesAt = const Array&;
template <class Function, std::size_t... Axis>
Array call_with_coordinates(const Function& function, const Shape& shape, DType dtype, std::source_location where,
                            std::index_sequence<Axis...>) {
  if constexpr (std::is_invocable_r_v<Array, const Function&, CoordinatesAt<Axis>...>) {
    return function(coordinates_along(shape, static_cast<int>(Axis), dtype, where)...);
  } else {
    refuse_axes(shape, where);
  }
}

}  // namespace detail

// function(i, j, …), called once, with the coordinates of all cells, an array for each axis: cells are computed where
// they lie (numpy.fromfunction). Throws as zeros, and ShapeError where the function takes another number of arrays.
template <class Function>
Array fromfunction(const Function& function, Shape shape, DType dtype = float64,
                   std::source_location where = std::source_location::current()) {
  detail::check_coordinates(shape, dtype, where);
  const auto call = [&]<std::size_t... Axis>(std::index_sequence<Axis...> axes) {
    return detail::call_with_coordinates(function, shape, dtype, where, axes);
  };
  switch (shape.rank()) {
    case 0: return call(std::make_index_sequence<0>());
    case 1: return call(std::make_index_sequence<1>());
    case 2: return call(std::make_index_sequence<2>());
    case 3: return call(std::make_index_sequence<3>());
    case 4: return call(std::make_index_sequence<4>());
    case 5: return call(std::make_index_sequence<5>());
    case 6: return call(std::make_index_sequence<6>());
    case 7: return call(std::make_index_sequence<7>());
    default: return call(std::make_index_sequence<8>());
  }
}

namespace detail {

// Cells as they lie in nested lists, row-major.
struct Cells {
  Shape shape;
  std::vector<std::byte> bytes;
  bool ragged = false;

  template <class T>
    requires(Number<T> || ComplexNumber<T>)
  void append(const T& number, int axis) {
    ragged |= axis != shape.rank();
    const auto* first = reinterpret_cast<const std::byte*>(&number);
    bytes.insert(bytes.end(), first, first + sizeof number);
  }
  template <class List>
  void append(const List& list, int axis) {
    const auto extent = static_cast<std::int64_t>(list.size());
    if (axis == shape.rank()) shape.push_back(extent);
    ragged |= axis < kMaxAxes && shape[axis] != extent;
    for (const auto& entry : list) append(entry, axis + 1);
  }
};

// What nested ranges hold in the end: double for std::vector<std::vector<double>>.
template <class T>
struct CellOf {
  using type = T;
};
template <class T>
  requires requires(const T& range) { *range.data(); }
struct CellOf<T> : CellOf<std::remove_cvref_t<decltype(*std::declval<const T&>().data())>> {};

PILUM_API Array import_cells(Cells&& cells, DType from, std::optional<DType> dtype, std::source_location where);
PILUM_API Array import_cells(const void* cells, std::size_t count, DType from, std::optional<DType> dtype,
                             std::source_location where);
PILUM_API Array import_bits(const std::vector<bool>& bits, std::optional<DType> dtype, std::source_location where);
PILUM_API Array import_mixed(std::initializer_list<Cell> list, std::optional<DType> dtype, std::source_location where);

// Arrays of one shape, as the cells of a new first axis.
PILUM_API Array stack_list(std::span<const Array> arrays, std::optional<DType> dtype, std::source_location where);
inline Array stack_list(std::initializer_list<Array> arrays, std::optional<DType> dtype, std::source_location where) {
  return stack_list(std::span(arrays.begin(), arrays.size()), dtype, where);
}

template <class T, class List>
Array import_list(const List& list, std::optional<DType> dtype, std::source_location where) {
  constexpr DType from = cell_dtype<T>();
  Cells cells;
  if constexpr (Number<T> || ComplexNumber<T>) cells.append(list, 0);
  return import_cells(std::move(cells), from, dtype, where);
}

}  // namespace detail

// An array of the numbers given, as numpy.array: nested lists, a std::vector, std::array or std::span or nested ones,
// one number (no axes), a copy of another array, or one of arrays of the same shape (a list of them, a list of lists,
// or a std::vector), which are put behind each other along new axes. The dtype is that of the C++ types unless given
// (so array({1, 2}) is int32, where NumPy says int64); types that differ promote: array({1, 2.5}) is float64. Of no
// numbers it is float64. Throws ShapeError for ragged lists and for more than 8 axes, ValueError for numbers that the
// dtype cannot hold.
template <class T>
Array array(std::initializer_list<T> values, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current()) {
  if constexpr (std::same_as<T, Array>) {
    return detail::stack_list(values, dtype, where);
  } else {
    return detail::import_list<T>(values, dtype, where);
  }
}
template <class T>
Array array(std::initializer_list<std::initializer_list<T>> values, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current()) {
  if constexpr (std::same_as<T, Array>) {
    std::vector<Array> rows;
    for (const auto& row : values) rows.push_back(detail::stack_list(row, dtype, where));
    return detail::stack_list(rows, dtype, where);
  } else {
    return detail::import_list<T>(values, dtype, where);
  }
}
template <class T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> values,
            std::optional<DType> dtype = {}, std::source_location where = std::source_location::current()) {
  return detail::import_list<T>(values, dtype, where);
}
template <class T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>> values,
            std::optional<DType> dtype = {}, std::source_location where = std::source_location::current()) {
  return detail::import_list<T>(values, dtype, where);
}
// Any depth, and any mix of types.
inline Array array(std::initializer_list<detail::Cell> values, std::optional<DType> dtype = {},
                   std::source_location where = std::source_location::current()) {
  return detail::import_mixed(values, dtype, where);
}
template <class Range>
  requires(!std::same_as<Range, std::vector<bool>>) && requires(const Range& range) {
    range.data();
    range.size();
  }
Array array(const Range& values, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current()) {
  using Entry = std::remove_cvref_t<decltype(*values.data())>;
  using T = typename detail::CellOf<Entry>::type;
  if constexpr (std::same_as<Entry, Array>) {
    return detail::stack_list(std::span<const Array>(values.data(), values.size()), dtype, where);
  } else if constexpr (std::same_as<T, Entry>) {
    return detail::import_cells(values.data(), values.size(), detail::cell_dtype<T>(), dtype, where);
  } else {
    return detail::import_list<T>(values, dtype, where);
  }
}
template <std::same_as<std::vector<bool>> Bits>  // a template, lest {1.5, 2.5} turn into one
Array array(const Bits& values, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current()) {
  return detail::import_bits(values, dtype, where);
}
template <class T>
  requires(Number<T> || ComplexNumber<T>)
Array array(T value, std::optional<DType> dtype = {}, std::source_location where = std::source_location::current()) {
  return full({}, Operand(value, where), dtype.value_or(detail::cell_dtype<T>()));
}
template <detail::ArrayLike A>
Array array(const A& values, std::optional<DType> dtype = {},
            std::source_location where = std::source_location::current()) {
  return values.astype(dtype.value_or(values.dtype()), where);
}

namespace detail {
template <Numbers T>
std::shared_ptr<const Array> array_of(const T& numbers, std::source_location where) {
  return std::make_shared<const Array>(array(numbers, {}, where));
}
}  // namespace detail

// 1 on diagonal `k` and below it, 0 above (numpy.tri; negative
// extents are 0); matrices with 0 above diagonal `k`, or below it, a vector being
// every row (numpy.tril, triu; ShapeError of an array without axes). Matrices with the cells of `a`, row-major, on
// diagonal `k` (numpy.diagflat).
PILUM_API Array tri(std::int64_t n, std::optional<std::int64_t> columns = {}, std::int64_t k = 0, DType dtype = float64,
                    std::source_location where = std::source_location::current());
inline Array tri(std::int64_t n, DType dtype, std::source_location where = std::source_location::current()) {
  return tri(n, {}, 0, dtype, where);
}
PILUM_API Array tril(const Array& a, std::int64_t k = 0, std::source_location where = std::source_location::current());
PILUM_API Array triu(const Array& a, std::int64_t k = 0, std::source_location where = std::source_location::current());
PILUM_API Array diagflat(const Array& a, std::int64_t k = 0,
                         std::source_location where = std::source_location::current());

// The cells whose coordinate along axis2 is that along axis1 and `offset` more: these axes give way to one at the end,
// of a copy (numpy.diagonal, whose result cannot be written). A matrix with a vector on diagonal k and 0 elsewhere, or
// the diagonal of a matrix (numpy.diag). ShapeError for fewer axes, of diag for more, IndexError for an axis that is
// not there, ValueError for one named twice.
PILUM_API Array diagonal(const Array& a, std::int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1,
                         std::source_location where = std::source_location::current());
PILUM_API Array diag(const Array& a, std::int64_t k = 0, std::source_location where = std::source_location::current());

// The coordinates of a grid's points, an array for each vector; of the first two the axes are exchanged, as in images,
// unless `matrix_order` (numpy.meshgrid with indexing="xy", "ij", which may be said so, too; ValueError for another
// word). Those of an array's cells, along a new first axis
// (numpy.indices; DTypeError of bools beyond 1, as arange).
PILUM_API std::vector<Array> meshgrid(const std::vector<Array>& vectors, bool matrix_order = false,
                                      std::source_location where = std::source_location::current());
// auto [x, y] = np::meshgrid(a, b).
inline std::pair<Array, Array> meshgrid(const Array& a, const Array& b, bool matrix_order = false,
                                        std::source_location where = std::source_location::current()) {
  const std::vector<Array> both = meshgrid(std::vector<Array>{a, b}, matrix_order, where);
  return {both[0], both[1]};
}
namespace detail {
// Whether it is "ij"; ValueError unless it is that or "xy".
PILUM_API bool is_matrix_order(std::string_view indexing, std::source_location where);
}  // namespace detail
// Templates: a word would be a bool, else.
template <std::convertible_to<std::string_view> Indexing>
std::vector<Array> meshgrid(const std::vector<Array>& vectors, const Indexing& indexing,
                            std::source_location where = std::source_location::current()) {
  return meshgrid(vectors, detail::is_matrix_order(indexing, where), where);
}
template <std::convertible_to<std::string_view> Indexing>
std::pair<Array, Array> meshgrid(const Array& a, const Array& b, const Indexing& indexing,
                                 std::source_location where = std::source_location::current()) {
  return meshgrid(a, b, detail::is_matrix_order(indexing, where), where);
}
inline std::vector<Array> meshgrid(const Array& a, const Array& b, const Array& c, bool matrix_order = false,
                                   std::source_location where = std::source_location::current()) {
  return meshgrid(std::vector<Array>{a, b, c}, matrix_order, where);
}
PILUM_API Array indices(Shape shape, DType dtype = int64, std::source_location where = std::source_location::current());
// The same of whole numbers from, to and by what slices say (numpy.mgrid and numpy.ogrid between brackets): along a new
// first axis, and an array for each slice whose other axes have extent 1. int64; of one slice, not in braces, a line.
// A start that is left open is 0. Numbers between others are meshgrid({linspace(…), …}, true). ValueError for a stop
// that is left open and a step of 0, ShapeError for more slices than there can be axes.
PILUM_API Array mgrid(const std::vector<slice>& slices, std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> ogrid(const std::vector<slice>& slices,
                                   std::source_location where = std::source_location::current());
inline Array mgrid(std::initializer_list<slice> slices, std::source_location where = std::source_location::current()) {
  return mgrid(std::vector<slice>(slices), where);
}
inline std::vector<Array> ogrid(std::initializer_list<slice> slices,
                                std::source_location where = std::source_location::current()) {
  return ogrid(std::vector<slice>(slices), where);
}
PILUM_API Array mgrid(slice numbers, std::source_location where = std::source_location::current());
PILUM_API Array ogrid(slice numbers, std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
