// Random programs: fused, cut and read through, a window's tasks do what its operations say.
#include <gtest/gtest.h>

#include <algorithm>

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

// e is cut by its own extent and b by its own: on several processors one of them is written beside, and copied back.
TEST_P(FuseRandom, BodiesOfUsersMixWithOperationsOfArrays) {
  namespace np = numeric;
  using np::all, np::slice;
  JudgedRecorder recorder(JudgedRecorder::Look::Cells, GetParam().processors, GetParam().operations);
  np::Array a = np::arange(420).astype<double>().reshape({60, 7}), b = np::zeros({60, 7});
  np::Array c = np::zeros({7, 60}), e = np::zeros({90, 7});
  e += 1.0;
  b += 2.0;
  recorder.wait(std::source_location::current());
  const auto smooth = task(
      "smooth", [](Piece piece, Read<double, 2> in, Write<double, 2> out, ReadWrite<double, 2> sums, double weight) {
        for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
          for (std::int64_t j = piece.lo(1); j < piece.hi(1); ++j) {
            const std::int64_t up = std::max(i - 1, in.lo(0)), down = std::min(i + 1, in.hi(0) - 1);
            out(i, j) = in(i, j) + weight * (in(up, j) - in(down, j));
            sums(i, j) += out(i, j);
          }
        }
      });
  const auto reversed = task("reversed", [](Piece piece, Read<double, 2> in, Write<double, 2> out) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
      for (std::int64_t j = piece.lo(1); j < piece.hi(1); ++j) out(i, j) = in(i, in.hi(1) - 1 - j);
    }
  });
  for (int round = 0; round < 3; ++round) {
    smooth({60, 7}, read(a, halo({1, 0}, {1, 0})), write(b), read_write(e(slice(30, 90))), 0.25);
    c.T()[all] += 0.5 * b;
    reversed({7, 60}, read(c, affine({{.axis = 0}, {.axis = -1, .extent = 60}})), write(a.T()));
    a(slice(1, {})) += e(slice(0, 59));
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, FuseRandom,
                         testing::Values(Windows{1, 1000}, Windows{1, 7}, Windows{2, 1000}, Windows{3, 11},
                                         Windows{5, 1000}, Windows{64, 20}));

}  // namespace
}  // namespace pilum::scheduler
