#include "scheduler/memory/access_log.h"

#include <algorithm>

#include "partitioner/region.h"

namespace pilum::scheduler {

void AccessLog::collect(const Rect& cells, bool write, InstructionId by, InstructionId done_before,
                        std::vector<InstructionId>& after) {
  std::erase_if(former_, [done_before](InstructionId id) { return id < done_before; });
  after.insert(after.end(), former_.begin(), former_.end());
  std::vector<Entry> remainders;
  std::erase_if(entries_, [&](const Entry& entry) {
    if (entry.by < done_before) return true;
    if (entry.by == by || !(write || entry.write) || !overlaps(entry.cells, cells)) return false;
    after.push_back(entry.by);
    if (!write) return false;
    if (cells.contains(entry.cells)) return true;
    // Whoever comes later comes after this write: of the older access only the rest of its cells counts.
    for (const Rect& rest : partitioner::subtract(entry.cells, cells))
      remainders.push_back({rest, entry.by, entry.write, by});
    return true;
  });
  // A read that comes after one who came after an older read of the same cells stands for that one too.
  const auto is_after = [&after](InstructionId id) { return std::find(after.begin(), after.end(), id) != after.end(); };
  if (!write) {
    std::erase_if(entries_, [&](const Entry& entry) {
      return !entry.write && entry.before.value >= 0 && cells.contains(entry.cells) && is_after(entry.before);
    });
  }
  entries_.insert(entries_.end(), remainders.begin(), remainders.end());
}

void AccessLog::clear_for_reuse(InstructionId done_before) {
  if (!entries_.empty()) former_.clear();  // every access since then came after them
  append_all(former_);
  entries_.clear();
  std::erase_if(former_, [done_before](InstructionId id) { return id < done_before; });
  std::sort(former_.begin(), former_.end());
  former_.erase(std::unique(former_.begin(), former_.end()), former_.end());
}

void AccessLog::append_all(std::vector<InstructionId>& after) const {
  if (&after != &former_) after.insert(after.end(), former_.begin(), former_.end());
  for (const Entry& entry : entries_) after.push_back(entry.by);
}

bool AccessLog::has_former_users(std::size_t count, const std::function<InstructionId()>& done_before) {
  if (former_.size() <= count) return false;
  std::erase_if(former_, [done = done_before()](InstructionId id) { return id < done; });
  return former_.size() > count;
}

bool AccessLog::idle(InstructionId done_before) const {
  const auto done = [done_before](InstructionId id) { return id < done_before; };
  return std::all_of(former_.begin(), former_.end(), done) &&
         std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return done(entry.by); });
}

}  // namespace pilum::scheduler
