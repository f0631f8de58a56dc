// Replayed plans on emulated GPUs: small launches that wait for nothing of each other become one.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/execute/plan_graph.h"
#include "scheduler/session/session.h"
#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/naive_recorder.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/handmade_plan.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::Array, np::slice;

// Four rims and the interior are updated, each from the others' cells of the step before.
class Rims {
 public:
  void step() {
    auto old = field_.copy();
    const slice in(1, -1), low(0, -2), high(2, {});
    field_(in, in) = 0.5 * old(in, in) + weight_ * (old(low, in) + old(high, in) + old(in, low) + old(in, high));
    field_(0, all) = old(-2, all) - 1.0;
    field_(-1, all) = old(1, all) * 0.5;
    field_(in, 0) = old(in, -2) + 1.0;
    field_(in, -1) = old(in, 1) * 2.0;
    weight_ += 0.001;  // a number that differs each time
  }
  std::vector<double> cells() const { return field_.to_vector<double>(); }

 private:
  Array field_ = np::arange(0.0, 18.0 * 17.0).reshape({18, 17}) / 100.0;
  double weight_ = 0.1;
};

TEST(PlanGraph, RimsOfAStepBecomeOneLaunch) {
  constexpr int kSteps = 60, kMost = 200;
  for (const int gpus : {1, 2}) {
    SCOPED_TRACE(testing::Message() << gpus << " GPUs");
    const fakes::SimulatedRanks machine{.processors_per_rank = gpus, .gpus = true};
    auto parts = fakes::make_simulated_parts(machine, std::move(comm::make_simulated_network(1, machine.seed)[0]));
    std::vector<fakes::EmulatedGpu*> all_gpus;
    for (const auto& gpu : parts.gpus) all_gpus.push_back(static_cast<fakes::EmulatedGpu*>(gpu.get()));
    const auto count = [&](long fakes::EmulatedCounts::* first, long fakes::EmulatedCounts::* second) {
      long sum = 0;
      for (const fakes::EmulatedGpu* gpu : all_gpus) sum += gpu->counts().*first + (second ? gpu->counts().*second : 0);
      return sum;
    };
    using Counts = fakes::EmulatedCounts;
    std::optional<Session> session(std::move(parts));
    Recorder* outer = set_current_recorder(&*session);
    int steps = 0;
    long apart = 0, together = 0;
    std::vector<double> cells;
    {
      Rims rims;
      const auto step = [&] {
        rims.step();
        session->wait();
        ++steps;
      };
      for (int early = 0; early < 2; ++early) {  // launch by launch
        const long before = count(&Counts::launches, &Counts::copies);
        step();
        apart = count(&Counts::launches, &Counts::copies) - before;
      }
      // As graphs, of single launches at first: the compiler takes its time.
      do {
        const long before = count(&Counts::graph_items, nullptr);
        step();
        together = count(&Counts::graph_items, nullptr) - before;
        if (steps > kSteps) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      } while (steps < kMost && (steps < kSteps || together * 2 > apart));
      for (int more = 0; more < 5; ++more) step();
      cells = rims.cells();
    }
    session->finish();
    set_current_recorder(outer);
    EXPECT_GE(apart, 5 * gpus);
    EXPECT_GT(together, 0) << "there is no graph";
    EXPECT_LE(together * 2, apart) << "of " << apart << " launches and copies of a step";
    fakes::NaiveRecorder naive;
    Rims expected;
    for (int step = 0; step < steps; ++step) expected.step();
    EXPECT_EQ(cells, expected.cells());
  }
}

// Steps over one block of a GPU, as a graph that is issued once.
class GraphOfSteps {
 public:
  static constexpr std::size_t kLarge = 8 << 20;  // cells of it fill a GPU by themselves

