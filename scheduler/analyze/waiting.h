// Operations that wait when the program reads a value that does not need them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// By number, whether the store's value follows from the operation: it makes what the value is made of, or touches cells
// before a needed one overwrites them. The others may come after the needed ones, in their order.
[[nodiscard]] std::vector<bool> find_needed(const std::vector<Operation>& operations, const Store& wanted);

// `alpha = rr / np::sum(p * w).item()`, where rr was read before and w = A p is recorded by then: computed for rr's
// window, w would be read once more for the sum. So of the operations that a value does not need the last ones wait for
// the next window, as many as share no task with the others.
//
// They wait once. Which do is found out when a window is seen for the second time, and kept: a function of the recorded
// calls, so that all ranks find the same. One object sees the values of a session in order.
class WaitingOperations {
 public:
  // By number, whether it waits; empty: none does. The first `waited` have waited already. Windows with other numbers
  // are alike; those with what is no kernel (a user's task, cells from outside) have nothing that waits, nor have those
  // of small arrays alone, which cost less than to find that out.
  [[nodiscard]] std::vector<bool> choose(const std::vector<Operation>& operations, std::size_t waited,
                                         const Store& wanted, const machine::Machine& machine);
  // The same in two steps: which window it is, a hash; none: nothing waits, whatever was seen before.
  [[nodiscard]] static std::optional<std::uint64_t> identify(const std::vector<Operation>& operations,
                                                             std::size_t waited, const Store& wanted,
                                                             const machine::Machine& machine);
  [[nodiscard]] std::vector<bool> choose(std::uint64_t window, const std::vector<Operation>& operations,
                                         std::size_t waited, const Store& wanted, const machine::Machine& machine);
  // That it has been found out, and is kept: then to choose changes nothing.
  [[nodiscard]] bool is_decided(std::uint64_t window) const {
    const auto entry = known_.find(window);
    return entry != known_.end() && entry->second.decided;
  }

 private:
  struct Known {
    bool decided = false;
    std::vector<bool> waiting;
  };
  static constexpr std::size_t kMost = 1024;
  std::unordered_map<std::uint64_t, Known> known_;  // by the window's hash
};

}  // namespace pilum::scheduler
