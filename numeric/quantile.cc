// Medians and quantiles: what stands at a place of the order of each line.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/body_walk.h"
#include "numeric/cell_order.h"
#include "numeric/counted_order.h"
#include "numeric/dtype_rules.h"
#include "numeric/folded_lines.h"
#include "numeric/gpu_sort.h"
#include "numeric/lines.h"
#include "numeric/reductions.h"
#include "numeric/shapes.h"
#include "numeric/sorted_places.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/sort.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;

enum class Nans : std::uint8_t { Spread, Skipped };  // to the result, or as if they were not there

// The cells of a line, of which those are put into their places that are asked for, one behind the other.
template <class T>
class Ordered {
 public:
  // Those that are numbers; how many there are.
  std::int64_t take(const Line<const T>& line) {
    if constexpr (CountedOrder<T>::kServes) {
      is_counted_ = line.count >= CountedOrder<T>::kFrom;
      if (is_counted_) return counted_.take(line);
    }
    line_ = line;
    cells_.resize(static_cast<std::size_t>(line.count));
    std::int64_t numbers = 0;
    for (std::int64_t i = 0; i < line.count; ++i) {
      cells_[static_cast<std::size_t>(numbers)] = line[i];
      numbers += line[i] == line[i];
    }
    cells_.resize(static_cast<std::size_t>(numbers));
    done_ = 0;
    return numbers;
  }
  // Never before the last one that was asked for but one.
  T at(std::int64_t place) {
    if constexpr (CountedOrder<T>::kServes) {
      if (is_counted_) return counted_.at(place);
    }
    if (place >= done_) {
      std::nth_element(cells_.begin() + done_, cells_.begin() + place, cells_.end());
      done_ = place + 1;
    }
    const T cell = cells_[static_cast<std::size_t>(place)];
    if constexpr (pilum::detail::kIsFloating<T>) return cell == T(0) ? zero_at(place) : cell;
    return cell;
  }

 private:
  // Zeros of either sign are equal, and keep their order, as in sorts.
  T zero_at(std::int64_t place) const {
    for (const T cell : cells_) place -= cell < T(0);
    for (std::int64_t i = 0;; ++i) {
      if (line_[i] == T(0) && place-- == 0) return line_[i];
    }
  }

  Line<const T> line_{};
  std::vector<T> cells_;
  std::int64_t done_ = 0;
  bool is_counted_ = false;  // long lines are
  CountedOrder<std::conditional_t<CountedOrder<T>::kServes, T, double>> counted_;
};

template <class T, class Result>
Result mean_of_both(T a, T b) {
  return static_cast<Result>((static_cast<Result>(a) + static_cast<Result>(b)) / 2);
}

// As NumPy's _lerp: `share` of the way from a to b, which is not below a.
template <class T, class Result>
Result between(T a, T b, double share) {
  using Factor = std::conditional_t<std::is_same_v<Result, float>, float, double>;
  Factor distance;
  if constexpr (pilum::detail::kIsFloating<T>) {
    distance = static_cast<Factor>(static_cast<T>(b - a));
  } else {
    distance = static_cast<Factor>(static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
  }
  if (share >= 0.5) return static_cast<Result>(static_cast<Factor>(b) - distance * static_cast<Factor>(1 - share));
  return static_cast<Result>(static_cast<Factor>(a) + distance * static_cast<Factor>(share));
}

template <class T, class Result>
void order_lines_of(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto method = static_cast<Method>(form[2]);
  const auto nans = static_cast<Nans>(form[3]);
  Ordered<T> ordered;
  std::vector<WantedPlace> places;
  std::int64_t places_among = 0;
  for_each_line<T, Result>(call, [&](const Line<const T>& from, const Line<Result>& to) {
    const std::int64_t numbers = ordered.take(from);
    if (numbers == 0 || (nans == Nans::Spread && numbers < from.count)) {
      for (std::int64_t i = 0; i < to.count; ++i) to[i] = std::numeric_limits<Result>::quiet_NaN();
      return;
    }
    if (numbers != places_among)
      places = places_of(method, numbers, {call.scalars, static_cast<std::size_t>(to.count)});
    places_among = numbers;
    for (const WantedPlace& place : places) {
      const T low = ordered.at(place.low), high = ordered.at(place.high);
      if (is_discrete(method) ||
          (method == Method::Median && place.low == place.high)) {  // its double may be too large
        to[place.result] = static_cast<Result>(low);
      } else if (method != Method::Median) {
        to[place.result] = between<T, Result>(low, high, place.share);
      } else {
        to[place.result] = mean_of_both<T, Result>(low, high);
      }
    }
  });
}

// NumPy's mean of one or two cells: their sum by a complex number.
template <class T>
T complex_mean(T sum, int count) {
  using Part = typename T::value_type;
  const Part none = Part(0) / static_cast<Part>(count), scale = Part(1) / static_cast<Part>(count);
  return {(sum.real() + sum.imag() * none) * scale, (sum.imag() - sum.real() * none) * scale};
}

// Medians. A NaN that spreads is the one that stands last.
template <class T>
void complex_middles(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto nans = static_cast<Nans>(form[3]);
  std::vector<T> cells;
  for_each_line<T, T>(call, [&](const Line<const T>& from, const Line<T>& to) {
    cells.clear();
    for (std::int64_t i = 0; i < from.count; ++i) cells.push_back(from[i]);
    const auto end = std::partition(cells.begin(), cells.end(), [](T cell) { return cell == cell; });
    if (end == cells.begin() || (nans == Nans::Spread && end != cells.end())) {
      to[0] = *std::max_element(end, cells.end(), is_before<T>);
      return;
    }
    const std::int64_t numbers = end - cells.begin();
    std::nth_element(cells.begin(), cells.begin() + numbers / 2, end, is_before<T>);
    const T high = cells[static_cast<std::size_t>(numbers / 2)];
    if (numbers % 2) {
      to[0] = complex_mean(high, 1);
    } else {
      to[0] = complex_mean(*std::max_element(cells.begin(), cells.begin() + numbers / 2, is_before<T>) + high, 2);
    }
  });
}

// The form: the dtype, that of the result, the method, and what is done with NaNs.
// Scalars: the places, from 0 to 1.
void order_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto dtype = static_cast<DType>(form[0]);
  if (dtype == DType::Complex64) return complex_middles<std::complex<float>>(form, call);
  if (dtype == DType::Complex128) return complex_middles<std::complex<double>>(form, call);
  visit_real_dtype(dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) {
      if (static_cast<DType>(form[1]) == dtype_of<T>) return order_lines_of<T, T>(form, call);
    }
    order_lines_of<T, double>(form, call);
  });
}

