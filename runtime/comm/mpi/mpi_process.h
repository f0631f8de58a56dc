// MPI as something that a process has: it starts once, and ends with the process.
#pragma once

namespace pilum::comm {

// Starts MPI unless it runs. MPI cannot start again once it is finalized, so a Runtime that ends leaves it to the next
// one, and what was started here is finalized at the exit of the process. Throws pilum::RuntimeError.
void start_mpi();

// MPI as the program has started it. Any: every thread may call it. One: only this one may, at least while the program
// does not. Throws pilum::RuntimeError where MPI does not run, or not for this thread.
enum class HostThreads { One, Any };
[[nodiscard]] HostThreads use_host_mpi();
// This thread may call MPI, however it was started.
[[nodiscard]] bool is_mpi_thread();

// Of jobs that have begun in this process and not ended in order: while there are any, MPI is left as it is at the
// exit, because ending it would wait for peers.
void note_job_begins();
void note_job_ends();

}  // namespace pilum::comm
