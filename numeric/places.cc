// argmin, argmax: the least place of the cells that are the extremum; and what stands there, of complex numbers.
#include <limits>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/elementwise.h"
#include "numeric/extremum_body.h"
#include "numeric/library_task.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

// The places along `axis`, of the array's rank with extent 1 elsewhere, times `factor`.
Array places_along(const Call& call, const Shape& shape, int axis, std::int64_t factor) {
  const auto here = [&](std::int64_t number) { return Operand(number, call.where); };
  Shape flat;
  for (int k = 0; k < shape.rank(); ++k) flat.push_back(k == axis ? shape[k] : 1);
  const Array places = arange(here(0), here(shape[axis]), here(1), DType::Int64).reshape(flat, call.where);
  return factor == 1 ? places : Operand(places, call.where) * here(factor);
}

// The places row-major, counted through the whole array.
Array places_in(const Call& call, const Shape& shape) {
  Array places = full({}, Operand(0, call.where), DType::Int64);
  std::int64_t factor = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] > 1) {
      const Array more = places_along(call, shape, axis, factor);
      places = Operand(places, call.where) + Operand(more, call.where);
    }
    factor *= shape[axis];
  }
  return places;
}

Array replaced(const Call& call, const Array& is_so, double by, const Array& otherwise) {
  return where(Operand(is_so, call.where), Operand(by, call.where), Operand(otherwise, call.where));
}

Array both(const Call& call, const Array& a, const Array& b) {
  return Operand(a, call.where) & Operand(b, call.where);
}

Array equal_to(const Call& call, const Array& a, const Array& b) {
  return Operand(a, call.where) == Operand(b, call.where);
}

Array real_hits(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes) {
  const Operand cells(a, call.where);
  const Array best = extremum(call, fold, a, axes, /*keepdims=*/true);
  const Array equal = cells == Operand(best, call.where);
  return is_floating(a.dtype()) ? Operand(equal, call.where) | Operand(cells != cells, call.where) : equal;
}

// By the real parts, then by the imaginary ones of those that have the best real part. A NaN in either part counts as
// one in the real part, or as the worst number.
Array complex_hits(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes, bool skips_nans) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double worst = fold == kernel::Fold::Maximum ? -kInfinity : kInfinity;
  const double lost_re = skips_nans ? worst : std::numeric_limits<double>::quiet_NaN();
  const Operand numbers(a, call.where);
  const Array is_lost = isnan(numbers);
  const Array re = replaced(call, is_lost, lost_re, real(numbers)), im = replaced(call, is_lost, worst, imag(numbers));
  const Array has_best_re = equal_to(call, re, extremum(call, fold, re, axes, /*keepdims=*/true));
  const Array left = where(Operand(has_best_re, call.where), Operand(im, call.where), Operand(worst, call.where));
  const Array has_best_im = equal_to(call, im, extremum(call, fold, left, axes, /*keepdims=*/true));
  const Array is_best = both(call, has_best_re, has_best_im);
  return skips_nans ? is_best : Operand(is_best, call.where) | Operand(is_lost, call.where);
}

// The least place of those that are hit.
Array least_hit(const Call& call, const Array& hits, const Array& places, const Axes& axes, bool keepdims) {
  const Array found = where(Operand(hits, call.where), Operand(places, call.where), Operand(INT64_MAX, call.where));
  return extremum(call, kernel::Fold::Minimum, found, axes, keepdims);
}

// From so many cells on, in lines of so many, finding an extremum and then where it is costs more than a launch of its
// own, which reads each cell once.
constexpr std::int64_t kReadOnceFrom = 65'536, kLineReadOnceFrom = 1024;

bool is_read_once(const Array& a, std::optional<int> axis) {
  const int last = a.ndim() - 1;
  if (last < 0 || (axis && *axis != last && *axis != -1)) return false;
  return !is_complex(a.dtype()) && a.dtype() != DType::Float16 && a.size() >= kReadOnceFrom &&
         a.shape()[last] >= kLineReadOnceFrom;
}

// The extremum of each block of the last axis, and its place, counted along that axis.
struct BlockPlaces {
  Array bests, places;
};

BlockPlaces places_of_blocks(const Call& call, kernel::Fold fold, const Array& a) {
  using pilum::detail::Access;
  const int last = a.ndim() - 1;
  Shape blocks = a.shape();
  blocks[last] = (blocks[last] + kPlaceBlock - 1) / kPlaceBlock;
  const BlockPlaces found{empty(blocks, a.dtype(), call.where), empty(blocks, DType::Int64, call.where)};
  Projection cells(Projection::Kind::Affine);
  for (int axis = 0; axis < last; ++axis) cells.axes.push_back({axis, 1, 0, 1});
  cells.axes.push_back({last, kPlaceBlock, 0, kPlaceBlock});
  LibraryBody body{find_places, place_form(fold, a.dtype())};
  body.parameters = {array_parameter(found.bests, Access::Write), array_parameter(found.places, Access::Write),
                     array_parameter(a, Access::Read)};
  body.is_cut = true;  // however few blocks there are: who has the cells looks at them
  if (recorder_of(call).processors().are_gpus) body.issue = issue_places;
  const pilum::detail::StoreArgument arguments[] = {{found.bests, Access::Write, {}, Fold::Sum},
                                                    {found.places, Access::Write, {}, Fold::Sum},
                                                    {a, Access::Read, cells, Fold::Sum}};
  launch(call, body, blocks, arguments);
  return found;
}

