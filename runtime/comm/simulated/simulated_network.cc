#include "runtime/comm/simulated/simulated_network.h"

#include <cstring>

#include "runtime/base/check.h"
#include "runtime/comm/errors.h"

namespace pilum::comm {

void SimulatedNetwork::post(int to, Parcel parcel) {
  Station& station = stations_[to];
  const ScopedLock lock(station.mutex);
  station.parcels.push_back(std::move(parcel));
  station.has_mail.store(true, std::memory_order_release);
}

void SimulatedNetwork::tell_copied(int sender, Request send) {
  Station& station = stations_[sender];
  const ScopedLock lock(station.mutex);
  station.copied.push_back(send);
  station.has_mail.store(true, std::memory_order_release);
}

bool SimulatedNetwork::collect(int rank, std::vector<Parcel>& parcels, std::vector<Request>& copied) {
  Station& station = stations_[rank];
  parcels.clear();
  copied.clear();
  if (!station.has_mail.load(std::memory_order_acquire)) return false;
  const ScopedLock lock(station.mutex);
  parcels.swap(station.parcels);
  copied.swap(station.copied);
  station.has_mail.store(false, std::memory_order_relaxed);
  return true;
}

void SimulatedNetwork::copy_content(const Parcel& parcel, std::span<std::byte> to) {
  const auto content = parcel.content();
  if (content.size() != to.size()) throw_size_mismatch(parcel.from, parcel.tag, to.size(), content.size());
  const SharedLock reading(lent_buffers_);
  check_alive();
  if (!content.empty()) std::memcpy(to.data(), content.data(), content.size());
}

void SimulatedNetwork::abort(int rank, int status) {
  poison(rank, status, /*was_lost=*/false);
  throw_poisoned();
}

void SimulatedNetwork::lose(int rank) {
  poison(rank, /*status=*/0, /*was_lost=*/true);
}

void SimulatedNetwork::poison(int rank, int status, bool was_lost) {
  const ScopedLock lock(lent_buffers_);
  if (poisoned_) return;  // the first reason counts
  poisoned_by_ = rank;
  status_ = status;
  was_lost_ = was_lost;
  poisoned_.store(true, std::memory_order_release);
}

void SimulatedNetwork::throw_poisoned() const {
  if (was_lost_) throw_peer_failed("progress", poisoned_by_, "it ended without finalize()");
  throw_aborted(poisoned_by_, status_);
}

std::uint64_t SimulatedNetwork::arrive() {
  const ScopedLock lock(meeting_);
  const std::uint64_t round = round_;
  if (++arrived_ == size_) {
    arrived_ = 0;
    ++round_;
  }
  return round;
}

void SimulatedNetwork::write_gather(int rank, std::span<const std::byte> bytes) {
  const ScopedLock lock(meeting_);
  gathered_.resize(bytes.size() * size_);
  if (!bytes.empty()) std::memcpy(gathered_.data() + bytes.size() * rank, bytes.data(), bytes.size());
}

std::vector<std::byte> SimulatedNetwork::read_gather() {
  const ScopedLock lock(meeting_);
  return gathered_;
}

}  // namespace pilum::comm
