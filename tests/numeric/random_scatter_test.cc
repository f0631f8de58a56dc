// Random writes to picked cells of views of up to five axes, on every machine, against plain loops over cells' numbers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::slice;
using Numbers = std::vector<std::int64_t>;

std::size_t u(std::int64_t number) {
  return static_cast<std::size_t>(number);
}
std::int64_t product(const Numbers& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}
Shape shape_of(const Numbers& extents) {
  return Shape(std::span(extents));
}

// Calls visit(coordinates) row-major.
template <class Visit>
void for_each_cell(const Numbers& extents, const Visit& visit) {
  Numbers at(extents.size());
  for (std::int64_t cell = 0; cell < product(extents); ++cell) {
    std::int64_t rest = cell;
    for (std::size_t axis = extents.size(); axis-- > 0; rest /= extents[axis]) at[axis] = rest % extents[axis];
    visit(at);
  }
}
// The number of the cell that an array of these extents has at the last ones of the coordinates, where it is broadcast.
std::int64_t number_at(const Numbers& extents, const Numbers& at) {
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    number = number * extents[axis] + (extents[axis] == 1 ? 0 : at[at.size() - extents.size() + axis]);
  return number;
}

class Scatter {
 public:
  explicit Scatter(std::uint64_t seed) : dice_(seed) {}

  void run() {
    draw_view();
    draw_indices();
    draw_values();
    Numbers expected(cells_);
    const bool adds = first_ == 0 && draw(2) == 0;
    for_each_cell(result_, [&](const Numbers& at) {
      std::int64_t& cell = expected[u(target(at))];
      const std::int64_t value = value_cells_[u(number_at(value_extents_, at))];
      cell = adds ? cell + value : value;
    });
    const np::Array values = np::array(value_cells_, np::int64).reshape(shape_of(value_extents_));
    if (adds) {
      np::add_at(view_, indices_, values);
    } else {
      std::array<np::AnyIndex, 8> entries;
      for (std::int64_t axis = 0; axis < rank(); ++axis)
        entries[u(axis)] = is_indexed(axis) ? np::AnyIndex(indices_[u(axis - first_)]) : np::AnyIndex(np::all);
      view_(entries[0], entries[1], entries[2], entries[3], entries[4]) = values;
    }
    EXPECT_EQ(array_.to_vector<std::int64_t>(), expected) << (adds ? "added to " : "written to ") << array_.shape();
  }

