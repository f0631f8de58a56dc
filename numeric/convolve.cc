// Convolutions: sums of shifted views of an array, whose ends are computed apart from extended copies of them.
#include "pilum/convolve.h"

#include <algorithm>
#include <optional>

#include "numeric/dtype_rules.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"

namespace pilum::numeric {

struct WeightsAccess {
  static const Array& array(const Weights& weights) { return weights.array_; }
  static const std::vector<double>& numbers(const Weights& weights) { return weights.numbers_; }
  static const Shape& shape(const Weights& weights) { return weights.shape_; }
  static bool is_ragged(const Weights& weights) { return weights.is_ragged_; }
};

namespace {

// Weights that are fit for use: one a place, row-major.
class Taps {
 public:
  Taps(const Call& call, const Weights& weights) : call_(call), array_(WeightsAccess::array(weights)) {
    numbers_ = WeightsAccess::numbers(weights);
    shape_ = WeightsAccess::shape(weights);
    if (WeightsAccess::is_ragged(weights)) {
      fail<ShapeError>(call, "the rows of the weights differ in length: give as many numbers in each");
    }
    // Of no array and no numbers it is an array that is empty.
    if (numbers_.empty() && shape_.rank() == 0) shape_ = checked_state(call, array_).shape;
    if (shape_.elements() == 0)
      fail<ShapeError>(call, "the weights, of shape ", shape_, ", have no cells: give one or more");
  }

  const Shape& shape() const { return shape_; }
  bool is_array() const { return numbers_.empty(); }
  const Array& array() const { return array_; }
  Taps reversed() const {
    Taps other = *this;
    if (is_array()) other.array_ = flip(array_, {}, call_.where);
    std::reverse(other.numbers_.begin(), other.numbers_.end());
    return other;
  }
  // What the weight is as an operand: of a number itself, of an array a view without axes.
  Array view_of(std::int64_t place) const {
    Array view = array_;
    for (int axis = 0; axis < shape_.rank(); ++axis) {
      std::int64_t below = 1;
      for (int k = axis + 1; k < shape_.rank(); ++k) below *= shape_[k];
      view = view[Index(place / below % shape_[axis], call_.where)];
    }
    return view;
  }
  Operand operand(std::int64_t place, const Array& view) const {
    return is_array() ? Operand(view, call_.where) : Operand(numbers_[static_cast<std::size_t>(place)], call_.where);
  }

