// Templates: a plan's steps, slots and order, with everything else taken out.
#include "scheduler/memo/plan_template.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "scheduler/memo/bound_plan.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_loop.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;

// A window's plan, and the template that its trace comes to.
struct Made {
  explicit Made(PlannedRank& planned) {
    std::vector<Operation> operations = std::exchange(planned.recorder.operations, {});
    const auto key = make_window_key(operations, {}, 0);
    window = *key;
    plan = planned.begin_plan();
    planned.trace(operations, {}, window, cached, plan);
    planned.end_plan(plan);
  }
  const PlanTemplate& made() { return *cached.get_template(); }
  // The plan's instructions without those for the reader, and their order.
  std::vector<Instruction> instructions;
  std::vector<std::vector<int>> predecessors;
  void strip() {
    std::vector<int> number(plan.instructions.size(), -1);
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
      const Instruction& one = plan.instructions[i];
      if (std::holds_alternative<Allocate>(one.what) || std::holds_alternative<Free>(one.what)) continue;
      number[i] = static_cast<int>(instructions.size());
      instructions.push_back(one);
      std::vector<int>& after = predecessors.emplace_back();
      for (const InstructionId id : one.after)
        if (id >= plan.first) after.push_back(number[static_cast<std::size_t>(id.value - plan.first.value)]);
    }
  }

  WindowKey window;
  CachedPlan cached;
  Plan plan;
};

class TemplatesOf : public testing::TestWithParam<PlannedMachine> {};

TEST_P(TemplatesOf, RandomLoopsKeepTheOrderAndNeedNoDependenceTwice) {
  std::size_t dropped = 0, conflicts = 0;
  for (const std::uint64_t seed : random_seeds(10)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    PlannedRank planned(GetParam());
    RandomLoop loop(seed);
    (void)planned.plan();
    for (int time = 0; time < 3; ++time) loop.body(time);
    Made made(planned);
    if (!made.cached.trace.usable()) continue;
    made.strip();
    const PlanTemplate& one = made.made();
    const auto& predecessors = one.predecessors();
    ASSERT_EQ(one.items().size(), made.instructions.size());
    const Order before(made.predecessors), after(predecessors);
    for (std::size_t i = 0; i < predecessors.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) ASSERT_EQ(after.is_after(i, k), before.is_after(i, k)) << i << " after " << k;
      // What it comes after by another way is not named.
      for (const int a : predecessors[i])
        for (const int b : predecessors[i])
          EXPECT_TRUE(a == b || !after.is_after(static_cast<std::size_t>(std::max(a, b)),
                                                static_cast<std::size_t>(std::min(a, b))));
      dropped += made.predecessors[i].size() - predecessors[i].size();
    }
    conflicts += find_conflicts(made.instructions, predecessors).ordered;
    EXPECT_EQ(find_conflicts(made.instructions, predecessors).races, std::vector<std::string>());
    if (HasFailure()) return;
  }
  EXPECT_GT(conflicts, 0u);
  if (random_seeds(10).size() < 8) return;
  EXPECT_GT(dropped, 0u);
}

INSTANTIATE_TEST_SUITE_P(Machines, TemplatesOf,
                         testing::Values(PlannedMachine{}, PlannedMachine{.processors = 3}, PlannedMachine{.ranks = 3},
                                         PlannedMachine{.ranks = 2, .processors = 2, .gpus = true}));

TEST(PlanTemplate, RolesThatLivedInOneBlockShareASlot) {
  PlannedRank planned({.split_bytes = 0});
  np::Array x = np::ones({1000}), y = np::zeros({1000});
  y += x;
  (void)planned.plan();
  for (int i = 0; i < 3; ++i) {
    np::Array &from = i % 2 ? y : x, &to = i % 2 ? x : y;
    const np::Array shifted = np::power(from(slice(1, {})), 2.5);  // too dear to be computed twice
    to(slice(2, {})) = shifted(slice(1, {})) + shifted(slice(0, -1));
  }
  const np::Array kept = 3.0 * x;
  Made made(planned);
  const PlanTemplate& one = made.made();
  EXPECT_EQ(one.roles(), 6u);  // x, y, the three, and what is kept
  const auto slots = [&] {
    std::vector<int> all;
    for (Role role = 0; role < 6; ++role) all.push_back(one.slot_of(role));
    return all;
  }();
  EXPECT_EQ(slots[2], slots[3]);
  EXPECT_EQ(slots[3], slots[4]);
  // Stores' own have no book: they are there already. The others know where to come from, and whether they go again.
  EXPECT_EQ(one.slots()[0].book, nullptr);
  EXPECT_EQ(one.slots()[1].book, nullptr);
  const PlanTemplate::Slot& shared = one.slots()[static_cast<std::size_t>(slots[2])];
  EXPECT_EQ(shared.book, &planned.memory());
  EXPECT_EQ(shared.first, 2);
  EXPECT_GE(shared.bytes, 7992u);
  EXPECT_EQ(shared.freed, slots[5] != slots[2]);
  EXPECT_FALSE(one.slots()[static_cast<std::size_t>(slots[5])].freed);
}

