#include "runtime/comm/mpi/mpi_process.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/supervisor.h"
#include "runtime/comm/mpi/mpi_call.h"
#include "runtime/comm/mpi/mpi_settings.h"

namespace pilum::comm {
namespace {

// Serialized is enough: one thread calls a communicator at a time.
constexpr int kThreadLevel = MPI_THREAD_SERIALIZED;

std::atomic<int> unfinished_jobs{0};
pid_t owner = 0;  // the process that started MPI, here or itself

void end_mpi() {
  int was_finalized = 0;
  if (owner != getpid() || unfinished_jobs > 0) return;
  MPI_Finalized(&was_finalized);
  if (was_finalized) return;
  tell_supervisor(RankStage::Leaves);
  MPI_Finalize();
}

}  // namespace

void start_mpi() {
  if (owner && owner != getpid()) {
    throw RuntimeError(
        "[Runtime] this process was forked from a rank, and MPI belongs to its parent: make no Runtime here, or start "
        "a "
        "program of its own (exec).");
  }
  int was_finalized = 0;
  MPI_Finalized(&was_finalized);
  if (was_finalized) {
    throw RuntimeError(
        "[Runtime] the program has finalized MPI, and it cannot start twice in a process: make every Runtime before.");
  }
  int was_initialized = 0;
  int provided = 0;
  MPI_Initialized(&was_initialized);
  if (was_initialized) {
    check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  } else {
    choose_mpi_settings();
    check_mpi(MPI_Init_thread(nullptr, nullptr, kThreadLevel, &provided), "MPI_Init_thread");
    std::atexit(end_mpi);
    std::at_quick_exit(end_mpi);
  }
  owner = getpid();
  if (provided < kThreadLevel) {
    throw RuntimeError(
        fmt::format("[Runtime] this MPI gives thread level {} where {} (serialized) is needed: call "
                    "MPI_Init_thread with it, or use an MPI built with threads.",
                    provided, kThreadLevel));
  }
}

HostThreads use_host_mpi() {
  int was_initialized = 0, was_finalized = 0;
  MPI_Initialized(&was_initialized);
  MPI_Finalized(&was_finalized);
  if (!was_initialized || was_finalized) {
    throw RuntimeError(std::string("[Runtime] it was given a communicator, but MPI ") +
                       (was_finalized
                            ? "is finalized: make and end every Runtime before MPI_Finalize."
                            : "is not initialized: call MPI_Init_thread first, with MPI_THREAD_FUNNELED or more."));
  }
  int provided = 0, is_main = 0;
  check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  check_mpi(MPI_Is_thread_main(&is_main), "MPI_Is_thread_main");
  if (provided < MPI_THREAD_FUNNELED) {
    throw RuntimeError(
        fmt::format("[Runtime] MPI runs at thread level {} (MPI_THREAD_SINGLE), but Pilum has threads that compute: "
                    "call MPI_Init_thread with MPI_THREAD_FUNNELED ({}) or more in place of MPI_Init.",
                    provided, MPI_THREAD_FUNNELED));
  }
  if (provided == MPI_THREAD_FUNNELED && !is_main) {
    throw RuntimeError(
        "[Runtime] MPI runs at MPI_THREAD_FUNNELED, and this is not the thread that initialized it: make the Runtime "
        "there, or "
        "call MPI_Init_thread with MPI_THREAD_SERIALIZED or more.");
  }
  return provided == MPI_THREAD_MULTIPLE ? HostThreads::Any : HostThreads::One;
}

bool is_mpi_thread() {
  int is_main = 0;
  MPI_Is_thread_main(&is_main);
  return is_main != 0;
}

void note_job_begins() {
  ++unfinished_jobs;
}
void note_job_ends() {
  --unfinished_jobs;
}

}  // namespace pilum::comm
