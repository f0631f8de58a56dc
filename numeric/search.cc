// Numbers found among sorted ones: each processor has all of these, and its share of the others.
#include "numeric/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/body_walk.h"
#include "numeric/cell_order.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/gathered.h"
#include "numeric/library_task.h"
#include "numeric/line_search.h"
#include "numeric/shapes.h"
#include "pilum/bins.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/selection.h"
#include "pilum/sort.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using BodyAccess = pilum::detail::Access;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Even: as Right, among cells that are about evenly apart.
enum class Search : std::uint8_t { Left, Right, Even, Edges, Bins, BinsRight };

// A store of one axis, all of which the body has.
template <class T>
Line<const T> line_of(const BoundStore& store) {
  return {static_cast<const T*>(store.first), store.stride[0], store.hi[0] - store.lo[0]};
}

template <class T>
bool is_in_order(const Line<const T>& line, bool falls) {
  for (std::int64_t i = 1; i < line.count; ++i) {
    if (falls ? stands_before(line[i - 1], line[i]) : stands_before(line[i], line[i - 1])) return false;
  }
  return true;
}

// From the result's cell at `point` to that of another array.
template <class T>
T& cell_at(const BoundStore& store, const Piece::Bounds& point, int rank) {
  return static_cast<T*>(store.first)[cells_to(store, point, rank)];
}

// The form: the dtype, what is searched for. Stores: the result, the numbers, the line.
void search_piece(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto search = static_cast<Search>(form[1]);
  visit_dtype(static_cast<DType>(form[0]), [&]<class T>(T) {
    const Line<const T> line = line_of<T>(call.stores[2]);
    const int rank = call.piece.rank();
    const bool is_bins = search == Search::Bins || search == Search::BinsRight;
    const bool is_checked = is_bins || search == Search::Edges;
    const bool falls = is_checked && !is_in_order(line, /*falls=*/false);
    if (falls && !is_bins) throw ValueError("the edges do not rise: sort() them");
    if (falls && !is_in_order(line, /*falls=*/true)) throw ValueError("the bins neither rise nor fall: sort() them");
    const bool behind = search == Search::Right || search == Search::Bins || search == Search::Edges;
    std::int64_t found = 0;
    for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
      const T number = cell_at<const T>(call.stores[1], point, rank);
      if (search == Search::Even) {
        cell_at<std::int64_t>(call.stores[0], point, rank) = count_among_even(line, number);
        return;
      }
      const auto stands_left = [&](T cell) {
        if (falls) return behind ? stands_before(number, cell) : !stands_before(cell, number);
        return behind ? !stands_before(number, cell) : stands_before(cell, number);
      };
      found = count_from_first(line, stands_left, found);
      cell_at<std::int64_t>(call.stores[0], point, rank) = found;
    });
  });
}

// NumPy's: at a place what stands there; between two of them by the slope, from the other one where that gives a NaN.
// Of complex values it multiplies by 1 over the distance.
// `found`: how many places are not behind the number before, and then behind this one.
double between_places(double x, const Line<const double>& xp, const Line<const double>& fp, double left, double right,
                      bool by_inverse, std::int64_t& found) {
  const std::int64_t last = xp.count - 1;
  if (x != x) return last == 0 ? fp[0] : x;  // as NumPy
  if (x > xp[last]) return right;
  if (x < xp[0]) return left;
  found = count_from_first(xp, [x](double place) { return place <= x; }, found);
  const std::int64_t j = found - 1;
  if (j < 0) return left;
  if (j >= last) return fp[last];
  if (xp[j] == x) return fp[j];
  const double rise = fp[j + 1] - fp[j], run = xp[j + 1] - xp[j];
  const double slope = by_inverse ? rise * (1 / run) : rise / run;
  double value = slope * (x - xp[j]) + fp[j];
  if (value != value) {
    value = slope * (x - xp[j + 1]) + fp[j + 1];
    if (value != value && fp[j] == fp[j + 1]) value = fp[j];
  }
  return value;
}

// The form: whether there are a left and a right value, the scalars; whether values are complex ones' parts. Stores:
// the result, x, xp, fp.
void interpolate_piece(std::span<const std::int64_t> form, const BodyCall& call) {
  const Line<const double> xp = line_of<double>(call.stores[2]), fp = line_of<double>(call.stores[3]);
  const double left = form[0] ? std::bit_cast<double>(call.scalars[0]) : fp[0];
  const double right = form[1] ? std::bit_cast<double>(call.scalars[1]) : fp[fp.count - 1];
  const int rank = call.piece.rank();
  std::int64_t found = 0;
  for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
    const double x = cell_at<const double>(call.stores[1], point, rank);
    cell_at<double>(call.stores[0], point, rank) = between_places(x, xp, fp, left, right, form[2] != 0, found);
  });
}

