// reshape and ravel give views where NumPy's do: beside lists of cells, on one processor, ranks and GPUs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/session/session.h"
#include "tests/fakes/naive_recorder.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

// An array as NumPy has it: memory that others may share, and the places in it of its cells, row-major.
struct Model {
  std::shared_ptr<std::vector<double>> memory;
  std::vector<std::int64_t> places, shape;

  static Model of(const std::vector<double>& cells, const std::vector<std::int64_t>& shape) {
    Model model{std::make_shared<std::vector<double>>(cells), std::vector<std::int64_t>(cells.size()), shape};
    std::iota(model.places.begin(), model.places.end(), 0);
    return model;
  }
  std::vector<double> cells() const {
    std::vector<double> cells;
    for (const std::int64_t place : places) cells.push_back((*memory)[static_cast<std::size_t>(place)]);
    return cells;
  }
  // Whether the places go in even steps along each axis: by all of them.
  bool is_strided() const {
    std::vector<std::int64_t> strides(shape.size(), 0);
    std::int64_t below = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; below *= shape[axis]) {
      if (shape[axis] > 1) strides[axis] = places[static_cast<std::size_t>(below)] - places[0];
    }
    for (std::size_t cell = 0; cell < places.size(); ++cell) {
      std::int64_t place = places[0], rest = static_cast<std::int64_t>(cell);
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        place += rest % shape[axis] * strides[axis];
        rest /= shape[axis];
      }
      if (place != places[cell]) return false;
    }
    return true;
  }
  Model reshaped(const std::vector<std::int64_t>& wanted) const {
    Model view{memory, places, wanted};
    return view.is_strided() ? view : of(cells(), wanted);
  }
  Model raveled() const {
    const std::vector<std::int64_t> line{static_cast<std::int64_t>(places.size())};
    for (std::size_t cell = 1; cell < places.size(); ++cell)
      if (places[cell] != places[cell - 1] + 1) return of(cells(), line);
    return {memory, places, line};
  }
  Model transposed() const {
    Model view{memory, {}, {shape.rbegin(), shape.rend()}};
    for (std::size_t cell = 0; cell < places.size(); ++cell) {
      std::int64_t rest = static_cast<std::int64_t>(cell), place = 0;
      std::vector<std::int64_t> at(shape.size());
      for (std::size_t axis = shape.size(); axis-- > 0;) {
        at[shape.size() - 1 - axis] = rest % view.shape[axis];
        rest /= view.shape[axis];
      }
      for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + at[axis];
      view.places.push_back(places[static_cast<std::size_t>(place)]);
    }
    return view;
  }
  // Every step-th row from the first one on.
  Model rows(std::int64_t first, std::int64_t step) const {
    Model view{memory, {}, shape};
    const std::int64_t row = static_cast<std::int64_t>(places.size()) / shape[0];
    std::int64_t count = 0;
    for (std::int64_t at = first; at >= 0 && at < shape[0]; at += step, ++count)
      view.places.insert(view.places.end(), places.begin() + at * row, places.begin() + (at + 1) * row);
    view.shape[0] = count;
    return view;
  }
};

struct Both {
  np::Array array;
  Model model;
};

class Program {
 public:
  explicit Program(std::uint64_t seed) : dice_(seed) { begin(); }

