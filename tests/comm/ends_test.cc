// How jobs end, seen from outside: exit status and what is printed. Runs comm_ends_rank under mpirun. A job that hangs
// is ended by timeout(1), whose status is 124; the time that mpirun itself takes on a busy machine is not judged.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace pilum::comm {
namespace {

constexpr int kHangs = 124;

struct Ending {
  int status = 0;
  std::string output;  // standard output and error
};

Ending run_job(const std::string& transport, int ranks, const std::string& end, const std::string& flags = "") {
  const std::string command = PILUM_ENVIRONMENT " PILUM_TRANSPORT=" + transport + " timeout 100 " PILUM_MPIRUN " " +
                              flags + " -n " + std::to_string(ranks) + " " PILUM_ENDS_RANK " " + end + " 2>&1";
  Ending ending;
  FILE* pipe = ::popen(command.c_str(), "r");
  char chunk[4096];
  while (const std::size_t bytes = std::fread(chunk, 1, sizeof(chunk), pipe)) ending.output.append(chunk, bytes);
  const int status = ::pclose(pipe);
  ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ending;
}

class Ends : public testing::TestWithParam<const char*> {};

TEST_P(Ends, LeavingInOrderPrintsNothing) {
  for (const char* end : {"leave_in_order", "leave_without_a_word"}) {
    for (const int ranks : {1, 3}) {
      const Ending ending = run_job(GetParam(), ranks, end);
      EXPECT_EQ(ending.status, 0);
      EXPECT_EQ(ending.output, "");
    }
  }
}

TEST_P(Ends, AbortEndsEveryRankWithItsStatus) {
  const Ending ending = run_job(GetParam(), 3, "abort_on_rank_one");
  EXPECT_EQ(ending.status, 7) << ending.output;
}

TEST_P(Ends, AKilledRankEndsTheJob) {
  const Ending ending = run_job(GetParam(), 3, "kill_rank_one");
  EXPECT_NE(ending.status, 0);
  EXPECT_NE(ending.status, kHangs) << ending.output;
}

TEST_P(Ends, AnotherSizeIsReportedWithItsMessage) {
  const Ending ending = run_job(GetParam(), 2, "send_another_size");
  EXPECT_NE(ending.output.find("message 4 of window 3 from rank 1 has "), std::string::npos) << ending.output;
  EXPECT_NE(ending.output.find(" bytes where 10 were expected"), std::string::npos) << ending.output;
  EXPECT_EQ(ending.status, 3);
}

INSTANTIATE_TEST_SUITE_P(Transports, Ends, testing::Values("ucx", "mpi"),
                         [](const auto& info) { return std::string(info.param); });

// mpirun itself is told to let the others live.
TEST(EndsByUcx, AKilledRankIsNamedByTheOthersWithinSeconds) {
  const Ending ending = run_job("ucx", 3, "kill_rank_one", "--enable-recovery");
  EXPECT_NE(ending.output.find("rank 1 is gone"), std::string::npos) << ending.output;
  const auto after = ending.output.find("after ");
  ASSERT_NE(after, std::string::npos) << ending.output;
  EXPECT_LT(std::atof(ending.output.c_str() + after + 6), 5) << ending.output;
}

TEST(EndsAtStart, ALauncherOfAnotherMpiIsNamed) {
  // A process that stops so early leaves everything of MPI behind: no report of leaks.
  const std::string command = PILUM_ENVIRONMENT
      " ASAN_OPTIONS=detect_leaks=0 OMPI_COMM_WORLD_SIZE=2 PILUM_TRANSPORT=mpi " PILUM_ENDS_RANK " leave_in_order 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  char text[1024] = "";
  static_cast<void>(std::fread(text, 1, sizeof(text) - 1, pipe));
  EXPECT_EQ(WEXITSTATUS(::pclose(pipe)), 4);
  EXPECT_NE(std::string(text).find("the launcher started 2 ranks, but MPI sees 1"), std::string::npos) << text;
}

}  // namespace
}  // namespace pilum::comm
