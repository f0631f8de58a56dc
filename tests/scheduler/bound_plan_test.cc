// Templates bound to memory and numbers: what bind() writes, and how threads share the chunks.
#include "scheduler/memo/bound_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "pilum/pilum.h"
#include "tests/scheduler/handmade_plan.h"
#include "tests/scheduler/planned_rank.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;

// A template of a window on the middle one of three ranks: messages, launches and copies of x and y.
class Binding : public testing::Test {
 protected:
  Binding() : planned({.ranks = 3}, 1) {
    y += x;
    (void)planned.plan();
    y(slice(1, -1)) = 3.0 * x(slice(1, -1)) + x(slice(0, -2)) + x(slice(2, {}));
    operations = std::exchange(planned.recorder.operations, {});
    window = *make_window_key(operations, {}, 0);
    Plan plan = planned.begin_plan();
    std::vector<Operation> taken = operations;
    planned.trace(taken, {}, window, cached, plan);
    planned.end_plan(plan);
    made = cached.get_template();
  }
  // Made-up memory for each slot, `shift` bytes from where that of 0 is.
  std::vector<std::byte*> blocks(std::uintptr_t shift) const {
    std::vector<std::byte*> all;
    for (std::size_t slot = 0; slot < made->slots().size(); ++slot)
      all.push_back(reinterpret_cast<std::byte*>(((slot + 1) << 32) + shift * (slot + 1)));
    return all;
  }
  static std::set<std::uintptr_t> pointers(const BoundPlan& run) {
    std::set<std::uintptr_t> all;
    for (int item = 0; item < run.size(); ++item) {
      const Instruction& one = run.instruction(item);
      if (const auto* launch = std::get_if<Launch>(&one.what))
        for (const kernel::BoundArray& array : launch->arrays) all.insert(reinterpret_cast<std::uintptr_t>(array.base));
      if (const auto* send = std::get_if<Send>(&one.what)) all.insert(reinterpret_cast<std::uintptr_t>(send->data));
      if (const auto* receive = std::get_if<Receive>(&one.what))
        all.insert(reinterpret_cast<std::uintptr_t>(receive->data));
      if (const auto* copy = std::get_if<Copy>(&one.what)) {
        all.insert(reinterpret_cast<std::uintptr_t>(copy->from.data));
        all.insert(reinterpret_cast<std::uintptr_t>(copy->to.data));
      }
    }
    return all;
  }
  static std::uint64_t word(const BoundPlan& run) {  // the number that the launches multiply by
    for (int item = 0; item < run.size(); ++item)
      if (const auto* launch = std::get_if<Launch>(&run.instruction(item).what)) return launch->scalars->at(0);
    return 0;
  }

  PlannedRank planned;
  np::Array x = np::ones({60}), y = np::zeros({60});
  std::vector<Operation> operations;
  WindowKey window;
  CachedPlan cached;
  std::shared_ptr<const PlanTemplate> made;
};

TEST_F(Binding, EachPointerMovesWithItsSlot) {
  BoundPlan run(made, 1);
  run.bind(blocks(0), operations, window.stores, 5);
  const auto first = pointers(run);
  EXPECT_GT(first.size(), 4u);
  run.end();
  run.bind(blocks(4096), operations, window.stores, 6);
  std::set<std::uintptr_t> moved;
  for (const std::uintptr_t pointer : first) moved.insert(pointer + 4096 * (pointer >> 32));
  EXPECT_EQ(pointers(run), moved);
  run.end();
  run.bind(blocks(0), operations, window.stores, 7);
  EXPECT_EQ(pointers(run), first);
}

TEST_F(Binding, FitsMemoryThatIsWhereItWas) {
  BoundPlan run(made, 1);
  EXPECT_FALSE(run.fits(blocks(0)));  // nowhere yet
  run.bind(blocks(0), operations, window.stores, 5);
  EXPECT_TRUE(run.fits(blocks(0)));
  EXPECT_FALSE(run.fits(blocks(64)));
  std::vector<std::byte*> one_elsewhere = blocks(0);
  one_elsewhere.back() = blocks(64).back();
  EXPECT_FALSE(run.fits(one_elsewhere));
}

