#include "scheduler/memory/memory_book.h"

#include <algorithm>

namespace pilum::scheduler {
namespace {

constexpr double kMaxWaste = 1.25;    // a freed block serves requests of at least its size / this
constexpr std::size_t kSmall = 4096;  // below this, waste does not matter
constexpr std::size_t kMaxFreedBlocks = 64;

}  // namespace

MemoryBook::MemoryBook(MemorySource& source, std::function<InstructionId()> done_before,
                       std::function<void()> wait_until_idle)
    : source_(source), done_before_(std::move(done_before)), wait_until_idle_(std::move(wait_until_idle)) {}

MemoryBook::~MemoryBook() {
  for (const auto& block : blocks_) {
    try {
      source_.release(block->data, block->taken);
    } catch (const std::exception&) {  // a GPU that has failed: whoever used it was told
    }
  }
}

Block* MemoryBook::reuse(std::size_t bytes, const std::byte* wanted, std::size_t max_users) {
  Block* best = nullptr;
  for (Block* block : freed_) {
    if (block->bytes < bytes) continue;
    if (block->log.has_former_users(max_users, done_before_)) continue;
    if (static_cast<double>(block->bytes) > kMaxWaste * static_cast<double>(bytes) && block->bytes > kSmall) continue;
    // Else the last freed of the best fit: it is the one still in a cache.
    if (!best || block->bytes <= best->bytes) best = block;
    if (block->data == wanted) {
      best = block;
      break;
    }
  }
  if (best) std::erase(freed_, best);
  return best;
}

// The source has no more: what is freed goes back to it.
std::byte* MemoryBook::take_back(std::size_t bytes, std::size_t& taken) {
  if (freed_.empty()) return nullptr;
  release_idle();
  if (std::byte* data = source_.allocate(bytes, taken)) return data;
  wait_until_idle_();
  trim();
  return source_.allocate(bytes, taken);
}

Block* MemoryBook::add(std::byte* data, std::size_t bytes, std::size_t taken) {
  Block* block = blocks_.emplace_back(std::make_unique<Block>()).get();
  block->book = this;
  block->data = data;
  block->bytes = bytes;
  block->taken = taken;
  block->place = blocks_.size() - 1;
  return block;
}

// The last one takes its place.
void MemoryBook::erase(Block* block) {
  const std::size_t place = block->place;
  blocks_.back()->place = place;
  std::swap(blocks_[place], blocks_.back());
  blocks_.pop_back();
}

Block* MemoryBook::allocate(std::size_t bytes, const std::byte* wanted) {
  bytes = std::max<std::size_t>(bytes, 64);
  // Each instruction that touches the block comes after each former user: of many by many there would be millions of
  // dependences.
  constexpr std::size_t kMaxUsers = 256;
  Block* block = reuse(bytes, wanted, kMaxUsers);
  if (!block) {
    std::size_t taken = bytes;
    std::byte* data = source_.allocate(bytes, taken);
    if (!data) give_out_small();
    if (!data) block = reuse(bytes, wanted);
    if (!data && !block) data = take_back(bytes, taken);
    if (!data && !block) return nullptr;
    if (!block) block = grow(data, bytes, taken);
  }
  block->id = AllocationId{next_id_++};
  in_use_ += block->bytes;
  return block;
}

// Of the source's memory.
Block* MemoryBook::grow(std::byte* data, std::size_t bytes, std::size_t taken) {
  ++allocations_;
  reserved_ += bytes;
  peak_ = std::max(peak_, reserved_);
  return add(data, bytes, taken);
}

void MemoryBook::detach(Block* block) {
  erase(block);
}

Block* MemoryBook::adopt(std::byte* data, std::size_t bytes, std::size_t taken) {
  Block* block = add(data, bytes, taken);
  block->id = AllocationId{next_id_++};
  return block;
}

void MemoryBook::free(Block* block) {
  in_use_ -= block->bytes;
  block->log.clear_for_reuse(done_before_());
  block->kept = keeps_freed_;
  if (no_reuse_ > 0) {
    not_reusable_.push_back(block);
    return;
  }
  if (small_apart_ > 0 && block->bytes <= kSmall) {
    small_freed_.push_back(block);
    return;
  }
  freed_.push_back(block);
  if (freed_.size() > kMaxFreedBlocks) release_idle();
}

void MemoryBook::end_no_reuse() {
  if (--no_reuse_ > 0) return;
  freed_.insert(freed_.end(), not_reusable_.begin(), not_reusable_.end());
  not_reusable_.clear();
}

// The first one first, so that the next time finds them in the same places.
void MemoryBook::give_out_small() {
  freed_.insert(freed_.end(), small_freed_.rbegin(), small_freed_.rend());
  small_freed_.clear();
}

void MemoryBook::release_idle() {
  const InstructionId done = done_before_();
  std::vector<Block*> kept;
  for (Block* block : freed_) {
    if (block->kept || !block->log.idle(done)) {
      kept.push_back(block);
      continue;
    }
    source_.release(block->data, block->taken);
    reserved_ -= block->bytes;
    erase(block);
  }
  freed_ = std::move(kept);
}

void MemoryBook::trim() {
  release_idle();
}

void MemoryBook::keep_freed(bool keep) {
  keeps_freed_ = keep;
  if (keep) return;
  for (Block* block : freed_) block->kept = false;
}

void MemoryBook::undo(const std::unordered_set<const Block*>& in_use) {
  not_reusable_.clear();
  small_freed_.clear();
  freed_.clear();
  in_use_ = reserved_;
  for (const auto& block : blocks_) {
    block->log = {};
    block->kept = false;
    if (in_use.contains(block.get())) continue;
    freed_.push_back(block.get());
    in_use_ -= block->bytes;
  }
}

std::size_t MemoryBook::freed_in_plan() const {
  const InstructionId done = done_before_();
  std::size_t bytes = 0;
  for (const Block* block : freed_) {
    if (block->kept || !block->log.idle(done)) bytes += block->bytes;
  }
  return bytes;
}

}  // namespace pilum::scheduler
