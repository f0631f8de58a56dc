// Nothing is left in /dev/shm and /tmp, whoever is killed and however.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/lifecycle/environment.h"

namespace pilum::test {
namespace {

using namespace std::chrono_literals;

// The shared memory there is.
std::set<std::string> sweep() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored)) names.insert(entry.path());
  return names;
}

// Other jobs on this machine come and go beside the test's: theirs is mapped by somebody, or named to those that will.
bool is_in_use(const std::string& path) {
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    for (const char* text : {"maps", "environ"}) {
      std::ifstream lines(process.path() / text);
      for (std::string line; std::getline(lines, line);) {
        if (line.find(path) != std::string::npos) return true;
      }
    }
  }
  return false;
}

// Waits until nothing that was not there before is left, and gives what is.
std::vector<std::string> wait_for_order(const std::set<std::string>& before, const std::string& temporary) {
  std::vector<std::string> left;
  for (int tries = 0; tries < 30; ++tries, std::this_thread::sleep_for(100ms)) {
    left.clear();
    for (const std::string& name : sweep()) {
      if (!before.contains(name) && !is_in_use(name)) left.push_back(name);
    }
    for (const auto& entry : std::filesystem::directory_iterator(temporary)) left.push_back(entry.path());
    if (left.empty()) break;
  }
  return left;
}

enum class Victim { Plaunch, Starter, Rank };

struct Kill {
  std::string launcher;
  std::string name;
  int signal;
  Victim victim;
  std::string transport;
};
void PrintTo(const Kill& one, std::ostream* out) {
  *out << one.name;
}

class Leftovers : public testing::TestWithParam<Kill> {};

TEST_P(Leftovers, NoneOfASessionLeader) {
  NEEDS_MPIRUN();
  const Pids pids("leftovers");
  // Session folders of the job's own: nobody else's are seen.
  const std::string temporary = pids.folder() + "/tmp";
  std::filesystem::create_directories(temporary);
  const auto before = sweep();
  Words words = under_plaunch(2, {lifecycle(), "sleep"}, {"--launcher", GetParam().launcher});
  words.insert(words.begin(), {"setsid"});
  Program program(words,
                  with({{"PIDS", pids.folder()}, {"PILUM_TRANSPORT", GetParam().transport}, {"TMPDIR", temporary}}));
  const std::vector<pid_t> ranks = pids.wait_for(2);
  ASSERT_EQ(ranks.size(), 2u);
  std::this_thread::sleep_for(1500ms);                                      // they have met and work
  ASSERT_TRUE(!std::filesystem::is_empty(temporary) || sweep() != before);  // there is something to leave
  pid_t victim = program.pid();
  if (GetParam().victim == Victim::Starter) victim = parent_of(parent_of(ranks[1]));
  if (GetParam().victim == Victim::Rank) victim = ranks[1];
  // Signals to what is not of this job would reach everybody.
  pid_t ancestor = victim;
  while (ancestor > 1 && ancestor != program.pid()) ancestor = parent_of(ancestor);
  ASSERT_EQ(ancestor, program.pid()) << "process " << victim << " is not of the job";
  kill(victim, GetParam().signal);
  const Outcome outcome = program.wait(10s);
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_TRUE(all_gone(ranks, 5s));
  EXPECT_THAT(wait_for_order(before, temporary), testing::IsEmpty()) << outcome.error;
}

std::vector<Kill> kills() {
  std::vector<Kill> all;
  for (const char* launcher : {"none", "mpirun"}) {
    for (const char* transport : {"ucx", "mpi"}) {
      const std::string of = std::string(transport) + "_" + launcher + "_";
      for (const auto& [name, signal] : {std::pair{"Hup", SIGHUP}, {"Term", SIGTERM}, {"Kill", SIGKILL}}) {
        all.push_back({launcher, of + name + "Plaunch", signal, Victim::Plaunch, transport});
        all.push_back({launcher, of + name + "Rank", signal, Victim::Rank, transport});
      }
      all.push_back({launcher, of + "KillStarter", SIGKILL, Victim::Starter, transport});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Leftovers, testing::ValuesIn(kills()), [](const auto& info) { return info.param.name; });

// The window that plaunch runs in is closed: it, mpirun, supervisors and ranks get SIGHUP all at once.
TEST(Hangup, OfTheTerminalLeavesNothing) {
  NEEDS_MPIRUN();
  const Pids pids("terminal");
  const std::string temporary = pids.folder() + "/tmp";
  std::filesystem::create_directories(temporary);
  const auto before = sweep();
  int terminal = -1;
  const pid_t plaunch = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(plaunch, 0);
  if (plaunch == 0) {
    for (const auto& [name, value] : with({{"PIDS", pids.folder()}, {"TMPDIR", temporary}}))
      setenv(name.c_str(), value.c_str(), 1);
    Words words = under_plaunch(2, {lifecycle(), "sleep"});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  const std::vector<pid_t> ranks = pids.wait_for(2);
  EXPECT_EQ(ranks.size(), 2u);
  std::this_thread::sleep_for(1500ms);
  close(terminal);
  EXPECT_TRUE(all_gone(ranks, 5s));
  EXPECT_TRUE(all_gone({plaunch}, 5s));
  waitpid(plaunch, nullptr, 0);
  EXPECT_THAT(wait_for_order(before, temporary), testing::IsEmpty());
}

// A program that has lost its terminal.
TEST(Hangup, EndsAProgram) {
  const Pids pids("hangup");
  Program program({lifecycle(), "sleep"}, with({{"PIDS", pids.folder()}}));
  const std::vector<pid_t> ranks = pids.wait_for(1);
  ASSERT_EQ(ranks.size(), 1u);
  std::this_thread::sleep_for(1s);
  kill(program.pid(), SIGHUP);
  EXPECT_EQ(program.wait(5s).exit_code, 128 + SIGHUP);
}

TEST(Hangup, EndsRanksOfMpirun) {
  NEEDS_MPIRUN();
  const Pids pids("hangup_ranks");
  Program program(under_mpirun(2, {lifecycle(), "sleep"}), with({{"PIDS", pids.folder()}}));
  const std::vector<pid_t> ranks = pids.wait_for(2);
  ASSERT_EQ(ranks.size(), 2u);
  std::this_thread::sleep_for(1500ms);
  kill(ranks[0], SIGHUP);
  EXPECT_NE(program.wait(10s).exit_code, 0);
  EXPECT_TRUE(all_gone(ranks, 5s));
}

TEST(Hangup, IsIgnoredUnderNohup) {
  const Pids pids("nohup");
  Program program({"nohup", lifecycle(), "sleep"}, with({{"PIDS", pids.folder()}}));
  const std::vector<pid_t> ranks = pids.wait_for(1);
  ASSERT_EQ(ranks.size(), 1u);
  std::this_thread::sleep_for(1s);
  kill(ranks[0], SIGHUP);
  EXPECT_FALSE(all_gone(ranks, 2s));
  kill(ranks[0], SIGKILL);
  program.wait(5s);
}

}  // namespace
}  // namespace pilum::test
