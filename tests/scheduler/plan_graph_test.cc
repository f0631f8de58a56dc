// Replayed plans on emulated GPUs: small launches that wait for nothing of each other become one.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/session/session.h"
#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/naive_recorder.h"
#include "tests/fakes/simulated_ranks.h"

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
  Array field_ = np::arange(0.0, 12.0 * 17.0).reshape({12, 17}) / 100.0;
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

}  // namespace
}  // namespace pilum::scheduler
