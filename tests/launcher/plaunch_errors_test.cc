// Mistakes: one clear message, exit code 2, nothing started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/launcher/program.h"

namespace pilum::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Runs plaunch on an application that would leave its process id, and checks that it did not.
void refuses(const std::vector<std::string>& options, const std::string& expected,
             const std::vector<std::string>& application = {plain_application()},
             std::map<std::string, std::string> variables = {}) {
  const Pids pids("errors");
  variables["PIDS"] = pids.folder();
  const Outcome outcome = run(plaunch(options, application), variables);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, StartsWith("plaunch: "));
  EXPECT_THAT(outcome.error, HasSubstr(expected));
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(std::filesystem::is_empty(pids.folder())) << "something was started";
}

TEST(PlaunchErrors, NoCores) {
  refuses({"--cpus", "0"}, "--cpus 0: it takes a whole number of at least 1");
}
TEST(PlaunchErrors, NoNodes) {
  refuses({"--nodes", "0"}, "--nodes 0: it takes a whole number of at least 1");
}
TEST(PlaunchErrors, NegativeRanks) {
  refuses({"--ranks-per-node", "-2"}, "--ranks-per-node -2");
}
TEST(PlaunchErrors, TooManyCores) {
  refuses({"--cpus", "99999"}, "99999 cores are needed, and this machine allows ");
}
TEST(PlaunchErrors, TooManyCoresInTheVariable) {
  refuses({}, "--cpus 99999", {plain_application()}, {{"PILUM_CPUS", "99999"}});
}
TEST(PlaunchErrors, BadVariable) {
  refuses({}, "PILUM_WINDOW=x", {plain_application()}, {{"PILUM_WINDOW", "x"}});
}
TEST(PlaunchErrors, UnknownVariable) {
  refuses({"--ranks-per-node", "2", "--oversubscribe"},
          "PILUM_WINDWO=20: there is no such variable; the nearest is PILUM_WINDOW", {plain_application()},
          {{"PILUM_WINDWO", "20"}});
}
TEST(PlaunchErrors, UnknownOption) {
  refuses({"--frobnicate"}, "--frobnicate: plaunch has no such option");
}
TEST(PlaunchErrors, NoApplication) {
  refuses({"--cpus", "1"}, "no application is named", {});
}
TEST(PlaunchErrors, ApplicationNotThere) {
  refuses({}, "no-such-thing: no such application", {"no-such-thing"});
}
TEST(PlaunchErrors, ApplicationNotExecutable) {
  refuses({}, "chmod +x", {"/etc/passwd"});
}
TEST(PlaunchErrors, SelfWithSeveralRanks) {
  refuses({"--transport", "self", "--ranks-per-node", "2"}, "--transport self with 2 ranks");
}
TEST(PlaunchErrors, UnknownTransport) {
  refuses({"--transport", "pigeon"}, "--transport pigeon: it takes one of best, self, mpi, ucx");
}
TEST(PlaunchErrors, UnknownStageToPrint) {
  refuses({"--print", "tasks,soup"}, "--print soup: it takes one of operations");
}
TEST(PlaunchErrors, UnknownLogLevel) {
  refuses({"--log-level", "loud"}, "--log-level loud: it takes one of off, error");
}
TEST(PlaunchErrors, UnknownOutput) {
  refuses({"--output", "none"}, "--output none: it takes one of rank0, all");
}
TEST(PlaunchErrors, BadGpus) {
  refuses({"--gpus", "some"}, "--gpus some: it takes a whole number of at least 0");
}
TEST(PlaunchErrors, BadGpusOfTheEnvironment) {
  refuses({}, "PILUM_GPUS=-2", {plain_application()}, {{"PILUM_GPUS", "-2"}});
}
TEST(PlaunchErrors, BadBytes) {
  refuses({"--sysmem", "lots"}, "--sysmem lots: it takes a whole number of bytes");
}
TEST(PlaunchErrors, SrunWhereThereIsNone) {
  refuses({"--launcher", "srun"}, "PATH has no srun", {plain_application()}, {{"PATH", "/nowhere"}});
}
TEST(PlaunchErrors, MpirunWhereThereIsNone) {
  refuses({"--launcher", "mpirun"}, "PATH has none; install openmpi-bin", {plain_application()},
          {{"PATH", "/nowhere"}});
}

TEST(PlaunchErrors, OneLauncherOfAnotherMpiIsNotTaken) {
  const Pids folder("hydra");
  const auto path = std::filesystem::path(folder.folder());
  std::ofstream(path / "mpiexec.hydra") << "#!/bin/sh\necho wrong\n";
  std::filesystem::permissions(path / "mpiexec.hydra", std::filesystem::perms::all);
  std::filesystem::create_symlink(path / "mpiexec.hydra", path / "mpirun");
  refuses({"--launcher", "mpirun"}, "need Open MPI's mpirun", {plain_application()}, {{"PATH", path.string()}});
}

TEST(PlaunchErrors, MoreNodesThanMpirunKnows) {
  const Outcome outcome = run(plaunch({"--nodes", "2", "--cpus", "1"}, {plain_application()}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("plaunch: --nodes 2"));
  EXPECT_THAT(outcome.error, HasSubstr("--hostfile"));
  EXPECT_THAT(outcome.error, testing::Not(HasSubstr("-----")));
}

TEST(PlaunchErrors, WhatMpirunSaidIsShownWhenNothingElseIsKnown) {
  const Outcome outcome =
      run(plaunch({"--launcher", "mpirun", "--launcher-extra", "--frobnicate"}, {plain_application()}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("before any rank reported"));
  EXPECT_THAT(outcome.error, HasSubstr("unknown option \"--frobnicate\""));
}

}  // namespace
}  // namespace pilum::test
