#include "scheduler/session/mailboxes.h"

#include <algorithm>
#include <cstring>

#include "scheduler/plan/mail.h"
#include "scheduler/session/all_gather.h"

namespace pilum::scheduler {
namespace {

struct Offer {
  device::GpuShare share;
  std::int32_t good = 0;
};

// The ranks that have boxes at this one, in order.
std::vector<std::size_t> neighbours_of(std::size_t rank, std::size_t ranks, const std::vector<int>& node_of) {
  std::vector<std::size_t> neighbours;
  for (std::size_t other = 0; other < ranks; ++other) {
    if (other != rank && (node_of.empty() || node_of[other] == node_of[rank])) neighbours.push_back(other);
  }
  return neighbours;
}

std::size_t place_of(std::size_t rank, const std::vector<std::size_t>& neighbours) {
  return static_cast<std::size_t>(std::ranges::find(neighbours, rank) - neighbours.begin());
}

// False: there is no pinned memory.
bool lower_flags(device::Gpu& gpu, std::byte* boxes, std::size_t count, std::int64_t box_bytes) {
  std::byte* const zeros = gpu.allocate_pinned(MailBox::kHead);
  if (!zeros) return false;
  std::memset(zeros, 0, MailBox::kHead);
  for (std::size_t box = 0; box < count; ++box)
    gpu.copy(device::Stream::Copies, {boxes + static_cast<std::int64_t>(box) * box_bytes, zeros, MailBox::kHead});
  gpu.finish();
  gpu.release_pinned(zeros);
  return true;
}

}  // namespace

std::int64_t box_bytes_of(std::int64_t bytes, int ranks) {
  constexpr std::int64_t kPage = 4096;
  const std::int64_t each = bytes / std::max(ranks - 1, 1) / kPage * kPage;
  return each > MailBox::kHead ? each : 0;
}

Mailboxes open_mailboxes(comm::Communicator& communicator, device::Gpu& gpu, const std::vector<int>& node_of,
                         std::int64_t bytes) {
  const auto ranks = static_cast<std::size_t>(communicator.size()),
             rank = static_cast<std::size_t>(communicator.rank());
  std::size_t most = 0;  // ranks of a node: boxes are as large everywhere
  for (std::size_t other = 0; other < ranks; ++other)
    most = std::max(most, neighbours_of(other, ranks, node_of).size() + 1);
  if (most < 2) return {};
  Mailboxes mail{box_bytes_of(bytes, static_cast<int>(most)), {}, {}};
  const std::vector<std::size_t> neighbours = neighbours_of(rank, ranks, node_of);
  // Others open whole mappings. It stays until the end: they may have it open.
  const std::size_t size = (static_cast<std::size_t>(bytes) + device::kShareBytes - 1) / device::kShareBytes;
  std::byte* const boxes = mail.box_bytes > 0 ? gpu.allocate(size * device::kShareBytes) : nullptr;
  Offer mine;
  if (boxes && lower_flags(gpu, boxes, neighbours.size(), mail.box_bytes)) mine = {gpu.share(boxes), 1};
  const std::vector<Offer> all = all_gather(communicator, mine);
  if (!std::ranges::all_of(all, [](const Offer& offer) { return offer.good != 0; })) {
    if (boxes) gpu.release(boxes);  // nobody has it open
    return {};
  }
  mail.out.resize(ranks, nullptr);
  mail.in.resize(ranks, nullptr);
  for (const std::size_t other : neighbours) {
    const auto box = [&](std::byte* first, std::size_t of, std::size_t writer) {
      return first + static_cast<std::int64_t>(place_of(writer, neighbours_of(of, ranks, node_of))) * mail.box_bytes;
    };
    mail.out[other] = box(gpu.open_share(all[other].share), other, rank);
    mail.in[other] = box(boxes, rank, other);
  }
  return mail;
}

}  // namespace pilum::scheduler
