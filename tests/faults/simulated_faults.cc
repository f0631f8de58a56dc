// The same programs on simulated ranks, for large numbers: every run in a forked process, threads as its ranks.
//
//   simulated_faults              a run for every line of its input: LIMIT RANKS SPLIT WINDOW then what fault_program
//   takes simulated_faults --list …     as fault_program --list, of the mutations that need no process of their own
//
// LIMIT is in seconds, SPLIT and WINDOW are as PILUM_SPLIT_BYTES and PILUM_WINDOW (0: chosen). Answers STATUS SECONDS:
// the process's status, 128 + the signal that ended it; 137 when the limit was reached. PREFIX.err has what the ranks
// threw, PREFIX.out what rank 0 read, as it read it.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/fakes/simulated_ranks.h"
#include "tests/faults/mutation.h"
#include "tests/faults/options.h"
#include "tests/faults/run.h"

namespace {

using namespace pilum;
using namespace pilum::faults;

template <class Session>
void wait_at(Session& session, std::source_location where) {
  if constexpr (requires { session.wait(where); })
    session.wait(where);
  else
    session.wait();
}

// One thread's rank: false when it threw.
bool run_rank(const fakes::SimulatedRanks& machine, std::unique_ptr<comm::Communicator> communicator,
              const Options& options, const Program& program, bool mutated) {
  static std::mutex mutex;
  const int rank = communicator->rank();
  try {
    scheduler::Session session(fakes::make_simulated_parts(machine, std::move(communicator)));
    scheduler::Recorder* const outer = scheduler::set_current_recorder(&session);
    bool is_done = false;
    try {
      Surroundings surroundings;
      surroundings.wait = [&session](std::source_location where) { wait_at(session, where); };
      if (rank == 0) surroundings.seen = &std::cout;
      const std::string text = run(program, options.size, surroundings);
      std::ofstream(options.report + "." + std::to_string(rank)) << text;
      session.finish();
      is_done = true;
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex);
      std::cerr << "rank " << rank << (mutated ? " (mutated)" : "") << ": " << error.what() << '\n';
    }
    scheduler::set_current_recorder(outer);
    return is_done;
  } catch (const std::exception& error) {
    const std::lock_guard lock(mutex);
    std::cerr << "rank " << rank << ", its session: " << error.what() << '\n';
    return false;
  }
}

int run_ranks(const fakes::SimulatedRanks& machine, const Options& options) {
  const Program program = draw_program(options.program, options.size);
  const Mutation mutation =
      draw_mutation(program, options.size, options.mutation, options.kind, /*in_one_process=*/true);
  std::vector<std::thread> threads;
  std::vector<int> is_done(static_cast<std::size_t>(machine.ranks));
  int rank = 0;
  for (auto& communicator : comm::make_simulated_network(machine.ranks, machine.seed)) {
    const bool mutated = rank == options.rank && options.mutation != 0;
    const Program& own = mutated ? mutation.program : program;
    threads.emplace_back(
        [&, mutated, place = static_cast<std::size_t>(rank), own = &own, peer = std::move(communicator)]() mutable {
          is_done[place] = run_rank(machine, std::move(peer), options, *own, mutated);
        });
    ++rank;
  }
  for (std::thread& thread : threads) thread.join();
  for (const int done : is_done) {
    if (!done) return 1;
  }
  return 0;
}

void redirect(int stream, const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, stream) < 0) _exit(99);
}

void run_line(const std::string& line) {
  std::istringstream words(line);
  unsigned limit = 0;
  fakes::SimulatedRanks machine;
  words >> limit >> machine.ranks >> machine.split_bytes >> machine.window;
  std::vector<std::string> arguments;
  for (std::string word; words >> word;) arguments.push_back(word);
  const Options options = read_options(arguments);
  machine.seed = options.program;
  if (machine.split_bytes == 0) machine.split_bytes = 256 << 10;
  std::cout.flush();
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    alarm(limit);
    std::signal(SIGALRM, SIG_DFL);
    redirect(STDOUT_FILENO, options.report + ".out");
    redirect(STDERR_FILENO, options.report + ".err");
    const int status = run_ranks(machine, options);
    std::cout.flush();
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) code = 137;
  std::cout << code << ' ' << seconds << '\n' << std::flush;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "--list") {
    list_mutations({arguments.begin() + 1, arguments.end()}, /*in_one_process=*/true);
    return 0;
  }
  for (std::string line; std::getline(std::cin, line);) run_line(line);
}
