// What an error says where memory has run out.
#pragma once

#include <cstddef>
#include <string>

#include "scheduler/memory/memory_book.h"

namespace pilum::scheduler {

// "900.0 KiB are in use, 60.0 KiB more go to rounding, and 64.0 KiB of 1.0 MiB are left": what the book's source
// counts, after it has refused `bytes`. Where as much is left, the system is what gives no more.
std::string describe_shortage(const MemoryBook& book, std::size_t bytes);

// "117.0 KiB"
std::string human_bytes(std::size_t bytes);

}  // namespace pilum::scheduler