// Bisection by a thread each; what stands in no order is not told. falls: the line does, and its cells stand in
// reverse.
std::string search_on_gpu(DType dtype, int rank, bool behind, bool falls = false) {
  const std::string type = cell_type(dtype), axes = std::to_string(rank);
  std::string text = "void body(pilum::Point<" + axes + "> x, pilum::Write<std::int64_t, " + axes +
                     "> out, pilum::Read<" + type + ", " + axes + "> numbers, pilum::Read<" + type +
                     ", 1> line) {\n  const " + type + " number = numbers(x);\n  const auto stands_before = [](" +
                     type + " a, " + type + " b) { return ";
  text += is_floating(dtype) ? "a < b || (b != b && a == a)" : "a < b";
  text +=
      "; };\n  std::int64_t low = 0, high = line.hi(0);\n  while (low < high) {\n"
      "    const std::int64_t middle = low + (high - low) / 2;\n    const bool stands_left = ";
  text += behind && falls ? "stands_before(number, line(middle))"
          : falls         ? "!stands_before(line(middle), number)"
          : behind        ? "!stands_before(number, line(middle))"
                          : "stands_before(line(middle), number)";
  return text +
         ";\n    low = stands_left ? middle + 1 : low;\n    high = stands_left ? high : middle;\n  }\n"
         "  out(x) = low;\n}\n";
}

// As between_places().
std::string interpolate_on_gpu(int rank, bool has_left, bool has_right, bool by_inverse) {
  const std::string axes = std::to_string(rank);
  const auto end = [](bool is_given, const char* given, const char* own) { return is_given ? given : own; };
  return "void body(pilum::Point<" + axes + "> point, pilum::Write<double, " + axes + "> out, pilum::Read<double, " +
         axes + R"(> at, pilum::Read<double, 1> xp, pilum::Read<double, 1> fp, double left, double right) {
  const double x = at(point);
  const std::int64_t last = xp.hi(0) - 1;
  double value = x;
  if (x != x) {
    if (last == 0) value = fp(0);
  } else if (x > xp(last)) {
    value = )" +
         end(has_right, "right", "fp(last)") + R"(;
  } else if (x < xp(0)) {
    value = )" +
         end(has_left, "left", "fp(0)") + R"(;
  } else {
    std::int64_t j = 0, high = last + 1;
    while (j < high) {
      const std::int64_t middle = j + (high - j) / 2;
      if (xp(middle) <= x) j = middle + 1; else high = middle;
    }
    --j;
    if (j < 0) {
      value = )" +
         end(has_left, "left", "fp(0)") + R"(;
    } else if (j >= last) {
      value = fp(last);
    } else if (xp(j) == x) {
      value = fp(j);
    } else {
      const double rise = fp(j + 1) - fp(j), run = xp(j + 1) - xp(j);
      const double slope = )" +
         (by_inverse ? "rise * (1 / run)" : "rise / run") + R"(;
      value = slope * (x - xp(j)) + fp(j);
      if (value != value) {
        value = slope * (x - xp(j + 1)) + fp(j + 1);
        if (value != value && fp(j) == fp(j + 1)) value = fp(j);
      }
    }
  }
  out(point) = value;
}
)";
}

// A new array like `numbers`, cell by cell, from the lines.
Array launch_search(const Call& call, LibraryBody&& body, const Array& numbers, std::initializer_list<Array> lines,
                    DType dtype, std::span<const std::uint64_t> scalars = {}) {
  using Kind = pilum::detail::BodyParameter::Kind;
  if (numbers.size() == 0) return empty(numbers.shape(), dtype, call.where);
  const bool alone = numbers.ndim() == 0;
  const Array given = alone ? numbers.reshape({1}, call.where) : numbers;
  const Array out = empty(given.shape(), dtype, call.where);
  std::vector<pilum::detail::StoreArgument> arguments = {{out, BodyAccess::Write, {}, Fold::Sum},
                                                         {given, BodyAccess::Read, {}, Fold::Sum}};
  for (const Array& line : lines) {
    warn_of_gathered(call, line, /*to_all=*/true);
    arguments.push_back({line, BodyAccess::Read, pilum::all, Fold::Sum});
  }
  for (const auto& argument : arguments) body.parameters.push_back(array_parameter(argument.array, argument.access));
  body.parameters.resize(body.parameters.size() + scalars.size(),
                         {.kind = Kind::Floating, .dtype = DType::Float64, .bytes = sizeof(double)});
  launch(call, body, out.shape(), arguments, scalars);
  return alone ? out.reshape({}, call.where) : out;
}