  void step() {
    if (arrays_.empty() || once_in(12)) return begin();
    const std::size_t number = below(arrays_.size());
    Both& one = arrays_[number];
    switch (below(10)) {
      case 0:
      case 1:
      case 2: {
        const std::vector<std::int64_t> shape = factors_of(static_cast<std::int64_t>(one.model.places.size()));
        keep({one.array.reshape(Shape(std::span(shape))), one.model.reshaped(shape)});
        return;
      }
      case 3: keep({one.array.ravel(), one.model.raveled()}); return;
      case 4: keep({one.array.T(), one.model.transposed()}); return;
      case 5: {
        const auto step = static_cast<std::int64_t>(1 + below(2));
        const auto first = static_cast<std::int64_t>(below(static_cast<std::size_t>(one.model.shape[0])));
        const bool back = once_in(3);
        keep({back ? one.array(slice(first, {}, -step)) : one.array(slice(first, {}, step)),
              one.model.rows(first, back ? -step : step)});
        return;
      }
      case 6: {
        const double number = static_cast<double>(below(100));
        one.array[all] = number;
        for (const std::int64_t place : one.model.places) (*one.model.memory)[static_cast<std::size_t>(place)] = number;
        return;
      }
      case 7: {
        one.array(slice({}, {}, 2)) += 1;
        for (const std::int64_t place : one.model.rows(0, 2).places)
          (*one.model.memory)[static_cast<std::size_t>(place)] += 1;
        return;
      }
      case 8: {  // of one that may share its memory: all is read first
        Both& other = arrays_[below(arrays_.size())];
        if (other.model.places.size() != one.model.places.size()) return;
        const std::vector<double> cells = other.model.cells();
        one.array[all] = other.array.reshape(one.array.shape()) * 2 % 97;
        for (std::size_t cell = 0; cell < cells.size(); ++cell)
          (*one.model.memory)[static_cast<std::size_t>(one.model.places[cell])] = std::fmod(cells[cell] * 2, 97);
        return;
      }
      default:
        if (once_in(2)) {
          ASSERT_EQ(one.array.to_vector<double>(), one.model.cells());
        } else if (arrays_.size() > 3) {
          arrays_.erase(arrays_.begin() + static_cast<std::ptrdiff_t>(number));
        }
    }
  }
  void check_all() {
    for (const Both& one : arrays_) ASSERT_EQ(one.array.to_vector<double>(), one.model.cells());
  }

 private:
  void begin() {
    const std::int64_t sizes[] = {24, 60, 36, 1};
    const std::int64_t size = sizes[below(4)];
    const std::vector<std::int64_t> shape = factors_of(size);
    std::vector<double> cells(static_cast<std::size_t>(size));
    std::iota(cells.begin(), cells.end(), static_cast<double>(below(50)));
    const np::Array line = np::array(cells);
    np::Array made = np::zeros(Shape(std::span(shape)));
    made += line.reshape(Shape(std::span(shape)));  // cut, as a result is
    keep({made, Model::of(cells, shape)});
  }
  void keep(Both one) {
    if (arrays_.size() < 8) return arrays_.push_back(std::move(one));
    arrays_[below(arrays_.size())] = std::move(one);
  }
  std::vector<std::int64_t> factors_of(std::int64_t size) {
    std::vector<std::int64_t> factors;
    while (size > 1 && factors.size() < 3) {
      std::vector<std::int64_t> divisors;
      for (std::int64_t d = 1; d <= size; ++d)
        if (size % d == 0) divisors.push_back(d);
      factors.push_back(divisors[below(divisors.size())]);
      size /= factors.back();
    }
    if (size > 1 || factors.empty()) factors.push_back(size);
    return factors;
  }
  std::size_t below(std::size_t count) { return dice_() % count; }
  bool once_in(std::size_t times) { return below(times) == 0; }

  std::mt19937_64 dice_;
  std::vector<Both> arrays_;
};

void run_program(std::uint64_t seed, int steps) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Program program(seed);
  for (int step = 0; step < steps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    program.step();
    if (testing::Test::HasFatalFailure()) return;
  }
  program.check_all();
}

std::vector<std::uint64_t> some_seeds(std::size_t count) {
  std::mt19937_64 dice(static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed()));
  std::vector<std::uint64_t> seeds(count);
  for (std::uint64_t& seed : seeds) seed = dice();
  return seeds;
}

TEST(ReshapeViews, OfRandomProgramsAreNumPysComputedNaively) {
  for (const std::uint64_t seed : some_seeds(30)) {
    const fakes::NaiveRecorder recorder;
    run_program(seed, 150);
    if (HasFatalFailure()) return;
  }
}

class ReshapeViewsOn : public testing::TestWithParam<fakes::SimulatedRanks> {};

