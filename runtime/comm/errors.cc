#include "runtime/comm/errors.h"

#include <chrono>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/check.h"

namespace pilum::comm {

void throw_lost_peer(const char* operation, int peer, const std::string& reason) {
  // The launcher ends every rank when one is gone, and says which: only where that does not come, this rank speaks.
  constexpr auto kLauncherTakes = std::chrono::milliseconds(1500);
  std::this_thread::sleep_for(kLauncherTakes);
  throw_peer_failed(operation, peer, reason);
}

void throw_peer_failed(const char* operation, int peer, const std::string& reason) {
  throw RuntimeError(
      fmt::format("[{}] rank {} is gone: {}. The job cannot go on without it; the first error that "
                  "rank {} printed says why it ended.",
                  operation, peer, reason, peer));
}

void throw_size_mismatch(int from, Tag tag, std::size_t expected, std::size_t arrived) {
  throw SizeMismatch(fmt::format("[receive] message {} of window {} from rank {} has {} bytes where {} were expected: "
                                 "the two ranks do not run the same operations.",
                                 tag.message, tag.window, from, arrived, expected),
                     from, tag);
}

void throw_aborted(int rank, int status) {
  throw RuntimeError(fmt::format("[abort] rank {} ended the job with status {}.", rank, status));
}

void check_peer(const char* operation, int peer, int size) {
  PILUM_CHECK(peer >= 0 && peer < size, "{}: rank {} of {}", operation, peer, size);
}

void check_control_size(std::size_t bytes) {
  PILUM_CHECK(bytes <= kMaxControlBytes, "a control message of {} bytes, at most {}", bytes, kMaxControlBytes);
}

}  // namespace pilum::comm
