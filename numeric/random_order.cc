// Draws of an order: permutations, and choices with and without replacement.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/drawn_cells.h"
#include "numeric/library_task.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/random.h"
#include "pilum/scan.h"
#include "pilum/sets.h"
#include "pilum/sort.h"
#include "pilum/statistics.h"

namespace pilum::numeric::random {
namespace {

using pilum::detail::BodyCall;

constexpr std::int64_t kMany = 4096, kFewOfMany = 8;  // what of so many is a choice of few
constexpr double kSumTolerance = 0x1p-26;             // of probabilities, as NumPy's

// Stores: the places, sorted sums of probabilities, all of them; uniform numbers. How many sums a number has reached.
void find_places(std::span<const std::int64_t>, const BodyCall& call) {
  const pilum::detail::BoundStore &out = call.stores[0], &sums = call.stores[1], &numbers = call.stores[2];
  const Line<const double> line{static_cast<const double*>(sums.first), sums.stride[0], sums.hi[0]};
  for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
    const double number = static_cast<const double*>(numbers.first)[cells_to(numbers, point, 1)];
    std::int64_t low = 0, high = line.count;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (line[middle] <= number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    static_cast<std::int64_t*>(out.first)[cells_to(out, point, 1)] = low;
  });
}

Array places_among(const Call& call, const Array& sums, const Array& numbers) {
  using pilum::detail::Access;
  const Array out = empty(numbers.shape(), DType::Int64, call.where);
  LibraryBody body{find_places, {}};
  body.parameters = {array_parameter(out, Access::Write), array_parameter(sums, Access::Read),
                     array_parameter(numbers, Access::Read)};
  const pilum::detail::StoreArgument arguments[] = {
      {out, Access::Write, {}, Fold::Sum},
      {sums, Access::Read, Projection(Projection::Kind::Whole), Fold::Sum},
      {numbers, Access::Read, {}, Fold::Sum}};
  launch(call, body, numbers.shape(), arguments);
  return out;
}

// Of what is drawn: `n` things, `count` of them.
void check_choice(const Call& call, std::int64_t n, std::int64_t count, bool replace) {
  if (count > 0 && n <= 0) fail<ValueError>(call, "there are ", n, " to draw from: give 1 or more");
  if (!replace && count > n) {
    fail<ValueError>(call, count, " of ", n,
                     " cannot be drawn without replacement: draw fewer, or with replace = true");
  }
}

// As float64. Waits for the sum and the least probability.
Array checked_probabilities(const Call& call, const Array& p, std::int64_t n, std::int64_t count, bool replace) {
  const Shape& shape = checked_state(call, p).shape;
  if (shape.rank() != 1 || shape[0] != n) {
    fail<ValueError>(call, "p of shape ", shape, " has no probability for each of ", n, ": give it the shape ",
                     Shape{n});
  }
  const Array probabilities = p.dtype() == DType::Float64 ? p : p.astype(DType::Float64, call.where);
  const double sum = numeric::sum(probabilities, {}, false, call.where).item<double>(call.where);
  const double least = n > 0 ? numeric::min(probabilities, {}, false, call.where).item<double>(call.where) : 0;
  if (!(least >= 0)) fail<ValueError>(call, "a probability is ", least, ": give 0 or more");
  if (!(std::abs(sum - 1) <= kSumTolerance)) {
    fail<ValueError>(call, "the probabilities sum to ", sum, ": divide p by p.sum(), so that they sum to 1");
  }
  if (replace) return probabilities;
  const auto possible = count_nonzero(probabilities, {}, false, call.where).item<std::int64_t>(call.where);
  if (count > possible) {
    fail<ValueError>(call, possible, " probabilities are above 0, and ", count,
                     " are drawn without replacement: draw fewer");
  }
  return probabilities;
}

Array first_of(const Array& order, std::int64_t count, const Shape& size, std::source_location where) {
  const Array first = order(Index(slice(0, count), where));
  return first.reshape(size, where);
}

// Numbers of those below n, none twice, each with every other as likely: of numbers that are drawn one after the other,
// those that were not drawn before. For few of many, so that few are drawn in vain; waits for how many there are.
Array few_of_many(Generator& generator, std::int64_t n, std::int64_t count, std::source_location where) {
  const double doubles = static_cast<double>(count) * static_cast<double>(count) / static_cast<double>(n);
  const auto draw = [&](std::int64_t numbers) {
    return generator.integers(0, n, {numbers}, DType::Int64, false, where);
  };
  Array drawn = draw(count + static_cast<std::int64_t>(doubles + 4 * std::sqrt(doubles)) + 8);
  while (true) {
    const Array firsts = unique_all(drawn, where).indices;
    if (firsts.size() >= count)
      return take(drawn, first_of(sort(firsts, 0, where), count, {count}, where), 0, IndexMode::Raise, where);
    drawn = concatenate({drawn, draw(count)}, 0, where);
  }
}

}  // namespace