  explicit GraphOfSteps(std::uint64_t seed)
      : gpu_(fakes::make_emulated_gpu(0, seed, std::size_t{1} << 30)), memory_(gpu_->allocate(3 * kLarge)) {
    std::memset(memory_, 0, 3 * kLarge);
  }
  std::byte* at(std::size_t place) { return memory_ + place; }
  std::uint32_t flag(std::size_t place) const { return read<std::uint32_t>(place); }
  std::int64_t cell(std::size_t place) const { return read<std::int64_t>(place); }
  // Steps by number.
  int tell(std::size_t flag, const std::vector<int>& after = {}) {
    return plan_.add(Taken{.peer = 1, .flag = at(flag), .waits = false}, after);
  }
  int await(std::size_t flag, const std::vector<int>& after = {}) {
    return plan_.add(Taken{.peer = 1, .flag = at(flag), .waits = true}, after);
  }
  int copy(std::size_t to, std::size_t from, const std::vector<int>& after = {}) {
    Copy copy;
    copy.to = {at(to), {1}};
    copy.from = {at(from), {1}};
    copy.itemsize = 1;
    copy.extent = {kLarge};
    return plan_.add(copy, after);
  }
  // A small launch: a cell is added to another one.
  int add_cell(std::size_t to, std::size_t from, const std::vector<int>& after = {}) {
    FoldParts fold;
    fold.fold = kernel::Fold::Sum;
    fold.dtype = DType::Int64;
    fold.parts = at(from);
    fold.part_count = 1;
    fold.to = {at(to), {8}};
    fold.extent = {1};
    return plan_.add(fold, after);
  }
  void launch(bool compiled = false) {
    run_ = plan_.make(1);
    plan_.bind(*run_, 0);
    graph_.emplace(*run_, std::vector<device::Gpu*>{gpu_.get()}, *gpu_, *jit_, reports_);
    (void)graph_->update({});  // nothing is compiled yet
    for (long before = -1; compiled && before < jit_->statistics().compiled;) {
      before = jit_->statistics().compiled;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    gpu_->launch(device::Stream::Compute, graph_->update({}));
    end_ = gpu_->record_event(device::Stream::Compute);
  }
  // All that can be done; true: that is everything.
  bool run() {
    for (int i = 0; i < 100; ++i) {
      if (gpu_->completed(end_)) return true;
    }
    return false;
  }
  long items() const { return gpu_->counts().graph_items; }

 private:
  template <class T>
  T read(std::size_t place) const {
    T value;
    std::memcpy(&value, memory_ + place, sizeof value);
    return value;
  }

  std::unique_ptr<fakes::EmulatedGpu> gpu_;
  std::byte* memory_;
  std::unique_ptr<jit::DeviceJit> jit_ = [] {
    jit::DeviceJitOptions options;
    options.threads = 1;
    return jit::make_device_jit(fakes::make_emulated_compiler(), options);
  }();
  OutOfBoundsReports reports_;
  test::HandmadePlan plan_{memory_, 3 * kLarge};
  std::shared_ptr<BoundPlan> run_;
  std::optional<PlanGraph> graph_;
  device::Event end_;
};

constexpr std::size_t kAsked = 32, kTold = 64, kTold2 = 96, kAsked2 = 128;  // flags
constexpr std::size_t kOne = 1024, kTwo = 1032, kThree = 1040;              // cells

TEST(PlanGraph, AWaitForAPeerComesAfterAllThatWasToldBefore) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    GraphOfSteps steps(seed);
    const int made = steps.copy(2 * GraphOfSteps::kLarge, GraphOfSteps::kLarge);
    steps.tell(kTold, {made});
    steps.await(kAsked);
    steps.tell(kTold2, {made});
    steps.await(kAsked2);
    steps.launch();
    EXPECT_FALSE(steps.run());
    ASSERT_EQ(steps.flag(kTold), 1u);
    ASSERT_EQ(steps.flag(kAsked), 0u);
    *steps.at(kAsked) = std::byte{1};
    EXPECT_FALSE(steps.run());
    ASSERT_EQ(steps.flag(kAsked), 0u) << "it lowers the flag";
    ASSERT_EQ(steps.flag(kTold2), 1u);
    *steps.at(kAsked2) = std::byte{1};
    ASSERT_TRUE(steps.run());
    EXPECT_EQ(steps.items(), 5);
  }
}

TEST(PlanGraph, WaitsForPeersComeInTheOrderOfTheProgram) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    GraphOfSteps steps(seed);
    steps.await(kAsked);
    steps.await(kAsked2);
    steps.launch();
    *steps.at(kAsked2) = std::byte{1};
    EXPECT_FALSE(steps.run());
    ASSERT_EQ(steps.flag(kAsked2), 1u);
    *steps.at(kAsked) = std::byte{1};
    ASSERT_TRUE(steps.run());
  }
}

// Both of the small launches could go as one, which would come after the wait: what does not need it would be late.
TEST(PlanGraph, WhatIsBehindAWaitIsNotLaunchedWithWhatIsBeforeIt) {
  for (const bool waits : {false, true}) {
    GraphOfSteps steps(1);
    *steps.at(kOne) = std::byte{7};
    const int large = steps.copy(2 * GraphOfSteps::kLarge, GraphOfSteps::kLarge);
    steps.add_cell(kTwo, kOne, {large});
    const int asked = waits ? steps.await(kAsked) : steps.copy(2 * GraphOfSteps::kLarge, GraphOfSteps::kLarge, {large});
    steps.add_cell(kThree, kOne, {waits ? asked : large});
    steps.launch(/*compiled=*/true);
    *steps.at(kAsked) = std::byte{1};
    ASSERT_TRUE(steps.run());
    EXPECT_EQ(steps.cell(kTwo), 7);
    EXPECT_EQ(steps.cell(kThree), 7);
    EXPECT_EQ(steps.items(), waits ? 4 : 3);
  }
}

}  // namespace
}  // namespace pilum::scheduler
