#include "runtime/device/chunk_dealer.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace pilum::device {

void ChunkDealer::reset(std::int64_t chunks) {
  PILUM_CHECK(1 <= chunks && chunks <= (std::int64_t{1} << 31), "{} chunks", chunks);
  chunks_ = chunks;
  used_ = std::min<std::int64_t>(chunks, participants_);
  slices_left_.store(used_, std::memory_order_relaxed);
  for (std::int64_t slice = 0; slice < used_; ++slice) {
    slices_[static_cast<std::size_t>(slice)].gone.store(0, std::memory_order_relaxed);
  }
}

std::int64_t ChunkDealer::take(int participant) {
  if (exhausted()) return kNone;
  if (chunks_ == 1) return slices_left_.fetch_sub(1, std::memory_order_relaxed) == 1 ? 0 : kNone;
  const std::int64_t own = participant * used_ / participants_;
  std::int64_t chunk = take_from(own, /*front=*/true);
  for (std::int64_t step = 1; step < used_ && chunk == kNone; ++step) {
    chunk = take_from((own + step) % used_, /*front=*/false);
  }
  return chunk;
}

std::int64_t ChunkDealer::take_from(std::int64_t slice, bool front) {
  const std::int64_t start = slice_start(slice), end = slice_start(slice + 1);
  std::atomic<std::uint64_t>& gone = slices_[static_cast<std::size_t>(slice)].gone;
  std::uint64_t seen = gone.load(std::memory_order_relaxed);
  while (true) {
    const auto from_front = static_cast<std::int64_t>(seen & 0xffffffffu),
               from_back = static_cast<std::int64_t>(seen >> 32);
    if (from_front + from_back >= end - start) return kNone;
    const std::uint64_t next = seen + (front ? 1 : std::uint64_t{1} << 32);
    if (!gone.compare_exchange_weak(seen, next, std::memory_order_relaxed)) continue;
    if (from_front + from_back + 1 == end - start) slices_left_.fetch_sub(1, std::memory_order_relaxed);
    return front ? start + from_front : end - 1 - from_back;
  }
}

}  // namespace pilum::device