// The results of `places`, which are a new first axis if they are a list.
Array at_places(const Call& call, const FoldedLines& folded, DType own, DType dtype, Method method, Nans nans,
                const std::vector<double>& places, bool is_list) {
  const auto count = static_cast<std::int64_t>(places.size());
  const int last = folded.lines.ndim() - 1;
  Shape shape = folded.kept;
  if (is_list) {
    shape = Shape{count};
    for (const std::int64_t extent : folded.kept) shape.push_back(extent);
  }
  check_shape(call, shape, dtype);
  if (shape.elements() == 0) return empty(shape, dtype, call.where);
  std::vector<std::uint64_t> numbers;
  for (const double place : places) numbers.push_back(std::bit_cast<std::uint64_t>(place));
  if (folded.lines.size() == 0) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const std::complex<double> lost(kNan, kNan);
    return full(shape, is_complex(dtype) ? Operand(lost, call.where) : Operand(kNan, call.where), dtype);
  }
  const bool spreads = nans == Nans::Spread || !is_floating(own);
  if (spreads && recorder_of(call).processors().are_gpus && sorts_on_gpu(own, false, folded.lines.shape()[last])) {
    const Array sorted = sort(folded.lines, last, call.where);
    const std::vector<Array> each = at_places_of_sorted(call, sorted, dtype, method, numbers);
    return (is_list ? stack(each, 0, call.where) : each.front()).reshape(shape, call.where);
  }
  LibraryBody body{order_lines,
                   {static_cast<std::int64_t>(own), static_cast<std::int64_t>(dtype), static_cast<std::int64_t>(method),
                    static_cast<std::int64_t>(nans)}};
  const Array found = launch_lines(call, std::move(body), folded.lines, last, count, dtype, numbers);
  return moveaxis(found, -1, 0, call.where).reshape(shape, call.where);
}

Array quantiles(const Call& call, const Array& a, const std::vector<double>& q, double whole, const Axes& axes,
                bool keepdims, bool is_list, Nans nans = Nans::Spread, std::string_view word = "linear") {
  const Method method = method_of(call, word);
  if (checked_state(call, a).dtype() == DType::Bool && is_discrete(method)) {
    const Array found =
        quantiles(call, a.astype(DType::UInt8, call.where), q, whole, axes, keepdims, is_list, nans, word);
    return found.astype(DType::Bool, call.where);
  }
  if (a.dtype() == DType::Bool) fail<DTypeError>(call, "bools have no numbers between them: cast them with astype");
  refuse_complex(call, a.dtype());
  const std::vector<double> places = shares_of(call, q, whole);
  const FoldedLines folded = fold_to_lines(call, a, axes, keepdims);
  if (nans == Nans::Spread && folded.lines.shape()[folded.lines.ndim() - 1] == 0)
    fail<ValueError>(call, "shape ", a.shape(), " has no cells to take a quantile of: check shape() first");
  const bool keeps_dtype = is_discrete(method) || (is_floating(a.dtype()) && !is_list);
  const DType dtype = keeps_dtype ? a.dtype() : DType::Float64;
  return at_places(call, folded, a.dtype(), dtype, method, nans, places, is_list);
}

Array medians(const Call& call, const Array& a, const Axes& axes, bool keepdims, Nans nans) {
  const FoldedLines folded = fold_to_lines(call, a, axes, keepdims);
  const DType dtype = is_inexact(a.dtype()) ? a.dtype() : DType::Float64;
  return at_places(call, folded, a.dtype(), dtype, Method::Median, nans, {0.5}, /*is_list=*/false);
}

