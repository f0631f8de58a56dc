// Who else is on the machine cannot get into a job: what listens, who may report, and what a rank's words can do.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "tests/launcher/program.h"

namespace pilum::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

constexpr uid_t kNobody = 65534;

std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> pids;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", none)) {
    if (const int pid = std::atoi(entry.path().filename().c_str()); pid > 0) pids.push_back(pid);
  }
  return pids;
}

// A process and all it has started that still have a parent among them.
std::set<pid_t> tree_of(pid_t root) {
  const std::vector<pid_t> pids = all_processes();
  std::set<pid_t> tree{root};
  for (bool grows = true; grows;) {
    grows = false;
    for (pid_t pid : pids) {
      if (!tree.contains(pid) && tree.contains(parent_of(pid))) grows = tree.insert(pid).second;
    }
  }
  return tree;
}

std::set<std::string> socket_inodes(pid_t pid) {
  std::set<std::string> inodes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd", none)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), none).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  return inodes;
}

// The rows of a table of the kernel's sockets that belong to these processes.
std::set<std::string> rows_of(const std::string& table, std::size_t inode_column, const std::set<std::string>& inodes) {
  std::set<std::string> rows;
  std::ifstream in("/proc/net/" + table);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::vector<std::string> columns{std::istream_iterator<std::string>(words), {}};
    if (columns.size() > inode_column && inodes.contains(columns[inode_column])) rows.insert(table + " " + line);
  }
  return rows;
}

struct Sockets {
  std::set<std::string> network;  // TCP and UDP in any state, loopback too
  std::set<std::string> named;    // Unix sockets that have a name
  std::set<pid_t> processes;

  void add(pid_t root, const std::string& leave_out = "") {
    for (pid_t pid : tree_of(root)) {
      const std::string command = read_all("/proc/" + std::to_string(pid) + "/comm");
      if (!leave_out.empty() && command.starts_with(leave_out)) continue;
      processes.insert(pid);
      const auto inodes = socket_inodes(pid);
      for (const char* table : {"tcp", "tcp6", "udp", "udp6", "udplite", "raw", "raw6"})
        network.merge(rows_of(table, 9, inodes));
      for (const std::string& row : rows_of("unix", 6, inodes)) {
        const std::size_t at = row.find('@');
        // UCX's shared memory has datagram sockets of numbers as names (five digits, given by the kernel): who sends to
        // one wakes a rank that is awake.
        const bool is_datagram = row.find(" 0002 ") != std::string::npos && row.size() == at + 6;
        if (at != std::string::npos && !is_datagram) named.insert(row.substr(at + 1));
      }
    }
  }
};

std::vector<std::string> ranks(const std::string& count, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--ranks-per-node", count, "--cpus", "1", "--oversubscribe"});
  return more;
}

