#include "scheduler/execute/replay_engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "scheduler/execute/executor.h"
#include "tests/scheduler/handmade_plan.h"

namespace pilum::scheduler {
namespace {

// What an item of these plans is: it looks whether all chunks of those it comes after are done this time round, and
// counts its own.
struct Item {
  std::atomic<std::int64_t> done{0};  // chunks, of all times
  std::int64_t chunks = 1;
  std::vector<Item*> after;
  std::atomic<std::int64_t>* time = nullptr;
  std::atomic<int>* wrong = nullptr;
  bool throws = false;
};

class CheckAndCount final : public jit::HostKernel {
 public:
  bool ready() const override { return true; }
  kernel::KernelFunction function() const override {
    return [](const kernel::KernelCall* call) {
      Item& item = **reinterpret_cast<Item**>(call->arrays[0].base);
      const std::int64_t time = *item.time;
      for (const Item* before : item.after) *item.wrong += before->done != time * before->chunks;
      if (item.throws) throw std::runtime_error("it broke");
      const std::int64_t done = ++item.done;
      *item.wrong += done <= (time - 1) * item.chunks || done > time * item.chunks;
    };
  }
  const std::string& source() const override { return text_; }

 private:
  std::string text_;
};

// Items that check and count, with what they come after, as a plan that is replayed again and again.
class CountingPlan {
 public:
  explicit CountingPlan(std::size_t most_items) : plan_(8 * most_items), most_(most_items) {}

  int add(std::int64_t chunks, const std::vector<int>& after) {
    Item* item = items_.emplace_back(std::make_unique<Item>()).get();
    item->chunks = chunks;
    item->time = &time_;
    item->wrong = &wrong_;
    for (const int before : after) item->after.push_back(items_[static_cast<std::size_t>(before)].get());
    EXPECT_LE(items_.size(), most_);
    std::byte* place = plan_.data(8 * (items_.size() - 1));
    std::memcpy(place, &item, sizeof item);
    Launch launch;
    launch.code = KernelCode{.compiled = std::make_shared<CheckAndCount>()};
    launch.extent = {chunks};
    launch.chunk = {1};
    kernel::BoundArray array{};
    array.base = reinterpret_cast<char*>(place);
    launch.arrays.push_back(array);
    launch.scalars = std::make_shared<const std::vector<std::uint64_t>>();
    return plan_.add(std::move(launch), after, "count");
  }
  Item& item(int number) { return *items_[static_cast<std::size_t>(number)]; }

  // Plays it once more, and waits.
  void play(Executor& executor) {
    if (!run_) run_ = plan_.make(executor.participants());
    while (!run_->is_idle()) std::this_thread::yield();  // who took part may not have left
    plan_.bind(*run_, static_cast<int>(time_));
    ++time_;
    auto plan = std::make_unique<Plan>();
    plan->first = executor_next_;
    executor_next_ = InstructionId{executor_next_.value + 1};
    plan->instructions.emplace_back().what = ReplayedPlan{run_};
    plan->instructions.back().name = "again";
    executor.submit(std::move(plan));
    executor.wait();
  }
  // Every chunk ran once each time, after what it comes after.
  void check() {
    EXPECT_EQ(wrong_, 0);
    for (const auto& item : items_) EXPECT_EQ(item->done, time_ * item->chunks);
  }
  std::int64_t times() const { return time_; }

