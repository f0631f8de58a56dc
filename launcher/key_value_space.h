// The PMI key-value space of a job on one node: the ranks find each other at their start through shared memory, without
// a socket or a file.
//
// plaunch makes it (an anonymous memory file, memfd_create) and its ranks inherit the descriptor, so that only
// processes of the same user can reach it. MPI reads and writes it through the PMI library that plaunch gives it
// (pmi.cc).
//
//   KeyValueSpace | Rank × size | entries of rank 0 (kBytesPerRank) | entries of rank 1 | …
//   entry:  length of key (4 bytes) | length of value (4 bytes) | key | value
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pilum::launcher {

// "DESCRIPTOR,RANK,SIZE", in the environment of each rank.
inline constexpr const char* kKeyValueSpaceVariable = "PLAUNCH_KEY_VALUES";

// A view of shared memory, made by plaunch or attached to by a rank; unmapped with the object. Each rank writes its own
// entries alone; others see an entry once it is whole.
class KeyValueSpace {
 public:
  // All memory is zero at first and takes pages only as it is written. A negative descriptor: none could be made.
  static int make(int size);
  // Nothing if the descriptor is no key-value space of that size.
  static std::optional<KeyValueSpace> attach(int fd, int size);
  KeyValueSpace(KeyValueSpace&& other) noexcept;
  KeyValueSpace& operator=(KeyValueSpace&&) = delete;
  ~KeyValueSpace();

  int size() const { return size_; }
  // False if the rank has no room left.
  bool put(int rank, std::string_view key, std::string_view value);
  // The newest value that any rank has put.
  std::optional<std::string_view> find(std::string_view key) const;
  // Waits, asleep, for all ranks.
  void barrier();

  // Between these two a rank may not leave.
  void enter(int rank);
  void leave(int rank);
  bool has_entered(int rank) const;
  bool has_left(int rank) const;

 private:
  struct Rank {
    std::atomic<std::uint32_t> used;
    std::atomic<std::uint32_t> entered;
    std::atomic<std::uint32_t> left;
  };
  struct Head {
    std::atomic<std::uint32_t> arrived;
    std::atomic<std::uint32_t> round;  // of the barrier; ranks sleep on it
  };

  KeyValueSpace(std::byte* memory, int size) : memory_(memory), size_(size) {}
  static std::size_t bytes(int size);
  Head& head() const { return *reinterpret_cast<Head*>(memory_); }
  Rank& rank(int number) const { return reinterpret_cast<Rank*>(memory_ + sizeof(Head))[number]; }
  char* entries(int number) const;

  std::byte* memory_ = nullptr;
  int size_ = 0;
};

}  // namespace pilum::launcher
