// A program of MPI's that tests run inside of.
#pragma once

#include <mpi.h>

namespace pilum::test {

// How many times since the start another thread than the one that initialized MPI has called it.
[[nodiscard]] long calls_from_other_threads();

// The ranks of MPI_COMM_WORLD whose number `member` says; MPI_COMM_NULL on the others. Freed at the end.
class Subset {
 public:
  explicit Subset(bool member);
  ~Subset();
  Subset(const Subset&) = delete;
  Subset& operator=(const Subset&) = delete;
  MPI_Comm get() const { return communicator_; }
  explicit operator bool() const { return communicator_ != MPI_COMM_NULL; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

[[nodiscard]] int world_rank();
[[nodiscard]] int world_size();
// The argument: "funneled", "serialized", "multiple" or "single".
[[nodiscard]] const char* thread_level();

}  // namespace pilum::test
