// Computes values of a window again, for other points than those where they were made.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"
#include "scheduler/analyze/window_values.h"

namespace pilum::scheduler {

constexpr std::size_t kMostRepeated = 48;  // operations for one value

// Puts operations together that compute once more what an operation computed, with the values that it was computed
// from, into new stores. What it was computed from must have in memory what it had then.
class Repeater {
 public:
  // `makers`: by store, the operation to be computed again with its readers; -1: the cells are read. `stores` gets the
  // new ones.
  // `values`: where parts of one are computed in several ways; null: none is.
  Repeater(const WindowOperations& window, const std::vector<int>& makers, std::vector<WindowStore>& stores,
           const WindowValues* values = nullptr)
      : window_(window), makers_(makers), stores_(stores), values_(values) {}

  // What `view` shows of that which operation number `number` writes; all of it is. It is cut among processors so.
  // Equal ones are computed once.
  View repeat(std::size_t number, const View& view, const partitioner::Tiling& distribution);

  // The operations put together since they were last taken, in order, and the numbers of those which they repeat.
  const std::vector<Operation>& operations() const { return operations_; }
  const std::vector<std::size_t>& numbers() const { return numbers_; }
  // Of something that it is computed from no one operation computes all that was asked for.
  bool has_failed() const { return has_failed_; }
  Rewritten take();

 private:
  struct Known {
    std::size_t number;  // of the operation that is repeated
    View asked, made;    // what the view shows, of the old and of the new store
  };

  const WindowOperations window_;
  const std::vector<int>& makers_;
  std::vector<WindowStore>& stores_;
  const WindowValues* values_;
  bool has_failed_ = false;
  std::vector<Operation> operations_;
  std::vector<std::size_t> numbers_;
  std::vector<Known> known_;
};

}  // namespace pilum::scheduler