TEST(PlanTemplate, ASlotIsAsLargeAsTheLargestOfItsRoles) {
  PlanTrace trace;
  MemoryBook* const book = reinterpret_cast<MemoryBook*>(64);
  Block block;
  trace.begin({}, {});
  for (const std::size_t bytes : {800, 960, 640}) {
    trace.allocated(&block, *book, bytes, 0, StoreId{1});
    trace.freed(&block, 0);
  }
  trace.end();
  const PlanTemplate made(trace);
  ASSERT_EQ(made.slots().size(), 1u);
  EXPECT_EQ(made.slots()[0].bytes, 960u);
  EXPECT_TRUE(made.slots()[0].freed);
  EXPECT_TRUE(made.items().empty());
  EXPECT_EQ(made.last_chunks(), 0);
}

TEST(PlanTemplate, CountsWhatItDoes) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::ones({12, 5}), y = np::zeros({12, 5});
  y += x;
  (void)planned.plan();
  const auto sweep = [&] {
    y(slice(1, -1), np::all) = x(slice(1, -1), np::all) + x(slice(0, -2), np::all) + x(slice(2, {}), np::all);
    x += 1.0;
  };
  sweep();
  (void)planned.plan();
  sweep();
  Made made(planned);
  const PlanTemplate& one = made.made();
  EXPECT_EQ(one.totals().launches, 4);  // the sweep's interior, two edges, and the sum
  EXPECT_EQ(one.totals().messages_sent, 2);
  EXPECT_EQ(one.totals().bytes_sent, 80);
  EXPECT_EQ(one.totals().messages_received, 2);
  EXPECT_EQ(one.totals().bytes_received, 80);
  EXPECT_EQ(one.totals().copies, 0);
  EXPECT_FALSE(one.runs_on_gpus());  // messages are the host's
  // The sweep reads and writes 20 cells, the sum too.
  EXPECT_EQ(one.bytes_touched(), 20 * (8 + 8) + 20 * (8 + 8));
  std::int64_t last = 0;
  for (const Batch& batch : one.batches()) last += batch.dependents.empty() ? batch.chunks : 0;
  EXPECT_EQ(one.last_chunks(), last);
  for (const int root : one.roots()) EXPECT_EQ(one.batches()[static_cast<std::size_t>(root)].before, 0);
}

TEST(PlanTemplate, GpusCanDoAllOfItWhereNothingIsTheHosts) {
  PlannedRank planned({.processors = 2, .gpus = true});
  np::Array x = np::ones({60});
  (void)planned.plan();
  x(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
  Made made(planned);
  EXPECT_TRUE(made.made().runs_on_gpus());
  EXPECT_GT(made.made().totals().copies, 0);
}

// A plan may stand behind others in its window: then its messages' numbers do not begin at zero.
TEST(PlanTemplate, MessagesAreNumberedFromZeroByPeer) {
  PlanTrace trace;
  Block block;
  trace.begin({}, {&block});
  Plan plan;
  plan.first = InstructionId{10};
  const Touch touch{&block, Rect::of({0}, {8}), false};
  for (const auto& [peer, number] : {std::pair{1, 5u}, {2, 3u}, {1, 6u}}) {
    plan.instructions.push_back({Send{peer, comm::Tag{9, number}, nullptr, 8, StoreId{1}}, {}, 0, "", {}});
    trace.emitted(plan, {&touch, 1}, 0);
    plan.instructions.push_back({Receive{peer, comm::Tag{9, number + 7}, nullptr, 8, StoreId{1}}, {}, 0, "", {}});
    trace.emitted(plan, {&touch, 1}, 0);
  }
  trace.end();
  const PlanTemplate made(trace);
  std::vector<std::pair<int, std::uint32_t>> sent, received;
  for (const PlanTemplate::Item& item : made.items()) {
    if (const auto* send = std::get_if<Send>(&item.instruction.what)) sent.emplace_back(send->to, send->tag.message);
    if (const auto* receive = std::get_if<Receive>(&item.instruction.what))
      received.emplace_back(receive->from, receive->tag.message);
  }
  EXPECT_EQ(sent, (std::vector<std::pair<int, std::uint32_t>>{{1, 0}, {2, 0}, {1, 1}}));
  EXPECT_EQ(received, sent);
}

TEST(PlanTemplate, AStoreThatAnInstructionNamesIsANumber) {
  PlannedRank planned({.ranks = 3}, 1);
  np::Array x = np::ones({60}), y = np::zeros({60});
  y += x;
  (void)planned.plan();
  y(slice(1, -1)) = x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
  Made made(planned);
  std::size_t named = 0;
  for (const PlanTemplate::Item& item : made.made().items()) {
    if (!std::holds_alternative<Send>(item.instruction.what) && !std::holds_alternative<Receive>(item.instruction.what))
      continue;
    ++named;
    EXPECT_EQ(made.window.stores.at(static_cast<std::size_t>(item.store)).get(), &PlannedRank::store_of(x));
  }
  EXPECT_EQ(named, 4u);
}

}  // namespace
}  // namespace pilum::scheduler
