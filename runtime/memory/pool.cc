#include "runtime/memory/pool.h"

#include <algorithm>
#include <bit>

#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/memory/system_memory.h"

namespace pilum::memory {
namespace {

std::int64_t round_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// As little as the block's alignment allows.
std::int64_t tight_size(std::int64_t bytes) {
  return round_up(std::max<std::int64_t>(bytes, 1), bytes > kBigBlock ? kPage : kAlignment);
}

// More than there is anywhere; sums of sizes stay far from overflow.
constexpr std::int64_t kHuge = 64 << 20;
constexpr std::int64_t kAbsurd = std::int64_t{1} << 60;

// Small blocks may be half empty: they are few bytes, and cost a call each otherwise.
bool fits(std::int64_t block, std::int64_t bytes) {
  return block < kBigBlock ? block <= 2 * tight_size(bytes) : block / 5 * 4 <= bytes;
}

}  // namespace

std::int64_t rounded_size(std::int64_t bytes) {
  const std::int64_t tight = tight_size(bytes);
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(tight)));
  const std::int64_t sizes = tight < kHuge ? 8 : 64;  // a power of two: an eighth of a huge array is too much to waste
  return tight_size(round_up(tight, std::max<std::int64_t>(power / sizes, 1)));
}

Allocation::~Allocation() {
  if (pool_) pool_->give_back(data_, block_);
}

Pool::~Pool() {
  trim();
  PILUM_CHECK(in_use_ == 0, "{} bytes of a pool are still in use at its end", in_use_);
}

std::optional<Allocation> Pool::allocate(std::int64_t bytes) {
  PILUM_CHECK(bytes >= 0, "{} bytes", bytes);
  if (bytes > kAbsurd) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (auto allocation = reuse(bytes)) return allocation;
  return make(bytes);
}

void* Pool::take(std::int64_t bytes, std::int64_t& block) {
  std::optional<Allocation> allocation = allocate(bytes);
  if (!allocation) return nullptr;
  block = allocation->block_;
  allocation->pool_ = nullptr;
  return allocation->data_;
}

// The smallest unused block that is large enough, if it is not much too large; of that size the one used last.
std::optional<Allocation> Pool::reuse(std::int64_t bytes) {
  const auto found = unused_.lower_bound(tight_size(bytes));
  if (found == unused_.end() || !fits(found->first, bytes)) return std::nullopt;
  const std::int64_t block = found->first;
  void* const data = found->second.back().data;
  found->second.pop_back();
  --unused_count_;
  if (found->second.empty()) unused_.erase(found);
  reserved_ -= block;
  return hand_out(data, bytes, block);
}

std::optional<Allocation> Pool::make(std::int64_t bytes) {
  std::int64_t block = rounded_size(bytes);
  if (limit_ > 0 && in_use_ + block > limit_) block = tight_size(bytes);
  if (limit_ > 0 && in_use_ + block > limit_) return std::nullopt;
  if (limit_ > 0) trim_locked(limit_ - in_use_ - block);
  // The kept bytes stay below the peak.
  trim_locked(std::max(peak_, in_use_ + block));
  void* data = map_block(block);
  if (!data) {
    trim_locked(0);
    data = map_block(block);
  }
  if (!data) {
    log("memory").debug("the system refuses a block of {} bytes with {} in use", block, in_use_);
    return std::nullopt;
  }
  return hand_out(data, bytes, block);
}

Allocation Pool::hand_out(void* data, std::int64_t bytes, std::int64_t block) {
  in_use_ += block;
  reserved_ += block;
  peak_ = std::max(peak_, in_use_);
  unpoison(data, bytes);
  poison(static_cast<char*>(data) + bytes, block - bytes);
  return {*this, data, bytes, block};
}

void Pool::give_back(void* data, std::int64_t block) noexcept {
  const std::lock_guard lock(mutex_);
  poison(data, block);
  unused_[block].push_back({data, returns_++});
  in_use_ -= block;
  if (++unused_count_ > kMaxUnused) release_oldest();
}

void Pool::trim(std::int64_t unused) {
  const std::lock_guard lock(mutex_);
  trim_locked(unused);
}

void Pool::trim_locked(std::int64_t unused) {
  while (reserved_ - in_use_ > unused) release_oldest();
}

void Pool::release_oldest() {
  const auto oldest = std::min_element(unused_.begin(), unused_.end(), [](const auto& a, const auto& b) {
    return a.second.front().since < b.second.front().since;
  });
  PILUM_CHECK(oldest != unused_.end(), "{} bytes held, {} in use, and no unused block", reserved_, in_use_);
  unmap_block(oldest->second.front().data, oldest->first);
  reserved_ -= oldest->first;
  oldest->second.pop_front();
  --unused_count_;
  if (oldest->second.empty()) unused_.erase(oldest);
}

std::int64_t Pool::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

std::int64_t Pool::reserved() const {
  const std::lock_guard lock(mutex_);
  return reserved_;
}

std::int64_t Pool::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

}  // namespace pilum::memory
