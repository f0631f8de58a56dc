// The planner's book of a rank's array memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "scheduler/access_log.h"

namespace pilum::scheduler {

class MemoryBook;

// A piece of memory, and who touches it.
struct Block {
  MemoryBook* book = nullptr;
  AllocationId id;
  std::byte* data = nullptr;
  std::size_t bytes = 0;  // of the memory; what was asked for may be less
  AccessLog log;
};

// Where blocks come from: a pool, or made-up addresses when only planning.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  virtual std::byte* allocate(std::size_t bytes) = 0;  // null: no more
  virtual void release(std::byte* data, std::size_t bytes) = 0;
};

// Memory is given out in program order, while instructions that use it are still to run: a block freed at one point of
// the program may be given out again after it, and whoever gets it waits for its former users. The recording thread's.
class MemoryBook {
 public:
  // `done_before`: instructions with smaller ids are done. `wait_until_idle` runs all that is planned; both may be
  // called by allocate().
  MemoryBook(MemorySource& source, std::function<InstructionId()> done_before, std::function<void()> wait_until_idle);
  ~MemoryBook();

  // Null when there is no memory left, even after all freed blocks are given back.
  [[nodiscard]] Block* allocate(std::size_t bytes);
  void free(Block* block);
  // Gives freed blocks back to the source.
  void trim();

  // While one lives, freed blocks are not given out again. Between ranks that send to each other at one point of the
  // program: a receive into memory that this rank is sending from would wait for the peer, which may wait likewise.
  class Hold {
   public:
    explicit Hold(MemoryBook& book) : book_(book) { ++book_.holds_; }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    ~Hold() { book_.end_hold(); }

   private:
    MemoryBook& book_;
  };

  std::size_t in_use() const { return in_use_; }     // allocated and not freed
  std::size_t held() const { return held_; }         // taken from the source
  std::size_t peak() const { return peak_; }         // the most held at once
  long allocations() const { return allocations_; }  // calls to the source

 private:
  Block* reuse(std::size_t bytes);
  std::byte* take(std::size_t bytes);
  void release_idle();
  void end_hold();

  MemorySource& source_;
  std::function<InstructionId()> done_before_;
  std::function<void()> wait_until_idle_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> freed_;
  std::vector<Block*> held_back_;
  int holds_ = 0;
  std::int64_t next_id_ = 0;
  std::size_t in_use_ = 0, held_ = 0, peak_ = 0;
  long allocations_ = 0;
};

}  // namespace pilum::scheduler
