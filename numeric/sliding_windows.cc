// What windows see of an array at each of their places.
#include <numeric>
#include <vector>

#include "numeric/axis_parts.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

// So many views beside each other are one pass over the array; more are picked by their places.
constexpr std::int64_t kMostViews = 32;

std::vector<int> window_axes(const Call& call, const Shape& shape, const Shape& window, const Axes& axes) {
  std::vector<int> along(static_cast<std::size_t>(axes.given() ? axes.count() : shape.rank()));
  std::iota(along.begin(), along.end(), 0);
  if (static_cast<int>(along.size()) != window.rank()) {
    fail<ValueError>(call, "a window of shape ", window, " along ", along.size(), " axes of shape ", shape,
                     ": give it an extent for each of these");
  }
  if (shape.rank() + window.rank() > kMaxAxes) {
    fail<ShapeError>(call, "windows of shape ", window, " in shape ", shape, " are ", shape.rank() + window.rank(),
                     " axes: arrays have at most ", kMaxAxes);
  }
  if (!axes.given()) return along;
  for (std::size_t k = 0; k < along.size(); ++k) along[k] = checked_axis(call, axes[static_cast<int>(k)], shape.rank());
  return along;
}

// The shape of the places, which a window that is as long as its axis has one of.
Shape places_of(const Call& call, const Shape& shape, const Shape& window, const std::vector<int>& along) {
  Shape places = shape;
  for (int k = 0; k < window.rank(); ++k) {
    const int axis = along[static_cast<std::size_t>(k)];
    if (window[k] < 0) fail<ValueError>(call, "a window has the extent ", window[k], ": it must be 0 or more");
    if (window[k] > places[axis] + 1 || (window[k] == places[axis] + 1 && window[k] > 0)) {
      fail<ValueError>(call, "a window of ", window[k], " cells along axis ", axis, ", which has ", places[axis],
                       ": give it as many at most");
    }
    places[axis] += 1 - window[k];
  }
  return places;
}

// With an axis more behind the others, of the cells that a window of so many sees along `axis`.
Array with_window(const Array& x, int axis, std::int64_t cells, std::source_location where) {
  const std::int64_t places = x.shape()[axis] + 1 - cells;
  if (cells > kMostViews) {
    const Array first = arange(Operand(places, where)).reshape({places, 1}, where),
                beside = arange(Operand(cells, where));
    const Array picked = take(x, Operand(first, where) + Operand(beside, where), axis, IndexMode::Raise, where);
    return moveaxis(picked, axis + 1, -1, where);
  }
  std::vector<Array> views;
  for (std::int64_t cell = 0; cell < cells; ++cell) views.push_back(part_of_axis(x, axis, cell, places));
  return stack(views, -1, where);
}

}  // namespace

Array sliding_window_view(const Array& x, Shape window_shape, Axes axis, std::source_location where) {
  const Call call{"sliding_window_view", where};
  const Shape& shape = checked_state(call, x).shape;
  const std::vector<int> along = window_axes(call, shape, window_shape, axis);
  Shape result = places_of(call, shape, window_shape, along);
  for (const std::int64_t extent : window_shape) result.push_back(extent);
  check_shape(call, result, x.dtype());
  if (result.elements() == 0) return empty(result, x.dtype(), where);
  Array seen = x;
  for (int k = 0; k < window_shape.rank(); ++k)
    seen = with_window(seen, along[static_cast<std::size_t>(k)], window_shape[k], where);
  return unshared(seen, x, where);
}

}  // namespace pilum::numeric
