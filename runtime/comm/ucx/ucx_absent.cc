// Stands for UCX where the build found none.
#include "pilum/error.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {

void leave_signals_alone() {}

std::unique_ptr<Communicator> make_ucx_communicator(std::shared_ptr<Bootstrap>) {
  throw RuntimeError(
      "[Runtime] this build of Pilum has no UCX: use the transport mpi, or install UCX with its headers (Debian: "
      "libucx-dev) and configure Pilum again.");
}

}  // namespace pilum::comm
