// What tasks move, and the least: against a count cell by cell.
#include "scheduler/analyze/traffic.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "pilum/pilum.h"
#include "tests/partitioner/random_cells.h"
#include "tests/scheduler/array_programs.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;
using partitioner::Cell, partitioner::for_each_cell;

using Cells = std::set<Cell>;
using CellsOfStores = std::map<const Store*, Cells>;

void add_cells(const Argument& argument, const Rect& piece, Cells& cells) {
  for_each_cell(piece, [&](const Cell& point) {
    for (const Point& offset : argument.footprint.offsets()->at) {
      Cell cell = partitioner::apply(argument.view.map, point);
      for (int k = 0; k < offset.rank; ++k) cell[static_cast<std::size_t>(k)] += offset[k];
      cells.insert(cell);
    }
  });
}

std::int64_t bytes_of(const Store& store, const Cells& cells) {
  return static_cast<std::int64_t>(cells.size() * itemsize(store.dtype));
}

// Every cell one by one, from the last task to the first.
std::vector<Traffic> count_naively(const std::vector<Task>& tasks, const std::vector<WindowStore>& stores) {
  CellsOfStores wanted;
  for (const WindowStore& store : stores) {
    if (!store.dies)
      for_each_cell(Rect::of(store.store->shape), [&](const Cell& cell) { wanted[store.store].insert(cell); });
  }
  std::vector<Traffic> all(tasks.size());
  for (std::size_t i = tasks.size(); i-- > 0;) {
    const Task& task = tasks[i];
    const bool is_written =
        std::any_of(task.writes.begin(), task.writes.end(), [](const auto& one) { return one.kept; });
    if (!is_written && task.reductions.empty()) continue;  // it is not launched
    CellsOfStores read, written;
    for (const Argument& argument : task.reads) {
      const Store* store = argument.store().get();
      Cells cells;
      add_cells(argument, task.domain, cells);
      all[i].read += bytes_of(*store, cells);
      read[store].insert(cells.begin(), cells.end());
    }
    const auto write = [&](const Argument& argument) {
      add_cells(argument, task.domain, written[argument.store().get()]);
    };
    for (const TaskWrite& argument : task.writes) {
      if (argument.kept) write(argument);
    }
    for (const Argument& argument : task.reductions) write(argument);
    for (const auto& [store, cells] : written) {
      all[i].written += bytes_of(*store, cells);
      for (const Cell& cell : cells) {
        if (wanted[store].erase(cell)) all[i].least += static_cast<std::int64_t>(itemsize(store->dtype));
      }
    }
    for (const auto& [store, cells] : read) {
      all[i].least += bytes_of(*store, cells);
      wanted[store].insert(cells.begin(), cells.end());
    }
  }
  return all;
}

class TrafficTest : public testing::Test {
 protected:
  // Of the window's tasks, whole, while its stores have their numbers.
  std::vector<Traffic> count(bool naively = false, int processors = 1, int processor = -1) {
    machine::Machine machine;
    machine.ranks = processors;
    machine.split_bytes = machine.cache_bytes = 64;
    std::vector<WindowStore> stores = collect_stores(recorder_.operations, {}, machine);
    tasks_ = fuse(recorder_.operations, stores, machine);
    std::vector<Traffic> counted = naively          ? count_naively(tasks_, stores)
                                   : processor >= 0 ? count_traffic(tasks_, stores, {processor, 1})
                                                    : count_traffic(tasks_, stores);
    for (WindowStore& store : stores) store.store->window_index = -1;
    return counted;
  }
  Traffic sum(bool naively = false) {
    Traffic sum;
    for (const Traffic& traffic : count(naively)) sum += traffic;
    return sum;
  }
  WindowRecorder recorder_;
  std::vector<Task> tasks_;
};

