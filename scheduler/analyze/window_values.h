// Arrays that live in a window alone, and who makes and reads them.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/analyze/rewritten.h"
#include "scheduler/analyze/window.h"

namespace pilum::scheduler {

// Which operations make the values of a window: arrays that one operation of cells writes, all of them, and that nobody
// wants after it.
class WindowValues {
 public:
  WindowValues(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores)
      : WindowValues(WindowOperations{operations}, stores) {}
  // With origins the parts of one that was cut make one value, too.
  WindowValues(const WindowOperations& window, const std::vector<WindowStore>& stores);

  // -1: the store holds no such value, or its parts are computed in several ways. Of parts: the first.
  int maker_of(const Store& store) const;
  // Those where parts are computed in several ways, too.
  int first_maker_of(const Store& store) const { return use_of(store).first; }
  // The operation that would compute all that the view shows of the value, had it the points; -1: there is none.
  int maker_of(const View& view) const;
  const std::vector<std::size_t>& readers_of(const Store& store) const { return use_of(store).readers; }
  const std::vector<std::size_t>& writers_of(const Store& store) const { return use_of(store).writers; }
  // Nobody writes what the operation reads, after one of the window and before another. What the window's own rewriting
  // has made is written once.
  bool reads_unchanged(const Operation& operation, std::size_t after, std::size_t before) const;
  // All of the value's readers want it at the points at which it is made, or a part of it.
  bool is_read_in_place(const Store& store) const { return use_of(store).is_read_in_place; }

 private:
  struct Use {
    std::vector<std::size_t> readers, writers;
    std::vector<Rect> right;  // side by side with the writers, if they are parts
    int maker = -1, first = -1;
    bool is_read_in_place = true;
  };
  const Use& use_of(const Store& store) const;

  std::vector<Use> uses_;  // by store
};

}  // namespace pilum::scheduler
