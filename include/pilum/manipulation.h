// Arrays put together, taken apart, and seen with other axes; arrays like others. Names and meaning are NumPy's.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/dtype_info.h"
#include "pilum/export.h"

namespace pilum::numeric {

// Arrays of another one's shape, and of its dtype unless one is given (numpy.zeros_like, ones_like, empty_like,
// full_like). full_like throws ValueError for a number that the dtype cannot hold.
PILUM_API Array zeros_like(const Array& a, std::optional<DType> dtype = {},
                           std::source_location where = std::source_location::current());
PILUM_API Array ones_like(const Array& a, std::optional<DType> dtype = {},
                          std::source_location where = std::source_location::current());
PILUM_API Array empty_like(const Array& a, std::optional<DType> dtype = {},
                           std::source_location where = std::source_location::current());
PILUM_API Array full_like(const Array& a, const Operand& value, std::optional<DType> dtype = {});
// Of another shape: zeros_like(a, {}, {3, 4}).
inline Array zeros_like(const Array& a, std::optional<DType> dtype, const Shape& shape,
                        std::source_location where = std::source_location::current()) {
  return zeros(shape, dtype.value_or(a.dtype()), where);
}
inline Array ones_like(const Array& a, std::optional<DType> dtype, const Shape& shape,
                       std::source_location where = std::source_location::current()) {
  return ones(shape, dtype.value_or(a.dtype()), where);
}
inline Array empty_like(const Array& a, std::optional<DType> dtype, const Shape& shape,
                        std::source_location where = std::source_location::current()) {
  return empty(shape, dtype.value_or(a.dtype()), where);
}
inline Array full_like(const Array& a, const Operand& value, std::optional<DType> dtype, const Shape& shape) {
  return full(shape, value, dtype.value_or(a.dtype()));
}

// What the methods of the same names give (numpy.shape, ndim, size, copy, astype); size(a, axis) is the extent along an
// axis, IndexError for one that is not there.
inline Shape shape(const Array& a) {
  return a.shape();
}
inline int ndim(const Array& a) noexcept {
  return a.ndim();
}
inline std::int64_t size(const Array& a) noexcept {
  return a.size();
}
PILUM_API std::int64_t size(const Array& a, Axis axis, std::source_location where = std::source_location::current());
inline Array copy(const Array& a, std::source_location where = std::source_location::current()) {
  return a.copy(where);
}
inline Array astype(const Array& a, DType dtype, std::source_location where = std::source_location::current()) {
  return a.astype(dtype, where);
}

// 1 on diagonal `k`, 0 elsewhere: n rows, as many columns or `columns` (numpy.eye, numpy.identity). ShapeError for
// negative extents.
PILUM_API Array eye(std::int64_t n, std::optional<std::int64_t> columns = {}, std::int64_t k = 0, DType dtype = float64,
                    std::source_location where = std::source_location::current());
inline Array eye(std::int64_t n, DType dtype, std::source_location where = std::source_location::current()) {
  return eye(n, {}, 0, dtype, where);
}
PILUM_API Array identity(std::int64_t n, DType dtype = float64,
                         std::source_location where = std::source_location::current());

// A new array with the cells moved on by `shift` along `axis`, those beyond the end to the front (numpy.roll). Without
// an axis as if flattened; with several shifts, each along its axis. IndexError for an axis that is not there,
// ValueError for other counts of shifts and axes. In programs of one rank it is not made where it is read at once: the
// reader reads through it.
PILUM_API Array roll(const Array& a, std::int64_t shift, std::source_location where = std::source_location::current());
PILUM_API Array roll(const Array& a, std::int64_t shift, Axis axis,
                     std::source_location where = std::source_location::current());
PILUM_API Array roll(const Array& a, const std::vector<std::int64_t>& shifts, Axes axes,
                     std::source_location where = std::source_location::current());
inline Array roll(const Array& a, std::int64_t shift, std::initializer_list<int> axes,
                  std::source_location where = std::source_location::current()) {  // along each of them
  return roll(a, std::vector<std::int64_t>(axes.size(), shift), Axes(axes), where);
}

// Views with the order of the cells reversed along these axes, or all of them (numpy.flip, flipud, fliplr). IndexError
// for an axis that is not there, ValueError for one named twice.
PILUM_API Array flip(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());
PILUM_API Array flipud(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array fliplr(const Array& a, std::source_location where = std::source_location::current());

// Arrays one after the other along an axis that they have ({}: all flattened), or along a new one: new arrays of the
// promoted dtype, or the one that is given (numpy.concatenate, stack, vstack, hstack). ValueError for no arrays,
// ShapeError where other extents (stack: any) differ, IndexError for an axis that is not there.
PILUM_API Array concatenate(const std::vector<Array>& arrays, std::optional<Axis> axis = 0,
                            std::source_location where = std::source_location::current());
PILUM_API Array concatenate(const std::vector<Array>& arrays, std::optional<Axis> axis, DType dtype,
                            std::source_location where = std::source_location::current());
PILUM_API Array stack(const std::vector<Array>& arrays, Axis axis = 0,
                      std::source_location where = std::source_location::current());
PILUM_API Array stack(const std::vector<Array>& arrays, Axis axis, DType dtype,
                      std::source_location where = std::source_location::current());
PILUM_API Array vstack(const std::vector<Array>& arrays, std::source_location where = std::source_location::current());
PILUM_API Array hstack(const std::vector<Array>& arrays, std::source_location where = std::source_location::current());

// Views: with an axis of extent 1 at place `axis` of the result, or at several; without axes of extent 1 (all, or those
// given, ValueError where one is longer); with two axes exchanged; with one moved to another place, or several
// (numpy.expand_dims, squeeze, swapaxes, moveaxis).
PILUM_API Array expand_dims(const Array& a, Axis axis, std::source_location where = std::source_location::current());
PILUM_API Array expand_dims(const Array& a, std::initializer_list<int> axes,
                            std::source_location where = std::source_location::current());
PILUM_API Array squeeze(const Array& a, Axes axes = {}, std::source_location where = std::source_location::current());
PILUM_API Array swapaxes(const Array& a, Axis axis1, Axis axis2,
                         std::source_location where = std::source_location::current());
PILUM_API Array moveaxis(const Array& a, Axis source, Axis destination,
                         std::source_location where = std::source_location::current());
PILUM_API Array moveaxis(const Array& a, std::initializer_list<int> sources, std::initializer_list<int> destinations,
                         std::source_location where = std::source_location::current());
// All cells along one axis: a view, as a.reshape(-1) gives it, of an array that lies row-major without gaps, else a
// copy (numpy.ravel).
PILUM_API Array ravel(const Array& a, std::source_location where = std::source_location::current());

// Each cell less the one before it along `axis`; of bools whether they differ. `n` times (numpy.diff). ValueError for a
// negative n or an array without axes. With cells that are put before and behind each line first: numbers, which are
// weak, or arrays, as concatenate takes them; {} for none.
PILUM_API Array diff(const Array& a, int n = 1, Axis axis = -1,
                     std::source_location where = std::source_location::current());
PILUM_API Array diff(const Array& a, int n, Axis axis, const std::optional<Operand>& prepend,
                     const std::optional<Operand>& append = {},
                     std::source_location where = std::source_location::current());

// The differences of all cells along one axis, between cells that are put before and behind them (numpy.ediff1d).
// DTypeError where these are of a higher kind.
PILUM_API Array ediff1d(const Array& a, const std::optional<Array>& to_end = {},
                        const std::optional<Array>& to_begin = {},
                        std::source_location where = std::source_location::current());
// Angles without jumps: where neighbours along the axis differ by half a period or more (or by `discont`), the cells
// from there on are moved by as many periods as bring them nearest (numpy.unwrap). Of integers float64.
PILUM_API Array unwrap(const Array& a, std::optional<double> discont = {}, Axis axis = -1,
                       double period = 2 * std::numbers::pi,
                       std::source_location where = std::source_location::current());

// The slope along an axis: half the difference of both neighbours over `spacing`, at the ends that of one
// (numpy.gradient for one axis; of an array of several the axis must be said, ShapeError). Of integers float64.
// ValueError where the axis has fewer than 2 cells, DTypeError of bools. gradient(a, all) has the slopes along each
// axis, with one spacing or one for each: np.gradient(a), np.gradient(a, dy, dx). ValueError for another number.
// With an array in place of the spacing its cells are the places along the axis, which need not be evenly spaced
// (ShapeError for another number of them). With an `edge_order` of 2 the ends have the slope of the parabola through
// three cells, of which there must be so many.
PILUM_API Array gradient(const Array& a, double spacing = 1.0, std::optional<Axis> axis = {},
                         std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> gradient(const Array& a, All axes, double spacing = 1.0,
                                      std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> gradient(const Array& a, All axes, const std::vector<double>& spacings,
                                      std::source_location where = std::source_location::current());
PILUM_API Array gradient(const Array& a, double spacing, Axis axis, int edge_order,
                         std::source_location where = std::source_location::current());
PILUM_API Array gradient(const Array& a, const Array& places, std::optional<Axis> axis = {}, int edge_order = 1,
                         std::source_location where = std::source_location::current());
namespace detail {
PILUM_API std::vector<Array> slopes_at(const Array& a, const std::vector<Array>& places, int edge_order,
                                       std::source_location where);
}  // namespace detail
// A template, so that braces are numbers: gradient(a, all, std::vector{y, x}).
template <std::same_as<std::vector<Array>> Places>
std::vector<Array> gradient(const Array& a, All, const Places& places, int edge_order = 1,
                            std::source_location where = std::source_location::current()) {
  return detail::slopes_at(a, places, edge_order, where);
}
// The integral along an axis by the trapezoidal rule, of cells that are `dx` apart, or at the places `x`: as many as
// the axis has cells, or an array that broadcasts with the other (numpy.trapezoid). ShapeError for other places.
PILUM_API Array trapezoid(const Array& a, double dx = 1.0, Axis axis = -1,
                          std::source_location where = std::source_location::current());
PILUM_API Array trapezoid(const Array& a, const Array& x, Axis axis = -1,
                          std::source_location where = std::source_location::current());

// Views with one, two, three axes at least: those that are missing have extent 1 (numpy.atleast_1d, …).
PILUM_API Array atleast_1d(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array atleast_2d(const Array& a, std::source_location where = std::source_location::current());
PILUM_API Array atleast_3d(const Array& a, std::source_location where = std::source_location::current());
// A view turned by `quarters` of a turn in the plane of two axes, from the first to the second (numpy.rot90).
// ValueError for fewer axes, or one named twice.
PILUM_API Array rot90(const Array& a, int quarters = 1, Axis axis1 = 0, Axis axis2 = 1,
                      std::source_location where = std::source_location::current());
// All cells along one axis, always a copy (numpy.ndarray.flatten).
PILUM_API Array flatten(const Array& a, std::source_location where = std::source_location::current());

// Views of parts along an axis: so many of one extent (array_split: or nearly), or cut before these places, which count
// as a slice's bounds (numpy.split, array_split; hsplit: along axis 1, or the only one; vsplit: 0; dsplit: 2).
// ValueError where the extent cannot be divided so, or an axis is missing.
PILUM_API std::vector<Array> split(const Array& a, std::int64_t parts, Axis axis = 0,
                                   std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> split(const Array& a, const std::vector<std::int64_t>& places, Axis axis = 0,
                                   std::source_location where = std::source_location::current());
inline std::vector<Array> split(const Array& a, std::initializer_list<std::int64_t> places, Axis axis = 0,
                                std::source_location where = std::source_location::current()) {
  return split(a, std::vector<std::int64_t>(places), axis, where);
}
PILUM_API std::vector<Array> array_split(const Array& a, std::int64_t parts, Axis axis = 0,
                                         std::source_location where = std::source_location::current());
inline std::vector<Array> array_split(const Array& a, std::initializer_list<std::int64_t> places, Axis axis = 0,
                                      std::source_location where = std::source_location::current()) {
  return split(a, places, axis, where);
}
PILUM_API std::vector<Array> hsplit(const Array& a, std::int64_t parts,
                                    std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> vsplit(const Array& a, std::int64_t parts,
                                    std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> dsplit(const Array& a, std::int64_t parts,
                                    std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> hsplit(const Array& a, std::initializer_list<std::int64_t> places,
                                    std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> vsplit(const Array& a, std::initializer_list<std::int64_t> places,
                                    std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> dsplit(const Array& a, std::initializer_list<std::int64_t> places,
                                    std::source_location where = std::source_location::current());

// New arrays: `a` laid out so often along each axis, new axes in front where there are more counts (numpy.tile); each
// cell so often, along an axis or flattened (numpy.repeat); the cells again and again until the shape is
// full, zeros of none (numpy.resize). ValueError for negative counts.
PILUM_API Array tile(const Array& a, const std::vector<std::int64_t>& counts,
                     std::source_location where = std::source_location::current());
inline Array tile(const Array& a, std::initializer_list<std::int64_t> counts,
                  std::source_location where = std::source_location::current()) {
  return tile(a, std::vector<std::int64_t>(counts), where);
}
inline Array tile(const Array& a, std::int64_t count, std::source_location where = std::source_location::current()) {
  return tile(a, std::vector<std::int64_t>{count}, where);
}
PILUM_API Array repeat(const Array& a, std::int64_t count, std::optional<Axis> axis = {},
                       std::source_location where = std::source_location::current());
PILUM_API Array resize(const Array& a, Shape shape, std::source_location where = std::source_location::current());
// Each cell, or each part along an axis, as often as its own count says: integers along one axis, one for each, or one
// for all (numpy.repeat). The extent of the result is waited for, on every rank. ValueError for negative counts,
// ShapeError for another number of them, DTypeError for floating ones.
PILUM_API Array repeat(const Array& a, const Array& counts, std::optional<Axis> axis = {},
                       std::source_location where = std::source_location::current());
PILUM_API Array repeat(const Array& a, std::initializer_list<std::int64_t> counts, std::optional<Axis> axis = {},
                       std::source_location where = std::source_location::current());
// concatenate of both, flattened where no axis is given (numpy.append); along a third axis; vectors as columns
// (numpy.dstack, column_stack).
PILUM_API Array append(const Array& a, const Array& values, std::optional<Axis> axis = {},
                       std::source_location where = std::source_location::current());
template <class T>
  requires(Number<T> || ComplexNumber<T>)
Array append(const Array& a, T value, std::source_location where = std::source_location::current()) {
  return append(a, full({1}, Operand(value, where), result_type(a, Operand(value, where))), {}, where);
}
PILUM_API Array dstack(const std::vector<Array>& arrays, std::source_location where = std::source_location::current());
PILUM_API Array column_stack(const std::vector<Array>& arrays,
                             std::source_location where = std::source_location::current());

// What stands beyond an array's ends: a value; the last cell; the array again; the array mirrored at its last cell, or
// behind it; numbers evenly spaced from the last cell to a value at the outer end; the largest, the least, the middle
// one of the line's cells, or their mean; anything (numpy.pad's modes of these names: "linear_ramp", …).
enum class Pad : std::uint8_t {
  Constant,
  Edge,
  Wrap,
  Reflect,
  Symmetric,
  LinearRamp,
  Maximum,
  Minimum,
  Mean,
  Median,
  Empty
};
// Pairs of before and behind, one for each axis, or one for all; or one number for all ends.
template <class T>
class PadPairs : public std::vector<std::pair<T, T>> {
 public:
  using std::vector<std::pair<T, T>>::vector;
  PadPairs(const std::vector<std::pair<T, T>>& pairs) : std::vector<std::pair<T, T>>(pairs) {}
  template <class Value>
    requires(Number<Value> || ComplexNumber<Value>)
  PadPairs(Value both) : std::vector<std::pair<T, T>>(1, {T(both), T(both)}) {
    static_assert(!std::integral<T> || std::integral<Value>, "a number of cells is an integer: .stat_length = 3");
  }
};
// What a mode is told besides, by numpy.pad's names: pad(a, 2, "mean", {.stat_length = {{3, 3}}}).
struct PadOptions {
  PadPairs<Operand> constant_values = {};  // Constant: in place of 0
  PadPairs<Operand> end_values = {};       // LinearRamp: at the outer ends, in place of 0
  // Maximum, Minimum, Mean, Median: of so many cells at that end of the line; none: of all
  PadPairs<std::int64_t> stat_length = {};
  std::string_view reflect_type = "even";  // Reflect, Symmetric: "odd" is twice the end's cell less its mirror image
};
// A new array with so many cells more before and behind, along each axis, or along all where one pair or one width is
// given (numpy.pad; axes are padded one after the other, of whole lines). `value` is that of Constant and LinearRamp.
// Means and medians of integers are rounded to the even one. ValueError for negative widths, other counts of pairs, no
// cells to repeat, a value that the dtype cannot hold, another word, an option of another mode, a stat_length below 1;
// DTypeError for "odd" of bools.
namespace detail {
// A pair in braces; ValueError for another count.
PILUM_API std::vector<std::pair<std::int64_t, std::int64_t>> pair_of(std::initializer_list<std::int64_t> widths,
                                                                     std::source_location where);
}  // namespace detail
PILUM_API Array pad(const Array& a, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
                    Pad mode = Pad::Constant, const Operand& value = 0,
                    std::source_location where = std::source_location::current());
inline Array pad(const Array& a, std::int64_t width, Pad mode = Pad::Constant, const Operand& value = 0,
                 std::source_location where = std::source_location::current()) {
  return pad(a, {{width, width}}, mode, value, where);
}
// Before and behind along each axis: pad(a, {1, 2}).
inline Array pad(const Array& a, std::initializer_list<std::int64_t> widths, Pad mode = Pad::Constant,
                 const Operand& value = 0, std::source_location where = std::source_location::current()) {
  return pad(a, detail::pair_of(widths, where), mode, value, where);
}
// By NumPy's word: pad(a, {{1, 2}}, "edge").
PILUM_API Array pad(const Array& a, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
                    std::string_view mode, const Operand& value = 0,
                    std::source_location where = std::source_location::current());
inline Array pad(const Array& a, std::int64_t width, std::string_view mode, const Operand& value = 0,
                 std::source_location where = std::source_location::current()) {
  return pad(a, {{width, width}}, mode, value, where);
}
inline Array pad(const Array& a, std::initializer_list<std::int64_t> widths, std::string_view mode,
                 const Operand& value = 0, std::source_location where = std::source_location::current()) {
  return pad(a, detail::pair_of(widths, where), mode, value, where);
}

PILUM_API Array pad(const Array& a, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, Pad mode,
                    const PadOptions& options, std::source_location where = std::source_location::current());
PILUM_API Array pad(const Array& a, const std::vector<std::pair<std::int64_t, std::int64_t>>& widths,
                    std::string_view mode, const PadOptions& options,
                    std::source_location where = std::source_location::current());
template <class Mode>
Array pad(const Array& a, std::int64_t width, Mode mode, const PadOptions& options,
          std::source_location where = std::source_location::current()) {
  return pad(a, {{width, width}}, mode, options, where);
}
template <class Mode>
Array pad(const Array& a, std::initializer_list<std::int64_t> widths, Mode mode, const PadOptions& options,
          std::source_location where = std::source_location::current()) {
  return pad(a, detail::pair_of(widths, where), mode, options, where);
}

// What a window of this shape sees of `x` at each of its places: the axes of the places, and behind them those of the
// window (numpy.lib.stride_tricks.sliding_window_view, but a copy: the cells of neighbouring windows are no view here).
// The window has an extent for each axis, or for each of those that are given, in their order. ValueError for a
// negative extent, one longer than its axis, another number of them; ShapeError for more than 8 axes.
PILUM_API Array sliding_window_view(const Array& x, Shape window_shape, Axes axis = {},
                                    std::source_location where = std::source_location::current());

// A view without the zeros before the first other cell ("f"), behind the last one ("b") or both, along all axes or
// those given: cut off where all cells of the other axes are 0, too (numpy.trim_zeros). The places are waited for, on
// every rank. ValueError for other ends.
PILUM_API Array trim_zeros(const Array& a, std::string_view ends = "fb", Axes axes = {},
                           std::source_location where = std::source_location::current());
// Eight cells along an axis, or of all flattened, as the bits of a byte, 1 where they are not 0: the first one is the
// highest bit ("big") or the lowest ("little"), cells that are missing are 0 (numpy.packbits): uint8. And the bits of
// bytes, uint8 of 0 and 1: `count` of them, a negative one leaves so many out at the end, zeros follow where there are
// fewer (numpy.unpackbits). DTypeError of floating cells, and of other cells than uint8; ValueError for another order.
PILUM_API Array packbits(const Array& a, std::optional<Axis> axis = {}, std::string_view order = "big",
                         std::source_location where = std::source_location::current());
PILUM_API Array unpackbits(const Array& a, std::optional<Axis> axis = {}, std::optional<std::int64_t> count = {},
                           std::string_view order = "big",
                           std::source_location where = std::source_location::current());

// The array API's names: concatenate, transpose, and the transpose of the last two axes (numpy.concat, permute_dims,
// matrix_transpose; ShapeError for fewer axes than two). Views of the parts along an axis, without it (numpy.unstack;
// ValueError of an array without axes).
inline Array concat(const std::vector<Array>& arrays, std::optional<Axis> axis = 0,
                    std::source_location where = std::source_location::current()) {
  return concatenate(arrays, axis, where);
}
inline Array permute_dims(const Array& a, Axes axes, std::source_location where = std::source_location::current()) {
  return a.transpose(axes, where);
}
PILUM_API Array matrix_transpose(const Array& a, std::source_location where = std::source_location::current());
PILUM_API std::vector<Array> unstack(const Array& a, Axis axis = 0,
                                     std::source_location where = std::source_location::current());
// Views of all with the shape that they have together (numpy.broadcast_arrays). ShapeError where there is none.
PILUM_API std::vector<Array> broadcast_arrays(const std::vector<Array>& arrays,
                                              std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
