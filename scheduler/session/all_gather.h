// What every rank says, at start.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "runtime/comm/communicator.h"

namespace pilum::scheduler {

// Collective. By rank; a value is plain bytes.
template <class Value>
[[nodiscard]] std::vector<Value> all_gather(comm::Communicator& communicator, const Value& mine) {
  const std::vector<std::byte> bytes = communicator.all_gather(std::as_bytes(std::span(&mine, 1)));
  std::vector<Value> all(bytes.size() / sizeof(Value));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

}  // namespace pilum::scheduler
