// pilum::Runtime on a communicator of the program's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pilum/mpi.h>
#include <pilum/pilum.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "tests/embedding/host_program.h"

namespace pilum::test {
namespace {

namespace np = pilum::numeric;
using np::slice;
using testing::HasSubstr;

std::string transport() {
  return std::getenv("PILUM_TRANSPORT");
}

// By hand: `steps` times each inner cell becomes the mean of its two neighbours.
std::vector<double> smooth_by_hand(std::vector<double> line, int steps) {
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next = line;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) next[i] = 0.5 * (line[i - 1] + line[i + 1]);
    line = next;
  }
  return line;
}

std::vector<double> smooth(std::int64_t cells, int steps) {
  auto line = np::arange(static_cast<double>(cells));
  line *= line;
  auto inner = line(slice(1, -1));
  for (int step = 0; step < steps; ++step) inner[np::all] = 0.5 * (line(slice(0, -2)) + line(slice(2, {})));
  return line.to_vector<double>();
}

std::vector<double> squares(std::int64_t cells) {
  std::vector<double> line(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<double>(i) * static_cast<double>(i);
  return line;
}

std::string error_of(MPI_Comm communicator) {
  try {
    const pilum::Runtime runtime(communicator);
  } catch (const pilum::Error& error) {
    return error.what();
  }
  return "none";
}

// Messages of the program's own among all ranks, while some of them are Pilum's.
void talk_among_all() {
  int sum = 0;
  const int mine = world_rank() + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, world_size() * (world_size() + 1) / 2);
}

TEST(EmbeddedRuntime, TwoOfThreeRanksComputeAndTheThirdIsThePrograms) {
  const Subset subset(world_rank() < 2);
  if (!subset) return talk_among_all();
  const pilum::Runtime runtime(subset.get());
  EXPECT_EQ(runtime.ranks(), 2);
  EXPECT_EQ(runtime.rank(), world_rank());
  EXPECT_EQ(runtime.transport(), transport());
  EXPECT_EQ(smooth(5000, 40), smooth_by_hand(squares(5000), 40));
  talk_among_all();
  EXPECT_EQ(smooth(300, 10), smooth_by_hand(squares(300), 10));
}

TEST(EmbeddedRuntime, RanksAreThoseOfTheCommunicator) {
  const Subset subset(world_rank() != 0);
  if (!subset) return;
  const pilum::Runtime runtime(subset.get());
  EXPECT_EQ(runtime.ranks(), world_size() - 1);
  EXPECT_EQ(runtime.rank(), world_rank() - 1);
  EXPECT_EQ(smooth(1000, 7), smooth_by_hand(squares(1000), 7));
}

TEST(EmbeddedRuntime, SeveralOneAfterTheOtherOnDifferentRanks) {
  for (int round = 0; round < 4; ++round) {
    const Subset subset(round % 2 == 0 || world_rank() != 1);
    if (!subset) continue;
    const pilum::Runtime runtime(subset.get());
    EXPECT_EQ(smooth(700, 5), smooth_by_hand(squares(700), 5));
  }
  talk_among_all();
}

TEST(EmbeddedRuntime, OneRankAlone) {
  const pilum::Runtime runtime(MPI_COMM_SELF);
  EXPECT_EQ(runtime.ranks(), 1);
  EXPECT_EQ(runtime.transport(), transport());
  EXPECT_EQ(smooth(500, 5), smooth_by_hand(squares(500), 5));
}

TEST(EmbeddedRuntime, OneRankAloneTalksToItselfUnlessToldOtherwise) {
  const std::string before = transport();
  setenv("PILUM_TRANSPORT", "best", 1);
  {
    const pilum::Runtime runtime(MPI_COMM_SELF);
    EXPECT_EQ(runtime.transport(), "self");
    EXPECT_EQ(smooth(500, 5), smooth_by_hand(squares(500), 5));
  }
  setenv("PILUM_TRANSPORT", before.c_str(), 1);
}

// Many messages while workers compute: those of the transport mpi are the host thread's alone, unless MPI says that any
// may call.
TEST(EmbeddedRuntime, NoOtherThreadCallsMpiBelowMultiple) {
  {
    const pilum::Runtime runtime(MPI_COMM_WORLD);
    for (int round = 0; round < 5; ++round) {
      auto line = np::arange(60000.0);
      auto inner = line(slice(1, -1));
      for (int step = 0; step < 60; ++step) inner[np::all] = 0.5 * (line(slice(0, -2)) + line(slice(2, {}))) + 0.001;
      EXPECT_GT(np::sum(line).item<double>(), 0);
    }
  }
  if (std::string(thread_level()) != "multiple") {
    EXPECT_EQ(calls_from_other_threads(), 0);
  }
}

TEST(EmbeddedRuntime, StandardOutputStaysThePrograms) {
  const pilum::Runtime runtime(MPI_COMM_WORLD);
  char path[256] = "";
  const ssize_t length = readlink("/proc/self/fd/1", path, sizeof path - 1);
  ASSERT_GT(length, 0);
  EXPECT_STRNE(path, "/dev/null");
}

TEST(EmbeddedErrors, NoCommunicator) {
  EXPECT_THAT(error_of(MPI_COMM_NULL),
              HasSubstr("[Runtime] the communicator is MPI_COMM_NULL: make the Runtime only on the ranks"));
}

TEST(EmbeddedErrors, TwoGroups) {
  MPI_Comm group = MPI_COMM_NULL, between = MPI_COMM_NULL;
  const int side = world_rank() == 0 ? 0 : 1;
  MPI_Comm_split(MPI_COMM_WORLD, side, world_rank(), &group);
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, side == 0 ? 1 : 0, 7, &between);
  EXPECT_THAT(error_of(between), HasSubstr("[Runtime] the communicator joins two groups of ranks"));
  MPI_Comm_free(&between);
  MPI_Comm_free(&group);
}

TEST(EmbeddedErrors, AnotherThreadAtFunneled) {
  if (std::string(thread_level()) != "funneled") GTEST_SKIP();
  std::string error;
  std::thread([&error] { error = error_of(MPI_COMM_SELF); }).join();
  EXPECT_THAT(error, HasSubstr("MPI_THREAD_FUNNELED, and this is not the thread that initialized it"));
}

TEST(BelowFunneled, IsRefusedWithTheLevelThatIsNeeded) {
  EXPECT_THAT(error_of(MPI_COMM_WORLD),
              HasSubstr("MPI runs at thread level 0 (MPI_THREAD_SINGLE), but Pilum has threads that "
                        "compute: call MPI_Init_thread with MPI_THREAD_FUNNELED"));
}

}  // namespace
}  // namespace pilum::test