void check_line(const Call& call, const char* what, const Array& a) {
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() != 1) fail<ShapeError>(call, what, " has shape ", shape, ": give one axis");
}

Array in_dtype(const Call& call, const Array& a, DType dtype) {
  return a.dtype() == dtype ? a : a.astype(dtype, call.where);
}

bool searches_on_gpu(DType dtype) {
  return !is_complex(dtype) && dtype != DType::Float16;
}

// Whether the bins fall. Waits for them: a kernel could not say that they stand in no order.
bool falls_on_gpu(const Call& call, const Array& bins) {
  bool falls = false;
  visit_dtype(bins.dtype(), [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, bool> && requires { bins.to_vector<T>(call.where); }) {
      const std::vector<T> cells = bins.to_vector<T>(call.where);
      const Line<const T> line{cells.data(), 1, static_cast<std::int64_t>(cells.size())};
      falls = !is_in_order(line, /*falls=*/false);
      if (falls && !is_in_order(line, /*falls=*/true))
        fail<ValueError>(call, "the bins neither rise nor fall: sort() them");
    }
  });
  return falls;
}

Array search(const Call& call, Search search, const Array& line, const Array& numbers) {
  if (line.size() == 0) return full(numbers.shape(), Operand(0, call.where), DType::Int64);
  const DType dtype = promote(line.dtype(), numbers.dtype());
  LibraryBody body{search_piece, {static_cast<std::int64_t>(dtype), static_cast<std::int64_t>(search)}};
  const bool is_side = search == Search::Left || search == Search::Right || search == Search::Even;
  const bool is_bins = search == Search::Bins || search == Search::BinsRight;
  const int rank = std::max(numbers.ndim(), 1);
  if (is_side && searches_on_gpu(dtype)) body.gpu = search_on_gpu(dtype, rank, search != Search::Left);
  if (is_bins && searches_on_gpu(dtype) && dtype != DType::Bool && recorder_of(call).processors().are_gpus)
    body.gpu = search_on_gpu(dtype, rank, search == Search::Bins, falls_on_gpu(call, in_dtype(call, line, dtype)));
  return launch_search(call, std::move(body), in_dtype(call, numbers, dtype), {in_dtype(call, line, dtype)},
                       DType::Int64);
}

Array interpolate(const Call& call, const Array& x, const Array& xp, const Array& fp, std::optional<double> left,
                  std::optional<double> right, bool of_complex = false) {
  const std::uint64_t ends[] = {std::bit_cast<std::uint64_t>(left.value_or(0)),
                                std::bit_cast<std::uint64_t>(right.value_or(0))};
  LibraryBody body{interpolate_piece, {left.has_value(), right.has_value(), of_complex}};
  body.gpu = interpolate_on_gpu(std::max(x.ndim(), 1), left.has_value(), right.has_value(), of_complex);
  return launch_search(call, std::move(body), x, {xp, fp}, DType::Float64, ends);
}

}  // namespace

Array edges_below(const Call& call, const Array& edges, const Array& cells, bool are_even) {
  return search(call, are_even ? Search::Even : Search::Edges, edges, cells);
}

Array searchsorted(const Array& a, const Operand& v, std::string_view side, std::source_location where) {
  const Call call{"searchsorted", where};
  check_line(call, "the sorted array", a);
  if (side != "left" && side != "right")
    fail<ValueError>(call, "side is \"", std::string(side), "\": \"left\" or \"right\"");
  return search(call, side == "left" ? Search::Left : Search::Right, a, held(call, v));
}

