// What follows from an instruction alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/device/gpu.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// What instructions do, counted.
struct InstructionTotals {
  std::int64_t launches = 0, copies = 0, bytes_copied = 0, dependences = 0;
  std::int64_t messages_sent = 0, bytes_sent = 0, messages_received = 0, bytes_received = 0;
};
// Adds one; of a replayed plan, and of a message of counted items, its dependences alone.
void count(const Instruction& instruction, InstructionTotals& totals);

// The same of a message of counted items, once it is posted; of all else nothing.
void count_posted(const Instruction& instruction, InstructionTotals& totals);

// What a message carries; of counted items, once its range is known.
[[nodiscard]] std::span<const std::byte> content_of(const Send& send);
[[nodiscard]] std::span<std::byte> content_of(const Receive& receive);
[[nodiscard]] bool is_message(const Instruction& instruction);
// True for a message of counted items, where there are none.
[[nodiscard]] bool has_no_items(const Instruction& instruction);

// The chunks that the host runs it in.
[[nodiscard]] std::int64_t count_chunks(const Instruction& instruction);
[[nodiscard]] std::int64_t count_chunks(const Copy& copy);
[[nodiscard]] std::int64_t count_chunks(const Reshape& reshape);
// Of the target: what a reshaped copy is cut along into chunks.
[[nodiscard]] int chunk_axis(const Reshape& reshape);
// Memory that it moves, roughly; of a user's function: much.
[[nodiscard]] std::int64_t bytes_touched(const Instruction& instruction);
// True for what is issued to a stream where processors are GPUs: launches, but for bodies that only the host has,
// copies, folds, reshapes, and messages with flags.
[[nodiscard]] bool runs_on_gpu(const Instruction& instruction);
// The flag that it raises, or waits for; none: it has none.
[[nodiscard]] std::optional<device::GpuFlag> flag_of(const Instruction& instruction);
// True for what waits on a GPU until another rank's has told it something. Not of a replayed plan's items.
[[nodiscard]] bool waits_for_peer(const Instruction& instruction);
// True for a launch of a body that issues its work on a GPU itself; and the library that it calls for that.
[[nodiscard]] bool is_call(const Instruction& instruction);
[[nodiscard]] std::optional<device::GpuSkill> skill_of(const Instruction& instruction);
// Of its spans in a profile: a literal.
[[nodiscard]] const char* category_of(const Instruction& instruction);

}  // namespace pilum::scheduler
