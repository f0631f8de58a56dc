#include "scheduler/memory_sources.h"

#include <map>
#include <unordered_map>

namespace pilum::scheduler {
namespace {

class PoolSource final : public MemorySource {
 public:
  explicit PoolSource(memory::Pool& pool) : pool_(pool) {}
  std::byte* allocate(std::size_t bytes) override {
    auto allocation = pool_.allocate(static_cast<std::int64_t>(bytes));
    if (!allocation) return nullptr;
    auto* data = static_cast<std::byte*>(allocation->data());
    allocations_.emplace(data, std::move(*allocation));
    return data;
  }
  void release(std::byte* data, std::size_t) override { allocations_.erase(data); }

 private:
  memory::Pool& pool_;
  std::unordered_map<std::byte*, memory::Allocation> allocations_;
};

class GpuSource final : public MemorySource {
 public:
  GpuSource(device::Gpu& gpu, std::int64_t limit) : gpu_(gpu), limit_(limit) {}
  std::byte* allocate(std::size_t bytes) override {
    if (limit_ > 0 && held_ + static_cast<std::int64_t>(bytes) > limit_) return nullptr;
    std::byte* data = gpu_.allocate(bytes);
    if (data) held_ += static_cast<std::int64_t>(bytes);
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override {
    gpu_.release(data);
    held_ -= static_cast<std::int64_t>(bytes);
  }

 private:
  device::Gpu& gpu_;
  const std::int64_t limit_;
  std::int64_t held_ = 0;
};

class PinnedSource final : public MemorySource {
 public:
  PinnedSource(device::Gpu& gpu, std::int64_t limit) : gpu_(gpu), limit_(limit) {}
  std::byte* allocate(std::size_t bytes) override {
    if (limit_ > 0 && held_ + static_cast<std::int64_t>(bytes) > limit_) return nullptr;
    std::byte* data = gpu_.allocate_pinned(bytes);
    if (data) held_ += static_cast<std::int64_t>(bytes);
    return data;
  }
  void release(std::byte* data, std::size_t bytes) override {
    gpu_.release_pinned(data);
    held_ -= static_cast<std::int64_t>(bytes);
  }

 private:
  device::Gpu& gpu_;
  const std::int64_t limit_;
  std::int64_t held_ = 0;
};

class SharedSource final : public MemorySource {
 public:
  explicit SharedSource(device::Gpu& gpu) : gpu_(gpu) {}
  std::byte* allocate(std::size_t bytes) override {
    const std::size_t size = whole(bytes);
    const auto spare = spare_.find(size);
    if (spare != spare_.end()) {
      std::byte* data = spare->second;
      spare_.erase(spare);
      return data;
    }
    return gpu_.allocate(size);
  }
  void release(std::byte* data, std::size_t bytes) override { spare_.emplace(whole(bytes), data); }

 private:
  static std::size_t whole(std::size_t bytes) {
    return (bytes + device::kShareBytes - 1) / device::kShareBytes * device::kShareBytes;
  }
  device::Gpu& gpu_;
  std::multimap<std::size_t, std::byte*> spare_;
};

class ImaginarySource final : public MemorySource {
 public:
  std::byte* allocate(std::size_t bytes) override {
    const std::uintptr_t address = next_;
    next_ += (bytes + kStep - 1) / kStep * kStep;
    return reinterpret_cast<std::byte*>(address);
  }
  void release(std::byte*, std::size_t) override {}

 private:
  static constexpr std::uintptr_t kStep = 4096;
  std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

}  // namespace

std::unique_ptr<MemorySource> make_pool_source(memory::Pool& pool) {
  return std::make_unique<PoolSource>(pool);
}
std::unique_ptr<MemorySource> make_gpu_source(device::Gpu& gpu, std::int64_t limit) {
  return std::make_unique<GpuSource>(gpu, limit);
}
std::unique_ptr<MemorySource> make_pinned_source(device::Gpu& gpu, std::int64_t limit) {
  return std::make_unique<PinnedSource>(gpu, limit);
}
std::unique_ptr<MemorySource> make_shared_source(device::Gpu& gpu) {
  return std::make_unique<SharedSource>(gpu);
}
std::unique_ptr<MemorySource> make_imaginary_source() {
  return std::make_unique<ImaginarySource>();
}

}  // namespace pilum::scheduler
