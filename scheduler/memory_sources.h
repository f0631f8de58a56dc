// Where the memory book's memory comes from.
#pragma once

#include <memory>

#include "runtime/memory/pool.h"
#include "scheduler/memory_book.h"

namespace pilum::scheduler {

[[nodiscard]] std::unique_ptr<MemorySource> make_pool_source(memory::Pool& pool);
// Addresses that are never touched: for plans that are only looked at.
[[nodiscard]] std::unique_ptr<MemorySource> make_imaginary_source();

}  // namespace pilum::scheduler
