// Data: small messages travel whole in a frame, larger ones are announced and follow in chunks.
#include <algorithm>
#include <cstring>

#include "runtime/comm/mpi/mpi_call.h"
#include "runtime/comm/mpi/mpi_communicator.h"

namespace pilum::comm {
namespace {

// Above this, MPI's own copy into its buffers is better spent once, and the frame no longer fits an eager message.
constexpr std::size_t kWholeBytes = 2048;
// MPI counts in int: larger messages go in several chunks.
constexpr std::size_t kChunkBytes = std::size_t{1} << 30;

std::size_t count_chunks(std::size_t bytes) {
  return (bytes + kChunkBytes - 1) / kChunkBytes;
}

}  // namespace

Request MpiCommunicator::send(int to, Tag tag, std::span<const std::byte> bytes) {
  check_peer("send", to, size());
  if (bytes.size() <= kWholeBytes) {
    post_frame(to, {.kind = Kind::Whole, .tag = tag, .bytes = bytes.size()}, bytes);
    return kDoneRequest;
  }
  const std::uint64_t first_tag = next_chunk_[to];
  next_chunk_[to] += count_chunks(bytes.size());
  post_frame(to, {.kind = Kind::Announce, .tag = tag, .bytes = bytes.size(), .first_tag = first_tag}, {});
  const Request request = transfers_.add({.peer = to});
  send_chunks(request, to, first_tag, bytes);
  return request;
}

Request MpiCommunicator::receive(int from, Tag tag, std::span<std::byte> bytes) {
  check_peer("receive", from, size());
  const auto arrival = arrived_.take(from, tag);
  if (!arrival) {
    const Request request = transfers_.add({.peer = from, .is_matched = false});
    expected_.add(from, tag, {request, bytes});
    return request;
  }
  if (arrival->header.bytes != bytes.size()) throw_size_mismatch(from, tag, bytes.size(), arrival->header.bytes);
  if (arrival->header.kind == Kind::Whole) {
    if (!bytes.empty()) std::memcpy(bytes.data(), arrival->content.data(), bytes.size());
    return kDoneRequest;
  }
  const Request request = transfers_.add({.peer = from});
  receive_chunks(request, from, arrival->header, bytes);
  return request;
}

bool MpiCommunicator::test(Request request) {
  if (request == kDoneRequest) return true;
  const Transfer& transfer = transfers_.at(request);
  if (!transfer.is_matched || transfer.open_chunks > 0) return false;
  transfers_.remove(request);
  return true;
}

void MpiCommunicator::send_chunks(Request request, int to, std::uint64_t first_tag, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const auto count = static_cast<int>(std::min(kChunkBytes, bytes.size() - at));
    MPI_Request& chunk = chunk_requests_.emplace_back(MPI_REQUEST_NULL);
    chunk_owners_.push_back(request);
    ++transfers_.at(request).open_chunks;
    check_mpi(MPI_Isend(bytes.data() + at, count, MPI_BYTE, to, chunk_tag(first_tag++), comm_, &chunk), "MPI_Isend",
              to);
  }
}

void MpiCommunicator::receive_chunks(Request request, int from, const Header& announced, std::span<std::byte> bytes) {
  std::uint64_t tag = announced.first_tag;
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    const auto count = static_cast<int>(std::min(kChunkBytes, bytes.size() - at));
    MPI_Request& chunk = chunk_requests_.emplace_back(MPI_REQUEST_NULL);
    chunk_owners_.push_back(request);
    ++transfers_.at(request).open_chunks;
    check_mpi(MPI_Irecv(bytes.data() + at, count, MPI_BYTE, from, chunk_tag(tag++), comm_, &chunk), "MPI_Irecv", from);
  }
}

bool MpiCommunicator::advance_chunks() {
  if (chunk_requests_.empty()) return false;
  const auto open = static_cast<int>(chunk_requests_.size());
  finished_.resize(open);
  statuses_.resize(open);
  int count = 0;
  const int code = MPI_Testsome(open, chunk_requests_.data(), &count, finished_.data(), statuses_.data());
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) throw_mpi_failed(code, "MPI_Testsome", kNoPeer);
  if (count == MPI_UNDEFINED || count == 0) return false;
  for (int i = 0; i < count; ++i) {
    Transfer& transfer = transfers_.at(chunk_owners_[finished_[i]]);
    if (code == MPI_ERR_IN_STATUS) check_mpi(statuses_[i].MPI_ERROR, "MPI_Testsome", transfer.peer);
    --transfer.open_chunks;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < chunk_requests_.size(); ++i) {
    if (chunk_requests_[i] == MPI_REQUEST_NULL) continue;
    chunk_requests_[kept] = chunk_requests_[i];
    chunk_owners_[kept++] = chunk_owners_[i];
  }
  chunk_requests_.resize(kept);
  chunk_owners_.resize(kept);
  return true;
}

}  // namespace pilum::comm
