// Where the memory book's memory comes from.
#pragma once

#include <memory>

#include "runtime/device/gpu.h"
#include "runtime/memory/pool.h"
#include "scheduler/memory/memory_book.h"

namespace pilum::scheduler {

[[nodiscard]] std::unique_ptr<MemorySource> make_pool_source(memory::Pool& pool);
// A GPU's memory, at most `limit` bytes of it (0: all there is), and the host's pinned memory.
[[nodiscard]] std::unique_ptr<MemorySource> make_gpu_source(device::Gpu& gpu, std::int64_t limit);
[[nodiscard]] std::unique_ptr<MemorySource> make_pinned_source(device::Gpu& gpu, std::int64_t limit);
// Pieces of a GPU's memory that other processes can open. What is made once stays until the end: they may have it open.
[[nodiscard]] std::unique_ptr<MemorySource> make_shared_source(device::Gpu& gpu);
// Has none: its book is of memory that the program lends (Session::lend).
[[nodiscard]] std::unique_ptr<MemorySource> make_lent_source();
// Addresses that are never touched: for plans that are only looked at. Sources of other numbers, from 0 to 1,000, share
// none of them.
[[nodiscard]] std::unique_ptr<MemorySource> make_imaginary_source(int number);

}  // namespace pilum::scheduler
