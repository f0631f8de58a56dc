// One maker a transport. A transport that the build lacks is a source file whose maker throws pilum::RuntimeError.
#pragma once

#include <memory>

#include "runtime/comm/bootstrap.h"
#include "runtime/comm/communicator.h"

namespace pilum::comm {

[[nodiscard]] std::unique_ptr<Communicator> make_self_communicator();
[[nodiscard]] std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<Bootstrap> bootstrap);
// Moves messages in the calls of this thread alone; what others ask for waits until then.
[[nodiscard]] std::unique_ptr<Communicator> make_one_thread_communicator(std::unique_ptr<Communicator> inner);
// Throws on every rank if it works on one rank not.
[[nodiscard]] std::unique_ptr<Communicator> make_ucx_communicator(std::shared_ptr<Bootstrap> bootstrap);

}  // namespace pilum::comm
