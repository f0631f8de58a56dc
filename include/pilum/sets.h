// Arrays as sets, cells in the order of several keys, and coordinates as numbers. Names and meaning are NumPy's.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// What is in either array, in both, in the first alone, in one of them alone: sorted, along one axis, each once
// (numpy.union1d, intersect1d, setdiff1d, setxor1d). One processor sorts, and the number of cells is waited for, on
// every rank. NaNs are as in unique; in intersect1d none is like another.
PILUM_API Array union1d(const Array& a, const Array& b, std::source_location where = std::source_location::current());
PILUM_API Array intersect1d(const Array& a, const Array& b,
                            std::source_location where = std::source_location::current());
PILUM_API Array setdiff1d(const Array& a, const Array& b, std::source_location where = std::source_location::current());
PILUM_API Array setxor1d(const Array& a, const Array& b, std::source_location where = std::source_location::current());

struct Unique {
  Array values, indices, inverse_indices, counts;
};
// The different cells, sorted; where each stands first, row-major; which of them each cell is, of a's shape; and how
// often each is there: int64 (numpy.unique_all; each NaN is one of its own). Their number is waited for.
PILUM_API Unique unique_all(const Array& a, std::source_location where = std::source_location::current());
PILUM_API std::pair<Array, Array> unique_inverse(const Array& a,
                                                 std::source_location where = std::source_location::current());

// The different cells, each NaN being one of its own (numpy.unique_values, which has
// them in any order; unique takes all NaNs for one): sorted.
PILUM_API Array unique_values(const Array& a, std::source_location where = std::source_location::current());
// The different parts along an axis, rows of a matrix for axis 0, in the order of their first cells, then of their
// second ones, …: with that axis where it was; where each stands first, which of them each part is, and how often each
// is there (numpy.unique(a, axis=axis, return_index=True, …)). As many sorts as a part has cells. IndexError for an
// axis that is not there.
PILUM_API Unique unique_all(const Array& a, Axis axis, std::source_location where = std::source_location::current());
PILUM_API Array unique(const Array& a, Axis axis, std::source_location where = std::source_location::current());

// Where cells stand in the order of the last key, equal ones in that of the key before it, and so on: int64
// (numpy.lexsort). ValueError for no keys, ShapeError for keys of several shapes or of no axes.
PILUM_API Array lexsort(const std::vector<Array>& keys, Axis axis = -1,
                        std::source_location where = std::source_location::current());
// What stands at place `kth` of the order stands there, what is less before it, and what is more behind it: sorted
// altogether, which is one such order (numpy.partition, argpartition). ValueError for a place that is not there.
PILUM_API Array partition(const Array& a, std::int64_t kth, std::optional<Axis> axis = -1,
                          std::source_location where = std::source_location::current());
PILUM_API Array argpartition(const Array& a, std::int64_t kth, std::optional<Axis> axis = -1,
                             std::source_location where = std::source_location::current());

// The coordinates in an array of this shape of cells that are counted row-major, an array for each axis; and back
// (numpy.unravel_index, ravel_multi_index): int64, elementwise. Numbers outside of the shape are not looked at (NumPy:
// ValueError). DTypeError of other cells than integers, ValueError for another number of arrays than axes.
PILUM_API std::vector<Array> unravel_index(const Operand& indices, Shape shape);
PILUM_API Array ravel_multi_index(const std::vector<Array>& coordinates, Shape shape,
                                  std::source_location where = std::source_location::current());
// The coordinates of the lower and the upper triangle of n rows and as many columns or `columns`, from diagonal k on
// (numpy.tril_indices, triu_indices), and of the diagonal of an array of `axes` axes (diag_indices): int64.
PILUM_API std::pair<Array, Array> tril_indices(std::int64_t n, std::int64_t k = 0,
                                               std::optional<std::int64_t> columns = {},
                                               std::source_location where = std::source_location::current());
PILUM_API std::pair<Array, Array> triu_indices(std::int64_t n, std::int64_t k = 0,
                                               std::optional<std::int64_t> columns = {},
                                               std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> diag_indices(std::int64_t n, int axes = 2,
                                          std::source_location where = std::source_location::current());
// The same of an array's own shape (numpy.tril_indices_from, triu_indices_from, diag_indices_from). ShapeError for
// other axes than two, for diagonals of fewer than two or extents that differ.
PILUM_API std::pair<Array, Array> tril_indices_from(const Array& a, std::int64_t k = 0,
                                                    std::source_location where = std::source_location::current());
PILUM_API std::pair<Array, Array> triu_indices_from(const Array& a, std::int64_t k = 0,
                                                    std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> diag_indices_from(const Array& a,
                                               std::source_location where = std::source_location::current());
// Lines of indices, each along an axis of its own, so that a(open[0], open[1]) is of all their pairs; masks are the
// indices of their true cells (numpy.ix_). ShapeError for other axes.
PILUM_API std::vector<Array> ix_(const std::vector<Array>& lines,  // NOLINT(readability-identifier-naming): NumPy's
                                 std::source_location where = std::source_location::current());

// Blocks side by side and below each other, as they stand in the list: arrays along the last axis, rows along the one
// before it (numpy.block of a list of lists). Throws as concatenate.
PILUM_API Array block(const std::vector<std::vector<Array>>& rows,
                      std::source_location where = std::source_location::current());
namespace detail {
PILUM_API Array delete_where(const Array& a, const Array& places, std::optional<Axis> axis, std::source_location where);
PILUM_API Array insert_where(const Array& a, const Array& places, const Operand& values, std::optional<Axis> axis);
}  // namespace detail
// Without the cells at these places along an axis, or of all cells flattened; a mask is of the cells along the axis
// (numpy.delete, whose name C++ has for itself). Places that an array names are waited for, on every rank. IndexError
// for places that are not there and masks of another shape, DTypeError for places that are no integers.
PILUM_API Array delete_at(const Array& a, const std::vector<std::int64_t>& places, std::optional<Axis> axis = {},
                          std::source_location where = std::source_location::current());
inline Array delete_at(const Array& a, std::int64_t place, std::optional<Axis> axis = {},
                       std::source_location where = std::source_location::current()) {
  return delete_at(a, std::vector<std::int64_t>{place}, axis, where);
}
template <detail::ArrayLike Places>  // a template, so that braces are numbers
Array delete_at(const Array& a, const Places& places, std::optional<Axis> axis = {},
                std::source_location where = std::source_location::current()) {
  return detail::delete_where(a, places, axis, where);
}
// With `values` before the place, as many as they have along the axis; or one of them before each of several places,
// which are those of `a` (numpy.insert). Values broadcast to what is inserted, and are cast. Throws as delete_at, and
// ShapeError where values do not broadcast.
PILUM_API Array insert(const Array& a, std::int64_t place, const Operand& values, std::optional<Axis> axis = {});
PILUM_API Array insert(const Array& a, const std::vector<std::int64_t>& places, const Operand& values,
                       std::optional<Axis> axis = {});
inline Array insert(const Array& a, std::initializer_list<std::int64_t> places, const Operand& values,
                    std::optional<Axis> axis = {}) {
  return insert(a, std::vector(places), values, axis);
}
template <detail::ArrayLike Places>
Array insert(const Array& a, const Places& places, const Operand& values, std::optional<Axis> axis = {}) {
  return detail::insert_where(a, places, values, axis);
}

}  // namespace pilum::numeric