// Looks all the time while a program runs; then nothing of what was seen is left.
Sockets watch(Program& program, Outcome& outcome, const std::string& leave_out = "") {
  Sockets seen;
  std::atomic<bool> over{false};
  std::thread watcher([&] {
    while (!over) {
      seen.add(program.pid(), leave_out);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  outcome = program.wait(std::chrono::seconds(60));
  over = true;
  watcher.join();
  const std::string unix_now = read_all("/proc/net/unix");
  for (const std::string& name : seen.named) EXPECT_THAT(unix_now, Not(HasSubstr(name)));
  return seen;
}

class NothingListens : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(NothingListens, OnANetworkWhileRanksOfOneNodeRun) {
  const auto [count, transport] = GetParam();
  if (!has_mpi_application()) GTEST_SKIP() << "built without MPI";
  if (!std::filesystem::exists(JACOBI)) GTEST_SKIP() << "jacobi is not built";
  Program program(
      plaunch(ranks(count, {"--transport", transport, "--log-level", "info"}), {JACOBI, "-n", "100", "-i", "3000"}));
  Outcome outcome;
  const Sockets seen = watch(program, outcome);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
  EXPECT_THAT(outcome.out, HasSubstr("Elapsed"));
  EXPECT_THAT(seen.network, IsEmpty());
  EXPECT_THAT(seen.named, ElementsAre(StartsWith("plaunch-")));  // where ranks report to
  EXPECT_GE(seen.processes.size(), 2u + 2u * std::stoul(count));
}

INSTANTIATE_TEST_SUITE_P(PlaunchSecurity, NothingListens,
                         testing::Combine(testing::Values("2", "3"), testing::Values("ucx", "mpi")));

TEST(PlaunchSecurity, UnderPlainMpirunRanksListenNowhereEither) {
  if (!has_mpi_application() || !std::filesystem::exists(JACOBI)) GTEST_SKIP() << "needs MPI and jacobi";
  for (const char* transport : {"ucx", "mpi"}) {
    Program program({"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", JACOBI, "-n", "100", "-i", "3000"},
                    {{"PILUM_TRANSPORT", transport}, {"PILUM_CPUS", "1"}, {"PILUM_OVERSUBSCRIBE", "1"}});
    Outcome outcome;
    const Sockets seen = watch(program, outcome, "mpirun");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    for (const std::string& row : seen.network) {
      // Established with mpirun over loopback, by its own server of addresses; 0A would be listening.
      EXPECT_THAT(row, HasSubstr("0100007F:")) << transport;
      EXPECT_THAT(row, Not(HasSubstr(" 0A "))) << transport;
    }
  }
}

// Two nodes played on this one: orted is started here, under two names. Loopback plays the job's network.
TEST(PlaunchSecurity, BetweenNodesNothingListensButOnTheInterfaceAskedFor) {
  if (!has_mpi_application() || !std::filesystem::exists(JACOBI)) GTEST_SKIP() << "needs MPI and jacobi";
  const Pids folder("nodes");
  const std::string agent = folder.folder() + "/agent";
  // Both daemons make one folder of Open MPI's in /tmp, which two nodes do not share; at the same time one of them
  // fails.
  std::ofstream(agent) << "#!/bin/sh\n[ \"$1\" = nodeb ] && sleep 0.3\nshift\nexec /bin/sh -c \"$*\"\n";
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  for (const char* transport : {"mpi", "ucx"}) {
    Program program(plaunch({"--nodes", "2", "--cpus", "1", "--oversubscribe", "--interface", "lo", "--transport",
                             transport, "--launcher-extra", "--host nodea:1,nodeb:1"},
                            {JACOBI, "-n", "200", "-i", "3000"}),
                    {{"OMPI_MCA_plm_rsh_agent", agent}});
    Outcome outcome;
    const Sockets seen = watch(program, outcome);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error;
    EXPECT_THAT(outcome.error, Not(HasSubstr("--interface"))) << "nothing to warn about";
    int listening = 0;
    for (const std::string& row : seen.network) {
      std::istringstream words(row);
      std::string table, number, local, remote, state;
      words >> table >> number >> local >> remote >> state;
      if (state != "0A") continue;
      ++listening;
      const bool is_loopback = local.starts_with("0100007F:") || local.starts_with("00000000000000000000000001000000:");
      EXPECT_TRUE(is_loopback) << transport << ": " << row;
    }
    EXPECT_GE(listening, 3) << "mpirun, plaunch and ranks listen somewhere";
  }
}

// A job whose ranks sleep, and what a stranger could find out about it.
class Sleeping {
 public:
  explicit Sleeping(const std::string& name, std::vector<std::string> options = {})
      : pids_(name),
        program_(plaunch(ranks("2", std::move(options)), {plain_application(), "sleep"}), {{"PIDS", pids_.folder()}}) {
    EXPECT_EQ(pids_.wait_for(2).size(), 2u);
    Sockets sockets;
    sockets.add(program_.pid());
    for (const std::string& one : sockets.named) {
      if (one.starts_with("plaunch-")) name_ = one;
    }
    for (pid_t pid : sockets.processes) {
      const std::string variables = read_all("/proc/" + std::to_string(pid) + "/environ");
      const std::size_t at = variables.find("PLAUNCH_REPORT=");
      if (at == std::string::npos) continue;
      const std::string address(variables.c_str() + at);
      key_ = address.substr(address.rfind(':') + 1);
    }
  }

  pid_t pid() const { return program_.pid(); }
  Pids& pids() { return pids_; }
  const std::string& socket_name() const { return name_; }
  const std::string& key() const { return key_; }

  int connect() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name_.data(), name_.size());
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0) return fd;
    close(fd);
    return -1;
  }

  double seconds_to_end() {
    const auto begin = Clock::now();
    kill(program_.pid(), SIGTERM);
    outcome = program_.wait();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  Outcome outcome;

 private:
  Pids pids_;
  Program program_;
  std::string name_, key_;
};

TEST(PlaunchSecurity, TheKeyIsOnNoCommandLineAndInNoSocketsName) {
  for (const char* launcher : {"none", "mpirun"}) {
    if (launcher == std::string("mpirun") && !has_mpi_application()) continue;
    Sleeping job(std::string("key_") + launcher, {"--launcher", launcher});
    ASSERT_EQ(job.key().size(), 32u) << launcher;
    ASSERT_FALSE(job.socket_name().empty()) << launcher;
    for (pid_t pid : all_processes()) {
      EXPECT_THAT(read_all("/proc/" + std::to_string(pid) + "/cmdline"), Not(HasSubstr(job.key()))) << launcher;
    }
    EXPECT_THAT(read_all("/proc/net/unix"), Not(HasSubstr(job.key())));
    for (pid_t rank : job.pids().wait_for(2)) {  // nor is the application told
      EXPECT_THAT(read_all("/proc/" + std::to_string(rank) + "/environ"), Not(HasSubstr(job.key())));
    }
  }
}

TEST(PlaunchSecurity, AnotherUserCannotSpeakToTheReportSocketEvenWithTheKey) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  Sleeping job("another_user");
  ASSERT_FALSE(job.socket_name().empty());
  const pid_t stranger = fork();
  if (stranger == 0) {
    if (setgroups(0, nullptr) || setresgid(kNobody, kNobody, kNobody) || setresuid(kNobody, kNobody, kNobody))
      _exit(10);
    if (!read_all("/proc/" + std::to_string(job.pid()) + "/environ").empty()) _exit(11);
    char none = 0;
    alarm(5);
    const int silent = job.connect();
    if (silent < 0) _exit(12);
    if (read(silent, &none, 1) > 0) _exit(14);  // closed by plaunch, for who it is, not for what it says
    const int fd = job.connect();
    if (fd < 0) _exit(12);
    const std::string words = job.key() + " 0 elsewhere";
    std::string frame = "h";
    frame += static_cast<char>(words.size());
    frame += std::string(3, '\0') + words + "e" + std::string("\x05\0\0\0evil\n", 9);
    static_cast<void>(send(fd, frame.data(), frame.size(), MSG_NOSIGNAL));
    _exit(read(fd, &none, 1) <= 0 ? 0 : 13);
  }
  int status = 0;
  waitpid(stranger, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "it was left to wait";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_LT(job.seconds_to_end(), 10);
  EXPECT_THAT(job.outcome.error, Not(HasSubstr("evil")));
}

TEST(PlaunchSecurity, HeldConnectionsOfOneByteDelayNothing) {
  Sleeping job("held");
  std::vector<int> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(job.connect());
    ASSERT_GE(held.back(), 0);
    static_cast<void>(send(held.back(), "h", 1, MSG_NOSIGNAL));
  }
  EXPECT_LT(job.seconds_to_end(), 4);  // half a second, where nothing else runs
  EXPECT_EQ(job.outcome.exit_code, 143);
  for (int fd : held) close(fd);
}