 private:
  test::HandmadePlan plan_;
  const std::size_t most_;
  std::vector<std::unique_ptr<Item>> items_;
  std::shared_ptr<BoundPlan> run_;
  std::atomic<std::int64_t> time_{0};
  std::atomic<int> wrong_{0};
  InstructionId executor_next_{0};
};

// An executor of one rank and what it needs. Dispatches whatever there is where the memory is said to be slow.
struct Machine {
  explicit Machine(int workers, double bandwidth = 1)
      : network(comm::make_simulated_network(1, 1)), executor(*network.front(), profile) {
    device::HostLaneOptions options;
    options.worker_cores.assign(static_cast<std::size_t>(workers), 0);
    options.when_idle = [this] { return executor.poll(); };
    options.on_error = [this](std::exception_ptr error) { executor.fail(error); };
    lane = device::make_host_lane(std::move(options));
    executor.set_lanes({lane.get()});
    executor.set_bandwidth(bandwidth);
  }
  ~Machine() {
    lane.reset();
    if (!executor.failed()) network.front()->finalize();
  }
  std::vector<std::unique_ptr<comm::Communicator>> network;
  profile::Recorder profile{false};
  Executor executor;
  std::unique_ptr<device::HostLane> lane;
};

TEST(ReplayEngine, RunsAChainInOrderEachTime) {
  for (const int workers : {0, 1, 3}) {
    SCOPED_TRACE(workers);
    CountingPlan plan(8);
    for (int i = 0; i < 8; ++i) plan.add(1, i ? std::vector{i - 1} : std::vector<int>());
    Machine machine(workers);
    for (int time = 0; time < 200; ++time) plan.play(machine.executor);
    plan.check();
    EXPECT_EQ(machine.executor.plans_in_flight(), 0);
  }
}

// Calls a function, whose address is in its array.
class Calling final : public jit::HostKernel {
 public:
  bool ready() const override { return true; }
  kernel::KernelFunction function() const override {
    return
        [](const kernel::KernelCall* call) { (**reinterpret_cast<std::function<void()>**>(call->arrays[0].base))(); };
  }
  const std::string& source() const override { return source_; }

