// The boxes of GPUs' mail (scheduler/plan/mail.h), opened at start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/comm/communicator.h"
#include "runtime/device/gpu.h"

namespace pilum::scheduler {

// By rank: the box that this rank writes, in that one's GPU, and the one in its own GPU that the other writes. Null for
// itself, and for ranks of other nodes. No ranks: there is no mail; but where plans are only made box_bytes alone says
// that there would be.
struct Mailboxes {
  std::int64_t box_bytes = 0;
  std::vector<std::byte*> out, in;
};

inline constexpr std::int64_t kMailBytes = 64 << 20;  // of a GPU, for all its boxes

// Of so many ranks on a node; 0: too small for any message.
[[nodiscard]] std::int64_t box_bytes_of(std::int64_t bytes, int ranks);

// Collective. Each rank has one GPU, whose memory the others of its node open. `node_of` as SessionParts has it. No
// boxes where a GPU has no memory for them.
[[nodiscard]] Mailboxes open_mailboxes(comm::Communicator& communicator, device::Gpu& gpu,
                                       const std::vector<int>& node_of, std::int64_t bytes = kMailBytes);

}  // namespace pilum::scheduler
