#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {
namespace {

std::unique_ptr<Communicator> make_best() {
  if (!has_company()) return make_self_communicator();
  const auto bootstrap = make_bootstrap();
  try {
    return make_ucx_communicator(bootstrap);
  } catch (const RuntimeError& error) {  // on all ranks alike
    if (bootstrap->rank() == 0) log("comm").info("data goes over MPI: {}", error.what());
    return make_mpi_communicator(bootstrap);
  }
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(Transport transport) {
  switch (transport) {
    case Transport::Self: return make_self_communicator();
    case Transport::Mpi: return make_mpi_communicator(make_bootstrap());
    case Transport::Ucx: return make_ucx_communicator(make_bootstrap());
    case Transport::Best: break;
  }
  return make_best();
}

}  // namespace pilum::comm