TEST_P(ReshapeViewsOn, RandomProgramsAreNumPys) {
  for (const std::uint64_t seed : some_seeds(fakes::kIsSanitized ? 2 : 6)) {
    fakes::run_on_simulated_ranks(GetParam(), [&](scheduler::Session&) { run_program(seed, 120); });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ReshapeViewsOn,
                         testing::Values(fakes::SimulatedRanks{}, fakes::SimulatedRanks{.ranks = 3},
                                         fakes::SimulatedRanks{.ranks = 2, .processors_per_rank = 2, .gpus = true},
                                         fakes::SimulatedRanks{.processors_per_rank = 3, .gpus = true, .peers = false}),
                         [](const auto& one) {
                           return std::to_string(one.param.ranks) + "RanksOf" +
                                  std::to_string(one.param.processors_per_rank) + (one.param.gpus ? "Gpus" : "Cpus");
                         });

TEST(ReshapeViews, OfALoopThatReadsOneOfThemCopyNothing) {
  fakes::run_on_simulated_ranks({}, [](scheduler::Session& session) {
    const auto operations = [&] { return session.profile().counters.operations.get(); };
    np::Array field = np::zeros({12, 5});
    np::Array line = field.reshape({60});
    const auto before = operations();
    for (int step = 0; step < 10; ++step) line += 1;
    EXPECT_EQ(operations() - before, 10);
    EXPECT_EQ(field(3, 4).item<double>(), 10);  // one copy, and the cell
    const auto read = operations();
    EXPECT_EQ(field(0, 0).item<double>(), 10);
    EXPECT_LE(operations() - read, 1);
    for (int step = 0; step < 10; ++step) field += 1;  // which writes what line had
    EXPECT_EQ(line.to_vector<double>(), std::vector<double>(60, 20));
  });
}

TEST(ReshapeViews, AreWrittenThroughATemporaryThatIsGone) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [](scheduler::Session&) {
    np::Array a = np::zeros({4, 6});
    a.reshape({24})(slice(0, {}, 5)) = 7;
    a.ravel()(slice(1, 3)) = 2;
    np::Array b = a.T().reshape({2, 3, 4});  // a view: axes are taken apart
    b(1, all, 3) = 9;
    EXPECT_EQ(a.to_vector<double>(),
              (std::vector<double>{7, 2, 2, 0, 0, 7, 0, 0, 0, 0, 7, 0, 0, 0, 0, 7, 0, 0, 0, 0, 7, 9, 9, 9}));
  });
}

TEST(ReshapeViews, OutliveWhatTheyWereMadeOf) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [](scheduler::Session&) {
    np::Array line;
    {
      np::Array a = np::zeros({4, 6});
      line = a.reshape({24});
      a(1, all) = 3;
    }
    np::Array one = line.reshape({2, 12}), other = line.reshape({3, 8});
    line = np::Array();
    one(0, all) += 1;
    EXPECT_EQ(other(0, all).to_vector<double>(), (std::vector<double>{1, 1, 1, 1, 1, 1, 4, 4}));
    EXPECT_EQ(other.sum().item<double>(), 18 + 12);
  });
}

TEST(ReshapeViews, WhatIsACopyInNumPyIsOneHere) {
  fakes::run_on_simulated_ranks({.ranks = 2}, [](scheduler::Session&) {
    np::Array a = np::arange(24.0).reshape({4, 6});
    for (const np::Array& copy :
         {a.flatten(), np::resize(a, {24}), np::tile(a, {1, 1}), a.T().reshape({24}), a.T().ravel(),
          a(all, slice({}, {}, 2)).ravel(), np::repeat(a, 1), np::concatenate({a.ravel()})}) {
      copy[all] = -1;
      EXPECT_EQ(a(0, 0).item<double>(), 0);
      EXPECT_EQ(a(3, 5).item<double>(), 23);
    }
    a(all, slice({}, {}, 2)).reshape({12})[all] = 5;  // every second cell of a line
    EXPECT_EQ(a(3, 4).item<double>(), 5);
    EXPECT_EQ(a(3, 5).item<double>(), 23);
  });
}

}  // namespace
}  // namespace pilum
