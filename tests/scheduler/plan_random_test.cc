// Plans of random programs: what ranks send is what their peers await, and no two instructions race.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "tests/scheduler/plans.h"
#include "tests/scheduler/random_program.h"

namespace pilum::scheduler {
namespace {

struct Machine {
  int ranks, processors;
};
std::ostream& operator<<(std::ostream& out, const Machine& machine) {
  return out << machine.ranks << " ranks of " << machine.processors;
}

class RandomPlans : public testing::TestWithParam<Machine> {
 protected:
  fakes::SimulatedRanks machine(std::uint64_t seed) const {
    fakes::SimulatedRanks machine = machine_of(GetParam().ranks, GetParam().processors);
    machine.window = seed % 3 == 0 ? 7 : 0;
    return machine;
  }
};

// PILUM_RANDOM_PROGRAMS=200 for a longer search.
unsigned programs() {
  const char* wanted = std::getenv("PILUM_RANDOM_PROGRAMS");
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : 30;
}

struct Message {
  comm::Tag tag;
  std::size_t bytes;
  StoreId store;
  bool operator==(const Message&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Message& message) {
  return out << message.bytes << " bytes of s" << message.store.value << " as " << message.tag.window << "."
             << message.tag.message;
}

TEST_P(RandomPlans, WhatOneRankSendsTheOtherAwaitsInTheSameOrder) {
  const int ranks = GetParam().ranks;
  std::size_t messages = 0;
  for (std::uint64_t seed = 1; seed <= (ranks > 7 ? programs() / 5 : programs()); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::map<std::pair<int, int>, std::vector<Message>> sent, awaited;
    for (int rank = 0; rank < ranks; ++rank) {
      fakes::PlanningSession session(machine(seed), rank);
      RandomProgram(seed).run(30);
      const Plan plan = session.take_plan();
      for (const Send* send : plan.all<Send>()) {
        EXPECT_NE(send->to, rank);
        EXPECT_GT(send->bytes, 0u);
        sent[{rank, send->to}].push_back({send->tag, send->bytes, send->store});
      }
      for (const Receive* receive : plan.all<Receive>())
        awaited[{receive->from, rank}].push_back({receive->tag, receive->bytes, receive->store});
    }
    for (const auto& [pair, list] : sent) {
      ASSERT_EQ(list, awaited[pair]) << "from rank " << pair.first << " to rank " << pair.second;
      messages += list.size();
    }
    for (const auto& [pair, list] : awaited) ASSERT_EQ(list.size(), sent[pair].size());
  }
  EXPECT_EQ(messages > 0, ranks > 1);
}

TEST(SparseViews, AStepWiderThanATileIsSentByAllWhoseCellsLieInTheFootprint) {
  // Tiles of 50 cells, a step of 128: between two cells that a rank reads, there may lie a whole tile.
  constexpr int ranks = 64;
  std::map<std::pair<int, int>, std::size_t> sent, awaited;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<Plan> plans = plans_of(machine_of(ranks), rank, [&](const Cut& cut) {
      numeric::Array x = numeric::zeros(50 * ranks), y = numeric::zeros(50 * ranks);
      x += 1.0;
      y(numeric::slice(64, {}, 128)) = x(numeric::slice({}, {}, 128)) + y(numeric::slice(64, {}, 128));
      cut();
    });
    for (const Send* send : plans[0].all<Send>()) sent[{rank, send->to}] += send->bytes;
    for (const Receive* receive : plans[0].all<Receive>()) awaited[{receive->from, rank}] += receive->bytes;
  }
  EXPECT_EQ(sent, awaited);
  EXPECT_FALSE(sent.empty());
}

// Runs the plans of all ranks as far as they go, where a send ends only when its receive has begun (as large messages
// do). Answers with how many instructions never ran.
std::size_t run_together(const std::vector<Plan>& plans) {
  struct Node {
    int rank;
    std::size_t index;
  };
  struct State {
    std::size_t waits = 0;
    std::vector<std::size_t> then;
  };
  std::vector<std::vector<State>> states;
  std::vector<Node> ready;
  std::size_t left = 0;
  for (int rank = 0; rank < static_cast<int>(plans.size()); ++rank) {
    const Plan& plan = plans[static_cast<std::size_t>(rank)];
    std::vector<State>& nodes = states.emplace_back(plan.instructions.size());
    left += nodes.size();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].waits = plan.instructions[i].after.size();
      for (const InstructionId before : plan.instructions[i].after)
        nodes[static_cast<std::size_t>(before.value - plan.first.value)].then.push_back(i);
      if (nodes[i].waits == 0) ready.push_back({rank, i});
    }
  }
  std::map<std::array<std::int64_t, 4>, Node> begun;  // from, to, window, message: the side that is there
  const auto finish = [&](const Node& node) {
    --left;
    std::vector<State>& nodes = states[static_cast<std::size_t>(node.rank)];
    for (const std::size_t next : nodes[node.index].then) {
      if (--nodes[next].waits == 0) ready.push_back({node.rank, next});
    }
  };
  while (!ready.empty()) {
    const Node node = ready.back();
    ready.pop_back();
    const auto& what = plans[static_cast<std::size_t>(node.rank)].instructions[node.index].what;
    const auto* send = std::get_if<Send>(&what);
    const auto* receive = std::get_if<Receive>(&what);
    if (!send && !receive) {
      finish(node);
      continue;
    }
    const comm::Tag tag = send ? send->tag : receive->tag;
    const auto [found, first] =
        begun.emplace(std::array<std::int64_t, 4>{send ? node.rank : receive->from, send ? send->to : node.rank,
                                                  tag.window, tag.message},
                      node);
    if (first) continue;
    finish(found->second);
    finish(node);
  }
  return left;
}

