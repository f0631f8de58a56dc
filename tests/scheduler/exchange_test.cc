// Which cells travel between which processors, and what both sides know of it afterwards.
#include "scheduler/plan/exchange.h"

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
using Bytes = std::map<std::pair<int, int>, std::int64_t>;  // by the ranks that they go from and to

Bytes bytes_sent(const std::vector<Plan>& plans) {
  Bytes bytes;
  for (int rank = 0; rank < static_cast<int>(plans.size()); ++rank)
    for (const Send* send : plans[static_cast<std::size_t>(rank)].all<Send>())
      bytes[{rank, send->to}] += static_cast<std::int64_t>(send->bytes);
  return bytes;
}

// Two arrays of 60 cells that are cut alike, into runs of as many cells.
struct Pair {
  explicit Pair(PlannedRank& planned, std::int64_t cells = 60) : x(np::ones({cells})), y(np::zeros({cells})) {
    y += x;
    (void)planned.plan();
  }
  np::Array x, y;
};

// Plans of all ranks for what is done with both, the second time, when there is room for it, and x has other values.
using Use = std::function<void(const np::Array& x, np::Array& y)>;
std::vector<Plan> plans_of_use(const PlannedMachine& machine, const Use& use) {
  return on_all_ranks(machine, [&](PlannedRank& planned) {
    Pair pair(planned);
    use(pair.x, pair.y);
    (void)planned.plan();
    pair.x += 1.0;
    (void)planned.plan();
    use(pair.x, pair.y);
    return planned.plan();
  });
}

TEST(Exchange, ReadingWhereTheCellsAreMovesNothing) {
  for (const PlannedMachine& machine :
       {PlannedMachine{.ranks = 3}, PlannedMachine{.ranks = 2, .processors = 3}, PlannedMachine{.ranks = 5}}) {
    for (const Plan& plan : plans_of_use(machine, [](const np::Array& x, np::Array& y) { y(all) = 2.0 * x; }))
      EXPECT_EQ(plan.count<Send>() + plan.count<Receive>() + plan.count<Copy>(), 0u);
  }
}

// An array of 60 cells, of which each of so many processors owns a run: who sends how much for a view of it.
struct Shift {
  const char* name;
  PlannedMachine machine;
  Use use;
  Bytes bytes;
};
void PrintTo(const Shift& shift, std::ostream* out) {
  *out << shift.name;
}
class ShiftedReads : public testing::TestWithParam<Shift> {};

TEST_P(ShiftedReads, SendWhatCrossesAndNothingElse) {
  const std::vector<Plan> plans = plans_of_use(GetParam().machine, GetParam().use);
  EXPECT_EQ(bytes_sent(plans), GetParam().bytes);
  EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
  for (const Plan& plan : plans) EXPECT_EQ(find_conflicts(plan).races, std::vector<std::string>());
}

