// Whole runs: what the application gets, and what comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/launcher/program.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::vector<std::string> of_two(const std::vector<std::string>& application) {
  return plaunch(kTwoRanks, application);
}

// plaunch's own lines of a standard error, less the remark about root.
std::string own_lines(const std::string& error) {
  std::istringstream in(error);
  std::string kept;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("plaunch: ") && line.find("running as root") == std::string::npos) kept += line + "\n";
  }
  return kept;
}

// Standard error shows no trace of the launcher.
void expect_no_banner(const std::string& error) {
  for (const char* trace : {"-----", "mpirun", "PMIX", "ORTE", "MPI_ABORT", "Primary job", "] ***"}) {
    EXPECT_THAT(error, Not(HasSubstr(trace)));
  }
}

TEST(PlaunchRun, OneRankGetsItsArgumentsUntouched) {
  const Outcome outcome = run(plaunch({}, {plain_application(), "arguments", "a b", "", "--cpus", "$X", "it's"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "a b\n\n--cpus\n$X\nit's\n");
  EXPECT_EQ(outcome.error, "");
}

TEST(PlaunchRun, RanksGetTheirArgumentsUntouched) {
  const Outcome outcome = run(of_two({plain_application(), "arguments", "a b", "", "$X it's"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 6) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("$X it's\n"));
  EXPECT_EQ(own_lines(outcome.error), "");
}

TEST(PlaunchRun, OptionsBecomeVariables) {
  for (const char* ranks : {"1", "2"}) {
    const Outcome outcome = run(plaunch({"--ranks-per-node", ranks, "--oversubscribe", "--cpus", "1", "--sysmem", "1G",
                                         "--output", "all", "--compiler", "odd one"},
                                        {plain_application(), "variables"}));
    for (const char* line :
         {"PILUM_CPUS=1\n", "PILUM_SYSTEM_MEMORY=1073741824\n", "PILUM_OUTPUT=all\n", "PILUM_COMPILER=odd one\n"}) {
      EXPECT_THAT(outcome.out, HasSubstr(line));
    }
  }
}

TEST(PlaunchRun, AnOptionOverridesTheVariable) {
  const Outcome outcome = run(plaunch({"--log-level", "info"}, {plain_application(), "variables"}),
                              {{"PILUM_LOG_LEVEL", "error"}, {"PILUM_OUTPUT", "all"}});
  EXPECT_THAT(outcome.out, HasSubstr("PILUM_LOG_LEVEL=info\n"));
  EXPECT_THAT(outcome.out, HasSubstr("PILUM_OUTPUT=all\n"));
}

TEST(PlaunchRun, DryRunPrintsALineThatAShellCanRun) {
  const Outcome dry = run(plaunch({"--dry-run", "--compiler", "o'dd"}, {plain_application(), "variables", "a b"}));
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_EQ(std::count(dry.out.begin(), dry.out.end(), '\n'), 1);
  EXPECT_THAT(run({"sh", "-c", dry.out}).out, HasSubstr("PILUM_COMPILER=o'dd\n"));

  const Outcome ranks =
      run(plaunch({"--dry-run", "--ranks-per-node", "2", "--oversubscribe"}, {plain_application(), "done"}));
  EXPECT_THAT(ranks.out,
              MatchesRegex("PILUM_CPUS=.* (mpirun .*-n 2|.*plaunch --local-ranks 2) .*plain_application done\n"));
  EXPECT_EQ(run({"sh", "-c", ranks.out}).exit_code, 0);
}

TEST(PlaunchRun, DryRunStartsNothing) {
  const Pids pids("dry");
  EXPECT_EQ(run(plaunch({"--dry-run"}, {plain_application(), "done"}), {{"PIDS", pids.folder()}}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(pids.folder()));
}

TEST(PlaunchRun, StandardInputGoesToRankZero) {
  EXPECT_EQ(run(plaunch({}, {plain_application(), "copy"}), {}, "one\ntwo").out, "one\ntwo");
  EXPECT_EQ(run(of_two({plain_application(), "copy"}), {}, "one\ntwo").out, "one\ntwo");
}

TEST(PlaunchRun, LinesOfStandardErrorArriveWhole) {
  const Outcome outcome = run(of_two({plain_application(), "talk", "2000"}));
  EXPECT_EQ(outcome.exit_code, 0);
  std::istringstream in(outcome.error);
  int lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("plaunch: ")) continue;
    EXPECT_THAT(line, MatchesRegex("rank [01] line [0-9]+ end"));
    ++lines;
  }
  EXPECT_EQ(lines, 4000);
}

TEST(PlaunchRun, OneRanksExitStatusIsPassedOnWithoutAWord) {
  const Outcome outcome = run(plaunch({}, {plain_application(), "exit", "5"}));
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_EQ(outcome.error, "last words of rank 0\n");
}

TEST(PlaunchRun, OneRankKilledIsSaid) {
  const Outcome outcome = run(plaunch({}, {plain_application(), "kill", "9"}));
  EXPECT_EQ(outcome.exit_code, 137);
  EXPECT_EQ(own_lines(outcome.error), "plaunch: plain_application was killed by signal 9 (SIGKILL)\n");
}

TEST(PlaunchRun, TheRankThatFailsIsNamedOnce) {
  const Pids pids("exit");
  const Outcome outcome = run(of_two({plain_application(), "exit", "3", "1"}), {{"PIDS", pids.folder()}});
  EXPECT_LT(pids.seconds_since(1), 5);  // it fails right after it has left its process id
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.error, HasSubstr("last words of rank 1\n"));
  EXPECT_THAT(own_lines(outcome.error),
              MatchesRegex("plaunch: rank 1 of 2 on [^ ]+ ended with exit status 3; the other ranks were ended\n"));
  expect_no_banner(outcome.error);
}

TEST(PlaunchRun, AnExceptionOfOneRankEndsAll) {
  if (!has_mpi_application()) GTEST_SKIP() << "built without MPI";
  const Pids pids("throw");
  const Outcome outcome = run(of_two({mpi_application(), "throw"}), {{"PIDS", pids.folder()}});
  EXPECT_LT(pids.seconds_since(1), 5);
  EXPECT_EQ(outcome.exit_code, 134);
  EXPECT_THAT(outcome.error, HasSubstr("rank 1 has had enough"));
  EXPECT_THAT(own_lines(outcome.error),
              MatchesRegex("plaunch: rank 1 of 2 on [^ ]+ was killed by signal 6 \\(SIGABRT\\).*\n"));
  expect_no_banner(outcome.error);
}

TEST(PlaunchRun, MpiAbortEndsAllWithItsStatus) {
  if (!has_mpi_application()) GTEST_SKIP() << "built without MPI";
  const Outcome outcome = run(of_two({mpi_application(), "abort"}));
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_THAT(own_lines(outcome.error), MatchesRegex("plaunch: rank 1 of 2 on [^ ]+ ended with exit status 7.*\n"));
  expect_no_banner(outcome.error);
}

TEST(PlaunchRun, ARankThatLeavesEarlyIsNamed) {
  if (!has_mpi_application()) GTEST_SKIP() << "built without MPI";
  const Outcome outcome = run(of_two({mpi_application(), "leave"}));
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(own_lines(outcome.error), MatchesRegex("plaunch: rank 1 of 2 on [^ ]+ exited with status 0 .*\n"));
  expect_no_banner(outcome.error);
}

TEST(PlaunchRun, MpiRanksKnowEachOther) {
  if (!has_mpi_application()) GTEST_SKIP() << "built without MPI";
  const Outcome outcome = run(of_two({mpi_application(), "done"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("rank 0 of 2 done\n"));
  EXPECT_THAT(outcome.out, HasSubstr("rank 1 of 2 done\n"));
}

TEST(PlaunchRun, ShowConfigStandsOnStandardErrorAndRuns) {
  const Outcome outcome = run(plaunch({"--show-config", "--cpus", "1"}, {plain_application(), "done"}));
  EXPECT_EQ(outcome.out, "rank 0 done\n");
  for (const char* name :
       {"machine ", "ranks ", "cores ", "gpus        all visible", "transport ", "compiler ", "command "}) {
    EXPECT_THAT(outcome.error, HasSubstr(name));
  }
}

TEST(PlaunchRun, ShowConfigTellsOfGpus) {
  const auto shown = [](std::vector<std::string> options) {
    options.push_back("--show-config");
    return run(plaunch(options, {plain_application()})).error;
  };
  EXPECT_THAT(shown({"--gpus", "0"}), HasSubstr("gpus        none\n"));
  EXPECT_THAT(shown({"--gpus", "2", "--fbmem", "8G"}), HasSubstr("gpus        2 per rank, 8 GiB of each\n"));
}

TEST(PlaunchRun, CoresForbiddenByTasksetAreNotShared) {
  std::vector<std::string> words = plaunch({"--dry-run"}, {plain_application()});
  const std::vector<std::string> one_core{
      "sh", "-c", "exec taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[,-].*//') \"$@\"", "sh"};
  words.insert(words.begin(), one_core.begin(), one_core.end());
  EXPECT_THAT(run(words).out, testing::StartsWith("PILUM_CPUS=1 "));
}

// A stand-in for Slurm: starts the tasks here, as srun would on its nodes.
TEST(PlaunchRun, SrunIsGivenTheWholeJob) {
  const Pids folder("srun");
  const std::string srun = folder.folder() + "/srun";
  std::ofstream(srun)
      << "#!/bin/bash\n"
         "echo \"srun $*\" > " +
             folder.folder() +
             "/line\n"
             "while [[ $1 == -* ]]; do [[ $1 == *=* ]] || { [[ $1 == --ntasks ]] && tasks=$2; shift; }; shift; done\n"
             "for ((i = 0; i < tasks; i++)); do SLURM_PROCID=$i \"$@\" & done\n"
             "result=0; while wait -n; s=$?; ((s != 127)); do if ((s)); then result=$s; kill $(jobs -pr) 2>/dev/null; "
             "fi; done\n"
             "echo 'srun: error: task: Killed' >&2; exit $result\n";
  std::filesystem::permissions(srun, std::filesystem::perms::all);
  const std::map<std::string, std::string> variables{{"PATH", folder.folder() + ":/usr/bin:/bin"}};
  const std::vector<std::string> options{"--launcher", "srun",   "--nodes", "2",           "--ranks-per-node",
                                         "2",          "--cpus", "1",       "--interface", "lo"};
  const Outcome good = run(plaunch(options, {plain_application(), "done"}), variables);
  EXPECT_EQ(good.exit_code, 0) << good.error;
  EXPECT_THAT(good.out, HasSubstr("rank 3 done\n"));
  std::string line;
  std::ifstream in(folder.folder() + "/line");
  std::getline(in, line);
  EXPECT_THAT(line, testing::StartsWith("srun --mpi=pmix --nodes 2 --ntasks 4 --ntasks-per-node 2 --cpus-per-task 1 "));

  const Outcome bad = run(plaunch(options, {plain_application(), "kill", "9", "2"}), variables);
  EXPECT_EQ(bad.exit_code, 137);
  EXPECT_THAT(own_lines(bad.error),
              MatchesRegex("plaunch: rank 2 of 4 on [^ ]+ was killed by signal 9 \\(SIGKILL\\).*\n"));
  EXPECT_THAT(bad.error, Not(HasSubstr("srun:")));
}

}  // namespace
}  // namespace pilum::test
