#include "scheduler/memory/memory_sources.h"

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

// Memory of a GPU, or pinned memory of the host that it reaches.
template <auto allocate_from, auto release_to>
class GpuSource final : public MemorySource {
 public:
  GpuSource(device::Gpu& gpu, std::int64_t limit) : gpu_(gpu), limit_(limit) {}
  std::byte* allocate(std::size_t bytes, std::size_t& taken) override {
    taken = bytes;
    if (limit_ > 0 && held_ + static_cast<std::int64_t>(bytes) > limit_) return nullptr;
    std::byte* data = (gpu_.*allocate_from)(bytes);
    if (data) held_ += static_cast<std::int64_t>(bytes);
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override {
    (gpu_.*release_to)(data);
    held_ -= static_cast<std::int64_t>(bytes);
  }
  MemoryRoom room() const override { return {static_cast<std::size_t>(held_), static_cast<std::size_t>(limit_)}; }

 private:
  device::Gpu& gpu_;
  const std::int64_t limit_;
  std::int64_t held_ = 0;
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