void expect_equal(const std::vector<Traffic>& counted, const std::vector<Traffic>& naive) {
  ASSERT_EQ(counted.size(), naive.size());
  for (std::size_t i = 0; i < naive.size(); ++i) {
    EXPECT_EQ(counted[i].read, naive[i].read) << "task " << i;
    EXPECT_EQ(counted[i].written, naive[i].written) << "task " << i;
    EXPECT_EQ(counted[i].least, naive[i].least) << "task " << i;
    EXPECT_GE(counted[i].moved(), counted[i].least) << "task " << i;
  }
}

struct Program {
  const char* name;
  programs::Step (*make)(std::int64_t n);
  std::int64_t n;
};
void PrintTo(const Program& program, std::ostream* out) {
  *out << program.name;
}

class TrafficOf : public TrafficTest, public testing::WithParamInterface<Program> {};

TEST_P(TrafficOf, AProgramIsWhatACountCellByCellGives) {
  const programs::Step step = GetParam().make(GetParam().n);
  for (const int steps : {1, 3}) {
    recorder_.begin_window();
    for (int i = 0; i < steps; ++i) step();
    const std::vector<Traffic> counted = count();
    expect_equal(counted, count(/*naively=*/true));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TrafficOf,
                         testing::Values(Program{"jacobi", programs::jacobi, 20}, Program{"heat", programs::heat, 8},
                                         Program{"gray_scott", programs::gray_scott, 20},
                                         Program{"fdtd", programs::fdtd, 20},
                                         Program{"conjugate_gradient", programs::conjugate_gradient, 20},
                                         Program{"torus", programs::torus, 20}, Program{"cavity", programs::cavity, 20},
                                         Program{"staggered_water", programs::staggered_water, 20},
                                         Program{"shallow_water", programs::shallow_water, 20},
                                         Program{"wave", programs::wave, 20},
                                         Program{"lattice", programs::lattice, 12}),
                         [](const auto& info) { return std::string(info.param.name); });

// Reckoned from the text of the programs: see array_programs_test.cc.
TEST_F(TrafficTest, AStepOfHeatFdtdAndGrayScottMovesWhatTheirTextsSay) {
  constexpr std::int64_t m = 12, n = 40;
  const auto step_of = [&](const programs::Step& step) {
    recorder_.begin_window();
    step();
    return sum();
  };
  const Traffic heat = step_of(programs::heat(m));
  EXPECT_EQ(heat.read, 8 * 2 * ((m - 2) * (m - 2) * (m - 2) + 6 * (m - 2) * (m - 2)));
  EXPECT_EQ(heat.written, 8 * 2 * (m - 2) * (m - 2) * (m - 2));
  EXPECT_EQ(heat.least, heat.moved());
  // In one pass, each array once, and rims.
  const Traffic fdtd = step_of(programs::fdtd(n));
  EXPECT_GE(fdtd.read, 8 * 3 * (n - 1) * (n - 1));
  EXPECT_LE(fdtd.read, 8 * (3 * n * n + 20 * n));
  EXPECT_GE(fdtd.written, 8 * (2 * n * (n - 1) + (n - 1) * (n - 1)));
  EXPECT_LE(fdtd.written, 8 * (3 * n * n + 4 * n));
  const Traffic gray_scott = step_of(programs::gray_scott(n));
  EXPECT_EQ(gray_scott.read, 8 * (2 * ((n + 2) * (n + 2) - 4) + 8 * (n + 2)));
  EXPECT_EQ(gray_scott.written, 8 * (2 * n * n + 8 * (n + 2)));
}

TEST_F(TrafficTest, ViewsThatLieFarApartAreReadOnceForEach) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array y = x(slice(0, -20)) + x(slice(20, {}));
  EXPECT_EQ(count(), (std::vector<Traffic>{{8 * 160, 8 * 80, 8 * (100 + 80)}}));
}