namespace {

bool is_narrow_integer(DType dtype) {
  return is_integer(dtype) && dtype != DType::UInt64;
}

// Whether each cell is one of `among`, by a mark for each number from the least to the largest of these: where such
// numbers are at most kMarks times as many as all cells, as in NumPy. Waits for both. Nothing: there are more.
std::optional<Array> find_by_marks(const Call& call, const Array& cells, const Array& among) {
  constexpr std::int64_t kMarks = 6, kMany = 4096;
  const std::source_location where = call.where;
  if (cells.size() < kMany) return {};
  const auto least = min(among, {}, false, where).item<std::int64_t>(where);
  const auto largest = max(among, {}, false, where).item<std::int64_t>(where);
  const std::uint64_t range = static_cast<std::uint64_t>(largest) - static_cast<std::uint64_t>(least);
  if (range >= static_cast<std::uint64_t>(kMarks * (cells.size() + among.size()))) return {};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Array marks = zeros({static_cast<std::int64_t>(range) + 1}, DType::Bool, where);
  put(marks, here(among.astype(DType::Int64, where)) - here(least), here(true));
  const Array numbers = in_dtype(call, cells, DType::Int64);
  const Array is_inside = (here(numbers) >= here(least)) & (here(numbers) <= here(largest));
  const Array places = numeric::where(here(is_inside), here(numbers) - here(least), here(0));
  return here(take(marks, places, {}, IndexMode::Raise, where)) & here(is_inside);
}

}  // namespace

Array isin(const Operand& a, const Array& among) {
  const Call call{"isin", a.where()};
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  static_cast<void>(checked_state(call, among));
  const Array cells = held(call, a);
  if (among.size() == 0) return full(cells.shape(), here(false));
  if (is_narrow_integer(cells.dtype()) && is_narrow_integer(among.dtype())) {
    if (const auto found = find_by_marks(call, cells, among)) return *found;
  }
  const DType dtype = promote(cells.dtype(), among.dtype());
  const Array sorted = sort(in_dtype(call, among, dtype), {}, call.where), numbers = in_dtype(call, cells, dtype);
  const Array place = search(call, Search::Left, sorted, numbers);
  const Array found = take(sorted, place, {}, IndexMode::Clip, call.where);
  return here(found) == here(numbers);
}

Array digitize(const Operand& x, const Array& bins, bool right) {
  const Call call{"digitize", x.where()};
  check_line(call, "the array of bins", bins);
  const Array numbers = held(call, x);
  refuse_complex(call, numbers.dtype());
  refuse_complex(call, bins.dtype());
  return search(call, right ? Search::BinsRight : Search::Bins, bins, numbers);
}

Array interp(const Operand& x, const Array& xp, const Array& fp, std::optional<double> left,
             std::optional<double> right, std::optional<double> period) {
  const Call call{"interp", x.where()};
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  check_line(call, "the array of places", xp);
  check_line(call, "the array of values", fp);
  if (xp.size() != fp.size())
    fail<ShapeError>(call, xp.size(), " places and ", fp.size(), " values: give one value for each place");
  if (xp.size() == 0) fail<ValueError>(call, "there are no places to go between: give one at least");
  Array at = held(call, x);
  refuse_complex(call, at.dtype());
  refuse_complex(call, xp.dtype());
  at = in_dtype(call, at, DType::Float64);
  Array places = in_dtype(call, xp, DType::Float64);
  Array values = in_dtype(call, fp, is_complex(fp.dtype()) ? DType::Complex128 : DType::Float64);
  if (period) {
    if (*period == 0 || std::isnan(*period)) fail<ValueError>(call, "a period of ", *period, ": give another number");
    const double length = std::fabs(*period);
    at = here(at) % here(length);
    places = here(places) % here(length);
    const Array order = argsort(places, -1, call.where);
    places = take(places, order, {}, IndexMode::Raise, call.where);
    values = take(values, order, {}, IndexMode::Raise, call.where);
    const auto ends = [&](const Array& a, double shift) {
      const Array first = a(slice(0, 1)), last = a(slice(-1, {}));
      if (shift == 0) return concatenate({last, a, first}, 0, call.where);
      const Array before = here(last) - here(shift), behind = here(first) + here(shift);
      return concatenate({before, a, behind}, 0, call.where);
    };
    places = ends(places, length);
    values = ends(values, 0);
    left = right = {};
  }
  if (!is_complex(values.dtype())) return interpolate(call, at, places, values, left, right);
  const auto imaginary_end = [](std::optional<double> end) { return end ? std::optional(0.0) : std::nullopt; };
  const Array re = interpolate(call, at, places, real(here(values)), left, right, /*of_complex=*/true);
  const Array im = interpolate(call, at, places, imag(here(values)), imaginary_end(left), imaginary_end(right),
                               /*of_complex=*/true);
  const Array is_nowhere = isnan(here(at));  // NaN as a complex number, as in NumPy
  if (places.size() == 1) return join_parts(call, re, im);
  return join_parts(call, re, where(here(is_nowhere), here(0.0), here(im)));
}

}  // namespace pilum::numeric