 private:
  std::string source_;
};

Launch calling(std::byte* function) {
  Launch launch;
  launch.code = KernelCode{.compiled = std::make_shared<Calling>()};
  launch.extent = launch.chunk = {1};
  kernel::BoundArray array{};
  array.base = reinterpret_cast<char*>(function);
  launch.arrays.push_back(array);
  launch.scalars = std::make_shared<const std::vector<std::uint64_t>>();
  return launch;
}

// Who waits for a plan in which one thing comes after the other does it, and asks nobody: not at its start, nor from
// item to item.
TEST(ReplayEngine, AChainThatIsAwaitedIsOneThreads) {
  Machine machine(3);
  std::vector<std::thread::id> threads;
  std::function<void()> tell = [&] { threads.push_back(std::this_thread::get_id()); };
  test::HandmadePlan handmade(64);
  const std::function<void()>* const address = &tell;
  std::memcpy(handmade.data(0), &address, sizeof address);
  for (int i = 0; i < 6; ++i) handmade.add(calling(handmade.data(0)), i ? std::vector{i - 1} : std::vector<int>());
  const std::shared_ptr<BoundPlan> run = handmade.make(machine.executor.participants());
  for (std::int64_t time = 0; time < 100; ++time) {
    handmade.bind(*run, static_cast<int>(time));
    auto plan = std::make_unique<Plan>();
    plan->first = InstructionId{time};
    plan->instructions.emplace_back().what = ReplayedPlan{run, /*awaited=*/true};
    machine.executor.submit(std::move(plan));
    machine.executor.wait();
    EXPECT_EQ(run->searchers(), 0);
    EXPECT_TRUE(run->is_idle()) << "nobody else takes part";
  }
  EXPECT_EQ(threads, std::vector(600, std::this_thread::get_id()));
}

// Two items of one chunk each, that wait for one another.
TEST(ReplayEngine, WhatIsAwaitedAndCanBeSharedIs) {
  Machine machine(1);
  std::atomic<int> begun{0}, met{0};
  std::function<void()> meet = [&] {
    const int wanted = (++begun + 1) / 2 * 2;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (begun < wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    met += begun >= wanted;
  };
  test::HandmadePlan handmade(64);
  const std::function<void()>* const address = &meet;
  std::memcpy(handmade.data(0), &address, sizeof address);
  handmade.add(calling(handmade.data(0)), {});
  handmade.add(calling(handmade.data(0)), {});
  // And from an item on.
  handmade.add(calling(handmade.data(0)), {0, 1});
  handmade.add(calling(handmade.data(0)), {0, 1});
  const std::shared_ptr<BoundPlan> run = handmade.make(machine.executor.participants());
  handmade.bind(*run, 0);
  auto plan = std::make_unique<Plan>();
  plan->first = InstructionId{0};
  plan->instructions.emplace_back().what = ReplayedPlan{run, /*awaited=*/true};
  machine.executor.submit(std::move(plan));
  machine.executor.wait();
  EXPECT_EQ(met, 4);
}

// A user's function counts as much: it does not make one thread's what stands beside it, unless that is little.
TEST(ReplayEngine, WhatIsBesideAUsersFunctionIsShared) {
  constexpr std::int64_t kBytes = 1 << 20;
  for (const std::int64_t beside : {std::int64_t{0}, kBytes / 16, kBytes}) {
    test::HandmadePlan handmade(3 * kBytes);
    handmade.add(calling(handmade.data(0)));
    if (beside > 0) {
      Copy copy;
      copy.to = {handmade.data(kBytes), {1}};
      copy.from = {handmade.data(2 * kBytes), {1}};
      copy.itemsize = 1;
      copy.extent = {beside};
      handmade.add(copy);
    }
    EXPECT_EQ(handmade.make(2)->plan_template().is_chain(), beside < kBytes) << beside;
  }
}

TEST(ReplayEngine, APlanOfNothingIsOver) {
  for (const int workers : {0, 2}) {
    CountingPlan plan(1);
    Machine machine(workers);
    plan.play(machine.executor);
    plan.play(machine.executor);
    EXPECT_EQ(machine.executor.done_before().value, 2);
  }
}

TEST(ReplayEngine, AllChunksOfAnItemComeBeforeWhatFollowsIt) {
  for (const int workers : {0, 1, 3}) {
    SCOPED_TRACE(workers);
    CountingPlan plan(4);
    plan.add(7, {});
    plan.add(1, {});
    plan.add(5, {0, 1});
    plan.add(3, {0});
    Machine machine(workers);
    for (int time = 0; time < 300; ++time) plan.play(machine.executor);
    plan.check();
  }
}

TEST(ReplayEngine, SeveralPlansAreUnderWayTogether) {
  for (const int workers : {0, 2}) {
    CountingPlan one(3), other(3);
    for (CountingPlan* plan : {&one, &other}) {
      plan->add(4, {});
      plan->add(4, {0});
      plan->add(1, {1});
    }
    Machine first(workers), second(workers);
    std::thread beside([&] {
      for (int time = 0; time < 100; ++time) other.play(second.executor);
    });
    for (int time = 0; time < 100; ++time) one.play(first.executor);
    beside.join();
    one.check();
    other.check();
  }
}

TEST(ReplayEngine, AMessageIsReadyAndDoneLikeAnItem) {
  for (const int workers : {0, 2}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Machine machine(workers);
      constexpr std::size_t kBytes = 40'000;  // too much to be gone at once
      test::HandmadePlan handmade(4 * kBytes);
      const auto copy = [&](std::size_t to, std::size_t from) {
        Copy copy;
        copy.to = {handmade.data(to * kBytes), {1}};
        copy.from = {handmade.data(from * kBytes), {1}};
        copy.itemsize = 1;
        copy.extent = {kBytes};
        return copy;
      };
      handmade.add(copy(1, 0));
      handmade.add(Send{0, {0, 0}, handmade.data(kBytes), kBytes, StoreId{0}}, {0});
      handmade.add(Receive{0, {0, 0}, handmade.data(2 * kBytes), kBytes, StoreId{0}});
      handmade.add(copy(3, 2), {2});
      const std::shared_ptr<BoundPlan> run = handmade.make(machine.executor.participants());
      for (std::int64_t time = 0; time < 10; ++time) {
        while (!run->is_idle()) std::this_thread::yield();
        handmade.bind(*run, static_cast<int>(time));
        std::memset(handmade.data(0), static_cast<int>(time + 1), kBytes);
        auto plan = std::make_unique<Plan>();
        plan->first = InstructionId{time};
        plan->instructions.emplace_back().what = ReplayedPlan{run};
        machine.executor.submit(std::move(plan));
        machine.executor.wait();
        EXPECT_EQ(std::memcmp(handmade.data(3 * kBytes), handmade.data(0), kBytes), 0) << time;
      }
    }
  }
}

// The recording thread comes by between two calls, where there are no workers.
TEST(ReplayEngine, WorksMeanwhileWhereNobodyElseDoes) {
  Machine machine(0);
  test::HandmadePlan handmade(64);
  handmade.add(Receive{0, {0, 0}, handmade.data(0), 8, StoreId{0}});
  Copy copy;
  copy.to = {handmade.data(16), {8}};
  copy.from = {handmade.data(0), {8}};
  copy.extent = {1};
  handmade.add(copy, {0});
  const std::shared_ptr<BoundPlan> run = handmade.make(1);
  handmade.bind(*run, 0);
  auto plan = std::make_unique<Plan>();
  plan->first = InstructionId{0};
  plan->instructions.emplace_back().what = ReplayedPlan{run};
  machine.executor.submit(std::move(plan));
  EXPECT_EQ(machine.executor.plans_in_flight(), 1);
  EXPECT_EQ(machine.executor.describe_activity().waits_for, 0);
  const std::uint64_t before = machine.executor.progress_signature();
  EXPECT_EQ(machine.executor.progress_signature(), before);
  const std::int64_t value = 77;
  Plan sending;
  sending.instructions.emplace_back().what = Send{0, {0, 0}, reinterpret_cast<const std::byte*>(&value), 8, StoreId{0}};
  sending.first = InstructionId{1};
  machine.executor.submit(std::make_unique<const Plan>(std::move(sending)));
  for (int i = 0; i < 100'000 && machine.executor.plans_in_flight() > 0; ++i) {
    machine.executor.poll();
    machine.executor.work_meanwhile();
  }
  EXPECT_EQ(machine.executor.plans_in_flight(), 0);
  EXPECT_NE(machine.executor.progress_signature(), before);
  std::int64_t arrived = 0;
  std::memcpy(&arrived, handmade.data(16), sizeof arrived);
  EXPECT_EQ(arrived, value);
}

// For a report of a stall: the first is done, though what comes after it waits for the second.
TEST(ReplayEngine, TellsOfWhatRunsAndNotOfWhatIsDone) {
  Machine machine(0);
  test::HandmadePlan handmade(64);
  const auto copy = [&] {
    Copy copy;
    copy.to = {handmade.data(16), {8}};
    copy.from = {handmade.data(24), {8}};
    copy.extent = {1};
    return copy;
  };
  std::vector<std::string> told;
  std::function<void()> tell = [&] { told.push_back(machine.executor.describe_activity().text); };
  std::function<void()>* const address = &tell;
  std::memcpy(handmade.data(0), &address, sizeof address);
  handmade.add(copy(), {}, "first");
  handmade.add(calling(handmade.data(0)), {}, "second");
  handmade.add(copy(), {0, 1}, "third");
  const std::shared_ptr<BoundPlan> run = handmade.make(1);
  for (std::int64_t time = 0; time < 3; ++time) {
    handmade.bind(*run, static_cast<int>(time));
    auto plan = std::make_unique<Plan>();
    plan->first = InstructionId{time};
    plan->instructions.emplace_back().what = ReplayedPlan{run};
    machine.executor.submit(std::move(plan));
    machine.executor.wait();
  }
  ASSERT_EQ(told.size(), 3u);
  for (const std::string& text : told) EXPECT_EQ(text.rfind("runs [second]", 0), 0u) << text;
}

TEST(ReplayEngine, WhatThrowsEndsItWithTheItemsName) {
  for (const int workers : {0, 2}) {
    CountingPlan plan(3);
    for (int i = 0; i < 3; ++i) plan.add(2, i ? std::vector{i - 1} : std::vector<int>());
    Machine machine(workers);
    plan.play(machine.executor);
    plan.item(1).throws = true;
    try {
      plan.play(machine.executor);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::exception& error) {
      EXPECT_EQ(std::string(error.what()).rfind("[count] it broke. Recorded at ", 0), 0u) << error.what();
    }
    EXPECT_EQ(plan.item(2).done, 2) << "what comes after it did not run";
  }
}

class RandomReplays : public testing::TestWithParam<unsigned> {};

TEST_P(RandomReplays, RunEachChunkOnceAndInOrder) {
  SCOPED_TRACE(testing::Message() << "seed " << GetParam());
  std::mt19937 random(GetParam());
  const std::size_t items = 1 + random() % 24;
  CountingPlan plan(items);
  for (std::size_t i = 0; i < items; ++i) {
    std::vector<int> after;
    for (std::size_t before = 0; before < i; ++before) {
      if (random() % 4 == 0) after.push_back(static_cast<int>(before));
    }
    plan.add(1 + static_cast<std::int64_t>(random() % 6), after);
  }
  // Fast memory: a thread alone does it; slow: workers are asked.
  Machine machine(static_cast<int>(random() % 4), random() % 2 ? 1 : 1e15);
  for (int time = 0; time < 60; ++time) plan.play(machine.executor);
  plan.check();
  EXPECT_EQ(plan.times(), 60);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomReplays, testing::Range(1u, 17u));

}  // namespace
}  // namespace pilum::scheduler
