// What the ranks of one node need to find each other at their start, in memory that they share: no socket, no file.
//
// plaunch makes the board (an anonymous memory file, memfd_create) and its ranks inherit the descriptor, so that only
// processes of the same user can reach it. MPI writes there by the PMI library that plaunch gives it (pmi.cc).
//
//   Board | Rank × size | entries of rank 0 (kBytesPerRank) | entries of rank 1 | …
//   entry:  length of key (4 bytes) | length of value (4 bytes) | key | value
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pilum::launcher {

// "DESCRIPTOR,RANK,SIZE", in the environment of each rank.
inline constexpr const char* kBoardVariable = "PLAUNCH_BOARD";

// A view of shared memory, made by plaunch or attached to by a rank; unmapped with the object. Each rank writes its own
// entries alone; others see an entry once it is whole.
class Board {
 public:
  // All memory is zero at first and takes pages only as it is written. A negative descriptor: none could be made.
  static int make(int size);
  // Nothing if the descriptor is no board of that size.
  static std::optional<Board> attach(int fd, int size);
  Board(Board&& other) noexcept;
  Board& operator=(Board&&) = delete;
  ~Board();

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

  Board(std::byte* memory, int size) : memory_(memory), size_(size) {}
  static std::size_t bytes(int size);
  Head& head() const { return *reinterpret_cast<Head*>(memory_); }
  Rank& rank(int number) const { return reinterpret_cast<Rank*>(memory_ + sizeof(Head))[number]; }
  char* entries(int number) const;

  std::byte* memory_ = nullptr;
  int size_ = 0;
};

}  // namespace pilum::launcher
