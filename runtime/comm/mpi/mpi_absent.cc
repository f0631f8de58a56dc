// Stands for MPI where the build found none.
#include "pilum/error.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {
namespace {

[[noreturn]] void throw_no_mpi() {
  throw RuntimeError(
      "[Runtime] this build of Pilum has no MPI and runs on one rank only: install an MPI with its headers "
      "(Debian: libopenmpi-dev) and configure Pilum again.");
}

}  // namespace

std::shared_ptr<Bootstrap> make_bootstrap() {
  throw_no_mpi();
}
std::shared_ptr<Bootstrap> make_bootstrap(const HostCommunicator&) {
  throw_no_mpi();
}
std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<Bootstrap>) {
  throw_no_mpi();
}

}  // namespace pilum::comm