 private:
  Call call_;
  Array array_;
  std::vector<double> numbers_;
  Shape shape_;
};

enum class Boundary : std::uint8_t { Fill, Wrap, Mirror };

// out[x] = sum over k of a[x + k + first] taps[k], where `a` goes on beyond its ends as the boundary says.
struct Correlation {
  Call call;
  Boundary boundary = Boundary::Fill;
  double fill_value = 0;
};

// The cells begin <= i < end along an axis.
Array part(const Call& call, const Array& a, int axis, std::int64_t begin, std::int64_t end) {
  Array moved = moveaxis(a, axis, 0, call.where);
  const Array cut = moved[Index(slice(begin, end), call.where)];
  return moveaxis(cut, 0, axis, call.where);
}

// The sum over the taps of views of `a`, of the shape that all of them fit in.
Array sum_of_views(const Call& call, const Array& a, const Taps& taps) {
  const Shape& extents = taps.shape();
  Array sum;
  for (std::int64_t place = 0; place < extents.elements(); ++place) {
    Array view = a;
    std::int64_t rest = place;
    for (int axis = extents.rank() - 1; axis >= 0; --axis) {
      const std::int64_t k = rest % extents[axis];
      rest /= extents[axis];
      view = part(call, view, axis, k, k + a.shape()[axis] - extents[axis] + 1);
    }
    const Array weight = taps.is_array() ? taps.view_of(place) : Array();
    Array term = Operand(view, call.where) * taps.operand(place, weight);
    sum = place == 0 ? std::move(term) : Operand(std::move(sum), call.where) + Operand(std::move(term), call.where);
  }
  return sum;
}

constexpr std::int64_t kNowhere = INT64_MIN;  // beside no cell

// Where cell i of an axis of n cells, which goes on beyond its ends, is taken from.
std::int64_t source_of(Boundary boundary, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  if (boundary == Boundary::Fill) return kNowhere;
  const std::int64_t period = boundary == Boundary::Wrap ? n : 2 * n;
  const std::int64_t place = (i % period + period) % period;
  return place < n ? place : period - 1 - place;
}

// The cells begin <= i < end along an axis, also beyond its ends: runs of cells of `a`, put together.
Array extended(const Correlation& how, const Array& a, int axis, std::int64_t begin, std::int64_t end) {
  const Call& call = how.call;
  const std::int64_t n = a.shape()[axis];
  std::vector<Array> runs;
  for (std::int64_t i = begin; i < end;) {
    const std::int64_t first = source_of(how.boundary, i, n);
    std::int64_t count = 1;
    const auto next = [&] { return source_of(how.boundary, i + count, n); };
    if (first == kNowhere) {
      while (i + count < end && next() == kNowhere) ++count;
      Shape shape = a.shape();
      shape[axis] = count;
      runs.push_back(full(shape, Operand(how.fill_value, call.where), a.dtype()));
    } else {
      const std::int64_t step = i + 1 < end && next() == first - 1 ? -1 : 1;
      while (i + count < end && next() == first + step * count) ++count;
      const std::int64_t low = step > 0 ? first : first - count + 1;
      const Array run = part(call, a, axis, low, low + count);
      runs.push_back(step > 0 ? run : flip(run, axis, call.where));
    }
    i += count;
  }
  return runs.size() == 1 ? runs[0] : concatenate(runs, axis, call.where);
}

// Writes `out`, the axes before `axis` being done: `a` has along them what the taps need, and no more.
void correlate_into(const Correlation& how, const Array& out, const Array& a, const Taps& taps, const Shape& first,
                    int axis) {
  const Call& call = how.call;
  if (out.size() == 0) return;
  if (axis == taps.shape().rank()) {
    Array sum = sum_of_views(call, a, taps);
    out[Index(ellipsis, call.where)] = Operand(std::move(sum), call.where);
    return;
  }
  const std::int64_t extent = out.shape()[axis], reach = taps.shape()[axis] - 1;
  const std::int64_t low = std::clamp<std::int64_t>(-first[axis], 0, extent);
  const std::int64_t high = std::clamp<std::int64_t>(a.shape()[axis] - reach - first[axis], low, extent);
  const auto go_on = [&](std::int64_t begin, std::int64_t end, bool beyond) {
    if (begin == end) return;
    const std::int64_t from = begin + first[axis], to = end + first[axis] + reach;
    correlate_into(how, part(call, out, axis, begin, end),
                   beyond ? extended(how, a, axis, from, to) : part(call, a, axis, from, to), taps, first, axis + 1);
  };
  go_on(0, low, true);
  go_on(low, high, false);
  go_on(high, extent, true);
}

Array correlated(const Correlation& how, const Array& a, const Taps& taps, const Shape& shape, const Shape& first) {
  const Operand cells(a, how.call.where), weights(taps.is_array() ? taps.array() : a, how.call.where), weak(1.0);
  const Operand* const both[] = {&cells, taps.is_array() ? &weights : &weak};
  const DType dtype = common_dtype(both), wide = wide_of(dtype);
  Array out = empty(shape, wide, how.call.where);
  if (wide == dtype) {
    correlate_into(how, out, a, taps, first, 0);
    return out;
  }
  correlate_into(how, out, a.astype(wide, how.call.where), taps, first, 0);
  return out.astype(dtype, how.call.where);
}

enum class Mode : std::uint8_t { Full, Same, Valid };

Mode mode_of(const Call& call, std::string_view mode) {
  if (mode == "full") return Mode::Full;
  if (mode == "same") return Mode::Same;
  if (mode == "valid") return Mode::Valid;
  fail<ValueError>(call, "there is no mode \"", mode, "\": use \"full\", \"same\" or \"valid\"");
}

Boundary boundary_of(const Call& call, std::string_view boundary) {
  if (boundary == "fill") return Boundary::Fill;
  if (boundary == "wrap") return Boundary::Wrap;
  if (boundary == "symm") return Boundary::Mirror;
  fail<ValueError>(call, "there is no boundary \"", boundary, "\": use \"fill\", \"wrap\" or \"symm\"");
}

void check_rank(const Call& call, const Shape& shape, int rank) {
  if (shape.rank() == rank) return;
  fail<ShapeError>(call, "an array of shape ", shape, " has ", shape.rank(), " axes, not ", rank,
                   ": give it that many, or use np::stencil");
}

void check_smaller(const Call& call, const Shape& a, const Shape& weights) {
  for (int axis = 0; axis < a.rank(); ++axis) {
    if (weights[axis] > a[axis]) {
      fail<ShapeError>(call, "weights of shape ", weights, " do not fit into an array of shape ", a,
                       ": give fewer weights, or a mode that goes beyond the ends");
    }
  }
}

// NumPy's correlations conjugate complex weights.
Weights conjugated(const Call& call, const Weights& v) {
  const Taps taps(call, v);
  if (!taps.is_array() || !is_complex(checked_state(call, taps.array()).dtype())) return v;
  return Weights(conj(Operand(taps.array(), call.where)));
}

// By the shorter one, which `reverse` says to go through from its end. NumPy's "same" of weights of an even count has
// one more cell before the middle than behind it.
Array by_the_shorter(const Call& call, const Array& a, const Weights& v, std::string_view mode_name, bool convolves) {
  const Mode mode = mode_of(call, mode_name);
  const Taps taps(call, v);
  check_rank(call, checked_state(call, a).shape, 1);
  check_rank(call, taps.shape(), 1);
  if (a.size() == 0) fail<ShapeError>(call, "an array of shape ", a.shape(), " has no cells: give one or more");
  const std::int64_t n = a.size(), m = taps.shape()[0];
  if (m > n) {
    const Array longer = taps.is_array() ? taps.array() : array(WeightsAccess::numbers(v), {}, call.where);
    const Array swapped = by_the_shorter(call, longer, Weights(a), mode_name, convolves);
    return convolves ? swapped : flip(swapped, {}, call.where);
  }
  const std::int64_t first = mode == Mode::Valid ? 0 : mode == Mode::Full ? 1 - m : -(m / 2);
  const std::int64_t count = mode == Mode::Valid ? n - m + 1 : mode == Mode::Full ? n + m - 1 : n;
  return correlated({call}, a, convolves ? taps.reversed() : taps, Shape{count}, Shape{first});
}

Array of_two_axes(const Call& call, const Array& a, const Weights& weights, std::string_view mode_name,
                  std::string_view boundary, double fill_value, bool convolves) {
  const Mode mode = mode_of(call, mode_name);
  const Correlation how{call, boundary_of(call, boundary), fill_value};
  const Taps taps(call, weights);
  check_rank(call, checked_state(call, a).shape, 2);
  check_rank(call, taps.shape(), 2);
  if (a.size() == 0) fail<ShapeError>(call, "an array of shape ", a.shape(), " has no cells: give one or more");
  if (mode == Mode::Valid) check_smaller(call, a.shape(), taps.shape());
  Shape shape = a.shape(), first = shape;
  for (int axis = 0; axis < 2; ++axis) {
    const std::int64_t reach = taps.shape()[axis] - 1;
    shape[axis] += mode == Mode::Full ? reach : mode == Mode::Valid ? -reach : 0;
    first[axis] = mode == Mode::Full ? -reach : mode == Mode::Valid ? 0 : convolves ? reach / 2 - reach : -(reach / 2);
  }
  return correlated(how, a, convolves ? taps.reversed() : taps, shape, first);
}

}  // namespace

Array stencil(const Array& a, const Weights& weights, std::source_location where) {
  const Call call{"stencil", where};
  const Taps taps(call, weights);
  const Shape& shape = checked_state(call, a).shape;
  if (taps.shape().rank() != shape.rank() || shape.rank() == 0) {
    fail<ShapeError>(call, "weights of shape ", taps.shape(), " have other axes than an array of shape ", shape,
                     ": give a weight for each neighbour along each of its axes");
  }
  check_smaller(call, shape, taps.shape());
  const bool is_half = a.dtype() == DType::Float16 && (!taps.is_array() || taps.array().dtype() == DType::Float16);
  if (is_half) return sum_of_views(call, a.astype(DType::Float32, where), taps).astype(DType::Float16, where);
  return sum_of_views(call, a, taps);
}

Array convolve(const Array& a, const Weights& v, std::string_view mode, std::source_location where) {
  return by_the_shorter(Call{"convolve", where}, a, v, mode, /*convolves=*/true);
}
Array correlate(const Array& a, const Weights& v, std::string_view mode, std::source_location where) {
  const Call call{"correlate", where};
  return by_the_shorter(call, a, conjugated(call, v), mode, /*convolves=*/false);
}

Array convolve2d(const Array& a, const Weights& weights, std::string_view mode, std::string_view boundary,
                 double fillvalue, std::source_location where) {
  return of_two_axes(Call{"convolve2d", where}, a, weights, mode, boundary, fillvalue, /*convolves=*/true);
}
Array correlate2d(const Array& a, const Weights& weights, std::string_view mode, std::string_view boundary,
                  double fillvalue, std::source_location where) {
  const Call call{"correlate2d", where};
  return of_two_axes(call, a, conjugated(call, weights), mode, boundary, fillvalue, /*convolves=*/false);
}

Array outer(Array (*function)(const Operand&, const Operand&), const Array& a, const Array& b,
            std::source_location where) {
  const Call call{"outer", where};
  Shape rows = checked_state(call, a).shape, result = rows;
  for (const std::int64_t extent : checked_state(call, b).shape) {
    rows.push_back(1);
    result.push_back(extent);
  }
  check_shape(call, result, DType::Float64);
  return function(Operand(a.reshape(rows, where), where), Operand(b, where));
}

}  // namespace pilum::numeric
