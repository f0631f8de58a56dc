#include "runtime/comm/mpi/mpi_communicator.h"

#include <cstdlib>

#include "runtime/comm/mpi/mpi_bootstrap.h"
#include "runtime/comm/mpi/mpi_call.h"
#include "runtime/comm/transports.h"

namespace pilum::comm {
namespace {

constexpr std::size_t kRingSlots = 32;

}  // namespace

MpiCommunicator::MpiCommunicator(std::shared_ptr<Bootstrap> bootstrap)
    : bootstrap_(std::move(bootstrap)), next_chunk_(bootstrap_->size()) {
  check_mpi(MPI_Comm_dup(static_cast<MpiBootstrap&>(*bootstrap_).communicator(), &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int* upper_bound = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &upper_bound, &found), "MPI_Comm_get_attr");
  if (found) chunk_tags_ = static_cast<std::uint64_t>(*upper_bound);  // 1 ... upper bound

  for (std::size_t slot = 0; slot < kRingSlots; ++slot) {
    ring_.push_back(std::make_unique<Frame>());
    ring_requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(
        MPI_Recv_init(ring_[slot].get(), sizeof(Frame), MPI_BYTE, MPI_ANY_SOURCE, 0, comm_, &ring_requests_[slot]),
        "MPI_Recv_init");
    check_mpi(MPI_Start(&ring_requests_[slot]), "MPI_Start");
  }
}

// Without finalize() the job is failing: MPI is left as it is, because ending it would wait for peers. It may still
// write to the ring, so that is not given back.
MpiCommunicator::~MpiCommunicator() {
  if (comm_ == MPI_COMM_NULL) return;
  for (auto& frame : ring_) static_cast<void>(frame.release());
  for (auto& sent : sent_frames_) static_cast<void>(sent.frame.release());
}

bool MpiCommunicator::progress() {
  const bool frames = receive_frames();
  const bool chunks = advance_chunks();
  return release_sent_frames() || frames || chunks;
}

void MpiCommunicator::barrier() {
  bootstrap_->barrier([this] { progress(); });
}

std::vector<std::byte> MpiCommunicator::all_gather(std::span<const std::byte> bytes) {
  return bootstrap_->all_gather(bytes, [this] { progress(); });
}

void MpiCommunicator::finalize() {
  PILUM_CHECK(transfers_.size() == 0, "rank {} leaves with {} transfers in flight", rank(), transfers_.size());
  flush_frames();
  barrier();
  for (MPI_Request& request : ring_requests_) {
    if (request == MPI_REQUEST_NULL) continue;
    check_mpi(MPI_Cancel(&request), "MPI_Cancel");
    check_mpi(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    check_mpi(MPI_Request_free(&request), "MPI_Request_free");
  }
  check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
  comm_ = MPI_COMM_NULL;
  bootstrap_->finalize();
}

void MpiCommunicator::abort(int status) {
  bootstrap_->abort(status);
  std::_Exit(status);  // not reached; g++ does not see it through the virtual call
}

std::unique_ptr<Communicator> make_mpi_communicator(std::shared_ptr<Bootstrap> bootstrap) {
  return std::make_unique<MpiCommunicator>(std::move(bootstrap));
}

}  // namespace pilum::comm
