// Frames: the ordered stream of headers and small contents between two ranks.
#include <cstring>
#include <exception>

#include "runtime/base/check.h"
#include "runtime/comm/mpi/mpi_call.h"
#include "runtime/comm/mpi/mpi_communicator.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {

void MpiCommunicator::post_frame(int to, Header header, std::span<const std::byte> content) {
  if (spare_frames_.empty()) spare_frames_.push_back(std::make_unique<Frame>());
  FrameSend& sent = sent_frames_.emplace_back(std::move(spare_frames_.back()), MPI_REQUEST_NULL, to);
  spare_frames_.pop_back();
  sent.frame->header = header;
  if (!content.empty()) std::memcpy(sent.frame->content.data(), content.data(), content.size());
  const int bytes = static_cast<int>(sizeof(Header) + content.size());
  check_mpi(MPI_Isend(sent.frame.get(), bytes, MPI_BYTE, to, /*tag=*/0, comm_, &sent.request), "MPI_Isend", to);
  release_sent_frames();
}

// MPI fills the ring's receives in the order in which they were started, so the head is always the next frame.
bool MpiCommunicator::receive_frames() {
  bool some = false;
  while (true) {
    MPI_Request& head = ring_requests_[ring_head_];
    const Frame& frame = *ring_[ring_head_];
    MPI_Status status;
    int arrived = 0;
    check_mpi(MPI_Test(&head, &arrived, &status), "MPI_Test");
    if (!arrived) return some;
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count", status.MPI_SOURCE);
    PILUM_CHECK(bytes >= static_cast<int>(sizeof(Header)), "a frame of {} bytes", bytes);
    // Whatever the frame says, its receive is started again: a later look at one that is not would take an empty status
    // for a message.
    std::exception_ptr error;
    try {
      handle_frame(status.MPI_SOURCE, frame, std::span(frame.content).first(bytes - sizeof(Header)));
    } catch (...) {
      error = std::current_exception();
    }
    check_mpi(MPI_Start(&head), "MPI_Start");
    ring_head_ = (ring_head_ + 1) % ring_.size();
    if (error) std::rethrow_exception(error);
    some = true;
  }
}

void MpiCommunicator::handle_frame(int from, const Frame& frame, std::span<const std::byte> content) {
  const Header& header = frame.header;
  if (header.kind == Kind::Control) {
    control_.push_back({from, {content.begin(), content.end()}});
    return;
  }
  const auto expectation = expected_.take(from, header.tag);
  if (!expectation) {
    arrived_.add(from, header.tag, {header, {content.begin(), content.end()}});
    return;
  }
  if (expectation->bytes.size() != header.bytes) {
    throw_size_mismatch(from, header.tag, expectation->bytes.size(), header.bytes);
  }
  transfers_.at(expectation->request).is_matched = true;
  if (header.kind == Kind::Announce) {
    receive_chunks(expectation->request, from, header, expectation->bytes);
  } else if (!content.empty()) {
    std::memcpy(expectation->bytes.data(), content.data(), content.size());
  }
}

bool MpiCommunicator::release_sent_frames() {
  bool some = false;
  while (!sent_frames_.empty()) {
    FrameSend& oldest = sent_frames_.front();
    int done = 0;
    check_mpi(MPI_Test(&oldest.request, &done, MPI_STATUS_IGNORE), "MPI_Test", oldest.to);
    if (!done) break;
    spare_frames_.push_back(std::move(oldest.frame));
    sent_frames_.pop_front();
    some = true;
  }
  return some;
}

void MpiCommunicator::flush_frames() {
  wait_until(*this, [this] { return sent_frames_.empty(); });
}

void MpiCommunicator::send_control(int to, std::span<const std::byte> bytes) {
  check_peer("send_control", to, size());
  check_control_size(bytes.size());
  post_frame(to, {.kind = Kind::Control, .bytes = bytes.size()}, bytes);
}

std::optional<ControlMessage> MpiCommunicator::poll_control() {
  if (control_.empty()) progress();
  if (control_.empty()) return std::nullopt;
  std::optional<ControlMessage> message(std::move(control_.front()));
  control_.pop_front();
  return message;
}

}  // namespace pilum::comm