// Along the last axis, or through the whole array.
Array first_place_of_blocks(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes, bool along,
                            bool keepdims) {
  const BlockPlaces found = places_of_blocks(call, fold, a);
  Array places = found.places;
  if (!along && a.ndim() > 1) {
    Shape lines = a.shape();
    lines[a.ndim() - 1] = 1;
    const Array line = places_in(call, lines);
    const Array before = Operand(line, call.where) * Operand(a.shape()[a.ndim() - 1], call.where);
    places = Operand(places, call.where) + Operand(before, call.where);
  }
  return least_hit(call, real_hits(call, fold, found.bests, axes), places, axes, keepdims);
}

// Along an axis of few cells, on GPUs, whose folds of such lines take many times what their bytes do: one cell after
// the other, as operations.
constexpr std::int64_t kFewPlaces = 16;

bool has_few_places(const Call& call, const Array& a, int axis) {
  const std::int64_t cells = a.shape()[axis];
  return 1 < cells && cells <= kFewPlaces && a.size() >= kReadOnceFrom && a.size() > cells && !is_complex(a.dtype()) &&
         a.dtype() != DType::Bool && recorder_of(call).processors().are_gpus;
}

Array first_place_of_few(const Call& call, kernel::Fold fold, const Array& a, int axis, bool keepdims) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const auto cell = [&](std::int64_t k) { return squeeze(part_of_axis(a, axis, k, 1), axis, call.where); };
  Array best = cell(0), place = full(best.shape(), here(0), DType::Int64);
  for (std::int64_t k = 1; k < a.shape()[axis]; ++k) {
    const Array next = cell(k);
    Array wins = fold == kernel::Fold::Minimum ? here(next) < here(best) : here(next) > here(best);
    if (is_floating(a.dtype())) {  // the first NaN, too
      const Array is_lost = here(next) != here(next), is_number = here(best) == here(best);
      wins = both(call, here(wins) | here(is_lost), is_number);
    }
    best = where(here(wins), here(next), here(best));
    place = where(here(wins), here(k), here(place));
  }
  return keepdims ? expand_dims(place, axis, call.where) : place;
}

// Cells that nobody else has need not be in memory: what they are made of is read twice then.
bool has_them_alone(const Array& a) {
  const ArrayState& state = *ArrayAccess::state(a);
  return state.references == 1 && state.store().handles == 1;
}

}  // namespace

Array first_place(const Call& call, kernel::Fold fold, const Array& a, std::optional<int> axis, bool keepdims,
                  bool is_temporary) {
  const ArrayState& state = checked_state(call, a);
  const Shape shape = state.shape;
  const Axes axes = axis ? Axes(*axis) : Axes();
  check_axes(call, axes, shape.rank());
  const bool along = axis && shape.rank() > 0;
  if (along) {
    const int whole = checked_axis(call, *axis, shape.rank());
    if (has_few_places(call, a, whole)) return first_place_of_few(call, fold, a, whole, keepdims);
  }
  if (!(is_temporary && has_them_alone(a)) && is_read_once(a, axis))
    return first_place_of_blocks(call, fold, a, axes, along, keepdims);
  const Array hits =
      is_complex(a.dtype()) ? complex_hits(call, fold, a, axes, /*skips_nans=*/false) : real_hits(call, fold, a, axes);
  const Array places =
      along ? places_along(call, shape, checked_axis(call, *axis, shape.rank()), 1) : places_in(call, shape);
  return least_hit(call, hits, places, axes, keepdims);
}

Array complex_extremum(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes, bool keepdims,
                       bool skips_nans) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  check_axes(call, axes, a.ndim());  // before anything is recorded
  const Array hits = complex_hits(call, fold, a, axes, skips_nans);
  Array places = places_in(call, a.shape());
  if (skips_nans) {  // numbers before NaNs
    const Array later = where(here(isnan(here(a))), here(a.size()), here(0));
    places = here(places) + here(later);
  }
  const Array first = least_hit(call, hits, places, axes, /*keepdims=*/true);
  const Array is_first = equal_to(call, places, first);
  const auto part_there = [&](const Array& part) {
    const Array there = where(here(is_first), here(part), here(-std::numeric_limits<double>::infinity()));
    return extremum(call, kernel::Fold::Maximum, there, axes, keepdims);
  };
  return join_parts(call, part_there(real(here(a))), part_there(imag(here(a))));
}

Array argmin(const Array& a, std::optional<Axis> axis, bool keepdims, std::source_location where) {
  return first_place(Call{"argmin", where}, kernel::Fold::Minimum, a, axis, keepdims);
}

Array argmin(Array&& a, std::optional<Axis> axis, bool keepdims, std::source_location where) {
  const Array gone = std::move(a);
  return first_place(Call{"argmin", where}, kernel::Fold::Minimum, gone, axis, keepdims, /*is_temporary=*/true);
}

Array argmax(const Array& a, std::optional<Axis> axis, bool keepdims, std::source_location where) {
  return first_place(Call{"argmax", where}, kernel::Fold::Maximum, a, axis, keepdims);
}

Array argmax(Array&& a, std::optional<Axis> axis, bool keepdims, std::source_location where) {
  const Array gone = std::move(a);
  return first_place(Call{"argmax", where}, kernel::Fold::Maximum, gone, axis, keepdims, /*is_temporary=*/true);
}

}  // namespace pilum::numeric
