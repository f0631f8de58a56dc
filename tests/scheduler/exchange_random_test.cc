// Messages of random stencils, beside a naive model of each cell.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// A naive model of what processors have of arrays, cell by cell.
class CellModel {
 public:
  using Tilings = std::unordered_map<StoreId, Tiling>;
  CellModel(const PlannedMachine& machine, const Tilings& tilings)
      : ranks_(machine.ranks), processors_(machine.processors), tilings_(tilings) {}
  // What a task reads and writes, as cells. The plans' bytes by pair of ranks come to `bytes`.
  void run(const Task& task, BytesByRanks& bytes) {
    const int count = ranks_ * processors_;
    for (const Argument& read : task.reads) {
      Held& held = held_of(*read.store());
      for (int receiver = 0; receiver < count; ++receiver) {
        const Rect piece = task.distribution.tile(receiver);
        std::set<Cell> need;
        for_each_point(piece, [&](const Point& point) {
          for (const Point& offset : read.footprint.offsets()->at) need.insert(cell_of(read.map(), point, offset));
        });
        for (const Cell& cell : need) {
          const int owner = held.owner.at(cell);
          if (owner == receiver || !held.has[static_cast<std::size_t>(receiver)].insert(cell).second) continue;
          const int from = owner / processors_, to = receiver / processors_;
          if (from != to) bytes[{from, to}] += 8;
        }
      }
    }
    for (const TaskWrite& write : task.writes) {
      if (!write.kept) continue;
      Held& held = held_of(*write.store());
      for_each_point(task.domain, [&](const Point& point) {
        for (auto& has : held.has) has.erase(cell_of(write.map(), point, Point{write.map().store_rank}));
      });
    }
  }

 private:
  using Cell = std::array<std::int64_t, 2>;
  struct Held {
    std::map<Cell, int> owner;
    std::vector<std::set<Cell>> has;  // by processor: of others' cells
  };
  template <class Visit>
  static void for_each_point(const Rect& box, Visit visit) {
    if (box.empty()) return;
    for (std::int64_t i = box.lo[0]; i < box.hi[0]; ++i) {
      for (std::int64_t k = box.lo[1]; k < std::max<std::int64_t>(box.hi[1], 1); ++k) {
        Point point{box.rank};
        point.x[0] = i;
        point.x[1] = k;
        visit(point);
      }
    }
  }
  static Cell cell_of(const AffineMap& map, const Point& point, const Point& offset) {
    Cell cell{};
    for (int k = 0; k < map.store_rank; ++k) {
      const partitioner::AxisMap& axis = map[k];
      cell[static_cast<std::size_t>(k)] = axis.offset + offset[k] + (axis.axis < 0 ? 0 : axis.scale * point[axis.axis]);
    }
    return cell;
  }
  Held& held_of(const Store& store) {
    const auto [place, fresh] = held_.try_emplace(store.id.value);
    if (!fresh) return place->second;
    place->second.has.resize(static_cast<std::size_t>(ranks_ * processors_));
    for (int p = 0; p < ranks_ * processors_; ++p) {
      for_each_point(tilings_.at(store.id).tile(p),
                     [&](const Point& point) { place->second.owner[{point.x[0], point.x[1]}] = p; });
    }
    return place->second;
  }
  int ranks_, processors_;
  const Tilings& tilings_;
  std::map<std::int64_t, Held> held_;
};

// Stencils, shifts, flips and fills of arrays of one shape, all of them cut.
class RandomStencils {
 public:
  explicit RandomStencils(std::uint64_t seed) : random_(seed), flat_(pick(2) == 0) {
    const Shape shape = flat_ ? Shape({40 + pick(30)}) : Shape({12 + pick(9), 8 + pick(9)});
    for (int i = 0; i < 3; ++i) arrays_.push_back(np::full(shape, static_cast<double>(i)));
  }
  void step() {
    np::Array &to = arrays_[pick(3)], &from = arrays_[pick(3)];
    const std::int64_t by = 1 + pick(4), rows = from.shape()[0];
    const slice low(0, -2 * by), middle(by, -by), high(2 * by, {});
    switch (pick(flat_ ? 4 : 6)) {
      case 0: to(middle, np::ellipsis) = 0.5 * from(low, np::ellipsis) + from(high, np::ellipsis); return;
      case 1: to(slice(by, {}), np::ellipsis) = 1.0 + from(slice(0, -by), np::ellipsis); return;
      case 2: to(all, np::ellipsis) = 2.0 * from(slice({}, {}, -1), np::ellipsis); return;
      case 3: {
        const int begin = pick(static_cast<int>(rows) / 2), left_out = pick(static_cast<int>(rows) / 2);
        to(slice(begin, rows - left_out), np::ellipsis) = 3.0;
        return;
      }
      case 4: to(all, slice(1, -1)) = from(all, slice(2, {})) - from(all, slice(0, -2)); return;
      default: to(slice(1, -1), slice(1, -1)) = from(slice(2, {}), slice(2, {})) + from(slice(0, -2), slice(0, -2));
    }
  }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::mt19937_64 random_;
  bool flat_;
  std::vector<np::Array> arrays_;
};

