// Stores that nobody has used for long, in few bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "scheduler/memory/store_state.h"

namespace pilum::scheduler {

// A StoreState takes more than a kilobyte, nearly all of it zeros: fields for eight axes, logs that are empty. At rest
// it is some fifty bytes, and its blocks are out of their books, but for the bytes that these count. Not for GPUs,
// whose instances move when nobody asks.

// True where each processor's blocks are of its book, and nobody touches them any more.
[[nodiscard]] bool may_rest(const StoreState& state, std::span<MemoryBook* const> books, InstructionId done_before);
[[nodiscard]] std::unique_ptr<std::byte[]> pack(const StoreState& state);
// Everything but `store` and `place`, as it was.
void unpack(const std::byte* packed, std::span<MemoryBook* const> books, StoreState& state);

}  // namespace pilum::scheduler
