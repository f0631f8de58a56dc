// Pilum inside a program of MPI's. The only public header that includes mpi.h.
//
//   MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
//   …
//   pilum::Runtime runtime(communicator);
//
// Every rank of the communicator makes the Runtime, at the same time; it may be any of one group, of some of the
// program's ranks or of one alone. It is duplicated, so that no message of the program's meets one of ours, and the
// duplicate is freed by ~Runtime, which all of its ranks reach together too. Several Runtimes may follow one another,
// also on other communicators. MPI is the program's: it is initialized before, and finalized after the last ~Runtime.
//
// Thread levels. MPI_THREAD_FUNNELED is enough, and then the thread that initialized MPI makes the Runtime; below,
// pilum::RuntimeError is thrown. Where the level is below MPI_THREAD_MULTIPLE no other thread of ours calls MPI: with
// PILUM_TRANSPORT=mpi messages then move while the recording thread waits in Pilum (wait(), item(), ~Runtime …) or
// records, and not while it is in the program's code. UCX, which PILUM_TRANSPORT=best takes where it is there, knows no
// such limit.
//
// What else is the program's stays so: its standard output (also that of ranks above 0), its terminate handler, its
// signals. A rank that fails for good, or whose Runtime ends while an exception passes through, ends the whole job
// (MPI_Abort), as its peers would wait for ever.
//
// Throws, beside what Runtime() does, pilum::ValueError for MPI_COMM_NULL and for an inter-communicator.
#pragma once

#include <mpi.h>

#include "pilum/runtime.h"

namespace pilum::detail {

template <>
inline constexpr bool is_communicator<MPI_Comm> = true;

}  // namespace pilum::detail