// The places' axes first.
Array at_places(const Call& call, const Array& a, const Array& q, double whole, const Axes& axes, bool keepdims,
                Nans nans, std::string_view method) {
  const DType dtype = checked_state(call, q).dtype();
  if (dtype == DType::Bool || is_complex(dtype))
    fail<DTypeError>(call, "places of ", dtype, ": give real numbers from 0 to ", whole);
  const Array wide = dtype == DType::Float64 ? q : q.astype(DType::Float64, call.where);
  Array found =
      quantiles(call, a, wide.to_vector<double>(call.where), whole, axes, keepdims, /*is_list=*/true, nans, method);
  if (q.ndim() == 1) return found;
  Shape shape = q.shape();
  for (int axis = 1; axis < found.ndim(); ++axis) {
    if (shape.rank() == kMaxAxes)
      fail<ShapeError>(call, "places of shape ", q.shape(), " and lines of shape ", a.shape(),
                       " are too many axes: ", "arrays have at most ", kMaxAxes);
    shape.push_back(found.shape()[axis]);
  }
  return found.reshape(shape, call.where);
}

}  // namespace

Array median(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return medians(Call{"median", where}, a, axes, keepdims, Nans::Spread);
}

Array nanmedian(const Array& a, Axes axes, bool keepdims, std::source_location where) {
  return medians(Call{"nanmedian", where}, a, axes, keepdims, Nans::Skipped);
}

Array quantile(const Array& a, double q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"quantile", where}, a, {q}, 1, axes, keepdims, /*is_list=*/false);
}

Array quantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"quantile", where}, a, q, 1, axes, keepdims, /*is_list=*/true);
}

Array percentile(const Array& a, double q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"percentile", where}, a, {q}, 100, axes, keepdims, /*is_list=*/false);
}

Array percentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"percentile", where}, a, q, 100, axes, keepdims, /*is_list=*/true);
}

Array nanquantile(const Array& a, double q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"nanquantile", where}, a, {q}, 1, axes, keepdims, /*is_list=*/false, Nans::Skipped);
}

Array nanquantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"nanquantile", where}, a, q, 1, axes, keepdims, /*is_list=*/true, Nans::Skipped);
}

Array nanpercentile(const Array& a, double q, Axes axes, bool keepdims, std::source_location where) {
  return quantiles(Call{"nanpercentile", where}, a, {q}, 100, axes, keepdims, /*is_list=*/false, Nans::Skipped);
}

Array nanpercentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims,
                    std::source_location where) {
  return quantiles(Call{"nanpercentile", where}, a, q, 100, axes, keepdims, /*is_list=*/true, Nans::Skipped);
}

Array quantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
               std::source_location where) {
  return quantiles(Call{"quantile", where}, a, {q}, 1, axes, keepdims, false, Nans::Spread, method);
}

Array quantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
               std::source_location where) {
  return quantiles(Call{"quantile", where}, a, q, 1, axes, keepdims, true, Nans::Spread, method);
}

Array percentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                 std::source_location where) {
  return quantiles(Call{"percentile", where}, a, {q}, 100, axes, keepdims, false, Nans::Spread, method);
}

Array percentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
                 std::source_location where) {
  return quantiles(Call{"percentile", where}, a, q, 100, axes, keepdims, true, Nans::Spread, method);
}

Array nanquantile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                  std::source_location where) {
  return quantiles(Call{"nanquantile", where}, a, {q}, 1, axes, keepdims, false, Nans::Skipped, method);
}

Array nanquantile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
                  std::source_location where) {
  return quantiles(Call{"nanquantile", where}, a, q, 1, axes, keepdims, true, Nans::Skipped, method);
}

Array nanpercentile(const Array& a, double q, Axes axes, bool keepdims, std::string_view method,
                    std::source_location where) {
  return quantiles(Call{"nanpercentile", where}, a, {q}, 100, axes, keepdims, false, Nans::Skipped, method);
}

Array nanpercentile(const Array& a, const std::vector<double>& q, Axes axes, bool keepdims, std::string_view method,
                    std::source_location where) {
  return quantiles(Call{"nanpercentile", where}, a, q, 100, axes, keepdims, true, Nans::Skipped, method);
}

Array detail::quantile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                          std::source_location where) {
  return at_places(Call{"quantile", where}, a, q, 1, axes, keepdims, Nans::Spread, method);
}

Array detail::percentile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                            std::source_location where) {
  return at_places(Call{"percentile", where}, a, q, 100, axes, keepdims, Nans::Spread, method);
}

Array detail::nanquantile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                             std::source_location where) {
  return at_places(Call{"nanquantile", where}, a, q, 1, axes, keepdims, Nans::Skipped, method);
}

Array detail::nanpercentile_at(const Array& a, const Array& q, const Axes& axes, bool keepdims, std::string_view method,
                               std::source_location where) {
  return at_places(Call{"nanpercentile", where}, a, q, 100, axes, keepdims, Nans::Skipped, method);
}

}  // namespace pilum::numeric
