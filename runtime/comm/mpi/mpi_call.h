// The one way MPI is called: an error code becomes a pilum::RuntimeError with the call and the peer.
#pragma once

#include <mpi.h>

namespace pilum::comm {

inline constexpr int kNoPeer = -1;

[[noreturn]] void throw_mpi_failed(int code, const char* call, int peer);

//   check_mpi(MPI_Isend(...), "MPI_Isend", to);
inline void check_mpi(int code, const char* call, int peer = kNoPeer) {
  if (code != MPI_SUCCESS) [[unlikely]]
    throw_mpi_failed(code, call, peer);
}

}  // namespace pilum::comm