struct Shape2 {
  int ranks, processors;
  bool gpus;
};
void PrintTo(const Shape2& shape, std::ostream* out) {
  *out << shape.ranks << " ranks of " << shape.processors << (shape.gpus ? " GPUs" : "");
}
class RandomExchanges : public testing::TestWithParam<Shape2> {
 protected:
  PlannedMachine machine() const {
    return {.ranks = GetParam().ranks, .processors = GetParam().processors, .gpus = GetParam().gpus};
  }
};

TEST_P(RandomExchanges, SendTheCellsThatAModelOfEachCellMisses) {
  std::int64_t sum = 0;
  for (const std::uint64_t seed : random_seeds(4)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    constexpr int kWindows = 5;
    std::vector<BytesByRanks> expected(kWindows);
    const auto windows = on_all_ranks(machine(), [&](PlannedRank& planned) {
      RandomStencils program(seed);
      CellModel model(machine(), planned.tilings);
      std::vector<Plan> plans;
      for (std::size_t window = 0; window < kWindows; ++window) {
        for (int i = 0; i < 3; ++i) program.step();
        std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
        Plan plan = planned.begin_plan();
        const std::vector<Task> tasks = planned.plan_freshly(operations, {}, plan);
        planned.end_plan(plan);
        if (planned.rank().rank == 0)
          for (const Task& task : tasks) model.run(task, expected[window]);
        EXPECT_EQ(find_conflicts(plan).races, std::vector<std::string>());
        plans.push_back(std::move(plan));
      }
      return plans;
    });
    for (std::size_t window = 0; window < kWindows; ++window) {
      std::vector<Plan> plans;
      for (const auto& rank : windows) plans.push_back(rank[window]);
      EXPECT_EQ(bytes_by_ranks(plans), expected[window]) << "window " << window;
      EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
      for (const auto& [pair, bytes] : expected[window]) sum += bytes;
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(sum > 0, GetParam().ranks > 1);
}

// Owners know of each other processor what it has of their cells, as that one does.
TEST_P(RandomExchanges, LeaveBothSidesWithTheSameBooks) {
  std::size_t entries = 0;
  for (const std::uint64_t seed : random_seeds(4)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    using Known = std::map<std::array<std::int64_t, 3>, std::string>;  // store, owner, peer
    Known given, taken;
    (void)on_all_ranks(machine(), [&](PlannedRank& planned) {
      RandomStencils program(seed);
      for (int i = 0; i < 9; ++i) program.step();
      const Plan plan = planned.plan();
      const int first = planned.rank().first_processor();
      for (const auto& state : planned.planner().states()) {
        for (std::size_t p = 0; p < state->local.size(); ++p) {
          const int here = first + static_cast<int>(p);
          const ProcessorStore& local = state->local[p];
          for (const auto& [peer, region] : local.peers) {
            given[{state->store->id.value, here, peer}] = to_string(region);
            EXPECT_TRUE(Region(local.tile).contains(region));
            ++entries;
          }
          EXPECT_TRUE((local.ghosts & local.tile).empty());
          for (int owner = 0; owner < planned.machine().processors(); ++owner) {
            const Region cells = local.ghosts & state->tiling.tile(owner);
            if (!cells.empty()) taken[{state->store->id.value, owner, here}] = to_string(cells);
          }
          Region valid;
          for (const auto& instance : local.instances) valid += instance->valid;
          EXPECT_TRUE(valid.contains(local.ghosts)) << "it has what it is known to have";
          EXPECT_TRUE(valid.contains(local.tile));
        }
      }
      return 0;
    });
    EXPECT_EQ(given, taken);
    if (HasFailure()) return;
  }
  EXPECT_EQ(entries > 0, GetParam().ranks * GetParam().processors > 1);
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomExchanges,
                         testing::Values(Shape2{1, 1, false}, Shape2{2, 1, false}, Shape2{3, 1, false},
                                         Shape2{5, 1, false}, Shape2{2, 2, false}, Shape2{1, 4, false},
                                         Shape2{2, 2, true}, Shape2{3, 1, true}));

}  // namespace
}  // namespace pilum::scheduler
