// The wires between simulated ranks of one process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/mutex.h"
#include "runtime/comm/communicator.h"

namespace pilum::comm {

// A message on its way. Its content lies in the sender's buffer until the receive copies it, or was kept at once.
struct Parcel {
  int from = 0;
  Tag tag;
  bool is_control = false;
  std::span<const std::byte> lent;
  std::vector<std::byte> kept;
  Request send = 0;  // told to the sender when a lent content was copied; 0: the sender does not wait

  std::span<const std::byte> content() const { return send ? lent : std::span<const std::byte>(kept); }
};

// Shared by all ranks and thread-safe; it outlives its communicators. It carries parcels in order; the receiving
// communicator makes them late. When a rank aborts, or is destroyed without finalize(), the network is poisoned:
// every call of every rank then throws, and no lent buffer is read any more.
class SimulatedNetwork {
 public:
  SimulatedNetwork(int size, std::uint64_t seed) : size_(size), seed_(seed), stations_(new Station[size]) {}

  int size() const { return size_; }
  std::uint64_t seed() const { return seed_; }

  void post(int to, Parcel parcel);
  void tell_copied(int sender, Request send);
  // What has come for this rank since the last call; false if nothing (which costs one load).
  bool collect(int rank, std::vector<Parcel>& parcels, std::vector<Request>& copied);

  // Copies a parcel's content unless the network is poisoned, and then throws.
  void copy_content(const Parcel& parcel, std::span<std::byte> to);

  void check_alive() const {
    if (poisoned_.load(std::memory_order_acquire)) [[unlikely]]
      throw_poisoned();
  }
  [[noreturn]] void abort(int rank, int status);
  void lose(int rank);
  void leave(int rank) { stations_[rank].left.store(true); }
  bool has_left(int rank) const { return stations_[rank].left.load(); }

  // A barrier in two halves: arrive, then ask until it is true.
  std::uint64_t arrive();
  bool all_arrived(std::uint64_t round) const { return round_.load() != round; }
  void write_gather(int rank, std::span<const std::byte> bytes);
  std::vector<std::byte> read_gather();

 private:
  struct alignas(64) Station {
    Mutex mutex;
    std::atomic<bool> has_mail{false};
    std::atomic<bool> left{false};
    std::vector<Parcel> parcels PILUM_GUARDED_BY(mutex);
    std::vector<Request> copied PILUM_GUARDED_BY(mutex);
  };

  void poison(int rank, int status, bool was_lost);
  // Without the lock: once poisoned_ is true, nobody writes the reason any more.
  [[noreturn]] void throw_poisoned() const PILUM_NO_THREAD_SAFETY_ANALYSIS;

  const int size_;
  const std::uint64_t seed_;
  std::unique_ptr<Station[]> stations_;

  SharedMutex lent_buffers_;  // shared: someone reads a lent buffer; exclusive: the poison is set
  std::atomic<bool> poisoned_{false};
  int poisoned_by_ PILUM_GUARDED_BY(lent_buffers_) = 0;
  int status_ PILUM_GUARDED_BY(lent_buffers_) = 0;
  bool was_lost_ PILUM_GUARDED_BY(lent_buffers_) = false;

  Mutex meeting_;
  int arrived_ PILUM_GUARDED_BY(meeting_) = 0;
  std::atomic<std::uint64_t> round_{0};
  std::vector<std::byte> gathered_ PILUM_GUARDED_BY(meeting_);
};

}  // namespace pilum::comm