TEST_F(Binding, TagsHaveThisTimesWindowAndStoresThisTimesIds) {
  BoundPlan run(made, 1);
  for (const int number : {5, 9}) {
    std::vector<StoreRef> stores = window.stores;
    StoreRef other(new Store);
    other->id = StoreId{700 + number};
    for (StoreRef& store : stores)
      if (store.get() == &PlannedRank::store_of(x)) store = other;
    run.bind(blocks(0), operations, stores, number);
    int messages = 0;
    for (int item = 0; item < run.size(); ++item) {
      const auto* send = std::get_if<Send>(&run.instruction(item).what);
      const auto* receive = std::get_if<Receive>(&run.instruction(item).what);
      if (!send && !receive) continue;
      ++messages;
      EXPECT_EQ((send ? send->tag : receive->tag).window, static_cast<std::uint32_t>(number));
      EXPECT_EQ(send ? send->store : receive->store, other->id);
    }
    EXPECT_EQ(messages, 4);
    run.end();
  }
}

TEST_F(Binding, NumbersAreThoseOfThisTimesOperations) {
  BoundPlan run(made, 1);
  run.bind(blocks(0), operations, window.stores, 5);
  const std::uint64_t three = word(run);
  run.end();
  std::vector<Operation> others = operations;
  for (Operation& operation : others) {
    auto& elementwise = std::get<Elementwise>(operation.what);
    for (Operand& input : elementwise.inputs)
      if (!input.is_view() && elementwise.op == kernel::Op::Multiply)
        input.scalar.bits = std::bit_cast<std::uint64_t>(4.0);
  }
  run.bind(blocks(0), others, window.stores, 6);
  EXPECT_EQ(three, std::bit_cast<std::uint64_t>(3.0));
  EXPECT_EQ(word(run), std::bit_cast<std::uint64_t>(4.0));
}

TEST_F(Binding, OfAGraphSaysWhichArgumentsDiffer) {
  BoundPlan run(made, 1);
  run.graph = std::make_unique<RunGraph>();
  run.bind(blocks(0), operations, window.stores, 5);
  EXPECT_EQ(run.changed.size(), static_cast<std::size_t>(run.size()));  // all memory is new
  run.changed.clear();
  run.end();
  run.bind(blocks(0), operations, window.stores, 6);
  EXPECT_TRUE(run.changed.empty());
  run.end();
  std::vector<Operation> others = operations;
  for (Operation& operation : others)
    for (Operand& input : std::get<Elementwise>(operation.what).inputs)
      if (!input.is_view()) input.scalar.bits ^= std::uint64_t{1} << 52;
  run.bind(blocks(0), others, window.stores, 7);
  std::vector<int> launches;
  for (int item = 0; item < run.size(); ++item)
    if (std::holds_alternative<Launch>(run.instruction(item).what)) launches.push_back(item);
  EXPECT_EQ(run.changed, launches);
}

TEST_F(Binding, OfAGraphWhatTouchesABlockThatMovedDiffers) {
  for (std::size_t moved = 0; moved < made->slots().size(); ++moved) {
    BoundPlan run(made, 1);
    run.graph = std::make_unique<RunGraph>();
    std::vector<std::byte*> slots = blocks(0);
    run.bind(slots, operations, window.stores, 5);
    run.end();
    slots[moved] += 1 << 20;
    run.bind(slots, operations, window.stores, 6);
    std::vector<int> touching;
    for (int item = 0; item < run.size(); ++item) {
      if (std::ranges::count(made->items()[static_cast<std::size_t>(item)].slots, static_cast<int>(moved)) > 0)
        touching.push_back(item);
    }
    EXPECT_EQ(run.changed, touching) << "block " << moved;
  }
}

TEST_F(Binding, IsThroughOnceItEndedAndNobodyTakesPart) {
  BoundPlan run(made, 2);
  EXPECT_TRUE(run.is_idle());
  run.bind(blocks(0), operations, window.stores, 5);
  EXPECT_FALSE(run.is_idle());
  run.join();
  run.end();
  EXPECT_FALSE(run.is_idle());
  run.leave();
  EXPECT_TRUE(run.is_idle());
}

TEST_F(Binding, OfSeveralTheIdleOneThatFitsIsFound) {
  BoundPlans runs;
  EXPECT_EQ(runs.find(blocks(0)), nullptr);
  const auto add = [&](std::uintptr_t shift) {
    auto run = runs.add(std::make_shared<BoundPlan>(made, 1));
    run->bind(blocks(shift), operations, window.stores, 5);
    return run;
  };
  const auto a = add(0), b = add(64), c = add(128);
  EXPECT_EQ(runs.find(blocks(64)), nullptr);  // all are under way
  a->end(), c->end();
  EXPECT_EQ(runs.find(blocks(128)), c);
  EXPECT_EQ(runs.find(blocks(64)), a);  // any idle one
  b->end();
  EXPECT_EQ(runs.find(blocks(64)), b);
  EXPECT_EQ(runs.bytes(), 3 * a->bytes());
}

