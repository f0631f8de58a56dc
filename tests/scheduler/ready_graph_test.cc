#include "scheduler/execute/ready_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace pilum::scheduler {
namespace {

using Node = ReadyGraph::Node;
using Numbers = std::vector<std::int64_t>;

// Instructions with the numbers first, first + 1, …, and what each comes after. The processor says which queue runs it.
std::unique_ptr<const Plan> plan_of(std::int64_t first, const std::vector<Numbers>& after,
                                    const std::vector<int>& queues = {}) {
  auto plan = std::make_unique<Plan>();
  plan->first = InstructionId{first};
  for (std::size_t i = 0; i < after.size(); ++i) {
    Instruction& instruction = plan->instructions.emplace_back();
    instruction.what = HostCall{};
    instruction.processor = i < queues.size() ? queues[i] : ReadyGraph::kHost;
    for (const std::int64_t number : after[i]) instruction.after.push_back(InstructionId{number});
  }
  return plan;
}
constexpr ReadyGraph::FindQueue kByProcessor = [](const Instruction& instruction) { return instruction.processor; };

Numbers numbers_of(const std::vector<Node*>& nodes) {
  Numbers numbers;
  for (const Node* node : nodes) numbers.push_back(node->id.value);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}
Node& node_of(ReadyGraph& graph, std::int64_t number) {
  return *graph.find(InstructionId{number});
}
// What is ready by its end.
Numbers finish(ReadyGraph& graph, std::int64_t number) {
  std::vector<Node*> ready;
  graph.finish(node_of(graph, number), ready);
  return numbers_of(ready);
}

TEST(ReadyGraph, GivesWhatWaitsForNothing) {
  ReadyGraph graph;
  const ReadyGraph::Added added = graph.add(plan_of(0, {{}, {0}, {}, {1, 2}}), nullptr);
  EXPECT_EQ(numbers_of(added.ready), (Numbers{0, 2}));
  EXPECT_TRUE(added.on_queues.empty());
  EXPECT_EQ(node_of(graph, 3).pending, 2);
}

TEST(ReadyGraph, GivesTheDependentsOfWhatIsDone) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}, {0}, {0}, {1, 2}}), nullptr);
  EXPECT_EQ(finish(graph, 0), (Numbers{1, 2}));
  EXPECT_EQ(finish(graph, 2), Numbers{});
  EXPECT_EQ(finish(graph, 1), Numbers{3});
}

TEST(ReadyGraph, WhatIsDoneIsNotWaitedForDroppedOrNot) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}, {}, {}}), nullptr);
  (void)finish(graph, 0);
  (void)finish(graph, 2);
  graph.drop_done();
  EXPECT_EQ(graph.find(InstructionId{0}), nullptr);
  EXPECT_NE(graph.find(InstructionId{2}), nullptr);  // 1 is before it
  EXPECT_EQ(numbers_of(graph.add(plan_of(3, {{0, 2}, {1}}), nullptr).ready), Numbers{3});
  EXPECT_EQ(finish(graph, 1), Numbers{4});
}

TEST(ReadyGraph, DropsAPlanWithItsLastInstruction) {
  ReadyGraph graph;
  (void)graph.add(plan_of(10, {{}, {10}}), nullptr);
  (void)graph.add(plan_of(12, {{}}), nullptr);
  EXPECT_EQ(graph.plans(), 2);
  EXPECT_EQ(graph.done_before().value, 10);
  (void)finish(graph, 12);
  (void)finish(graph, 10);
  graph.drop_done();
  EXPECT_EQ(graph.done_before().value, 11);
  EXPECT_EQ(graph.plans(), 2);
  (void)finish(graph, 11);
  graph.drop_done();
  EXPECT_EQ(graph.done_before().value, 13);
  EXPECT_EQ(graph.plans(), 0);
  EXPECT_TRUE(graph.nodes().empty());
}

TEST(ReadyGraph, BeginsWhereItsFirstPlanBegins) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}}), nullptr);
  (void)finish(graph, 0);
  graph.drop_done();
  EXPECT_EQ(numbers_of(graph.add(plan_of(7, {{0, 6}}), nullptr).ready), Numbers{7});  // plans between ran elsewhere
  EXPECT_EQ(graph.done_before().value, 7);
}

