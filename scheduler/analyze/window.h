// The operations recorded and not yet analysed, and what an analysis knows of their stores.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "partitioner/solver.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// A store as one window sees it. Rewritings of a window follow from `is_gone` and `may_be_gone` alone, which all ranks
// know alike: of one rank both are `dies`; of several, where they have agreed on a store (Session::agree_on_ends), both
// are what they found, and where they have not, nothing is surely gone and all may be.
struct WindowStore {
  Store* store = nullptr;
  partitioner::Tiling tiling;
  bool dies = false;         // nobody of this rank holds it after the window
  bool is_gone = false;      // nor of any other, as all ranks know: what they do may follow from it
  bool may_be_gone = false;  // it is so, or may be, for all that ranks know of one another
  std::vector<Rect> loaded;  // cells of it that tasks want from memory
  StoreRef own;              // the same, where the window made it: it lives as long as its row
  // Where a number is seen beyond it (beyond.h): what fills cells with that, and its number in the window.
  std::shared_ptr<const Operation> fill;
  int fill_number = 0;
};

// The store's row, while a window is analysed.
[[nodiscard]] inline std::size_t place_of(const Store& store) {
  return static_cast<std::size_t>(store.window_index);
}
[[nodiscard]] inline std::size_t place_of(const View& view) {
  return place_of(*view.store);
}

// Where to cut a window: the position from `first` to `last` that the fewest bytes flow across; of equals where the
// program goes back furthest, for a loop begins anew there, and of these the last.
// Bytes flow across a cut through stores made before it and used after it; what nothing has read since it was written
// will be used. A function of the operations alone.
[[nodiscard]] std::size_t choose_cut(const std::vector<Operation>& operations, std::size_t first,
                                     std::size_t last = static_cast<std::size_t>(-1));

// Takes the fills out of `operations` whose stores nothing else touches and nothing has touched: they are cut and
// filled at their first use with others. Keeps the order of both.
[[nodiscard]] std::vector<Operation> take_idle_fills(std::vector<Operation>& operations);

// The stores of the operations, numbered in Store::window_index by first use, with their tilings solved.
// `used_later` holds operations that are recorded but belong to a later window: what they use does not die.
[[nodiscard]] std::vector<WindowStore> collect_stores(const std::vector<Operation>& operations,
                                                      const std::vector<Operation>& used_later,
                                                      const machine::Machine& machine);

// A new store of the window, whole, that is gone after it: of this shape, cut so, for values of another one, whose id
// it has, as the next one is the recorder's to give.
[[nodiscard]] View make_value(const Store& like, const Shape& shape, const partitioner::Tiling& tiling,
                              std::vector<WindowStore>& stores);

// How the points of an operation over this view of a window's store are cut, where they lie as its cells do.
[[nodiscard]] partitioner::Tiling distribution_of(const View& view, const std::vector<WindowStore>& stores);

// The operation's domain as a rectangle; a scalar's is one point of rank 1.
[[nodiscard]] Rect domain_of(const Operation& operation);
// The output's map from the domain: for a reduction through the kept axes.
[[nodiscard]] partitioner::AffineMap output_map(const Operation& operation);

}  // namespace pilum::scheduler