TEST_F(TrafficTest, EverySecondCellIsHalfTheBytes) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array y = x(slice(0, {}, 2)) + x(slice(1, {}, 2));
  EXPECT_EQ(count(), (std::vector<Traffic>{{8 * 100, 8 * 50, 8 * 150}}));
  recorder_.begin_window();
  x(slice({}, {}, -2)) += 1.0;
  expect_equal(count(), count(/*naively=*/true));
  EXPECT_EQ(count(), (std::vector<Traffic>{{8 * 50, 8 * 50, 8 * 100}}));
}

TEST_F(TrafficTest, StencilsWithStepsCountEachCellOnce) {
  np::Array x = np::zeros({60, 60});
  recorder_.begin_window();
  np::Array y = x(slice(0, 40, 2), all) + x(slice(1, 41, 2), all) + x(slice(2, 42, 2), all);
  expect_equal(count(), count(/*naively=*/true));
}

TEST_F(TrafficTest, WhatIsOverwrittenBeforeAnybodyReadsItIsNotNeeded) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  x[all] = 1.0;
  x(slice(0, 40)) = 2.0;  // of more than half the first write would leave the rest (shared_domain.h)
  EXPECT_EQ(count(), (std::vector<Traffic>{{0, 800, 480}, {0, 320, 320}}));
}

TEST_F(TrafficTest, WhatDiesAndIsReadByALaterTaskIsNeeded) {
  np::Array x = np::zeros(100);
  recorder_.begin_window();
  np::Array slope, total;
  {
    auto scaled = 2 * x;
    slope = scaled(slice(1, 50)) - scaled(slice(0, 49));
    total = np::sum(scaled(slice(0, 50)));  // of its own points: so it is not computed again for the slope's
  }
  EXPECT_EQ(count(), (std::vector<Traffic>{{800, 800, 800 + 400}, {400, 8, 408}, {400, 392, 792}}));
}

TEST_F(TrafficTest, AReshapeMovesAllCells) {
  np::Array x = np::zeros(600);
  recorder_.begin_window();
  np::Array y = x + 1.0;
  np::Array z = y.reshape({20, 30});
  y = z;  // nobody holds the sum
  EXPECT_EQ(count(), (std::vector<Traffic>{{4800, 4800, 9600}, {4800, 4800, 9600}}));
}

TEST_F(TrafficTest, AFoldWritesItsResult) {
  np::Array x = np::zeros({10, 20}, float32);
  recorder_.begin_window();
  np::Array rows = np::sum(x, 1), total = np::sum(x);
  const std::vector<Traffic> counted = count();
  expect_equal(counted, count(/*naively=*/true));
  EXPECT_EQ(counted[0], (Traffic{800, 40, 840}));
}

TEST_F(TrafficTest, ABodysArgumentsCountByWhatItTouches) {
  np::Array a = np::zeros(50), b = np::zeros(50), c = np::zeros(50);
  recorder_.begin_window();
  task("body", [](Piece, Read<double, 1>, Write<double, 1>, ReadWrite<double, 1>) {})(
      {30}, read(a(slice(0, 30)), halo(1, 1)), write(b(slice(10, 40))), read_write(c(slice(0, 30))));
  EXPECT_EQ(count(), (std::vector<Traffic>{{8 * (30 + 30), 8 * 60, 8 * (30 + 30 + 60)}}));
}

TEST_F(TrafficTest, EachProcessorReadsItsHalo) {
  const programs::Step step = programs::jacobi(40);
  recorder_.begin_window();
  step();
  const Traffic whole = sum();
  Traffic pieces;
  for (int processor = 0; processor < 4; ++processor) {
    for (const Traffic& traffic : count(false, 4, processor)) {
      pieces += traffic;
      EXPECT_GE(traffic.moved(), traffic.least);
    }
  }
  EXPECT_EQ(pieces.written, whole.written);
  EXPECT_GT(pieces.read, whole.read);
  EXPECT_LT(pieces.read, whole.read + 4 * 4 * 42 * 8);
}

}  // namespace
}  // namespace pilum::scheduler