TEST_P(RandomPlans, NoRanksWaitForEachOther) {
  const int ranks = GetParam().ranks;
  for (std::uint64_t seed = 1; seed <= (ranks > 7 ? programs() / 5 : programs()); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<Plan> plans;
    for (int rank = 0; rank < ranks; ++rank) {
      fakes::PlanningSession session(machine(seed), rank);
      RandomProgram(seed).run(30);
      plans.push_back(session.take_plan());
    }
    ASSERT_EQ(run_together(plans), 0u) << "instructions never run";
  }
}

// The bytes that an instruction reads and writes, by address.
struct Access {
  std::set<std::uintptr_t> reads, writes;
};
using Addresses = std::set<std::uintptr_t>;

void add_box(Addresses& addresses, const std::byte* data, const Extents& pitch, const Extents& extent, int rank,
             std::int64_t more = 0) {
  Extents point{};
  while (true) {
    std::int64_t offset = more;
    for (std::size_t a = 0; a < static_cast<std::size_t>(rank); ++a) offset += point[a] * pitch[a];
    addresses.insert(reinterpret_cast<std::uintptr_t>(data) + static_cast<std::uintptr_t>(offset));
    int axis = rank - 1;
    while (axis >= 0 && ++point[static_cast<std::size_t>(axis)] == extent[static_cast<std::size_t>(axis)])
      point[static_cast<std::size_t>(axis--)] = 0;
    if (axis < 0) return;
  }
}

void add_bytes(Addresses& addresses, const std::byte* data, std::size_t bytes, std::size_t itemsize) {
  for (std::size_t i = 0; i < bytes; i += itemsize) addresses.insert(reinterpret_cast<std::uintptr_t>(data) + i);
}

// All arrays here have cells of 8 bytes, but for bools; a cell is named by its first byte.
Access access_of(const Instruction& instruction) {
  Access access;
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    add_box(access.reads, copy->from.data, copy->from.pitch, copy->extent, copy->rank);
    add_box(access.writes, copy->to.data, copy->to.pitch, copy->extent, copy->rank);
  } else if (const auto* send = std::get_if<Send>(&instruction.what)) {
    add_bytes(access.reads, send->data, send->bytes, 1);
  } else if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
    add_bytes(access.writes, receive->data, receive->bytes, 1);
  } else if (const auto* fold = std::get_if<FoldParts>(&instruction.what)) {
    std::int64_t cells = 1;
    for (std::size_t a = 0; a < static_cast<std::size_t>(fold->rank); ++a) cells *= fold->extent[a];
    const std::size_t size = itemsize(fold->dtype);
    add_bytes(access.reads, fold->parts, static_cast<std::size_t>(cells * fold->part_count) * size, size);
    add_box(access.writes, fold->to.data, fold->to.pitch, fold->extent, fold->rank);
  } else if (const auto* launch = std::get_if<Launch>(&instruction.what)) {
    for (std::size_t i = 0; i < launch->arrays.size(); ++i) {
      const kernel::BoundArray& array = launch->arrays[i];
      Extents stride{};
      std::copy_n(array.stride, kMaxAxes, stride.begin());
      const auto* base = reinterpret_cast<const std::byte*>(array.base);
      if (launch->kernel()->kernel->arrays[i].access != kernel::Access::Read) {
        const std::int64_t steps = launch->chunk_step.empty() ? 0 : launch->chunk_step[i];
        EXPECT_EQ(steps, 0) << "pieces here are too small for partial results";
        add_box(access.writes, base, stride, launch->extent, launch->rank);
        continue;
      }
      for (const kernel::Node& node : launch->kernel()->kernel->nodes) {
        if (node.op != kernel::Op::Load || node.argument != static_cast<int>(i)) continue;
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < kMaxAxes; ++k) offset += node.offset[k] * array.pitch[k];
        add_box(access.reads, base, stride, launch->extent, launch->rank, offset);
      }
    }
  }
  return access;
}

