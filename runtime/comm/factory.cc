#include "pilum/error.h"
#include "runtime/base/log.h"
#include "runtime/comm/agreement.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {
namespace {

std::unique_ptr<Communicator> make_mpi(const std::shared_ptr<Bootstrap>& bootstrap) {
  auto communicator = make_mpi_communicator(bootstrap);
  return bootstrap->any_thread() ? std::move(communicator) : make_one_thread_communicator(std::move(communicator));
}

std::unique_ptr<Communicator> make_best(const std::shared_ptr<Bootstrap>& bootstrap) {
  try {
    return make_ucx_communicator(bootstrap);
  } catch (const RuntimeError& error) {  // on all ranks alike
    if (bootstrap->rank() == 0) log("comm").info("data goes over MPI: {}", error.what());
    return make_mpi(bootstrap);
  }
}

// The transport may be one of the settings that differ: before it is used, all ranks meet over MPI.
std::unique_ptr<Communicator> make_among(const std::shared_ptr<Bootstrap>& bootstrap, Transport transport,
                                         std::span<const NamedValue> to_agree_on) {
  check_agreement(*bootstrap, to_agree_on);
  switch (transport) {
    case Transport::Mpi: return make_mpi(bootstrap);
    case Transport::Ucx: return make_ucx_communicator(bootstrap);
    case Transport::Best: return make_best(bootstrap);
    case Transport::Self: break;
  }
  throw ValueError("[Runtime] PILUM_TRANSPORT=self with " + std::to_string(bootstrap->size()) +
                   " ranks: self connects a rank to no other; use best, ucx or mpi, or start one rank");
}

}  // namespace

std::unique_ptr<Communicator> make_communicator(Transport transport, std::span<const NamedValue> to_agree_on) {
  const bool alone = !is_multi_rank() && (transport == Transport::Best || transport == Transport::Self);
  if (alone) return make_self_communicator();
  return make_among(make_bootstrap(), transport, to_agree_on);
}

std::unique_ptr<Communicator> make_communicator(Transport transport, std::span<const NamedValue> to_agree_on,
                                                const HostCommunicator& host) {
  const std::shared_ptr<Bootstrap> bootstrap = make_bootstrap(host);
  const bool alone = bootstrap->size() == 1 && (transport == Transport::Best || transport == Transport::Self);
  if (!alone) return make_among(bootstrap, transport, to_agree_on);
  bootstrap->finalize();
  return make_self_communicator();
}

}  // namespace pilum::comm