 private:
  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(dice_() % static_cast<std::uint64_t>(below));
  }
  std::int64_t rank() const { return static_cast<std::int64_t>(extents_.size()); }
  bool is_indexed(std::int64_t axis) const {
    return axis >= first_ && axis < first_ + static_cast<std::int64_t>(indices_.size());
  }

  // Steps, in any order of the axes; places_ are the coordinates in the array, by axis of the view.
  void draw_view() {
    const std::int64_t axes = 1 + draw(5);
    Numbers extents;
    for (std::int64_t axis = 0; axis < axes; ++axis) extents.push_back(1 + draw(axes < 3 ? 20 : 6));
    cells_.resize(u(product(extents)));
    std::iota(cells_.begin(), cells_.end(), 0);
    array_ = np::arange(product(extents)).reshape(shape_of(extents)).copy();
    std::array<np::Index, 5> slices;
    std::vector<Numbers> places(extents.size());
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const std::int64_t from = draw(extents[axis]), step = draw(2) + 1;
      const bool falls = draw(4) == 0;
      slices[axis] = falls ? slice({}, {}, -1) : slice(from, {}, step);
      for (std::int64_t i = falls ? 0 : from; i < extents[axis]; i += falls ? 1 : step)
        places[axis].push_back(falls ? extents[axis] - 1 - i : i);
    }
    std::vector<int> order(extents.size());
    std::iota(order.begin(), order.end(), 0);
    if (draw(3) == 0) std::shuffle(order.begin(), order.end(), dice_);
    view_ = np::Array(array_(slices[0], slices[1], slices[2], slices[3], slices[4])).transpose(np::Axes(order));
    Numbers steps(extents.size(), 1);
    for (std::size_t axis = extents.size() - 1; axis-- > 0;) steps[axis] = steps[axis + 1] * extents[axis + 1];
    for (const int axis : order) {
      extents_.push_back(static_cast<std::int64_t>(places[u(axis)].size()));
      places_.push_back(places[u(axis)]);
      for (std::int64_t& place : places_.back()) place *= steps[u(axis)];
    }
  }

  // For some axes that stand side by side, of any integers.
  void draw_indices() {
    static constexpr std::array kDTypes = {DType::Int8, DType::Int16, DType::Int32, DType::Int64};
    first_ = draw(rank());
    const std::int64_t count = 1 + draw(rank() - first_), axes = draw(4);
    Numbers points;
    for (std::int64_t axis = 0; axis < axes; ++axis) points.push_back(draw(20) == 0 ? 0 : 1 + draw(5));
    for (std::int64_t k = 0; k < count; ++k) {
      Numbers extents(points);
      for (std::int64_t& extent : extents) extent = k > 0 && draw(4) == 0 ? 1 : extent;
      Numbers cells;
      const std::int64_t of_axis = extents_[u(first_ + k)];
      for (std::int64_t i = 0; i < product(extents); ++i) cells.push_back(draw(2 * of_axis) - of_axis);
      indices_.push_back(np::array(cells, np::int64).reshape(shape_of(extents)).astype(kDTypes[u(draw(4))]));
      index_extents_.push_back(extents);
      index_cells_.push_back(cells);
    }
    points_ = points;
    result_.assign(extents_.begin(), extents_.begin() + first_);
    result_.insert(result_.end(), points.begin(), points.end());
    result_.insert(result_.end(), extents_.begin() + first_ + count, extents_.end());
  }
  void draw_values() {
    value_extents_ = result_;
    for (std::int64_t& extent : value_extents_) extent = draw(3) == 0 ? 1 : extent;
    value_extents_.erase(value_extents_.begin(), value_extents_.begin() + draw(rank()) % (1 + std::ssize(result_)));
    for (std::int64_t i = 0; i < product(value_extents_); ++i) value_cells_.push_back(1000 + i);
  }

  // The number in the array of the cell that is named there in the result.
  std::int64_t target(const Numbers& at) const {
    const Numbers point(at.begin() + first_, at.begin() + first_ + std::ssize(points_));
    std::int64_t number = 0;
    for (std::int64_t axis = 0; axis < rank(); ++axis) {
      std::int64_t place = 0;
      if (is_indexed(axis)) {
        const std::size_t k = u(axis - first_);
        place = index_cells_[k][u(number_at(index_extents_[k], point))];
        place += place < 0 ? extents_[u(axis)] : 0;
      } else {
        place = at[u(axis < first_ ? axis : axis - std::ssize(indices_) + std::ssize(points_))];
      }
      number += places_[u(axis)][u(place)];
    }
    return number;
  }

  std::mt19937_64 dice_;
  np::Array array_, view_;
  Numbers cells_, extents_;  // of the array; of the view
  std::vector<Numbers> places_;
  std::int64_t first_ = 0;  // axis that is indexed
  std::vector<np::Array> indices_;
  std::vector<Numbers> index_extents_, index_cells_;
  Numbers points_, result_, value_extents_, value_cells_;
};

void run_on(int ranks, int processors, bool gpus) {
  for (const int window : {0, 1, 3}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (gpus ? " GPUs" : "") << ", " << window);
    fakes::SimulatedRanks machine{.ranks = ranks, .processors_per_rank = processors, .window = window};
    machine.gpus = gpus;
    machine.interpret = machine.shares_cores = true;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Scatter(seed + 100 * static_cast<std::uint64_t>(window)).run();
      }
    });
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomScatter, OnCoresGivesThePlainLoopsCells) {
  run_on(1, 1, false);
  run_on(3, 1, false);
}

TEST(RandomScatter, OnGpusGivesThePlainLoopsCells) {
  run_on(1, 3, true);
  run_on(2, 2, true);
}

}  // namespace
}  // namespace pilum
