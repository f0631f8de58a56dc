#include "runtime/comm/mpi/mpi_call.h"

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/comm/errors.h"

namespace pilum::comm {

void throw_mpi_failed(int code, const char* call, int peer) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  if (peer != kNoPeer) throw_lost_peer(call, peer, text);
  throw RuntimeError(
      fmt::format("[{}] MPI failed: {}. If the program runs outside mpirun, srun --mpi=pmix or plaunch, "
                  "start it with one of them.",
                  call, text));
}

}  // namespace pilum::comm
