#include "tests/random/real_ranks.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "tests/random/dice.h"

namespace pilum::random_programs {
namespace {

using Clock = std::chrono::steady_clock;

std::string command_text(const std::string& program, const RankSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings.environment) text += name + "=" + value + " ";
  return text + "mpirun --allow-run-as-root --oversubscribe --bind-to none -n " + std::to_string(settings.ranks) + " " +
         program;
}

[[noreturn]] void be_mpirun(const std::string& program, const RankSettings& settings, int output) {
  setpgid(0, 0);
  for (const auto& [name, value] : settings.environment) setenv(name.c_str(), value.c_str(), 1);
  setenv("PMIX_MCA_gds", "hash", 1);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  const std::string ranks = std::to_string(settings.ranks);
  execlp("mpirun", "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", ranks.c_str(),
         program.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

// What it prints, until it ends or `seconds` are over: then all of it is ended.
std::string read_until(int pipe, pid_t group, double seconds, bool& in_time) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::string text;
  char buffer[4096];
  in_time = true;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd waiting{pipe, POLLIN, 0};
    if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) {
      in_time = false;
      kill(-group, SIGKILL);
      return text;
    }
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

// From the lines "<n> programs, <n> cells", one a rank.
std::int64_t count_cells(const std::string& text) {
  constexpr std::string_view kBefore = " programs, ";
  std::int64_t cells = 0;
  for (std::size_t at = text.find(kBefore); at != std::string::npos; at = text.find(kBefore, at + 1)) {
    cells += std::strtoll(text.c_str() + at + kBefore.size(), nullptr, 10);
  }
  return cells;
}

}  // namespace

RankSettings draw_settings(std::uint64_t seed) {
  static constexpr std::array<int, 9> kRanks = {1, 2, 2, 2, 3, 3, 3, 4, 5};
  Dice dice(seed);
  RankSettings settings{dice.one_of(kRanks), {}};
  const auto set = [&](const char* name, std::int64_t value) {
    settings.environment.emplace_back(name, std::to_string(value));
  };
  settings.environment.emplace_back("PILUM_TRANSPORT", dice.percent(50) ? "ucx" : "mpi");
  set("PILUM_OVERSUBSCRIBE", 1);
  set("PILUM_CPUS", dice.percent(70) ? 1 : 2);
  const std::int64_t choice = dice.below(100);
  const std::int64_t least = std::int64_t{16} << (choice < 60 ? dice.below(5) : dice.below(14));
  if (choice < 90) set("PILUM_SPLIT_BYTES", least + dice.below(least));
  if (dice.percent(70)) set("PILUM_WINDOW", dice.percent(50) ? dice.between(1, 4) : dice.between(5, 20));
  if (dice.percent(40)) set("PILUM_PLAN_CACHE", dice.between(0, 5));
  return settings;
}

RealRanks run_on_real_ranks(const std::string& program, const RankSettings& drawn, std::uint64_t seed, int count,
                            int limit) {
  RankSettings settings = drawn;
  const auto set = [&](const char* name, std::uint64_t value) {
    settings.environment.emplace_back(name, std::to_string(value));
  };
  set("PILUM_RANDOM_SEED", seed);
  set("PILUM_RANDOM_COUNT", static_cast<std::uint64_t>(count));
  set("PILUM_RANDOM_SECONDS", static_cast<std::uint64_t>(limit));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) be_mpirun(program, settings, ends[1]);
  close(ends[1]);
  bool in_time = true;
  const std::string text = read_until(ends[0], child, 60 + limit + 2 * count, in_time);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  RealRanks outcome{.cells = count_cells(text)};
  if (!in_time) {
    outcome.failure = "it did not end";
  } else if (WIFSIGNALED(status)) {
    outcome.failure = "mpirun was ended by signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != EXIT_SUCCESS) {
    outcome.failure = "exit status " + std::to_string(WEXITSTATUS(status));
  }
  if (outcome.failure) *outcome.failure += "\n" + command_text(program, settings) + "\n" + text;
  return outcome;
}

}  // namespace pilum::random_programs
