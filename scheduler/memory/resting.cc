#include "scheduler/memory/resting.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace pilum::scheduler {
namespace {

// Numbers in groups of seven bits, the lowest first; the eighth bit says that more follow.
class Packer {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::byte>(value | 0x80));
    bytes_.push_back(static_cast<std::byte>(value));
  }
  // The words in which it differs from a new one: of eight words a byte that says which, then they.
  template <class T>
  void value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    const T standard{};
    for (std::size_t first = 0; first < sizeof(T) / 8; first += 8) {
      const std::size_t place = bytes_.size();
      bytes_.push_back({});
      for (std::size_t i = first; i < std::min(first + 8, sizeof(T) / 8); ++i) {
        const std::uint64_t word = word_of(value, i) ^ word_of(standard, i);
        if (word == 0) continue;
        bytes_[place] |= static_cast<std::byte>(1 << (i - first));
        number(word);
      }
    }
  }
  void region(const Region& region) {
    number(region.rects().size());
    for (const Rect& rect : region.rects()) value(rect);
  }
  std::unique_ptr<std::byte[]> finish() const {
    auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes_.size());
    std::copy(bytes_.begin(), bytes_.end(), packed.get());
    return packed;
  }

 private:
  template <class T>
  static std::uint64_t word_of(const T& value, std::size_t i) {
    std::uint64_t word;
    std::memcpy(&word, reinterpret_cast<const std::byte*>(&value) + 8 * i, sizeof word);
    return word;
  }
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(const std::byte* bytes) : next_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(*next_++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  std::size_t count() { return static_cast<std::size_t>(number()); }
  template <class T>
  T value() {
    T value{};
    auto* bytes = reinterpret_cast<std::byte*>(&value);
    for (std::size_t first = 0; first < sizeof(T) / 8; first += 8) {
      const std::byte differs = *next_++;
      for (std::size_t i = first; i < std::min(first + 8, sizeof(T) / 8); ++i) {
        if ((differs & static_cast<std::byte>(1 << (i - first))) == std::byte{}) continue;
        std::uint64_t word;
        std::memcpy(&word, bytes + 8 * i, sizeof word);
        word ^= number();
        std::memcpy(bytes + 8 * i, &word, sizeof word);
      }
    }
    return value;
  }
  Region region() {
    std::vector<Rect> rects(count());
    for (Rect& rect : rects) rect = value<Rect>();
    return rects.size() == 1 ? Region(rects[0]) : Region::of(std::move(rects));
  }

 private:
  const std::byte* next_;
};

}  // namespace

bool may_rest(const StoreState& state, std::span<MemoryBook* const> books, InstructionId done_before) {
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    for (const auto& instance : state.local[p].instances) {
      if (instance->block->book != books[p] || !instance->block->log.idle(done_before)) return false;
    }
  }
  return true;
}

std::unique_ptr<std::byte[]> pack(const StoreState& state) {
  Packer packer;
  packer.value(state.tiling);
  packer.region(state.everywhere);
  packer.region(state.witnessed);
  packer.number(state.asked ? 1 : 0);
  packer.number(state.local.size());
  for (const ProcessorStore& local : state.local) {
    packer.value(local.tile);
    packer.number(local.instances.size());
    for (const auto& instance : local.instances) {
      const Block& block = *instance->block;
      packer.number(reinterpret_cast<std::uintptr_t>(block.data));
      packer.number(block.bytes);
      packer.number(block.taken);
      packer.value(instance->rect);
      packer.value(instance->pitch);
      packer.number(static_cast<std::uint64_t>(instance->origin));
      packer.region(instance->valid);
    }
    packer.region(local.ghosts);
    packer.number(local.peers.size());
    for (const auto& [peer, region] : local.peers) {
      packer.number(static_cast<std::uint64_t>(peer));
      packer.region(region);
    }
  }
  auto packed = packer.finish();
  for (const ProcessorStore& local : state.local) {
    for (const auto& instance : local.instances) instance->block->book->detach(instance->block);
  }
  return packed;
}

void unpack(const std::byte* packed, std::span<MemoryBook* const> books, StoreState& state) {
  Unpacker unpacker(packed);
  state.tiling = unpacker.value<Tiling>();
  state.everywhere = unpacker.region();
  state.witnessed = unpacker.region();
  state.asked = unpacker.count() != 0;
  state.local.resize(unpacker.count());
  for (std::size_t p = 0; p < state.local.size(); ++p) {
    ProcessorStore& local = state.local[p];
    local.tile = unpacker.value<Rect>();
    for (std::size_t left = unpacker.count(); left > 0; --left) {
      auto instance = std::make_unique<Instance>();
      auto* const data = reinterpret_cast<std::byte*>(unpacker.number());
      const std::size_t bytes = unpacker.count(), taken = unpacker.count();
      instance->block = books[p]->adopt(data, bytes, taken);
      instance->rect = unpacker.value<Rect>();
      instance->pitch = unpacker.value<std::array<std::int64_t, kMaxAxes>>();
      instance->origin = static_cast<std::int64_t>(unpacker.number());
      instance->valid = unpacker.region();
      local.instances.push_back(std::move(instance));
    }
    local.ghosts = unpacker.region();
    for (std::size_t left = unpacker.count(); left > 0; --left) {
      const auto peer = static_cast<int>(unpacker.number());
      local.peers.emplace_back(peer, unpacker.region());
    }
  }
}

}  // namespace pilum::scheduler
