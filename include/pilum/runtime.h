// pilum::Runtime: the machine that a program's arrays live on.
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>

#include "pilum/export.h"

namespace pilum {

namespace detail {

// Says of a type that it is a library's communicator; <pilum/mpi.h> does, of MPI_Comm.
template <class Communicator>
inline constexpr bool is_communicator = false;

struct GivenCommunicator {
  const void* address = nullptr;
  std::size_t bytes = 0;
};

}  // namespace detail

// Make one at the start of main, on the thread that uses arrays; arrays work while it lives. `plaunch` (or the
// environment) decides how many ranks, cores and GPUs there are; started by itself, a program is one rank.
// One at a time in a process; the next may be made after its end. Every rank runs the same main, and must make the same
// Runtimes and the same calls in the same order. MPI, where several ranks need it, stays until the process exits.
// A process that is forked while one lives cannot use it, or its arrays: that is refused, and the parent goes on.
//
// Throws pilum::RuntimeError when the machine cannot be had as asked, pilum::ValueError for a setting that makes no
// sense. The destructor runs what is recorded and ends this rank's part; during the unwinding of an exception it ends
// the whole job. Arrays may outlive it, but then only be destroyed.
class Runtime {
 public:
  PILUM_API Runtime();
  PILUM_API Runtime(int argc, char** argv);
  // Inside a program of MPI's: with <pilum/mpi.h>, pilum::Runtime runtime(communicator), on all ranks of the
  // communicator together. What that means is said there.
  template <class Communicator>
    requires detail::is_communicator<Communicator>
  explicit Runtime(Communicator communicator)
      : Runtime(detail::GivenCommunicator{&communicator, sizeof communicator}) {}
  PILUM_API ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Returns once everything recorded so far is done, on this rank. Throws what went wrong on the way. As every call,
  // all ranks make it.
  PILUM_API void wait(std::source_location where = std::source_location::current());

  PILUM_API int rank() const;  // 0 … ranks() - 1
  PILUM_API int ranks() const;
  PILUM_API int processors() const;  // of all ranks: GPUs, or NUMA domains' groups of cores
  PILUM_API int cores() const;       // of all ranks: how many compute at the same time where arrays live on cores
  PILUM_API std::string transport() const;  // how ranks talk: "self", "mpi", "ucx"

 private:
  struct State;
  PILUM_API explicit Runtime(detail::GivenCommunicator communicator);
  PILUM_API void begin(const detail::GivenCommunicator* communicator);
  std::unique_ptr<State> state_;
};

}  // namespace pilum
