// Computes values of a window again, for other points than those where they were made.
#pragma once

#include <cstddef>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// Which operations make the values of a window: arrays that one operation of cells writes, all of them, and that nobody
// wants after it.
class WindowValues {
 public:
  WindowValues(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores,
               const machine::Machine& machine);

  // -1: the store holds no such value.
  int maker_of(const Store& store) const;
  const std::vector<std::size_t>& readers_of(const Store& store) const { return use_of(store).readers; }
  const std::vector<std::size_t>& writers_of(const Store& store) const { return use_of(store).writers; }
  // All of the value's readers want it at the points at which it is made.
  bool is_read_in_place(const Store& store) const { return use_of(store).is_read_in_place; }

 private:
  struct Use {
    std::vector<std::size_t> readers, writers;
    int maker = -1;
    bool is_read_in_place = true;
  };
  const Use& use_of(const Store& store) const;

  std::vector<Use> uses_;  // by store
};

// Puts operations together that compute once more what an operation computed, with the values that it was computed
// from, into new stores. What it was computed from must have in memory what it had then.
class Repeater {
 public:
  // `makers`: by store, the operation to be computed again with its readers; -1: the cells are read. `stores` gets the
  // new ones.
  Repeater(const std::vector<Operation>& operations, const std::vector<int>& makers, std::vector<WindowStore>& stores)
      : operations_(operations), makers_(makers), stores_(stores) {}

  // What `view` shows of that which operation number `number` writes; all of it is. It is cut among processors so.
  // Equal ones are computed once.
  View repeat(std::size_t number, const View& view, const partitioner::Tiling& distribution);

  // The operations so far, in order, to be looked at or taken, and the numbers of those which they repeat.
  const std::vector<Operation>& operations() const { return repeated_; }
  std::vector<Operation>& operations() { return repeated_; }
  const std::vector<std::size_t>& numbers() const { return numbers_; }

 private:
  const std::vector<Operation>& operations_;
  const std::vector<int>& makers_;
  std::vector<WindowStore>& stores_;
  std::vector<Operation> repeated_;
  std::vector<std::size_t> numbers_;
  std::vector<View> asked_, made_;  // by repeated operation: what the views show of the old and of the new store
};

// A new store of the window, that is gone after it: of this shape, cut so, for values of another one.
View make_value(const Store& like, const Shape& shape, const partitioner::Tiling& tiling,
                std::vector<WindowStore>& stores);

// What a few more operations at each point, with their loads, cost; and what may be paid for a cell that need not be
// written, or not be read: in additions.
[[nodiscard]] double cost_of(const std::vector<Operation>& operations, const machine::Machine& machine);
[[nodiscard]] double gain_of_cell(const machine::Machine& machine);

}  // namespace pilum::scheduler
