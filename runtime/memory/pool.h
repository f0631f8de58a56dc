// The memory of one rank: blocks that are kept for the next who needs one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace pilum::memory {

class Pool;

// Owns a block; gives it back to its pool when destroyed, from any thread. Moves, does not copy.
class Allocation {
 public:
  Allocation() = default;
  Allocation(Allocation&& other) noexcept { swap(other); }
  Allocation& operator=(Allocation&& other) noexcept {
    Allocation(std::move(other)).swap(*this);
    return *this;
  }
  ~Allocation();

  void* data() const { return data_; }
  std::int64_t bytes() const { return bytes_; }        // as asked
  std::int64_t block_bytes() const { return block_; }  // as counted: what the block really takes
  explicit operator bool() const { return data_ != nullptr; }

 private:
  friend class Pool;
  Allocation(Pool& pool, void* data, std::int64_t bytes, std::int64_t block)
      : pool_(&pool), data_(data), bytes_(bytes), block_(block) {}
  void swap(Allocation& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(block_, other.block_);
  }

  Pool* pool_ = nullptr;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t block_ = 0;
};

// One memory of one rank. Thread-safe; outlives its allocations. Contents of a new allocation are undefined.
//
// Blocks are aligned to 64 bytes, those of 1 MiB and more to a huge page. Sizes are rounded up to one of eight a power
// of two (64 from 64 MiB on), so that arrays of nearly one size use each other's blocks; a freed block serves any
// request that fills four fifths of it (half, below 1 MiB). Where the limit leaves no room for rounding, a block is cut
// tight.
//
// Freed blocks are kept: at most as many bytes as were ever in use at once, and kMaxUnused of them, the longest unused
// go first, and all of them before a request is refused. limit >= reserved() >= in_use() at any time.
class Pool {
 public:
  explicit Pool(std::int64_t limit = 0) : limit_(limit) {}  // bytes; 0: none
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // Nothing when the limit would be passed, or the system has no more: the caller knows what holds the rest and words
  // the error. 0 bytes are served like 1.
  [[nodiscard]] std::optional<Allocation> allocate(std::int64_t bytes);
  // The same for who keeps count himself: null for nothing; `block` is what give_back() is told. From any thread.
  [[nodiscard]] void* take(std::int64_t bytes, std::int64_t& block);
  void give_back(void* data, std::int64_t block) noexcept;
  // Gives unused blocks back to the system until at most this many bytes of them are left.
  void trim(std::int64_t unused = 0);

  std::int64_t limit() const { return limit_; }
  std::int64_t in_use() const;    // bytes of blocks that are out
  std::int64_t reserved() const;  // and of those that are kept
  std::int64_t peak() const;      // the most in_use() has been

 private:
  friend class Allocation;
  struct UnusedBlock {
    void* data = nullptr;
    std::uint64_t since = 0;  // counts returns
  };
  using Unused = std::map<std::int64_t, std::deque<UnusedBlock>>;  // by size; latest returned last

  std::optional<Allocation> reuse(std::int64_t bytes);
  std::optional<Allocation> make(std::int64_t bytes);
  void release_oldest();
  void trim_locked(std::int64_t unused);
  Allocation hand_out(void* data, std::int64_t bytes, std::int64_t block);

  const std::int64_t limit_;
  static constexpr std::size_t kMaxUnused = 1 << 14;  // of a million small ones nobody wants all again
  mutable std::mutex mutex_;
  std::size_t unused_count_ = 0;
  Unused unused_;
  std::int64_t in_use_ = 0;
  std::int64_t reserved_ = 0;
  std::int64_t peak_ = 0;
  std::uint64_t returns_ = 0;
};

// The size of the block that a request takes: eight sizes a power of two (64 from 64 MiB on), whole pages from 1 MiB
// on.
[[nodiscard]] std::int64_t rounded_size(std::int64_t bytes);

}  // namespace pilum::memory
