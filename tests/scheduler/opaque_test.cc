// Imports and reshapes, run on memory of the host and compared cell by cell.
#include "scheduler/plan/opaque.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pilum/pilum.h"
#include "tests/partitioner/random_cells.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;

// Host calls, copies and reshapes, in the order of the plan.
void run(const Plan& plan) {
  const auto for_each = [](int rank, const Extents& lo, const Extents& hi, auto visit) {
    Extents point = lo;
    while (true) {
      visit(point);
      int axis = rank - 1;
      for (; axis >= 0; --axis) {
        const auto a = static_cast<std::size_t>(axis);
        if (++point[a] < hi[a]) break;
        point[a] = lo[a];
      }
      if (axis < 0) return;
    }
  };
  const auto at = [](const Strided& box, const Extents& point) {
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < kMaxAxes; ++a) offset += point[a] * box.pitch[a];
    return box.data + offset;
  };
  for (const Instruction& instruction : plan.instructions) {
    if (const auto* call = std::get_if<HostCall>(&instruction.what)) call->run();
    if (const auto* copy = std::get_if<Copy>(&instruction.what))
      for_each(copy->rank, {}, copy->extent,
               [&](const Extents& x) { std::memcpy(at(copy->to, x), at(copy->from, x), copy->itemsize); });
    if (const auto* reshape = std::get_if<Reshape>(&instruction.what)) {
      std::vector<Extents> cells;  // of the source, row-major
      for_each(reshape->from_rank, {}, reshape->from_extent, [&](const Extents& x) { cells.push_back(x); });
      std::size_t number = 0;
      for_each(reshape->to_rank, {}, reshape->to_extent, [&](const Extents& x) {
        const Extents& from = cells.at(number++);
        for (int a = 0; a < reshape->to_rank; ++a) {
          const auto axis = static_cast<std::size_t>(a);
          if (x[axis] < reshape->lo[axis] || x[axis] >= reshape->hi[axis]) return;
        }
        std::memcpy(at(reshape->to, x), at(reshape->from, from), reshape->itemsize);
      });
    }
  }
}

// Of a store's tile on this rank's processors: the first cell that is not what `expected` says of its row-major number.
template <class T, class Expected>
std::string find_wrong(const np::Array& array, Expected expected) {
  const Store& store = PlannedRank::store_of(array);
  for (const ProcessorStore& local : store.state->local) {
    const Rect& tile = local.tile;
    if (tile.empty()) continue;
    const Instance& instance = *local.instances.at(0);
    std::array<std::int64_t, kMaxAxes> x = tile.lo;
    for (std::int64_t count = tile.cells(); count > 0; --count) {
      std::int64_t number = 0;
      for (int a = 0; a < tile.rank; ++a) number = number * store.shape[a] + x[static_cast<std::size_t>(a)];
      T value;
      std::memcpy(&value, instance.address(x), sizeof value);
      if (!(value == expected(number))) return "cell " + std::to_string(number) + " is " + std::to_string(value);
      for (int a = tile.rank - 1; a >= 0; --a) {
        const auto axis = static_cast<std::size_t>(a);
        if (++x[axis] < tile.hi[axis]) break;
        x[axis] = tile.lo[axis];
      }
    }
  }
  return "";
}

