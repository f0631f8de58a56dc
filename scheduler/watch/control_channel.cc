#include "scheduler/watch/control_channel.h"

#include <cstring>
#include <mutex>
#include <vector>

#include "runtime/base/check.h"

namespace pilum::scheduler {

void ControlChannel::send(int to, Addressee addressee, std::span<const std::byte> bytes) {
  std::vector<std::byte> addressed(sizeof addressee + bytes.size());
  std::memcpy(addressed.data(), &addressee, sizeof addressee);
  if (!bytes.empty()) std::memcpy(addressed.data() + sizeof addressee, bytes.data(), bytes.size());
  const std::lock_guard lock(executor_.communication());
  executor_.communicator().send_control(to, addressed);
}

bool ControlChannel::is_out() {
  const std::lock_guard lock(executor_.communication());
  static_cast<void>(executor_.communicator().progress());
  return executor_.communicator().control_is_out();
}

// Data that do not fit their receive come to light here too.
std::optional<comm::ControlMessage> ControlChannel::poll() {
  comm::Communicator& communicator = executor_.communicator();
  try {
    communicator.progress();
    return communicator.poll_control();
  } catch (const comm::SizeMismatch& mismatch) {
    executor_.suspect(mismatch);
    return std::nullopt;
  }
}

std::optional<comm::ControlMessage> ControlChannel::take(Addressee addressee) {
  const std::lock_guard lock(executor_.communication());
  while (const auto message = poll()) {
    Addressee to{};
    PILUM_CHECK(message->bytes.size() >= sizeof to, "a control message of {} bytes", message->bytes.size());
    std::memcpy(&to, message->bytes.data(), sizeof to);
    PILUM_CHECK(static_cast<std::size_t>(to) < arrived_.size(), "a control message to {}",
                static_cast<std::uint32_t>(to));
    arrived_[static_cast<std::size_t>(to)].push_back(
        {message->from, {message->bytes.begin() + sizeof to, message->bytes.end()}});
  }
  auto& own = arrived_[static_cast<std::size_t>(addressee)];
  if (own.empty()) return std::nullopt;
  std::optional<comm::ControlMessage> first(std::move(own.front()));
  own.pop_front();
  return first;
}

}  // namespace pilum::scheduler
