// All emulated GPUs of the process, whose works wait for one another.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <variant>
#include <vector>

#include "tests/fakes/emulated_block.h"
#include "tests/fakes/emulated_gpu.h"
#include "tests/fakes/emulated_work.h"

namespace pilum::fakes {

class ProgramStream;

// Every member needs the mutex.
struct World {
  std::mutex mutex;
  std::vector<EmulatedStreams*> gpus;
  std::vector<ProgramStream*> program_streams;
  std::map<const std::byte*, std::shared_ptr<EmulatedBlock>> memory;  // of all GPUs, and pinned
  std::vector<std::shared_ptr<EmulatedBlock>> shared;                 // stays as long as somebody may have it open

  // Runs the next work of any stream that need not wait; false: there is none.
  bool step(std::mt19937_64& random);
  bool awaits_flag() const;  // of any stream

  bool contains(const std::byte* data, std::size_t bytes) const {
    auto after = memory.upper_bound(data);
    if (after == memory.begin()) return false;
    const EmulatedBlock& block = *std::prev(after)->second;
    return data + bytes <= block.data() + block.bytes();
  }
  bool contains_rows(const std::byte* data, const device::GpuCopy& copy, std::size_t pitch) const {
    return contains(data, (copy.rows - 1) * pitch + copy.width);
  }

  std::byte* add(const std::shared_ptr<EmulatedBlock>& block) {
    memory.emplace(block->data(), block);
    return block->data();
  }
  void keep(const std::byte* data) {
    const auto found = memory.find(data);
    if (found != memory.end() && std::ranges::find(shared, found->second) == shared.end())
      shared.push_back(found->second);
  }
  // False: its edges were written.
  bool remove(const std::byte* data) {
    const auto found = memory.find(data);
    const bool whole = found->second->edges_are_whole();
    found->second->spoil();
    memory.erase(found);
    return whole;
  }
};

World& world();

class ProgramStream final : public EmulatedProgramStream {
 public:
  explicit ProgramStream(std::uint64_t seed);
  ~ProgramStream() override;
  void issue(std::function<void()> work) override;
  void finish() override;
  // With the world's mutex.
  void add_wait(WaitWork wait);
  ProgramWait wait_for_all() const { return {done_, issued_}; }
  bool may_run() const;
  void run_next();

 private:
  std::mt19937_64 random_;
  std::deque<std::variant<std::function<void()>, WaitWork>> queue_;
  std::int64_t issued_ = 0;
  std::shared_ptr<std::int64_t> done_ = std::make_shared<std::int64_t>(0);
};

}  // namespace pilum::fakes
