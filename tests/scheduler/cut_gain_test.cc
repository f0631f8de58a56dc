// What cutting gains an operation.
#include "scheduler/analyze/cut_gain.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all;

machine::Machine machine_of(int processors) {
  machine::Machine machine;
  machine.processors_per_rank = processors;
  machine.memory_bandwidth = 1e9;
  return machine;
}

// Two arrays of 8,000 bytes are passed over: by two processors in half of the time, by four in a quarter.
TEST(CutGain, IsTheTimeThatTheOthersTake) {
  WindowRecorder recorder;
  const np::Array a = np::zeros(1000);
  const np::Array b = np::abs(a);
  const Operation& operation = recorder.operations.back();
  for_each_view(operation, [](const View& view, bool) { view.store->large = true; });
  EXPECT_EQ(gain_of_cut(operation, machine_of(2)).arrays, 2);
  EXPECT_DOUBLE_EQ(gain_of_cut(operation, machine_of(1)).seconds, 0);
  EXPECT_DOUBLE_EQ(gain_of_cut(operation, machine_of(2)).seconds, 8e-6);
  EXPECT_DOUBLE_EQ(gain_of_cut(operation, machine_of(4)).seconds, 12e-6);
}

// Small arrays are not cut; of a large one a row is seen.
TEST(CutGain, IsOfWhatIsSeenOfLargeArrays) {
  WindowRecorder recorder;
  const np::Array a = np::zeros({100, 10});
  const np::Array row = a(3, all) + np::ones(10);
  for_each_view(recorder.operations.back(),
                [](const View& view, bool) { view.store->large = view.store->shape.rank() == 2; });
  const CutGain gain = gain_of_cut(recorder.operations.back(), machine_of(2));
  EXPECT_EQ(gain.arrays, 1);
  EXPECT_DOUBLE_EQ(gain.seconds, 0.5 * 80 / 1e9);
}

}  // namespace
}  // namespace pilum::scheduler
