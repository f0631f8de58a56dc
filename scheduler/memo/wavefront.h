// Launches over the same large arrays, one after the other, run strip by strip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheduler/memo/batches.h"
#include "scheduler/plan/plan_builder.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// A plan's instruction, with pointers as bytes from where their blocks begin: `slots`, by touch. `after` are the
// numbers of those that it comes after, the nearest ones at least.
struct SlottedInstruction {
  Instruction* instruction = nullptr;
  std::span<const int> slots;
  std::span<const int> after;
};

// Whom a wavefront is for.
struct WavefrontMachine {
  int threads = 1;
  std::int64_t cache_bytes = 0;  // last-level, of all threads
  KernelSource kernels;          // empty: kernels stay what they are
  int rank = 0;
};

// Time skewing (M. Wolfe, More Iteration Space Tiling, 1989; D. Wonnacott, Achieving Scalable Locality with Time
// Skewing, 2002), on memory alone. Where launches sweep arrays larger than the caches, each is cut into strips, and a
// launch's strip is run as soon as the strips are done that it comes after: while the caches still have what they
// wrote. What comes after what is worked out from the bytes that each strip touches, among instructions that come after
// each other; so it does not matter what the launches compute, and every cell gets what it got before. No strip waits
// for anything that its launch does not wait for: messages of several ranks wait in no new cycle.
//
// Threads walk on tracks of their own, every other one backwards: neighbours begin, or end, at the border between them,
// where each needs the other's strips. So do ranks, whose pieces lie in this order.
//
// The batches in an order in which each stands behind what it comes after; launches that are cut get other chunks, and
// what others read out of the caches is no longer written past them. Empty: there is little to gain, and nothing is
// changed.
[[nodiscard]] std::vector<Batch> make_wavefront(std::span<const SlottedInstruction> items,
                                                const WavefrontMachine& machine);

}  // namespace pilum::scheduler
