// Mail of GPUs: cells that a rank's GPU puts where another one of the node finds them, without either host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "runtime/device/gpu.h"
#include "scheduler/memory/memory_book.h"

namespace pilum::scheduler {

// A rank's GPU has a box for each other rank of its node, in its own memory, which that rank writes:
//
//     | nothing | arrived 0 | arrived 1 | … | taken 0 | taken 1 | … | cells of message 0 | of message 1 | …
//
// A message's cells are put there; the flag `arrived` of its number, raised by the sender behind them, tells that they
// are there. Once they are taken out, the receiver raises the flag `taken` of that number in the sender's own box,
// which is the receiver's to write. Each part of a plan that is remembered by itself has its boxes for itself: its
// messages are numbered from 0 and lie one behind the other, and its end waits until all are taken. So where a message
// lies follows from the part alone, on both sides.
class MailBox {
 public:
  static constexpr std::int64_t kMessages = 256;  // of a part, at most
  static constexpr std::int64_t kFlags =
      256;  // where they begin: one at 0 would be null where a plan is kept (PlanTrace)
  static constexpr std::int64_t kHead = kFlags + 2 * kMessages * static_cast<std::int64_t>(device::kFlagBytes);

  MailBox(std::byte* data, std::int64_t bytes) {
    block_.data = data;
    block_.bytes = static_cast<std::size_t>(bytes);
  }
  Block* block() { return &block_; }
  std::byte* arrived(std::int64_t message) const { return flag(message); }
  std::byte* taken(std::int64_t message) const { return flag(kMessages + message); }

 private:
  std::byte* flag(std::int64_t number) const {
    return block_.data + kFlags + number * static_cast<std::int64_t>(device::kFlagBytes);
  }
  Block block_;  // of no book; its log speaks of bytes
};

// Of two ranks: the box that this one writes, at the other, and the one that it reads. Both are as large.
struct MailPartner {
  MailBox out, in;
};

// How full a box is, as far as a part of a plan is known.
class MailPlaces {
 public:
  struct Place {
    std::int64_t message = 0;
    std::int64_t at = 0, bytes = 0;  // in the box
  };
  // Of the next message of so many bytes; none: it does not fit, and goes another way.
  std::optional<Place> next(const Block& box, std::int64_t bytes) {
    constexpr std::int64_t kLine = 256;
    const std::int64_t end = at_ + (bytes + kLine - 1) / kLine * kLine;
    if (messages_ == MailBox::kMessages || end > static_cast<std::int64_t>(box.bytes)) return std::nullopt;
    return Place{messages_++, std::exchange(at_, end), bytes};
  }

 private:
  std::int64_t messages_ = 0, at_ = MailBox::kHead;
};

}  // namespace pilum::scheduler
