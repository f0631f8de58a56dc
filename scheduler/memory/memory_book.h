// The planner's book of a rank's array memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <unordered_set>
#include <vector>

#include "scheduler/memory/access_log.h"

namespace pilum::scheduler {

class MemoryBook;

// A piece of memory, and who touches it.
struct Block {
  MemoryBook* book = nullptr;
  AllocationId id;
  std::byte* data = nullptr;
  std::size_t bytes = 0;  // of the memory; what was asked for may be less
  std::size_t taken = 0;  // from the source: may be more
  std::size_t place = 0;  // in the book's list
  AccessLog log;
  std::shared_ptr<const void> owner;  // of memory that is the program's: kept until nobody touches it any more
  bool kept = false;                  // freed by a plan that may be undone: what is in it may be wanted again
};

// What a source has given out, as it counts it: rounded up to the sizes of its blocks.
struct MemoryRoom {
  std::size_t taken = 0;
  std::size_t limit = 0;  // 0: none that it knows
};

// Where blocks come from: a pool, or made-up addresses where plans are only made.
class MemorySource {
 public:
  virtual ~MemorySource() = default;
  // Null: no more. `taken`: what release() is told.
  virtual std::byte* allocate(std::size_t bytes, std::size_t& taken) = 0;
  virtual void release(std::byte* data, std::size_t taken) = 0;
  virtual MemoryRoom room() const = 0;
};

// Memory is given out in program order, while instructions that use it are still to run: a block freed at one point of
// the program may be given out again after it, and whoever gets it waits for its former users. The recording thread's.
class MemoryBook {
 public:
  // `done_before`: instructions with smaller ids are done. `wait_until_idle` runs all that is planned; both may be
  // called by allocate().
  MemoryBook(MemorySource& source, std::function<InstructionId()> done_before, std::function<void()> wait_until_idle);
  ~MemoryBook();

  // Null when there is no memory left, even after all freed blocks are given back. The freed block at `wanted` if it
  // fits.
  [[nodiscard]] Block* allocate(std::size_t bytes, const std::byte* wanted = nullptr);
  void free(Block* block);
  // Gives freed blocks back to the source.
  void trim();

  // Forgets a block in use that nobody touches, but for its bytes; and takes one back into the book.
  void detach(Block* block);
  Block* adopt(std::byte* data, std::size_t bytes, std::size_t taken);

  // A plan that may be undone: until keep_freed(false) the source gets nothing back that is freed meanwhile.
  void keep_freed(bool keep);
  // Undoes what was allocated and freed since: these blocks are in use and no others. Nothing may be running.
  void undo(const std::unordered_set<const Block*>& in_use);
  // Bytes that are freed, but not to be given back before the plan that frees them has run.
  std::size_t freed_in_plan() const;

  // While one lives, freed blocks are not given out again. Between ranks that send to each other at one point of the
  // program: a receive into memory that this rank is sending from would wait for the peer, which may wait likewise.
  class NoReuse {
   public:
    explicit NoReuse(MemoryBook& book) : book_(book) { ++book_.no_reuse_; }
    NoReuse(const NoReuse&) = delete;
    NoReuse& operator=(const NoReuse&) = delete;
    ~NoReuse() { book_.end_no_reuse(); }

   private:
    MemoryBook& book_;
  };

  // While one lives, small blocks are not given out again as long as there is other memory: who gets one waits for its
  // former users, which on GPUs takes longer than the memory is worth.
  class SmallApart {
   public:
    explicit SmallApart(MemoryBook& book) : book_(book) { ++book_.small_apart_; }
    SmallApart(const SmallApart&) = delete;
    SmallApart& operator=(const SmallApart&) = delete;
    ~SmallApart() {
      if (--book_.small_apart_ == 0) book_.give_out_small();
    }

   private:
    MemoryBook& book_;
  };

  std::size_t in_use() const { return in_use_; }      // allocated and not freed
  std::size_t reserved() const { return reserved_; }  // from the source
  std::size_t peak() const { return peak_; }          // the most reserved at once
  long allocations() const { return allocations_; }   // calls to the source
  MemoryRoom room() const { return source_.room(); }

 private:
  Block* reuse(std::size_t bytes, const std::byte* wanted,
               std::size_t max_users = std::numeric_limits<std::size_t>::max());
  Block* grow(std::byte* data, std::size_t bytes, std::size_t taken);
  std::byte* take_back(std::size_t bytes, std::size_t& taken);
  Block* add(std::byte* data, std::size_t bytes, std::size_t taken);
  void erase(Block* block);
  void release_idle();
  void end_no_reuse();
  void give_out_small();

  MemorySource& source_;
  std::function<InstructionId()> done_before_;
  std::function<void()> wait_until_idle_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<Block*> freed_;
  std::vector<Block*> not_reusable_, small_freed_;
  int no_reuse_ = 0, small_apart_ = 0;
  bool keeps_freed_ = false;
  std::int64_t next_id_ = 0;
  std::size_t in_use_ = 0, reserved_ = 0, peak_ = 0;
  long allocations_ = 0;
};

}  // namespace pilum::scheduler
