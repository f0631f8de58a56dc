#include "runtime/memory/system_memory.h"

#include <sys/mman.h>

#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace pilum::memory {
namespace {

// Maps a huge page more than is asked, and gives back what lies before and behind the aligned part.
void* map_aligned(std::size_t bytes) noexcept {
  constexpr std::size_t kHuge = kHugePage;
  void* mapped =
      mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const start = static_cast<char*>(mapped);
  const std::size_t before = (kHuge - reinterpret_cast<std::uintptr_t>(start) % kHuge) % kHuge;
  if (before > 0) munmap(start, before);
  munmap(start + before + bytes, kHuge - before);
  madvise(start + before, bytes, MADV_HUGEPAGE);  // a wish: kernels without huge pages refuse, and all works as well
  return start + before;
}

}  // namespace

void* map_block(std::int64_t bytes) noexcept {
  const auto size = static_cast<std::size_t>(bytes);
  return bytes >= kBigBlock ? map_aligned(size) : std::aligned_alloc(kAlignment, size);
}

void unmap_block(void* block, std::int64_t bytes) noexcept {
  unpoison(block, bytes);  // the next mapping at this address is another's
  if (bytes >= kBigBlock) {
    munmap(block, static_cast<std::size_t>(bytes));
  } else {
    std::free(block);
  }
}

#ifdef __SANITIZE_ADDRESS__
void poison(void* start, std::int64_t bytes) noexcept {
  ASAN_POISON_MEMORY_REGION(start, static_cast<std::size_t>(bytes));
}
void unpoison(void* start, std::int64_t bytes) noexcept {
  ASAN_UNPOISON_MEMORY_REGION(start, static_cast<std::size_t>(bytes));
}
#else
void poison(void*, std::int64_t) noexcept {}
void unpoison(void*, std::int64_t) noexcept {}
#endif

}  // namespace pilum::memory
