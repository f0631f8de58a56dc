// The texts of what a communicator throws, the same for every transport.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/comm/communicator.h"

namespace pilum::comm {

// Control messages and the frames that carry them are no larger.
inline constexpr std::size_t kMaxControlBytes = 4096;

// "[send] rank 3 is gone: connection reset by remote peer; ..."
[[noreturn]] void throw_peer_failed(const char* operation, int peer, const std::string& reason);
// The same about a rank that is another process, after a moment in which the launcher may end this one.
[[noreturn]] void throw_lost_peer(const char* operation, int peer, const std::string& reason);
[[noreturn]] void throw_size_mismatch(int from, Tag tag, std::size_t expected, std::size_t arrived);
[[noreturn]] void throw_aborted(int rank, int status);

// Bugs of ours: stop at a check.
void check_peer(const char* operation, int peer, int size);
void check_control_size(std::size_t bytes);

}  // namespace pilum::comm