Array Generator::random_order(std::int64_t n, std::source_location where) {
  const Array keys = integers(INT64_MIN, INT64_MAX, {n}, DType::Int64, /*endpoint=*/true, where);
  return argsort(keys, 0, where);
}

Array Generator::permuted_numbers(std::int64_t n, std::source_location where) {
  const Call call{"permutation", where};
  const std::int64_t count = std::max<std::int64_t>(n, 0);  // as NumPy
  check_shape(call, Shape{count}, DType::Int64);
  return random_order(count, where);
}

Array Generator::permutation(const Array& a, Axis axis, std::source_location where) {
  const Call call{"permutation", where};
  const Shape& shape = checked_state(call, a).shape;
  const int along = checked_axis(call, axis, shape.rank());
  return take(a, random_order(shape[along], where), along, IndexMode::Raise, where);
}

void Generator::shuffle(const Array& a, Axis axis, std::source_location where) {
  const Call call{"shuffle", where};
  const ArrayState& state = checked_state(call, a);
  const int along = checked_axis(call, axis, state.shape.rank());
  check_writable(call, state);
  const Array shuffled = take(a, random_order(state.shape[along], where), along, IndexMode::Raise, where);
  Array target = a;
  std::move(target) = Operand(shuffled, where);
}

Array Generator::drawn_places(std::int64_t n, const Shape& size, bool replace, const std::optional<Array>& p,
                              std::source_location where) {
  const Call call{"choice", where};
  check_shape(call, size, DType::Int64);
  const std::int64_t count = size.elements();
  check_choice(call, n, count, replace);
  if (!p) {
    if (count == 0) return empty(size, DType::Int64, where);
    if (replace) return integers(0, n, size, DType::Int64, false, where);
    if (n >= kMany && count <= n / kFewOfMany) return few_of_many(*this, n, count, where).reshape(size, where);
    return first_of(random_order(n, where), count, size, where);
  }
  const Array probabilities = checked_probabilities(call, *p, n, count, replace);
  if (count == 0) return empty(size, DType::Int64, where);
  if (!replace) {
    const Array waiting = standard_exponential({n}, DType::Float64, where);
    const Array order = argsort(Operand(waiting, where) / Operand(probabilities, where), 0, where);
    return first_of(order, count, size, where);
  }
  const Array sums = cumsum(probabilities, 0, {}, where);
  const Array last = sums(Index(-1, where));
  const Array numbers = random({count}, DType::Float64, where);
  return places_among(call, Operand(sums, where) / Operand(last, where), numbers).reshape(size, where);
}

Array Generator::chosen_numbers(std::int64_t n, const Shape& size, bool replace, const Chances& p,
                                std::source_location where) {
  return drawn_places(n, size, replace, p.array_or_none(), where);
}

Array Generator::choice(const Array& a, const Shape& size, bool replace, const Chances& p, Axis axis,
                        std::source_location where) {
  const Call call{"choice", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() == 0) {
    fail<ShapeError>(call, "an array without axes has nothing to draw from: choice(n) draws of the numbers below n");
  }
  const int along = checked_axis(call, axis, shape.rank());
  return take(a, drawn_places(shape[along], size, replace, p.array_or_none(), where), along, IndexMode::Raise, where);
}

}  // namespace pilum::numeric::random
