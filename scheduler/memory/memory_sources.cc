#include "scheduler/memory/memory_sources.h"

#include <algorithm>
#include <exception>
#include <map>

namespace pilum::scheduler {
namespace {

class PoolSource final : public MemorySource {
 public:
  explicit PoolSource(memory::Pool& pool) : pool_(pool) {}
  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    std::int64_t block = 0;
    void* const data = pool_.take(static_cast<std::int64_t>(bytes), block);
    taken = static_cast<std::size_t>(block);
    return static_cast<std::byte*>(data);
  }
  void release(std::byte* data, std::size_t taken) override { pool_.give_back(data, static_cast<std::int64_t>(taken)); }
  MemoryRoom room() const override {
    return {static_cast<std::size_t>(pool_.in_use()), static_cast<std::size_t>(pool_.limit())};
  }

 private:
  memory::Pool& pool_;
};

// Memory of a GPU, or pinned memory of the host that it reaches. What is given back is kept for the next who wants
// about as much: the driver is asked for memory at each call, and the GPU has to be idle before it takes any back. With
// what is kept it is never more than was in use at once.
template <auto allocate_from, auto release_to>
class GpuSource final : public MemorySource {
 public:
  GpuSource(device::Gpu& gpu, std::int64_t limit) : gpu_(gpu), limit_(static_cast<std::size_t>(limit)) {}
  ~GpuSource() override {
    try {
      end_spares(0);
    } catch (const std::exception&) {  // a GPU that has failed: whoever used it was told
    }
  }

  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    taken = bytes;
    std::byte* data = take_spare(taken);
    if (!data) data = make(bytes);
    if (!data) return nullptr;
    in_use_ += taken;
    most_ = std::max(most_, in_use_);
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override {
    in_use_ -= bytes;
    spare_bytes_ += bytes;
    spares_.emplace(bytes, Spare{data, ++releases_});
    end_spares(most_ - in_use_);
  }
  MemoryRoom room() const override { return {in_use_, limit_}; }

 private:
  struct Spare {
    std::byte* data = nullptr;
    std::uint64_t since = 0;  // counts releases
  };
  using Spares = std::multimap<std::size_t, Spare>;  // by size
  static constexpr std::size_t kMostSpares = 4096;

  // `bytes` becomes its size: at most a quarter more.
  std::byte* take_spare(std::size_t& bytes) {
    const auto found = spares_.lower_bound(bytes);
    if (found == spares_.end() || found->first > bytes + bytes / 4) return nullptr;
    bytes = found->first;
    return forget(found);
  }
  std::byte* make(std::size_t bytes) {
    const std::size_t then = in_use_ + bytes;
    if (limit_ > 0 && then > limit_) return nullptr;
    end_spares(std::max(most_, then) - then);
    std::byte* data = (gpu_.*allocate_from)(bytes);
    if (data || spares_.empty()) return data;
    end_spares(0);
    return (gpu_.*allocate_from)(bytes);
  }
  // Until at most so many bytes of them are left: the longest unused first.
  void end_spares(std::size_t bytes) {
    while (spare_bytes_ > bytes || spares_.size() > kMostSpares) {
      (gpu_.*release_to)(forget(std::ranges::min_element(
          spares_, {}, [](const typename Spares::value_type& spare) { return spare.second.since; })));
    }
  }
  std::byte* forget(typename Spares::iterator spare) {
    std::byte* const data = spare->second.data;
    spare_bytes_ -= spare->first;
    spares_.erase(spare);
    return data;
  }

  device::Gpu& gpu_;
  const std::size_t limit_;  // 0: none
  std::size_t in_use_ = 0, most_ = 0, spare_bytes_ = 0;
  std::uint64_t releases_ = 0;
  Spares spares_;
};

using DeviceSource = GpuSource<&device::Gpu::allocate, &device::Gpu::release>;
using PinnedSource = GpuSource<&device::Gpu::allocate_pinned, &device::Gpu::release_pinned>;

class SharedSource final : public MemorySource {
 public:
  explicit SharedSource(device::Gpu& gpu) : gpu_(gpu) {}
  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    taken = bytes;
    const std::size_t size = whole(bytes);
    const auto spare = spare_.find(size);
    if (spare != spare_.end()) {
      std::byte* data = spare->second;
      spare_.erase(spare);
      return data;
    }
    std::byte* data = gpu_.allocate(size);
    if (data) taken_ += size;
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override { spare_.emplace(whole(bytes), data); }
  MemoryRoom room() const override { return {taken_, 0}; }

 private:
  static std::size_t whole(std::size_t bytes) {
    return (bytes + device::kShareBytes - 1) / device::kShareBytes * device::kShareBytes;
  }
  device::Gpu& gpu_;
  std::multimap<std::size_t, std::byte*> spare_;
  std::size_t taken_ = 0;  // with what is spare
};

class LentSource final : public MemorySource {
 public:
  std::byte* allocate(std::size_t, std::size_t&) override { return nullptr; }
  void release(std::byte*, std::size_t) override {}
  MemoryRoom room() const override { return {}; }
};

class ImaginarySource final : public MemorySource {
 public:
  explicit ImaginarySource(int number) : next_(static_cast<std::uintptr_t>(number + 1) * kRange) {}
  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    taken = bytes;
    const std::uintptr_t address = next_;
    next_ += (bytes + kStep - 1) / kStep * kStep;
    return reinterpret_cast<std::byte*>(address);
  }
  void release(std::byte*, std::size_t) override {}
  MemoryRoom room() const override { return {}; }

 private:
  static constexpr std::uintptr_t kStep = 4096;
  static constexpr std::uintptr_t kRange = std::uintptr_t{1} << 50;
  std::uintptr_t next_;
};

}  // namespace

std::unique_ptr<MemorySource> make_pool_source(memory::Pool& pool) {
  return std::make_unique<PoolSource>(pool);
}
std::unique_ptr<MemorySource> make_gpu_source(device::Gpu& gpu, std::int64_t limit) {
  return std::make_unique<DeviceSource>(gpu, limit);
}
std::unique_ptr<MemorySource> make_pinned_source(device::Gpu& gpu, std::int64_t limit) {
  return std::make_unique<PinnedSource>(gpu, limit);
}
std::unique_ptr<MemorySource> make_shared_source(device::Gpu& gpu) {
  return std::make_unique<SharedSource>(gpu);
}
std::unique_ptr<MemorySource> make_lent_source() {
  return std::make_unique<LentSource>();
}
std::unique_ptr<MemorySource> make_imaginary_source(int number) {
  return std::make_unique<ImaginarySource>(number);
}

}  // namespace pilum::scheduler
