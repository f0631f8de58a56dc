// What cutting gains an operation.
#include "scheduler/analyze/cut_gain.h"

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "scheduler/record/task_launch.h"
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

// Of a matrix and a row of it that is added to all rows: the row is passed over once.
TEST(CutGain, OfARowThatIsBroadcastIsOfOneRow) {
  WindowRecorder recorder;
  const np::Array a = np::zeros({100, 50});
  const np::Array b = a + np::expand_dims(a(7), 0);
  const Operation& operation = recorder.operations.back();
  for_each_view(operation, [](const View& view, bool) { view.store->large = true; });
  EXPECT_EQ(gain_of_cut(operation, machine_of(2)).arrays, 3);
  EXPECT_DOUBLE_EQ(gain_of_cut(operation, machine_of(2)).seconds, (2 * 5000 + 50) * 8 * 0.5e-9);
}

// Fused: what only registers hold is not passed over.
TEST(CutGain, OfATaskIsByWhatMoves) {
  for (const int processors : {1, 2, 4}) {
    WindowRecorder recorder;
    const np::Array a = np::zeros(1000);
    recorder.begin_window();
    const np::Array b = np::abs(a) * 2.0 + 1.0;
    const std::vector<Task> tasks = recorder.fuse_window(processors);
    ASSERT_EQ(tasks.size(), 1u);
    for_each_view(recorder.operations.front(), [](const View& view, bool) { view.store->large = true; });
    const CutGain gain = gain_of_cut(tasks.front(), machine_of(processors));
    EXPECT_EQ(gain.arrays, processors > 1 ? 1 : 0);
    EXPECT_DOUBLE_EQ(gain.seconds, 16e-6 * (1 - 1.0 / processors)) << processors;
    EXPECT_DOUBLE_EQ(gain_if_cut(tasks.front(), machine_of(processors)).seconds, gain.seconds) << processors;
  }
}

// Forty additions for an exponential, sixty while a cell passes.
TEST(CutGain, OfATaskIsByArithmeticWhereThatTakesLonger) {
  WindowRecorder recorder;
  const np::Array a = np::zeros(1000);
  recorder.begin_window();
  const np::Array b = np::exp(np::exp(np::exp(np::exp(a))));
  const std::vector<Task> tasks = recorder.fuse_window(2);
  ASSERT_EQ(tasks.size(), 1u);
  const double seconds = gain_of_cut(tasks.front(), machine_of(2)).seconds;
  EXPECT_GE(seconds, 0.5 * 4 * 40 / 60.0 * 8e-6);
  EXPECT_LE(seconds, 0.5 * 5 * 40 / 60.0 * 8e-6);
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