TEST(ReadyGraphDeathTest, PlansFollowOnOneAnother) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}}), nullptr);
  EXPECT_DEATH((void)graph.add(plan_of(2, {{}}), nullptr), "starts at 2");
}

// Named twice, it would free what waits for it too early: GPUs would be told to run that twice.
TEST(ReadyGraphDeathTest, AnInstructionNamesEachThatItComesAfterOnce) {
  for (const int queue : {ReadyGraph::kHost, 0}) {
    ReadyGraph graph;
    EXPECT_DEATH((void)graph.add(plan_of(0, {{}, {}, {0, 1, 0}}, {queue, queue, queue}), kByProcessor),
                 "instruction 2 names 0 twice");
  }
}

TEST(ReadyGraph, OfQueuesWaitForEachOtherUntilTheyAreIssued) {
  ReadyGraph graph;
  const ReadyGraph::Added added = graph.add(plan_of(0, {{}, {0}, {1}}, {0, 0, 1}), kByProcessor);
  EXPECT_TRUE(added.ready.empty());
  EXPECT_EQ(numbers_of(added.on_queues), (Numbers{0, 1, 2}));
  EXPECT_EQ(node_of(graph, 1).pending, 1);
  graph.issue(node_of(graph, 0));
  EXPECT_EQ(node_of(graph, 1).pending, 0);
  EXPECT_EQ(node_of(graph, 2).pending, 1);
  graph.issue(node_of(graph, 1));
  EXPECT_EQ(node_of(graph, 2).pending, 0);
  EXPECT_EQ(finish(graph, 0), Numbers{});
}

TEST(ReadyGraph, WhatIsIssuedHoldsNoQueueUp) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}}, {0}), kByProcessor);
  graph.issue(node_of(graph, 0));
  (void)graph.add(plan_of(1, {{0}}, {1}), kByProcessor);
  EXPECT_EQ(node_of(graph, 1).pending, 0);
  EXPECT_TRUE(node_of(graph, 0).awaited);
}

TEST(ReadyGraph, HostsAndQueuesWaitForEachOthersEnds) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}, {0}, {1}}, {3, ReadyGraph::kHost, 3}), kByProcessor);
  graph.issue(node_of(graph, 0));
  EXPECT_EQ(node_of(graph, 1).pending, 1);
  EXPECT_EQ(finish(graph, 0), Numbers{1});
  EXPECT_EQ(node_of(graph, 2).pending, 1);
  EXPECT_EQ(finish(graph, 1), Numbers{2});
}

TEST(ReadyGraph, TellsWhoseEndsAreAwaitedElsewhere) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}, {0}, {1}, {2}, {3}}, {0, 0, 1, 1, ReadyGraph::kHost}), kByProcessor);
  const auto is_awaited = [&](std::int64_t number) { return node_of(graph, number).awaited; };
  EXPECT_FALSE(is_awaited(0));  // the same queue comes after it anyway
  EXPECT_TRUE(is_awaited(1));
  EXPECT_FALSE(is_awaited(2));
  EXPECT_TRUE(is_awaited(3));
  EXPECT_FALSE(is_awaited(4));
}

// A message that turns out to be a copy of a queue's: those that wait already wait for its end, later ones of queues
// for the queue.
TEST(ReadyGraph, WhatMovesToAQueueIsStillWaitedFor) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}, {0}, {0}}, {ReadyGraph::kHost, 1, ReadyGraph::kHost}), kByProcessor);
  graph.move_to_queue(node_of(graph, 0), 2);
  EXPECT_EQ(node_of(graph, 1).pending, 1);
  (void)graph.add(plan_of(3, {{0}, {0}}, {1, ReadyGraph::kHost}), kByProcessor);
  EXPECT_EQ(node_of(graph, 3).pending, 0);
  EXPECT_EQ(node_of(graph, 4).pending, 1);
  EXPECT_EQ(finish(graph, 0), (Numbers{1, 2, 4}));
}

TEST(ReadyGraph, AfterAFailureWhatWaitsGoesOnWaiting) {
  ReadyGraph graph;
  (void)graph.add(plan_of(0, {{}, {0}}), nullptr);
  graph.give_up(node_of(graph, 0));
  graph.drop_done();
  EXPECT_EQ(graph.done_before().value, 1);
  EXPECT_EQ(node_of(graph, 1).pending, 1);
}