// An import of 0, 1, 2, … into a view.
template <class T>
Operation import_into(const View& view) {
  auto data = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(view.shape.elements()) * sizeof(T));
  for (std::int64_t i = 0; i < view.shape.elements(); ++i) {
    const T value = static_cast<T>(i);
    std::memcpy(data->data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return {"array", {}, Import{view, data}};
}

struct Shape3 {
  const char* name;
  PlannedMachine machine;
};
void PrintTo(const Shape3& shape, std::ostream* out) {
  *out << shape.name;
}
class OpaqueOn : public testing::TestWithParam<Shape3> {
 protected:
  // The program's plans are run on every rank; check(planned) looks at what is there.
  template <class Program, class Check>
  void on_ranks(Program program, Check check) {
    PlannedMachine machine = GetParam().machine;
    machine.real = true;
    for (int rank = 0; rank < machine.ranks; ++rank) {
      SCOPED_TRACE(testing::Message() << "rank " << rank);
      PlannedRank planned(machine, rank);
      const auto arrays = program(planned);
      const Plan plan = planned.plan();
      EXPECT_EQ(find_conflicts(plan).races, std::vector<std::string>());
      run(plan);
      check(arrays, plan);
    }
  }
};

TEST_P(OpaqueOn, AnImportsCellsLieInRowMajorOrder) {
  for (const Shape& shape : {Shape({60}), Shape({12, 7}), Shape({5, 4, 3})}) {
    on_ranks(
        [&](PlannedRank& planned) {
          np::Array x = np::empty(shape, DType::Float64), k = np::empty(shape, DType::Int32);
          planned.recorder.operations.clear();
          planned.recorder.record(import_into<double>(whole(StoreRef(&PlannedRank::store_of(x)))));
          planned.recorder.record(import_into<std::int32_t>(whole(StoreRef(&PlannedRank::store_of(k)))));
          return std::vector{x, k};
        },
        [](const auto& arrays, const Plan& plan) {
          EXPECT_EQ(find_wrong<double>(arrays[0], [](std::int64_t i) { return static_cast<double>(i); }), "");
          EXPECT_EQ(find_wrong<std::int32_t>(arrays[1], [](std::int64_t i) { return static_cast<std::int32_t>(i); }),
                    "");
          EXPECT_EQ(plan.count<Send>() + plan.count<Receive>(), 0u);  // all ranks have the data
        });
  }
}

// Between the cells of a view with steps, what was there stays.
TEST_P(OpaqueOn, AnImportIntoEveryThirdCellLeavesTheOthers) {
  on_ranks(
      [&](PlannedRank& planned) {
        np::Array x = np::empty({60});
        const StoreRef store(&PlannedRank::store_of(x));
        planned.recorder.operations.clear();
        planned.recorder.record(import_into<double>(whole(store)));
        run(planned.plan());
        View every_third = whole(store);
        every_third.map[0].scale = 3;
        every_third.map[0].offset = 1;
        every_third.shape = Shape({20});
        planned.recorder.record(import_into<double>(every_third));
        return std::vector{x};
      },
      [](const auto& arrays, const Plan&) {
        const auto expected = [](std::int64_t i) {
          const std::int64_t value = i % 3 == 1 ? i / 3 : i;
          return static_cast<double>(value);
        };
        EXPECT_EQ(find_wrong<double>(arrays[0], expected), "");
      });
}

TEST_P(OpaqueOn, AReshapeKeepsTheRowMajorOrder) {
  struct Reshaping {
    Shape from, to;
  };
  for (const auto& [from, to] : {Reshaping{{60}, {12, 5}}, Reshaping{{6, 10}, {60}}, Reshaping{{8, 9}, {6, 12}},
                                 Reshaping{{4, 3, 10}, {10, 12}}}) {
    if (GetParam().machine.ranks > 1) continue;  // what others have is not here
    on_ranks(
        [&](PlannedRank& planned) {
          np::Array x = np::empty(from);
          planned.recorder.operations.clear();
          planned.recorder.record(import_into<double>(whole(StoreRef(&PlannedRank::store_of(x)))));
          run(planned.plan());
          np::Array y = x(slice({}, {}, -1)).reshape(to);
          return std::vector{x, y};
        },
        [&](const auto& arrays, const Plan& plan) {
          EXPECT_GT(plan.count<Reshape>(), 0u);
          const std::int64_t row = from.elements() / from[0];  // cells of the outermost axis, which runs backwards
          const auto expected = [&](std::int64_t i) {
            const std::int64_t value = (from[0] - 1 - i / row) * row + i % row;
            return static_cast<double>(value);
          };
          EXPECT_EQ(find_wrong<double>(arrays[1], expected), "");
        });
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, OpaqueOn,
                         testing::Values(Shape3{"One", {}}, Shape3{"ThreeProcessors", {.processors = 3}},
                                         Shape3{"ThreeRanks", {.ranks = 3}}, Shape3{"AGpu", {.gpus = true}},
                                         Shape3{"TwoRanksOfTwoGpus", {.ranks = 2, .processors = 2, .gpus = true}}),
                         [](const auto& one) { return std::string(one.param.name); });

// Counted cell by cell: those of its tile of y whose cell of x lies elsewhere.
TEST(Opaque, AReshapeBringsToAProcessorTheCellsThatItWritesAlone) {
  struct Reshaping {
    int ranks;
    Shape from, to;
  };
  for (const auto& [ranks, from, to] :
       {Reshaping{2, {60}, {5, 12}}, Reshaping{5, {60}, {5, 12}}, Reshaping{3, {8, 9}, {6, 12}},
        Reshaping{4, {4, 3, 10}, {120}}, Reshaping{7, {120}, {4, 3, 10}}}) {
    std::int64_t lacking = 0, bytes = 0;
    const std::vector<Plan> plans = on_all_ranks({.ranks = ranks}, [&](PlannedRank& planned) {
      np::Array x = np::ones(from);
      (void)planned.plan();
      const np::Array y = x.reshape(to);
      Plan plan = planned.plan();
      const Rect has = PlannedRank::state_of(x).local[0].tile, wants = PlannedRank::state_of(y).local[0].tile;
      EXPECT_LT(wants.cells(), to.elements());
      partitioner::for_each_cell(wants, [&](const partitioner::Cell& cell) {
        std::int64_t number = 0;
        for (int axis = 0; axis < to.rank(); ++axis) number = number * to[axis] + cell[static_cast<std::size_t>(axis)];
        partitioner::Cell there{};
        for (int axis = from.rank() - 1; axis >= 0; --axis) {
          there[static_cast<std::size_t>(axis)] = number % from[axis];
          number /= from[axis];
        }
        lacking += !partitioner::is_inside(has, there);
      });
      return plan;
    });
    EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
    for (const Plan& plan : plans)
      for (const Send* send : plan.all<Send>()) bytes += static_cast<std::int64_t>(send->bytes);
    EXPECT_EQ(bytes, 8 * lacking) << to_string(from) << " to " << to_string(to) << " on " << ranks;
    if (ranks == 5) {
      EXPECT_EQ(bytes, 0);  // a row of y is what a rank has of x
    }
  }
}

TEST(Opaque, OnAGpuAnImportGoesThroughMemoryOfTheHostThatIsFreedAgain) {
  PlannedRank planned({.gpus = true});
  np::Array x = np::array(std::vector<double>(60, 1.0));
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<HostCall>(), 1u);
  ASSERT_EQ(plan.count<Copy>(), 1u);
  EXPECT_EQ(plan.all<Copy>()[0]->bytes(), 480);
  EXPECT_EQ(planned.rank().staging->in_use(), 0u);
  std::size_t call = 0, copy = 0;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    if (std::holds_alternative<HostCall>(plan.instructions[i].what)) call = i;
    if (std::holds_alternative<Copy>(plan.instructions[i].what)) copy = i;
  }
  EXPECT_TRUE(Order(befores_of(plan.instructions, plan.first)).is_after(copy, call));
}

}  // namespace
}  // namespace pilum::scheduler