Use from_left(std::int64_t by) {
  return [by](const np::Array& x, np::Array& y) { y(slice(by, {})) = x(slice(0, -by)); };
}
void three_points(const np::Array& x, np::Array& y) {
  y(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
}
void reversed(const np::Array& x, np::Array& y) {
  y(all) = x(slice({}, {}, -1));
}

INSTANTIATE_TEST_SUITE_P(
    Views, ShiftedReads,
    testing::Values(
        Shift{"ByOne", {.ranks = 3}, from_left(1), {{{0, 1}, 8}, {{1, 2}, 8}}},
        Shift{"ByATileAndAHalf",  // 20 cells each
              {.ranks = 3},
              from_left(30),
              {{{0, 1}, 80}, {{0, 2}, 80}, {{1, 2}, 80}}},
        Shift{"ByOneOfTwoProcessorsEach",  // between processors of a rank it is a copy
              {.ranks = 2, .processors = 2},
              from_left(1),
              {{{0, 1}, 8}}},
        Shift{"ThreePoints", {.ranks = 3}, three_points, {{{0, 1}, 8}, {{1, 0}, 8}, {{1, 2}, 8}, {{2, 1}, 8}}},
        Shift{"Reversed", {.ranks = 3}, reversed, {{{0, 2}, 160}, {{2, 0}, 160}}},
        Shift{"ReversedOnFive", {.ranks = 5}, reversed, {{{0, 4}, 96}, {{1, 3}, 96}, {{3, 1}, 96}, {{4, 0}, 96}}},
        Shift{"OnGpus", {.ranks = 3, .gpus = true}, three_points, {{{0, 1}, 8}, {{1, 0}, 8}, {{1, 2}, 8}, {{2, 1}, 8}}},
        Shift{"OnGpusThatShare", {.ranks = 3, .gpus = true, .share = true}, reversed, {{{0, 2}, 160}, {{2, 0}, 160}}}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Exchange, ATransposeSendsEachPairItsBlock) {
  const std::vector<Plan> plans = on_all_ranks({.ranks = 3}, [](PlannedRank& planned) {
    np::Array a = np::ones({30, 6}), b = np::zeros({30, 6});
    a(all, 0) = 2.0;
    b(all, 0) = 2.0;
    (void)planned.plan();
    b(slice(0, 6), all) = a(slice(0, 6), all).T();
    b(slice(24, 30), all) = a(slice(0, 6), all).T();
    return planned.plan();
  });
  EXPECT_EQ(bytes_sent(plans), (Bytes{{{0, 2}, 6 * 6 * 8}}));
  EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
}

TEST(Exchange, HalosAreKeptUntilTheirOwnerWritesThem) {
  const auto windows = on_all_ranks({.ranks = 3}, [](PlannedRank& planned) {
    auto [x, y] = Pair(planned);
    std::vector<Plan> plans(1);
    const auto add = [&] { plans.push_back(planned.plan()); };
    const auto read = [&x, &y] { three_points(x, y); };
    read(), add();
    read(), add();          // nothing new
    x(slice(0, 20)) = 3.0;  // all of rank 0's
    add();
    read(), add();          // its last cell again
    x(slice(5, 15)) = 4.0;  // cells that nobody else has
    read(), add();
    return plans;
  });
  const auto total = [&](std::size_t window) {
    Bytes all;
    std::vector<Plan> plans;
    for (const auto& rank : windows) plans.push_back(rank[window]);
    EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
    return bytes_sent(plans);
  };
  EXPECT_EQ(total(1), (Bytes{{{0, 1}, 8}, {{1, 0}, 8}, {{1, 2}, 8}, {{2, 1}, 8}}));
  EXPECT_EQ(total(2), Bytes{});
  EXPECT_EQ(total(3), Bytes{});
  EXPECT_EQ(total(4), (Bytes{{{0, 1}, 8}}));
  EXPECT_EQ(total(5), Bytes{});
}

// Of the read that makes room for its halo, on the way.
TEST(Exchange, AReceiversMemoryIsThereBeforeTheFirstMessage) {
  const std::vector<Plan> plans = on_all_ranks({.ranks = 3}, [](PlannedRank& planned) {
    Pair pair(planned);
    three_points(pair.x, pair.y);
    return planned.plan();
  });
  for (const Plan& plan : plans) {
    std::size_t allocated = 0;
    for (const Instruction& instruction : plan.instructions) {
      if (std::holds_alternative<Send>(instruction.what) || std::holds_alternative<Receive>(instruction.what)) break;
      allocated += std::holds_alternative<Allocate>(instruction.what);
    }
    EXPECT_EQ(allocated, plan.count<Allocate>());
    EXPECT_EQ(allocated, 1u);
  }
}

TEST(Exchange, GpusThatDoNotReachEachOtherGoThroughTheHost) {
  for (const bool peers : {true, false}) {
    const std::vector<Plan> plans = plans_of_use({.processors = 2, .gpus = true, .peers = peers}, from_left(7));
    std::vector<std::pair<int, std::int64_t>> copies;  // by whom
    for (const Instruction& instruction : plans[0].instructions)
      if (const auto* copy = std::get_if<Copy>(&instruction.what))
        copies.emplace_back(instruction.processor, copy->bytes());
    if (peers) {
      EXPECT_EQ(copies, (std::vector<std::pair<int, std::int64_t>>{{1, 56}}));
    } else {
      EXPECT_EQ(copies, (std::vector<std::pair<int, std::int64_t>>{{0, 56}, {1, 56}}));
    }
    EXPECT_EQ(find_conflicts(plans[0]).races, std::vector<std::string>());
  }
}

// A replicated result: everybody gets all of x, down a tree from each owner.
TEST(Exchange, WhatEverybodyWantsGoesDownTreesAndStaysKnown) {
  for (const int ranks : {1, 2, 3, 5, 64}) {
    const auto windows = on_all_ranks({.ranks = ranks}, [](PlannedRank& planned) {
      np::Array x = np::ones({640});
      (void)planned.plan();
      std::vector<Plan> plans;
      const auto gather = [&] {
        np::Array copy = np::empty({640});
        PlannedRank::store_of(copy).replicate = true;
        copy(all) = x;
        plans.push_back(planned.plan());
      };
      gather();
      if (planned.machine().ranks > 1) {
        EXPECT_EQ(PlannedRank::state_of(x).everywhere, Region(Rect::of({0}, {640})));
      }
      gather();
      x(slice(0, 3)) = 2.0;
      gather();
      return plans;
    });
    for (std::size_t window = 0; window < 3; ++window) {
      std::vector<Plan> plans;
      std::size_t messages = 0;
      std::int64_t bytes = 0;
      for (const auto& rank : windows) {
        plans.push_back(rank[window]);
        messages += rank[window].count<Send>();
        // At most one for each owner comes, and a logarithm of the ranks goes for each.
        EXPECT_LE(rank[window].count<Receive>(), static_cast<std::size_t>(ranks));
        for (const Send* send : rank[window].all<Send>()) bytes += static_cast<std::int64_t>(send->bytes);
      }
      EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
      const std::int64_t cells = std::array{640, 0, 3}[window];
      EXPECT_EQ(bytes, cells * 8 * (ranks - 1)) << ranks << " ranks, window " << window;
      const std::size_t owners = window == 0 ? static_cast<std::size_t>(ranks) : window == 2 ? 1 : 0;
      EXPECT_EQ(messages, owners * static_cast<std::size_t>(ranks - 1));
    }
  }
}

TEST(Exchange, OneOf4096RanksTalksToItsNeighboursAlone) {
  PlannedRank planned({.ranks = 4096}, 2048);
  auto [x, y] = Pair(planned, 4096 * 10);
  three_points(x, y);
  const Plan plan = planned.plan();
  std::vector<int> peers;
  for (const Send* send : plan.all<Send>()) peers.push_back(send->to);
  EXPECT_EQ(peers, (std::vector<int>{2047, 2049}));
  EXPECT_EQ(PlannedRank::local(x).peers.size(), 2u);
  EXPECT_EQ(PlannedRank::local(x).held.cells(), 2);
}

// A naive model of what processors have of arrays, cell by cell.
class CellModel {
 public:
  using Tilings = std::unordered_map<StoreId, Tiling>;
  CellModel(const PlannedMachine& machine, const Tilings& tilings)
      : ranks_(machine.ranks), processors_(machine.processors), tilings_(tilings) {}
  // What a task reads and writes, as cells. The plans' bytes by pair of ranks come to `bytes`.
  void run(const Task& task, Bytes& bytes) {
    const int count = ranks_ * processors_;
    for (const TaskRead& read : task.reads) {
      Held& held = held_of(*read.store);
      for (int receiver = 0; receiver < count; ++receiver) {
        const Rect piece = task.distribution.tile(receiver);
        std::set<Cell> need;
        for_each_point(piece, [&](const Point& point) {
          for (const Point& offset : read.offsets) need.insert(cell_of(read.map, point, offset));
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
      Held& held = held_of(*write.store);
      for_each_point(task.domain, [&](const Point& point) {
        for (auto& has : held.has) has.erase(cell_of(write.map, point, Point{write.map.store_rank}));
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
    for (int i = 0; i < 3; ++i) arrays_.push_back(np::full(shape, double(i)));
  }
  void step() {
    np::Array &to = arrays_[pick(3)], &from = arrays_[pick(3)];
    const std::int64_t by = 1 + pick(4), rows = from.shape()[0];
    const slice low(0, -2 * by), middle(by, -by), high(2 * by, {});
    switch (pick(flat_ ? 4 : 6)) {
      case 0: to(middle, np::ellipsis) = 0.5 * from(low, np::ellipsis) + from(high, np::ellipsis); return;
      case 1: to(slice(by, {}), np::ellipsis) = 1.0 + from(slice(0, -by), np::ellipsis); return;
      case 2: to(all, np::ellipsis) = 2.0 * from(slice({}, {}, -1), np::ellipsis); return;
      case 3: to(slice(pick(int(rows) / 2), rows - pick(int(rows) / 2)), np::ellipsis) = 3.0; return;
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
    std::vector<Bytes> expected(kWindows);
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
      EXPECT_EQ(bytes_sent(plans), expected[window]) << "window " << window;
      EXPECT_EQ(find_unmatched(plans), std::vector<std::string>());
      for (const auto& [pair, bytes] : expected[window]) sum += bytes;
    }
    if (HasFailure()) return;
  }
  EXPECT_EQ(sum > 0, GetParam().ranks > 1);
}

// Owners know of each other processor what it has of their cells, as that one does.
TEST_P(RandomExchanges, LeaveBothSidesWithTheSameBooks) {
  for (const std::uint64_t seed : random_seeds(4)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    using Known = std::map<std::array<std::int64_t, 3>, std::string>;  // store, owner, peer
    Known given, taken;
    std::size_t entries = 0;
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
          EXPECT_TRUE((local.held & local.tile).empty());
          for (int owner = 0; owner < planned.machine().processors(); ++owner) {
            const Region cells = local.held & state->tiling.tile(owner);
            if (!cells.empty()) taken[{state->store->id.value, owner, here}] = to_string(cells);
          }
          Region valid;
          for (const auto& instance : local.instances) valid += instance->valid;
          EXPECT_TRUE(valid.contains(local.held)) << "it has what it is known to have";
          EXPECT_TRUE(valid.contains(local.tile));
        }
      }
      return 0;
    });
    EXPECT_EQ(given, taken);
    EXPECT_EQ(entries > 0, GetParam().ranks * GetParam().processors > 1);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomExchanges,
                         testing::Values(Shape2{1, 1, false}, Shape2{2, 1, false}, Shape2{3, 1, false},
                                         Shape2{5, 1, false}, Shape2{2, 2, false}, Shape2{1, 4, false},
                                         Shape2{2, 2, true}, Shape2{3, 1, true}));

}  // namespace
}  // namespace pilum::scheduler