bool meet(const Addresses& a, const Addresses& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (*i == *j) return true;
    if (*i < *j)
      i = a.lower_bound(*j);
    else
      j = b.lower_bound(*i);
  }
  return false;
}

TEST_P(RandomPlans, EveryTwoInstructionsThatTouchACellAreOrdered) {
  const int ranks = GetParam().ranks;
  std::size_t conflicts = 0;
  for (std::uint64_t seed = 1; seed <= std::min(12u, programs()); ++seed) {
    const int rank = static_cast<int>(seed) % ranks;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", rank " << rank);
    fakes::PlanningSession session(machine(seed), rank);
    RandomProgram(seed, /*with_copies=*/false).run(25);
    const Plan plan = session.take_plan();
    const std::size_t count = plan.instructions.size();
    std::vector<Access> accesses;
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));  // transitively
    for (std::size_t i = 0; i < count; ++i) {
      accesses.push_back(access_of(plan.instructions[i]));
      for (const InstructionId id : plan.instructions[i].after) {
        const auto j = static_cast<std::size_t>(id.value - plan.first.value);
        ASSERT_LT(j, i);
        before[i][j] = true;
        for (std::size_t k = 0; k < j; ++k) before[i][k] = before[i][k] || before[j][k];
      }
      for (std::size_t j = 0; j < i; ++j) {
        const Access &a = accesses[i], &b = accesses[j];
        if (!meet(a.writes, b.writes) && !meet(a.writes, b.reads) && !meet(a.reads, b.writes)) continue;
        ++conflicts;
        ASSERT_TRUE(before[i][j]) << plan.instructions[j].name << " and " << plan.instructions[i].name << ": "
                                  << to_text(plan.instructions[j],
                                             InstructionId{plan.first.value + static_cast<std::int64_t>(j)})
                                  << "\n"
                                  << to_text(plan.instructions[i],
                                             InstructionId{plan.first.value + static_cast<std::int64_t>(i)});
      }
    }
  }
  EXPECT_GT(conflicts, 100u);
}

TEST_P(RandomPlans, ALaunchReadsNoCellThatAnotherPointOfItWrites) {
  for (std::uint64_t seed = 101; seed <= 120; ++seed) {
    const int rank = static_cast<int>(seed) % GetParam().ranks;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", rank " << rank);
    fakes::PlanningSession session(machine(seed), rank);
    RandomProgram(seed, /*with_copies=*/false).run(25);
    const Plan plan = session.take_plan();
    for (const Launch* launch : plan.all<Launch>()) {
      // Every point by itself: what it reads of another point's writes is a conflict.
      std::map<std::uintptr_t, std::int64_t> writer;
      const auto visit = [&](const auto& each) {
        Extents point{};
        std::int64_t number = 0;
        while (true) {
          each(point, number++);
          int axis = launch->rank - 1;
          while (axis >= 0 && ++point[static_cast<std::size_t>(axis)] == launch->extent[static_cast<std::size_t>(axis)])
            point[static_cast<std::size_t>(axis--)] = 0;
          if (axis < 0) return;
        }
      };
      const auto address = [&](std::size_t i, const Extents& point, std::int64_t more) {
        std::int64_t offset = more;
        for (std::size_t a = 0; a < kMaxAxes; ++a) offset += point[a] * launch->arrays[i].stride[a];
        return reinterpret_cast<std::uintptr_t>(launch->arrays[i].base) + static_cast<std::uintptr_t>(offset);
      };
      for (std::size_t i = 0; i < launch->arrays.size(); ++i) {
        if (launch->kernel()->kernel->arrays[i].access != kernel::Access::Write) continue;
        visit([&](const Extents& point, std::int64_t number) {
          EXPECT_TRUE(writer.emplace(address(i, point, 0), number).second) << "a cell is written twice";
        });
      }
      for (const kernel::Node& node : launch->kernel()->kernel->nodes) {
        if (node.op != kernel::Op::Load) continue;
        const auto i = static_cast<std::size_t>(node.argument);
        std::int64_t offset = 0;
        for (std::size_t k = 0; k < kMaxAxes; ++k) offset += node.offset[k] * launch->arrays[i].pitch[k];
        visit([&](const Extents& point, std::int64_t number) {
          const auto found = writer.find(address(i, point, offset));
          if (found != writer.end()) {
            EXPECT_EQ(found->second, number);
          }
        });
      }
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, RandomPlans,
                         testing::Values(Machine{1, 1}, Machine{2, 1}, Machine{3, 1}, Machine{7, 1}, Machine{64, 1},
                                         Machine{1, 3}, Machine{1, 7}, Machine{2, 2}, Machine{3, 2}));

}  // namespace
}  // namespace pilum::scheduler
