// pilum::Runtime: the machine that a program's arrays live on.
#pragma once

#include <memory>
#include <string>

namespace pilum {

// Make one at the start of main, on the thread that uses arrays; arrays work while it lives. `plaunch` (or the
// environment) decides how many ranks, cores and GPUs there are; started by itself, a program is one rank.
// One at a time on a thread. Every rank runs the same main and must make the same calls in the same order.
//
// Throws pilum::RuntimeError when the machine cannot be had as asked, pilum::ValueError for a setting that makes no
// sense. The destructor runs what is recorded and ends this rank's part; during the unwinding of an exception it ends
// the whole job. Arrays may outlive it, but then only be destroyed.
class Runtime {
 public:
  Runtime();
  Runtime(int argc, char** argv);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Returns once everything recorded so far is done, on this rank. Throws what went wrong on the way.
  void wait();

  int rank() const;  // 0 … ranks() - 1
  int ranks() const;
  int processors() const;         // of all ranks: GPUs, or NUMA domains' groups of cores
  int cores() const;              // of all ranks: how many compute at the same time where arrays live on cores
  std::string transport() const;  // how ranks talk: "self", "mpi", "ucx"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pilum