TEST_F(Binding, GraphsOfAFewPlacesInMemoryAreKept) {
  BoundPlans runs;
  std::set<BoundPlan*> used;
  const auto use = [&](std::uintptr_t shift) {
    std::shared_ptr<BoundPlan> run = runs.find(blocks(shift));
    if (!run) run = runs.add(std::make_shared<BoundPlan>(made, 1));
    run->changed.clear();
    run->bind(blocks(shift), operations, window.stores, 5);
    if (!run->graph) run->graph = std::make_unique<RunGraph>();
    run->end();
    used.insert(run.get());
    return run;
  };
  for (int round = 0; round < 3; ++round) {
    for (const std::uintptr_t shift : {0, 64, 128}) {
      const auto run = use(shift);
      if (round > 0) {
        EXPECT_TRUE(run->changed.empty()) << "memory " << shift << " was known";
      }
    }
  }
  EXPECT_EQ(used.size(), 3u);
  for (std::uintptr_t shift = 192; shift < 64 * 20; shift += 64) use(shift);
  EXPECT_LE(used.size(), 6u);
  EXPECT_FALSE(use(0)->changed.empty());  // the one not used for longest was taken
}

// Items of 1 to 9 chunks in a made-up order, taken by so many participants.
struct Chunks {
  explicit Chunks(std::uint64_t seed, int participants) {
    std::mt19937_64 random(seed);
    PlanTrace trace;
    trace.begin({}, {&block});
    Plan plan;
    plan.first = InstructionId{0};
    for (std::int64_t i = 0; i < 12; ++i) {
      Copy copy;
      const auto rows = static_cast<std::int64_t>(1 + random() % 9);
      copy.extent[0] = rows;
      copy.itemsize = static_cast<std::size_t>(rows) << 20;  // a mebibyte a chunk and row, at least
      Instruction one{copy, {}, 0, "", {}};
      for (std::int64_t before = 0; before < i; ++before)
        if (random() % 4 == 0) one.after.push_back(InstructionId{before});
      plan.instructions.push_back(one);
      const Touch touches[] = {{&block, Rect::of({0}, {8}), false}, {&block, Rect::of({8}, {16}), true}};
      trace.emitted(plan, touches, 0);
    }
    trace.set_scalars(std::vector<std::vector<ScalarSource>>(1));
    trace.end();
    run = std::make_unique<BoundPlan>(std::make_shared<const PlanTemplate>(trace), participants);
  }
  Block block;
  std::unique_ptr<BoundPlan> run;
};

TEST(BoundPlan, EachChunkIsTakenOnceAndAfterThoseThatItsItemComesAfter) {
  for (const std::uint64_t seed : random_seeds(12)) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const int participants = static_cast<int>(1 + seed % 5);
    Chunks chunks(seed, participants);
    BoundPlan& run = *chunks.run;
    const PlanTemplate& made = run.plan_template();
    const auto predecessors = made.predecessors();
    std::mt19937_64 random(seed);
    for (int time = 0; time < 3; ++time) {  // counts go on: nothing is set back
      chunks.block.data = reinterpret_cast<std::byte*>(std::uintptr_t{4096});
      run.bind(std::vector{chunks.block.data}, {}, {}, time);
      run.begin();
      std::vector<std::set<std::int64_t>> taken(made.batches().size());
      std::size_t left = 0;
      for (const Batch& item : made.batches()) left += static_cast<std::size_t>(item.chunks);
      bool over = false;
      while (left > 0) {
        ASSERT_FALSE(over);
        const int item = static_cast<int>(random() % made.batches().size()),
                  participant = static_cast<int>(random() % static_cast<unsigned>(participants));
        const auto i = static_cast<std::size_t>(item);
        bool ready = true;
        for (const int before : predecessors[i])
          ready = ready && taken[static_cast<std::size_t>(before)].size() ==
                               static_cast<std::size_t>(made.batches()[static_cast<std::size_t>(before)].chunks);
        ASSERT_EQ(run.is_ready(item), ready) << item;
        if (!ready) continue;
        EXPECT_EQ(run.has_chunks(item), taken[i].size() < static_cast<std::size_t>(made.batches()[i].chunks));
        const std::uint64_t progress = run.progress();
        const std::int64_t chunk = random() % 2 ? run.take_own(item, participant) : run.take_any(item, participant);
        if (chunk < 0) continue;
        EXPECT_LT(chunk, made.batches()[i].chunks);
        EXPECT_TRUE(taken[i].insert(chunk).second) << "chunk " << chunk << " of " << item;
        --left;
        run.begin_chunk(item, participant);
        EXPECT_FALSE(run.is_done(item)) << "taken is not done";
        run.end_chunk(participant);
        for (const int dependent : made.batches()[i].dependents) run.arrive(dependent);
        if (made.batches()[i].dependents.empty()) over = run.finish_one();
        EXPECT_NE(run.progress(), progress);
        EXPECT_EQ(run.is_done(item), taken[i].size() == static_cast<std::size_t>(made.batches()[i].chunks));
      }
      EXPECT_TRUE(over);
      EXPECT_TRUE(run.is_over());
      for (int item = 0; item < run.size(); ++item) EXPECT_TRUE(run.is_done(item));
      run.end();
    }
  }
}

