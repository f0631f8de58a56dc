#include "tests/launcher/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

namespace pilum::test {
namespace {

using Clock = std::chrono::steady_clock;

bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return false;
  const std::size_t end = line.rfind(')');
  return end != std::string::npos && line[end + 2] != 'Z' && line[end + 2] != 'X';
}

// Reads what there is; false at the end of the stream.
bool read_some(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  const ssize_t n = read(fd, buffer.data(), buffer.size());
  if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0;
}

// What whoever runs the tests has set for himself is not what the tests are about.
void forget_pilum_variables() {
  constexpr std::string_view kPrefix = "PILUM_";
  std::vector<std::string> names;  // unsetenv moves what environ points to
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view variable = *entry;
    if (variable.starts_with(kPrefix)) names.emplace_back(variable.substr(0, variable.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

}  // namespace

Program::Program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                 const std::string& input)
    : start_(Clock::now()) {
  std::array<int, 2> in{}, out{}, error{};
  if (pipe2(in.data(), O_CLOEXEC) || pipe2(out.data(), O_CLOEXEC) || pipe2(error.data(), O_CLOEXEC)) std::abort();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(in[0], 0);
    dup2(out[1], 1);
    dup2(error[1], 2);
    forget_pilum_variables();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  for (int fd : {in[0], out[1], error[1]}) close(fd);
  if (write(in[1], input.data(), input.size()) < 0) std::abort();  // inputs of tests fit into a pipe
  close(in[1]);
  out_ = out[0];
  error_ = error[0];
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) close(out_);
  if (error_ >= 0) close(error_);
}

Outcome Program::wait(std::chrono::seconds limit) {
  Outcome outcome;
  bool killed = false;
  while (out_ >= 0 || error_ >= 0) {
    std::array<pollfd, 2> wanted{{{out_, POLLIN, 0}, {error_, POLLIN, 0}}};
    poll(wanted.data(), wanted.size(), 100);
    const auto take = [](int& fd, short events, std::string& text) {
      if (events && !read_some(fd, text)) {
        close(fd);
        fd = -1;
      }
    };
    take(out_, wanted[0].revents, outcome.out);
    take(error_, wanted[1].revents, outcome.error);
    if (!killed && Clock::now() - start_ > limit) {
      kill(pid_, SIGKILL);
      killed = true;
      outcome.error += "(killed by the test: it took too long)\n";
    }
    if (Clock::now() - start_ > limit + std::chrono::seconds(10)) break;  // somebody else holds the streams
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return outcome;
}

Outcome run(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
            const std::string& input) {
  return Program(words, variables, input).wait();
}

std::vector<std::string> plaunch(std::vector<std::string> options, const std::vector<std::string>& application) {
  options.insert(options.begin(), PLAUNCH);
  options.insert(options.end(), application.begin(), application.end());
  return options;
}

std::string plain_application() {
  return APPLICATIONS "/plain_application";
}
std::string mpi_application() {
  return APPLICATIONS "/mpi_application";
}
bool has_mpi_application() {
  return std::filesystem::exists(mpi_application());
}

Pids::Pids(const std::string& name)
    : folder_(std::filesystem::temp_directory_path() / ("plaunch_test_" + std::to_string(getpid()) + "_" + name)) {
  std::filesystem::create_directories(folder_);
}

Pids::~Pids() {
  std::filesystem::remove_all(folder_);
}

std::vector<pid_t> Pids::wait_for(int ranks) const {
  const auto latest = Clock::now() + std::chrono::seconds(20);
  for (; Clock::now() < latest; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    std::vector<pid_t> pids;
    for (int rank = 0; rank < ranks; ++rank) {
      pid_t pid = 0;
      if (std::ifstream(folder_ + "/" + std::to_string(rank)) >> pid) pids.push_back(pid);
    }
    if (static_cast<int>(pids.size()) == ranks) return pids;
  }
  return {};
}

double Pids::seconds_since(int rank) const {
  const auto left = std::filesystem::last_write_time(folder_ + "/" + std::to_string(rank));
  return std::chrono::duration<double>(std::filesystem::file_time_type::clock::now() - left).count();
}

pid_t parent_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  if (!std::getline(stat, line)) return 0;
  return static_cast<pid_t>(std::atoi(line.substr(line.rfind(')') + 4).c_str()));
}

bool all_gone(const std::vector<pid_t>& pids, std::chrono::seconds limit) {
  const auto latest = Clock::now() + limit;
  for (; Clock::now() < latest; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
    bool any = false;
    for (pid_t pid : pids) any = any || runs(pid);
    if (!any) return true;
  }
  return false;
}

}  // namespace pilum::test
