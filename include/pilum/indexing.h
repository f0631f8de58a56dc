// Cells picked by arrays of indices or masks, by functions. a(indices) and a(mask): pilum/selection.h.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <type_traits>
#include <vector>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/export.h"
#include "pilum/fold.h"
#include "pilum/math.h"

namespace pilum::numeric {

// What is done with an index outside of its axis: refused when the operation runs, which ends the runtime for good (the
// next wait throws IndexError with the call's line, later calls RuntimeError: docs/troubleshooting.md); counted around
// the axis; taken for the nearest one (a negative one is the first then).
enum class IndexMode : std::uint8_t { Raise, Wrap, Clip };

// The cells of `a` that `indices` (integers, of any shape) name along an axis, in a new array: the axis gives way to
// the indices' axes. Without an axis: of `a` read row-major. As numpy.take. Throws IndexError for an axis that is not
// there and indices of floating dtype; an index outside: at the next wait, and for good (IndexMode::Raise).
PILUM_API Array take(const Array& a, const Array& indices, std::optional<Axis> axis = {},
                     IndexMode mode = IndexMode::Raise, std::source_location where = std::source_location::current());
inline Array take(const Array& a, const Array& indices, IndexMode mode,
                  std::source_location where = std::source_location::current()) {
  return take(a, indices, {}, mode, where);
}
// Writes values, broadcast to the indices' shape and cast, to the cells that the indices name in `a` read row-major; of
// an index that is named twice the last value stays. As numpy.put, which repeats values instead of broadcasting them.
PILUM_API void put(const Array& a, const Array& indices, const Operand& values, IndexMode mode = IndexMode::Raise);

// result(…, j, …) = a(…, indices(…, j, …), …) along the axis; the other axes are broadcast against each other. As
// numpy.take_along_axis and put_along_axis.
PILUM_API Array take_along_axis(const Array& a, const Array& indices, Axis axis = -1,
                                std::source_location where = std::source_location::current());
PILUM_API void put_along_axis(const Array& a, const Array& indices, const Operand& values, Axis axis);

// a(indices) = fold(a(indices), value) for each time that an index is named, one after the other in the order of the
// indices, so that the result is the same on any machine; floats of very many points for each cell are added in parts
// of the points, whose sums are added in pairs (docs/numpy.md). As numpy.add.at, subtract.at (whose errors are
// add_at's), multiply.at, minimum.at and maximum.at.
// Indices of several axes: one array for each of the first axes. Throws as a(indices) = values; ValueError for a
// number that the dtype cannot hold, DTypeError where the dtype of an array of values is of a higher kind.
PILUM_API void add_at(const Array& a, const Array& indices, const Operand& values);
PILUM_API void add_at(const Array& a, const std::vector<Array>& indices, const Operand& values);
inline void subtract_at(const Array& a, const Array& indices, const Operand& values) {
  add_at(a, indices, negative(values));
}
inline void subtract_at(const Array& a, const std::vector<Array>& indices, const Operand& values) {
  add_at(a, indices, negative(values));
}
PILUM_API void multiply_at(const Array& a, const Array& indices, const Operand& values);
PILUM_API void multiply_at(const Array& a, const std::vector<Array>& indices, const Operand& values);
PILUM_API void minimum_at(const Array& a, const Array& indices, const Operand& values);
PILUM_API void minimum_at(const Array& a, const std::vector<Array>& indices, const Operand& values);
PILUM_API void maximum_at(const Array& a, const Array& indices, const Operand& values);
PILUM_API void maximum_at(const Array& a, const std::vector<Array>& indices, const Operand& values);

// The coordinates of the cells that are not 0, row-major: an int64 array for each axis. As numpy.nonzero; where(a) is
// the same, flatnonzero counts the cells, argwhere has a row of coordinates for each. The number of these cells is
// waited for, on every rank.
PILUM_API std::vector<Array> nonzero(const Array& a, std::source_location where = std::source_location::current());
inline std::vector<Array> where(const Array& condition, std::source_location where = std::source_location::current()) {
  return nonzero(condition, where);
}
PILUM_API Array flatnonzero(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array argwhere(const Array& a, std::source_location where = std::source_location::current());

// The parts of `a` along an axis whose condition (one axis, at most as long) is true; without an axis, of `a` read
// row-major. As numpy.compress; extract takes a condition of a's shape.
PILUM_API Array compress(const Array& condition, const Array& a, std::optional<Axis> axis = {},
                         std::source_location where = std::source_location::current());
PILUM_API Array extract(const Array& condition, const Array& a,
                        std::source_location where = std::source_location::current());

// Cell by cell choices[indices], the indices and choices broadcast together; an index outside is taken as `mode` says
// (Raise: at the next wait). As numpy.choose. One fused kernel for Wrap and Clip.
PILUM_API Array choose(const Array& indices, const std::vector<Operand>& choices, IndexMode mode = IndexMode::Raise,
                       std::source_location where = std::source_location::current());
template <std::same_as<std::vector<Array>> Choices>
Array choose(const Array& indices, const Choices& choices, IndexMode mode = IndexMode::Raise,
             std::source_location where = std::source_location::current()) {
  return choose(indices, std::vector<Operand>(choices.begin(), choices.end()), mode, where);
}
// Cell by cell the first choice whose condition is true, else `otherwise`. As numpy.select; fused.
PILUM_API Array select(const std::vector<Array>& conditions, const std::vector<Operand>& choices,
                       const Operand& otherwise = 0);
template <std::same_as<std::vector<Array>> Choices>  // a template, so that braces are arrays and numbers
Array select(const std::vector<Array>& conditions, const Choices& choices, const Operand& otherwise = 0) {
  return select(conditions, std::vector<Operand>(choices.begin(), choices.end()), otherwise);
}

// Writes the value's cells, all or where the mask is true, both broadcast to `a` (numpy.copyto, whose casting is any
// here as of a[all] = value): elementwise, and fused. ShapeError where they do not broadcast, DTypeError for a mask of
// no bools.
PILUM_API void copyto(const Array& a, const Operand& value);
PILUM_API void copyto(const Array& a, const Operand& value, const Array& mask);
// Where the mask, of as many cells as `a`, is not 0: the cell of `values` of the same number, row-major, which begin
// again at their end (numpy.putmask); and the values one after the other for each such cell, in the same order
// (numpy.place, whose cells of the mask are counted). Nothing is waited for. ValueError for a mask of another size, and
// place of no values where there is a cell for one, which is waited for; DTypeError where casting values loses any.
PILUM_API void putmask(const Array& a, const Array& mask, const Operand& values);
PILUM_API void place(const Array& a, const Array& mask, const Operand& values);
// Writes the main diagonal of a matrix, or the cells of one number for all axes of an array of equal extents
// (numpy.fill_diagonal with a number). ShapeError for fewer axes than two, extents that differ of more.
PILUM_API void fill_diagonal(const Array& a, const Operand& value);
// What piecewise takes beside each condition: a function of arrays, or a number or array itself. Made implicitly.
class Branch {
 public:
  template <class T>
    requires(std::convertible_to<T, Operand> || std::is_invocable_r_v<Array, const T&, const Array&>)
  Branch(const T& branch, std::source_location where = std::source_location::current()) {
    if constexpr (detail::ArrayLike<T>) {
      function_ = [held = Array(branch)](const Array&) { return held; };
    } else if constexpr (std::convertible_to<T, Operand>) {
      function_ = [branch, where](const Array& x) { return full({}, Operand(branch, where), x.dtype()); };
    } else {
      function_ = branch;
    }
  }
  Array operator()(const Array& x) const { return function_(x); }

 private:
  std::function<Array(const Array&)> function_;
};
// branches[k](x) where conditions[k] holds, the last of those that do; where none does, what one branch more gives, or
// 0: of x's dtype (numpy.piecewise). Functions are called with all of x, once, and what they give of other cells is not
// looked at. ValueError for another number of branches, and for a number that the dtype cannot hold.
PILUM_API Array piecewise(const Array& x, const std::vector<Array>& conditions, const std::vector<Branch>& branches,
                          std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
