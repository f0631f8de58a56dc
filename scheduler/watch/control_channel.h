// One control channel between ranks, for several who use it.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>

#include "scheduler/execute/executor.h"

namespace pilum::scheduler {

enum class Addressee : std::uint32_t { Watch, Stall };

// Any thread calls; each message is taken by its addressee alone, whoever was the one to find it. In order between two
// ranks. Throws what the communicator throws.
class ControlChannel {
 public:
  explicit ControlChannel(Executor& executor) : executor_(executor) {}
  void send(int to, Addressee addressee, std::span<const std::byte> bytes);
  // True once what was sent arrives without this rank's doing.
  [[nodiscard]] bool is_out();
  // Lets messages move, also those of data.
  [[nodiscard]] std::optional<comm::ControlMessage> take(Addressee addressee);

 private:
  std::optional<comm::ControlMessage> poll();

  Executor& executor_;  // its communication lock guards the next one
  std::array<std::deque<comm::ControlMessage>, 2> arrived_;
};

}  // namespace pilum::scheduler
