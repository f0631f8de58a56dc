// Ranks that never make their Runtime, and starts that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

// Ranks that plaunch starts itself, and mpirun's.
const char* const kLaunchers[] = {"none", "mpirun"};

// Runs it; it must end by itself in this time, badly.
Outcome fails_within(std::chrono::seconds limit, const Words& words, const Variables& variables = with()) {
  const auto start = std::chrono::steady_clock::now();
  Outcome outcome = Program(words, variables).wait(30s);
  EXPECT_LT(std::chrono::steady_clock::now() - start, limit) << outcome.error;
  EXPECT_NE(outcome.exit_code, 0);
  return outcome;
}

TEST(Start, ARankThatReturnsBeforeItsRuntimeEndsAll) {
  NEEDS_MPIRUN();
  for (const char* launcher : kLaunchers) {
    for (int ranks : {2, 3}) {
      const Outcome outcome =
          fails_within(8s, under_plaunch(ranks, {lifecycle(), "never", "1"}, {"--launcher", launcher}));
      EXPECT_EQ(outcome.exit_code, 1);
      EXPECT_THAT(outcome.error,
                  ContainsRegex("plaunch: rank 1 of " + std::to_string(ranks) + " on [^ ]+ ended with exit " +
                                "status 0 before its Runtime was created, and rank [0-9] waits"));
    }
  }
}

// As mpirun's "-n 1 program : -n 1 /bin/true": one rank is another program.
TEST(Start, ARankThatIsAnotherProgramEndsAll) {
  NEEDS_MPIRUN();
  const Pids folder("another");
  const std::string script = folder.folder() + "/either";
  std::ofstream(script) << "#!/bin/sh\n[ $OMPI_COMM_WORLD_RANK = 1 ] && exec /bin/true\nexec " << lifecycle()
                        << " exit\n";
  ASSERT_EQ(std::system(("chmod +x " + script).c_str()), 0);
  for (const char* launcher : kLaunchers) {
    const Outcome outcome = fails_within(8s, under_plaunch(2, {script}, {"--launcher", launcher}));
    EXPECT_THAT(outcome.error,
                ContainsRegex("plaunch: rank 1 of 2 on [^ ]+ ended with exit status 0 before its Runtime was created"));
  }
}

TEST(Start, ARankThatReturnsBeforeTheSecondRuntimeEndsAll) {
  NEEDS_MPIRUN();
  for (const char* launcher : kLaunchers) {
    const Outcome outcome = fails_within(8s, under_plaunch(2, {lifecycle(), "once", "1"}, {"--launcher", launcher}));
    EXPECT_THAT(
        outcome.error,
        ContainsRegex("plaunch: rank 1 of 2 on [^ ]+ left after 1 Runtime, and rank 0 waits for it in one more"));
  }
}

TEST(Start, ARankThatIsLateIsWaitedForAndNamed) {
  NEEDS_MPIRUN();
  for (const char* launcher : kLaunchers) {
    const Outcome outcome = run(under_plaunch(2, {lifecycle(), "late", "1"}, {"--launcher", launcher}), with());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    EXPECT_THAT(outcome.error, HasSubstr("plaunch: rank 1 of 2 has not created its Runtime for 5 s; "
                                         "rank 0 waits for it in its own Runtime\n"));
    EXPECT_THAT(outcome.error, Not(HasSubstr("pilum: rank")));
  }
}

TEST(Start, ProgramsWithoutARuntimeMayEndWhenTheyLike) {
  NEEDS_MPIRUN();
  for (const char* launcher : kLaunchers) {
    const Outcome outcome =
        run(under_plaunch(2, {"/bin/sh", "-c", "sleep $OMPI_COMM_WORLD_RANK"}, {"--launcher", launcher}), with());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  }
}

TEST(Start, UnderMpirunARankThatEndsWithoutARuntimeIsNamedAndEndsTheJob) {
  NEEDS_MPIRUN();
  const Outcome outcome = run({"timeout", "-k", "3", "9", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1",
                               lifecycle(), "exit", ":", "-n", "1", "/bin/true"},
                              with());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.exit_code, 124) << "it hung";
  EXPECT_THAT(outcome.error,
              HasSubstr("pilum: rank 1 ended before making a Runtime, and the other ranks wait for it in MPI"));
}

// A rank that is there but late may come yet; the others say what they wait for.
TEST(Start, UnderMpirunWhoWaitsSaysSo) {
  NEEDS_MPIRUN();
  const Outcome outcome = run({"timeout", "-k", "3", "9", "mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1",
                               lifecycle(), "exit", ":", "-n", "1", "/bin/sleep", "30"},
                              with());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.error,
              ContainsRegex("pilum: rank 0 of 2 .process [0-9]+. has waited 5 s in MPI for the other ranks"));
}

TEST(Start, WhatMpiCouldNotDoIsShown) {
  NEEDS_MPIRUN();
  for (const char* layer : {"btl", "pml"}) {
    Variables variables = with({{"PILUM_TRANSPORT", "mpi"}});
    variables[std::string("OMPI_MCA_") + layer] = "nonsense";
    for (const char* launcher : kLaunchers) {
      const Words words = under_plaunch(2, {lifecycle(), "exit"}, {"--launcher", launcher});
      Outcome outcome = fails_within(15s, words, variables);
      // mpirun, without plaunch too, loses what its ranks' MPI has said once in eight times.
      for (int tries = 1; tries < 6 && *launcher == 'm' && outcome.error.find("nonsense") == std::string::npos;
           ++tries) {
        outcome = fails_within(15s, words, variables);
      }
      EXPECT_THAT(outcome.error,
                  ContainsRegex("plaunch: rank [01] of 2 on [^ ]+ ended with exit status [0-9]+ at its start, in MPI"));
      EXPECT_THAT(outcome.error, HasSubstr("nonsense"));
      EXPECT_THAT(outcome.error, Not(HasSubstr("-----")));
    }
  }
}

// What a program frames as Open MPI does is the program's, even where MPI's words are waited for: before its Runtime,
// and while rank 0 waits for rank 1 in it.
TEST(Start, WhatAProgramFramesAsMpiDoesIsShown) {
  NEEDS_MPIRUN();
  const std::string rule(70, '-');
  const std::string print = "printf '%s\\n' " + rule + " heading " + rule + " >&2";
  for (const auto& [first, how] :
       {std::pair{print, "exit"}, {print, "never"}, {"(sleep 1; " + print + ") &", "late"}}) {
    const Words words{"/bin/sh", "-c", first + "\nexec " + lifecycle() + " " + how + " 1"};
    const Outcome outcome = run(under_plaunch(2, words), with());
    const std::string& text = outcome.error;
    const std::size_t heading = text.find("heading\n");
    ASSERT_NE(heading, std::string::npos) << text;
    EXPECT_NE(text.find("heading\n", heading + 1), std::string::npos) << how << "\n" << text;
  }
}

}  // namespace
}  // namespace pilum::test