TEST(BoundPlan, AnItemIsDoneWithItsLastChunkWhateverItsDependentsWaitFor) {
  test::HandmadePlan handmade(64);
  Copy copy;
  copy.extent[0] = 4;
  copy.itemsize = 1 << 20;
  copy.from.data = copy.to.data = handmade.data(0);
  handmade.add(copy);
  handmade.add(Receive{0, {0, 0}, handmade.data(0), 8, StoreId{0}});
  handmade.add(copy, {0, 1});
  const std::shared_ptr<BoundPlan> run = handmade.make(2);
  ASSERT_EQ(run->plan_template().batches()[0].chunks, 4);
  for (int time = 0; time < 3; ++time) {
    handmade.bind(*run, time);
    run->begin();
    for (const int participant : {0, 1, 0, 1}) {
      EXPECT_FALSE(run->is_done(0)) << "some are left";
      ASSERT_GE(run->take_any(0, participant), 0);
      run->begin_chunk(0, participant);
    }
    ASSERT_LT(run->take_any(0, 0), 0);
    for (const int participant : {0, 1}) {
      EXPECT_FALSE(run->is_done(0)) << "taken is not done";
      run->end_chunk(participant);
    }
    for (int chunk = 0; chunk < 4; ++chunk) run->arrive(2);
    EXPECT_TRUE(run->is_done(0));
    EXPECT_FALSE(run->is_done(1));
    run->finish_message(1);
    EXPECT_TRUE(run->arrive(2));
    EXPECT_TRUE(run->is_done(1));
    EXPECT_FALSE(run->is_done(2));
    while (run->take_any(2, 1) >= 0) run->finish_one();
    EXPECT_TRUE(run->is_done(2));
    EXPECT_TRUE(run->is_over());
    run->end();
  }
}

TEST(BoundPlan, WhatIsAPlayersOwnIsSharedOutEvenlyAndOthersComeOnlyToTheRest) {
  PlanTrace trace;
  Block block;
  trace.begin({}, {&block});
  Plan plan;
  Copy copy;
  copy.extent[0] = 10;
  copy.itemsize = 1 << 20;
  plan.first = InstructionId{0};
  plan.instructions.push_back({copy, {}, 0, "", {}});
  const Touch touches[] = {{&block, Rect::of({0}, {8}), false}, {&block, Rect::of({8}, {16}), true}};
  trace.emitted(plan, touches, 0);
  trace.set_scalars(std::vector<std::vector<ScalarSource>>(1));
  trace.end();
  BoundPlan run(std::make_shared<const PlanTemplate>(trace), 4);
  run.bind(std::vector{block.data}, {}, {}, 0);
  run.begin();
  std::vector<std::vector<std::int64_t>> own(4);
  for (int participant : {2, 0, 3, 1})
    for (std::int64_t chunk; (chunk = run.take_own(0, participant)) >= 0;)
      own[static_cast<std::size_t>(participant)].push_back(chunk);
  EXPECT_EQ(own, (std::vector<std::vector<std::int64_t>>{{0, 1}, {2, 3, 4}, {5, 6}, {7, 8, 9}}));
  EXPECT_EQ(run.take_any(0, 0), -1);
  run.end();
  run.bind(std::vector{block.data}, {}, {}, 1);
  run.begin();
  std::vector<std::int64_t> any;
  for (std::int64_t chunk; (chunk = run.take_any(0, 2)) >= 0;) any.push_back(chunk);
  EXPECT_EQ(any, (std::vector<std::int64_t>{5, 6, 7, 8, 9, 0, 1, 2, 3, 4}));  // its own first, then its neighbours'
}

}  // namespace
}  // namespace pilum::scheduler
