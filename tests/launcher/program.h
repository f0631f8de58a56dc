// Running a program in a test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace pilum::test {

struct Outcome {
  int exit_code = 0;  // 128 + signal, as a shell says it
  std::string out;
  std::string error;
};

// A program running with our streams on it, and of the PILUM_ variables only those given here. Killed when it is still
// there at the end.
class Program {
 public:
  explicit Program(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables = {},
                   const std::string& input = "");
  ~Program();
  pid_t pid() const { return pid_; }
  // Waits until it ends and both streams are closed; kills it after the limit.
  Outcome wait(std::chrono::seconds limit = std::chrono::seconds(30));

 private:
  pid_t pid_ = -1;
  int out_ = -1;
  int error_ = -1;
  std::chrono::steady_clock::time_point start_;
};

Outcome run(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables = {},
            const std::string& input = "");

// plaunch with these options and the plain application with these words; and the application that uses MPI.
std::vector<std::string> plaunch(std::vector<std::string> options, const std::vector<std::string>& application);
std::string plain_application();
std::string mpi_application();
bool has_mpi_application();

// Options for two ranks on any machine.
inline const std::vector<std::string> kTwoRanks{"--ranks-per-node", "2", "--cpus", "1", "--oversubscribe"};

// A folder where each rank leaves its process id.
class Pids {
 public:
  explicit Pids(const std::string& name);
  ~Pids();
  const std::string& folder() const { return folder_; }
  // Waits until that many ranks have left theirs (at most 20 s; empty if not).
  std::vector<pid_t> wait_for(int ranks) const;
  // Since that rank left its own.
  double seconds_since(int rank) const;

 private:
  std::string folder_;
};

// The parent of a process, 0 if it is gone.
pid_t parent_of(pid_t pid);

// True once none of the processes runs any more; waits at most that long.
bool all_gone(const std::vector<pid_t>& pids, std::chrono::seconds limit);

}  // namespace pilum::test