TEST(PlaunchSecurity, ControlCharactersOfAnExceptionAreSpelledOut) {
  for (const char* launcher : {"none", "mpirun"}) {
    if (launcher == std::string("mpirun") && !has_mpi_application()) continue;
    const Outcome outcome = run(plaunch(ranks("2", {"--launcher", launcher}), {plain_application(), "throw",
                                                                               "\x1b]0;owned\x07 and \x9b"
                                                                               "2J"}));
    EXPECT_EQ(outcome.exit_code, 134);
    EXPECT_THAT(outcome.error, HasSubstr("\\x1b]0;owned\\x07 and \\x9b2J"));
    EXPECT_THAT(outcome.error, Not(HasSubstr("\x1b")));
    EXPECT_THAT(outcome.error, Not(HasSubstr("\x9b")));
  }
}

TEST(PlaunchSecurity, AFloodOfAMillionLinesIsBoundedAndItsEndIsShown) {
  const auto begin = Clock::now();
  const Outcome outcome = run(plaunch(ranks("2"), {plain_application(), "flood", "1000000"}));
  const std::chrono::duration<double> took = Clock::now() - begin;
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_LT(outcome.error.size(), (17.0 + took.count()) * (1 << 20));
  EXPECT_THAT(outcome.error.substr(outcome.error.size() - 10'000), HasSubstr("line 999999 ."));
  EXPECT_THAT(outcome.error, HasSubstr("of rank 0's standard error are omitted here"));
}

TEST(PlaunchSecurity, RanksThatAreKilledLeaveNoMemory) {
  if (!has_mpi_application()) GTEST_SKIP() << "built without MPI";
  const Pids pids("memory");
  Program program(plaunch(ranks("2"), {mpi_application(), "sleep"}), {{"PIDS", pids.folder()}});
  const auto started = pids.wait_for(2);
  ASSERT_EQ(started.size(), 2u);
  const std::string variables = read_all("/proc/" + std::to_string(started[0]) + "/environ");
  const std::size_t at = variables.find("OMPI_MCA_btl_vader_backing_directory=");
  ASSERT_NE(at, std::string::npos) << "ranks of one node are started by mpirun";
  const std::string folder =
      std::string(variables.c_str() + at).substr(std::strlen("OMPI_MCA_btl_vader_backing_directory="));
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  for (pid_t pid : tree_of(program.pid())) {
    if (pid != program.pid()) kill(pid, SIGKILL);
  }
  EXPECT_NE(program.wait().exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace pilum::test
