// Random programs: fused, cut and read through, a window's tasks do what its operations say.
#include <gtest/gtest.h>

#include "tests/scheduler/judged_recorder.h"
#include "tests/scheduler/random_program.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

struct Windows {
  int processors;
  std::size_t operations;
};
void PrintTo(const Windows& windows, std::ostream* out) {
  *out << windows.processors << " processors, windows of " << windows.operations;
}

class FuseRandom : public testing::TestWithParam<Windows> {};

TEST_P(FuseRandom, TasksOfAWindowDoWhatItsOperationsSay) {
  for_each_seed(12, [](std::uint64_t seed) {
    JudgedRecorder recorder(JudgedRecorder::Look::Cells, GetParam().processors, GetParam().operations);
    RandomProgram(seed).run(40);
  });
}

INSTANTIATE_TEST_SUITE_P(Machines, FuseRandom,
                         testing::Values(Windows{1, 1000}, Windows{1, 7}, Windows{2, 1000}, Windows{3, 11},
                                         Windows{5, 1000}, Windows{64, 20}));

}  // namespace
}  // namespace pilum::scheduler
