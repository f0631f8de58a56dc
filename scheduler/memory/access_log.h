// Who last wrote, and who has read since, each part of a block of memory.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/base/ids.h"
#include "runtime/base/rect.h"

namespace pilum::scheduler {

// Gives each access the instructions it must come after: reads after overlapping writes, writes after overlapping
// reads and writes. Coordinates are those of what the block holds; clear_for_reuse() forgets them and keeps the
// instructions. Entries of instructions before `done_before` are dropped as they are met.
class AccessLog {
 public:
  void read(const Rect& cells, InstructionId by, InstructionId done_before, std::vector<InstructionId>& after) {
    collect(cells, /*write=*/false, by, done_before, after);
    entries_.push_back({cells, by, false});
  }
  void write(const Rect& cells, InstructionId by, InstructionId done_before, std::vector<InstructionId>& after) {
    collect(cells, /*write=*/true, by, done_before, after);
    entries_.push_back({cells, by, true});
  }
  void clear_for_reuse(InstructionId done_before);
  // Who comes later comes after `by`, which came after all so far.
  void hand_over(InstructionId by) {
    entries_.clear();
    former_.assign(1, by);
  }
  // Every instruction that may still touch the block.
  void append_all(std::vector<InstructionId>& after) const;
  // Whether more than `count` instructions that may still run touch what was in the block before.
  bool has_former_users(std::size_t count, const std::function<InstructionId()>& done_before);
  bool idle(InstructionId done_before) const;

 private:
  struct Entry {
    Rect cells;
    InstructionId by;
    bool write;
    InstructionId before{-1};  // a write that comes after this access; -1: none is known
  };
  void collect(const Rect& cells, bool write, InstructionId by, InstructionId done_before,
               std::vector<InstructionId>& after);

  std::vector<Entry> entries_;
  std::vector<InstructionId> former_;  // accesses by what was in the block before
};

}  // namespace pilum::scheduler