// What the graph should say, by looking at everything each time.
struct Oracle {
  struct One {
    std::vector<std::int64_t> after;
    int queue;
    bool issued = false, done = false;
  };
  std::vector<One> all;

  bool waits_for(const One& one, std::int64_t number) const {
    const One& before = all[static_cast<std::size_t>(number)];
    const bool both_on_queues = one.queue != ReadyGraph::kHost && before.queue != ReadyGraph::kHost;
    return !(before.done || (both_on_queues && before.issued));
  }
  bool may_start(std::size_t i) const {
    const One& one = all[i];
    return !one.issued && !one.done &&
           std::ranges::none_of(one.after, [&](std::int64_t number) { return waits_for(one, number); });
  }
  std::int64_t first_undone() const { return std::ranges::find(all, false, &One::done) - all.begin(); }
};

class RandomGraphs : public testing::TestWithParam<unsigned> {};

// Plans come and instructions start and end in random order. At every moment the graph and the oracle agree on what may
// start; each of the host's is told to be ready once.
TEST_P(RandomGraphs, AgreeWithTheOracle) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937 random(GetParam());
  for (int round = 0; round < 40; ++round) {
    const int queues = static_cast<int>(random() % 4);
    ReadyGraph graph;
    Oracle oracle;
    std::set<std::int64_t> told;  // ready, of the host's
    const auto check = [&] {
      const auto first = static_cast<std::size_t>(graph.done_before().value);
      for (std::size_t i = first; i < oracle.all.size(); ++i) {
        const Node& node = node_of(graph, static_cast<std::int64_t>(i));
        const bool started = node.queue == ReadyGraph::kHost ? node.done : node.issued;
        ASSERT_EQ(node.pending == 0 && !started, oracle.may_start(i)) << i;
        if (node.queue == ReadyGraph::kHost && oracle.may_start(i)) {
          ASSERT_TRUE(told.contains(node.id.value)) << i;
        }
      }
    };
    for (int plans_left = 6; plans_left > 0 || graph.plans() > 0;) {
      if (plans_left > 0 && random() % 4 == 0) {
        --plans_left;
        std::vector<Numbers> after(1 + random() % 12);
        std::vector<int> queue_of;
        const auto first = static_cast<std::int64_t>(oracle.all.size());
        for (std::size_t i = 0; i < after.size(); ++i) {
          std::set<std::int64_t> predecessors;
          for (std::uint32_t k = random() % 4; k > 0 && first + static_cast<std::int64_t>(i) > 0; --k)
            predecessors.insert(static_cast<std::int64_t>(random() % (static_cast<std::size_t>(first) + i)));
          after[i].assign(predecessors.begin(), predecessors.end());
          queue_of.push_back(static_cast<int>(random() % static_cast<unsigned>(queues + 1)) - 1);
          oracle.all.push_back({after[i], queue_of.back()});
        }
        const ReadyGraph::Added added = graph.add(plan_of(first, after, queue_of), kByProcessor);
        for (const Node* node : added.ready) ASSERT_TRUE(told.insert(node->id.value).second);
      } else {
        Numbers may;  // start, or end
        for (std::size_t i = 0; i < oracle.all.size(); ++i) {
          if (oracle.may_start(i) || (oracle.all[i].issued && !oracle.all[i].done))
            may.push_back(static_cast<std::int64_t>(i));
        }
        if (may.empty()) continue;
        const std::int64_t number = may[random() % may.size()];
        Oracle::One& one = oracle.all[static_cast<std::size_t>(number)];
        if (one.queue != ReadyGraph::kHost && !one.issued) {
          one.issued = true;
          graph.issue(node_of(graph, number));
        } else {
          one.done = true;
          std::vector<Node*> ready;
          graph.finish(node_of(graph, number), ready);
          for (const Node* node : ready) {
            if (node->queue == ReadyGraph::kHost) {
              ASSERT_TRUE(told.insert(node->id.value).second) << "told twice";
            }
          }
          if (random() % 3 > 0) graph.drop_done();
        }
      }
      check();
      if (plans_left == 0) graph.drop_done();
      ASSERT_LE(graph.done_before().value, oracle.first_undone());
    }
    EXPECT_EQ(graph.done_before().value, static_cast<std::int64_t>(oracle.all.size()));
    EXPECT_TRUE(graph.nodes().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(1u, 9u));

}  // namespace
}  // namespace pilum::scheduler
