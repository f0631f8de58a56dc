#include "scheduler/record/instruction_facts.h"

#include <algorithm>

#include "scheduler/record/device_call.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kCopyChunkBytes = 1 << 20;
constexpr std::int64_t kUnknown = std::int64_t{1} << 32;  // bytes that a user's function touches

std::int64_t chunks_along(std::int64_t extent, std::int64_t chunk) {
  return (extent + chunk - 1) / chunk;
}

std::int64_t count_chunks(const Launch& launch) {
  std::int64_t product = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a) {
    product *= chunks_along(launch.extent[a], launch.chunk[a]);
  }
  return chunks_along(product, launch.together);
}

std::int64_t reshape_bytes(const Reshape& reshape) {
  std::int64_t cells = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(reshape.to_rank); ++a) cells *= reshape.hi[a] - reshape.lo[a];
  return 2 * cells * static_cast<std::int64_t>(reshape.itemsize);
}

// Null: it is no message of counted items.
const CountedItems* items_of(const Instruction& instruction) {
  const auto* send = std::get_if<Send>(&instruction.what);
  const auto* receive = std::get_if<Receive>(&instruction.what);
  const CountedItems* items = send ? &send->items : receive ? &receive->items : nullptr;
  return items && *items ? items : nullptr;
}

// Where the content begins, and how long it is.
template <class Message>
auto content(const Message& message) {
  const auto size = static_cast<std::int64_t>(message.items.itemsize);
  const std::int64_t* const range = message.items.range;
  if (!message.items) return std::span(message.data, message.bytes);
  return std::span(message.data + range[0] * size, static_cast<std::size_t>(range[1] * size));
}

void count_message(const Instruction& instruction, InstructionTotals& totals) {
  if (const auto* send = std::get_if<Send>(&instruction.what)) {
    ++totals.messages_sent;
    totals.bytes_sent += static_cast<std::int64_t>(content(*send).size());
  }
  if (const auto* receive = std::get_if<Receive>(&instruction.what)) {
    ++totals.messages_received;
    totals.bytes_received += static_cast<std::int64_t>(content(*receive).size());
  }
}

}  // namespace

std::int64_t count_chunks(const Copy& copy) {
  return std::clamp<std::int64_t>(copy.bytes() / kCopyChunkBytes, 1, std::max<std::int64_t>(copy.extent[0], 1));
}

int chunk_axis(const Reshape& reshape) {
  int axis = 0;
  while (axis + 1 < reshape.to_rank &&
         reshape.hi[static_cast<std::size_t>(axis)] - reshape.lo[static_cast<std::size_t>(axis)] == 1)
    ++axis;
  return axis;
}

std::int64_t count_chunks(const Reshape& reshape) {
  const auto a = static_cast<std::size_t>(chunk_axis(reshape));
  const std::int64_t extent = reshape.hi[a] - reshape.lo[a];
  return std::clamp<std::int64_t>(reshape_bytes(reshape) / kCopyChunkBytes, 1, std::max<std::int64_t>(extent, 1));
}

std::int64_t bytes_touched(const Instruction& instruction) {
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) return 2 * copy->bytes();
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) {
    if (const HostBody* body = launch->body<HostBody>()) return body->bytes > 0 ? body->bytes : kUnknown;
    if (!launch->kernel() || !launch->kernel()->kernel) return kUnknown;
    std::int64_t point = 0, points = 1;
    for (const kernel::ArrayArgument& array : launch->kernel()->kernel->arrays)
      point += static_cast<std::int64_t>(itemsize(array.dtype));
    for (int axis = 0; axis < launch->rank; ++axis) points *= launch->extent[static_cast<std::size_t>(axis)];
    return point * points;
  }
  if (const auto* fold = std::get_if<FoldParts>(&instruction.what)) {
    std::int64_t cells = 1;
    for (int axis = 0; axis < fold->rank; ++axis) cells *= fold->extent[static_cast<std::size_t>(axis)];
    return (fold->part_count + 1) * cells * static_cast<std::int64_t>(itemsize(fold->dtype));
  }
  if (const auto* reshape = std::get_if<Reshape>(&instruction.what)) return reshape_bytes(*reshape);
  return std::holds_alternative<HostCall>(instruction.what) ? kUnknown : 0;
}

std::int64_t count_chunks(const Instruction& instruction) {
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) return count_chunks(*launch);
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) return count_chunks(*copy);
  if (const auto* reshape = std::get_if<Reshape>(&instruction.what)) return count_chunks(*reshape);
  return 1;
}

void count(const Instruction& instruction, InstructionTotals& totals) {
  if (std::holds_alternative<Launch>(instruction.what)) ++totals.launches;
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    ++totals.copies;
    totals.bytes_copied += copy->bytes();
  }
  if (!items_of(instruction)) count_message(instruction, totals);
  totals.dependences += static_cast<std::int64_t>(instruction.after.size());
}

void count_posted(const Instruction& instruction, InstructionTotals& totals) {
  if (items_of(instruction) && !has_no_items(instruction)) count_message(instruction, totals);
}

std::span<const std::byte> content_of(const Send& send) {
  return content(send);
}

std::span<std::byte> content_of(const Receive& receive) {
  return content(receive);
}

bool is_message(const Instruction& instruction) {
  return std::holds_alternative<Send>(instruction.what) || std::holds_alternative<Receive>(instruction.what);
}

bool has_no_items(const Instruction& instruction) {
  const CountedItems* items = items_of(instruction);
  return items && items->range[1] == 0;
}

bool runs_on_gpu(const Instruction& instruction) {
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) return !launch->body<HostBody>();
  return std::holds_alternative<Copy>(instruction.what) || std::holds_alternative<FoldParts>(instruction.what) ||
         std::holds_alternative<Reshape>(instruction.what) || flag_of(instruction);
}

std::optional<device::GpuFlag> flag_of(const Instruction& instruction) {
  const auto* send = std::get_if<Send>(&instruction.what);
  if (send && send->flag) return device::GpuFlag{send->flag, /*waits=*/false};
  const auto* receive = std::get_if<Receive>(&instruction.what);
  if (receive && receive->flag) return device::GpuFlag{receive->flag, /*waits=*/true};
  const auto* taken = std::get_if<Taken>(&instruction.what);
  if (taken) return device::GpuFlag{taken->flag, taken->waits};
  return std::nullopt;
}

bool waits_for_peer(const Instruction& instruction) {
  const std::optional<device::GpuFlag> flag = flag_of(instruction);
  return flag && flag->waits;
}

bool is_call(const Instruction& instruction) {
  const auto* launch = std::get_if<Launch>(&instruction.what);
  return launch && launch->body<DeviceCall>();
}

std::optional<device::GpuSkill> skill_of(const Instruction& instruction) {
  const auto* launch = std::get_if<Launch>(&instruction.what);
  const DeviceCall* call = launch ? launch->body<DeviceCall>() : nullptr;
  return call ? call->body->skill : std::nullopt;
}

const char* category_of(const Instruction& instruction) {
  if (std::holds_alternative<Launch>(instruction.what) || std::holds_alternative<FoldParts>(instruction.what))
    return "kernel";
  const bool moves =
      std::holds_alternative<Copy>(instruction.what) || std::holds_alternative<Reshape>(instruction.what);
  return moves ? "copy" : "host";
}

}  // namespace pilum::scheduler
