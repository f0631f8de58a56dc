#include "scheduler/analyze/read_through.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "runtime/base/check.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

using partitioner::AffineMap;

constexpr std::size_t kMaxPieces = 8;  // of a copied array
constexpr std::size_t kMaxCuts = 3;    // of an axis

// Where the points of operations of one shape are cut, by axis, in order.
struct Grid {
  Shape shape;
  std::array<std::vector<std::int64_t>, kMaxAxes> cuts;
};

// What a window does with a store.
struct Use {
  struct Piece {
    Rect cells;
    std::size_t number = 0;  // the operation that copies it
  };
  bool is_copied = false;  // it is made of pieces alone, and read by operations of cells or folds
  bool is_source = false;  // of an array that is seen through
  std::vector<Piece> pieces;
  std::vector<std::size_t> readers, writers;
};

// A box of the store's cells: axes stay or go on by one.
bool is_box(const View& view) {
  for (int k = 0; k < view.map.store_rank; ++k) {
    if (view.map[k].axis >= 0 && view.map[k].scale != 1) return false;
  }
  return true;
}

// The array that the operation copies; null: it does something else.
const View* source_of(const Operation& operation) {
  const Elementwise* elementwise = operation.elementwise();
  if (!elementwise || elementwise->op != kernel::Op::Cast) return nullptr;
  const Operand& input = elementwise->inputs[0];
  const View& output = elementwise->output;
  const DType dtype = output.store->dtype;
  const bool is_copy = input.is_view() && is_box(output) && input.view.store != output.store &&
                       elementwise->compute == dtype && input.view.store->dtype == dtype;
  return is_copy ? &input.view : nullptr;
}

class Finder {
 public:
  Finder(const WindowOperations& window, const std::vector<WindowStore>& stores, const machine::Machine& machine)
      : window_(window),
        operations_(window.operations),
        stores_(stores),
        min_bytes_(min_bytes_to_split(machine)),
        knows_deaths_(machine.ranks == 1),
        is_distributed_(machine.processors() > 1),
        uses_(stores.size()),
        grid_of_(window.operations.size(), -1) {}

  Rewritten rewrite() {
    collect_uses();
    bool some = false;
    for (std::size_t store = 0; store < uses_.size(); ++store) {
      Use& use = uses_[store];
      use.is_copied = use.is_copied && can_see_through(store, use);
      if (use.is_copied && use.pieces.size() > 1) use.is_copied = add_cuts(use);
      if (!use.is_copied) continue;
      some = true;
      for (const Use::Piece& piece : use.pieces) use_of(*source_of(operations_[piece.number])).is_source = true;
    }
    if (!some) return {};
    choose_cut_operations();
    Rewritten rewritten;
    for (std::size_t number = 0; number < operations_.size(); ++number) add(number, rewritten);
    return rewritten;
  }

 private:
  static std::size_t place_of(const View& view) { return static_cast<std::size_t>(view.store->window_index); }
  Use& use_of(const View& view) { return uses_[place_of(view)]; }
  const Operation& operation(std::size_t number) const { return operations_[number]; }

  void collect_uses() {
    for (std::size_t store = 0; store < uses_.size(); ++store) uses_[store].is_copied = is_made_and_gone(store);
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      const Operation& operation = operations_[number];
      // A fold's pieces follow its input, and its result was cut to suit these.
      const bool of_cells = operation.elementwise() || (operation.reduction() && !is_distributed_);
      for_each_view(operation, [&](const View& view, bool write) {
        Use& use = use_of(view);
        (write ? use.writers : use.readers).push_back(number);
        if (!of_cells) use.is_copied = false;
      });
      const View* output = operation.output();
      if (!output) continue;
      Use& made = use_of(*output);
      if (!source_of(operation) || !made.readers.empty()) {
        made.is_copied = false;
      } else {
        made.pieces.push_back({image(output->map, Rect::of(output->shape)), number});
      }
    }
    for (Use& use : uses_) use.is_copied = use.is_copied && !use.pieces.empty();
  }

  bool can_see_through(std::size_t store, const Use& use) {
    const Rect all = Rect::of(stores_[store].store->shape);
    if (use.pieces.empty() || use.pieces.size() > kMaxPieces || use.readers.empty() || use.is_source) return false;
    std::int64_t cells = 0;
    for (std::size_t a = 0; a < use.pieces.size(); ++a) {
      cells += use.pieces[a].cells.cells();
      for (std::size_t b = 0; b < a; ++b) {
        if (overlaps(use.pieces[a].cells, use.pieces[b].cells)) return false;
      }
      const Use& source = use_of(*source_of(operation(use.pieces[a].number)));
      const bool is_written = std::any_of(source.writers.begin(), source.writers.end(), [&](std::size_t writer) {
        return writer > use.pieces[a].number && writer <= use.readers.back();
      });
      if (source.is_copied || is_written) return false;
    }
    return cells == all.cells();
  }

  // Of the readers of an array of several pieces. False: they cannot be cut so, or should not.
  bool add_cuts(const Use& use) {
    std::vector<Grid> grids = grids_;
    std::vector<std::pair<std::size_t, int>> cut;
    for (const std::size_t reader : use.readers) {
      const Operation& operation = operations_[reader];
      if (!divisible_cells(operation)) return false;
      const View& output = *operation.output();
      if (output.shape.elements() * static_cast<std::int64_t>(itemsize(output.store->dtype)) < min_bytes_) return false;
      const int grid = find_grid(grids, output.shape);
      cut.emplace_back(reader, grid);
      bool are_few = true;
      for_each_input(operation, [&](std::size_t, const View& view) {
        are_few = are_few && (&use_of(view) != &use || add_cuts_of(view, use, grids[static_cast<std::size_t>(grid)]));
      });
      if (!are_few) return false;
    }
    grids_ = std::move(grids);
    for (const auto& [reader, grid] : cut) grid_of_[reader] = grid;
    return true;
  }

  static int find_grid(std::vector<Grid>& grids, const Shape& shape) {
    for (std::size_t grid = 0; grid < grids.size(); ++grid) {
      if (grids[grid].shape == shape) return static_cast<int>(grid);
    }
    grids.push_back({shape, {}});
    return static_cast<int>(grids.size()) - 1;
  }

  static bool add_cuts_of(const View& view, const Use& use, Grid& grid) {
    for (int k = 0; k < view.map.store_rank; ++k) {
      const auto& axis = view.map[k];
      if (axis.axis >= 0 && axis.scale != 1) return false;
      for (const Use::Piece& piece : use.pieces) {
        for (const std::int64_t bound :
             {piece.cells.lo[static_cast<std::size_t>(k)], piece.cells.hi[static_cast<std::size_t>(k)]}) {
          if (axis.axis < 0) continue;
          std::vector<std::int64_t>& cuts = grid.cuts[static_cast<std::size_t>(axis.axis)];
          const std::int64_t at = bound - axis.offset;
          if (at <= 0 || at >= grid.shape[axis.axis]) continue;
          const auto place = std::lower_bound(cuts.begin(), cuts.end(), at);
          if (place == cuts.end() || *place != at) cuts.insert(place, at);
          if (cuts.size() > kMaxCuts) return false;
        }
      }
    }
    return true;
  }

  // What is computed at the same points as something that is cut, from it or for it, is cut too: so it stays in
  // registers.
  void choose_cut_operations() {
    if (grids_.empty()) return;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t number = 0; number < operations_.size(); ++number) more = cut_after(number) || more;
      for (std::size_t number = operations_.size(); number-- > 0;) more = cut_before(number) || more;
    }
  }

  bool is_cut(std::size_t number) const { return grid_of_[number] >= 0; }

  bool is_made_and_gone(std::size_t store) const {
    return (stores_[store].dies || !knows_deaths_) && !stores_[store].store->state;
  }

  // The only operation that writes the store, all of it; none: nullopt.
  std::optional<std::size_t> maker_of(std::size_t store) const {
    const Use& use = uses_[store];
    if (use.writers.size() != 1 || !is_made_and_gone(store)) return {};
    const View* output = operation(use.writers[0]).output();
    if (!output || output->shape.elements() != output->store->shape.elements()) return {};
    return use.writers[0];
  }

  bool may_be_cut(std::size_t number, const Shape& shape) const {
    const Operation& operation = operations_[number];
    return !is_cut(number) && divisible_cells(operation) && operation.output()->shape == shape;
  }

  bool cut_after(std::size_t number) {
    if (is_cut(number)) return false;
    for_each_input(operations_[number], [&](std::size_t, const View& view) {
      const auto maker = maker_of(place_of(view));
      if (is_cut(number) || !maker || !is_cut(*maker)) return;
      const View& made = *operations_[*maker].output();
      if (view.map == made.map && may_be_cut(number, made.shape)) grid_of_[number] = grid_of_[*maker];
    });
    return is_cut(number);
  }

  bool cut_before(std::size_t number) {
    const Operation& operation = operations_[number];
    if (is_cut(number) || !operation.elementwise()) return false;
    const View& output = operation.elementwise()->output;
    const std::size_t store = place_of(output);
    const Use& use = uses_[store];
    if (use.readers.empty() || maker_of(store) != number) return false;
    const int grid = grid_of_[use.readers[0]];
    if (grid < 0 || !may_be_cut(number, grids_[static_cast<std::size_t>(grid)].shape)) return false;
    for (const std::size_t reader : use.readers) {
      if (grid_of_[reader] != grid) return false;
      bool is_read_in_place = true;
      for_each_input(operations_[reader], [&](std::size_t, const View& view) {
        is_read_in_place = is_read_in_place && (place_of(view) != store || view.map == output.map);
      });
      if (!is_read_in_place) return false;
    }
    grid_of_[number] = grid;
    return true;
  }

  void add(std::size_t number, Rewritten& rewritten) {
    const Operation& operation = operations_[number];
    const View* output = operation.output();
    const bool is_copied = output && use_of(*output).is_copied;
    if (is_copied && knows_deaths_) return;
    Origin origin = window_.origin_of(number);
    origin.is_seen_through = origin.is_seen_through || is_copied;
    if (!is_cut(number)) {
      rewritten.add(operation, origin);
      return see_through(rewritten.operations.back());
    }
    origin.is_part = true;
    std::vector<Rect> parts{Rect::of(output->shape)};
    const Grid& grid = grids_[static_cast<std::size_t>(grid_of_[number])];
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(output->shape.rank()); ++axis) {
      std::vector<Rect> finer;
      for (Rect part : parts) {
        for (const std::int64_t at : grid.cuts[axis]) {
          finer.push_back(part);
          finer.back().hi[axis] = part.lo[axis] = at;
        }
        finer.push_back(part);
      }
      parts = std::move(finer);
    }
    // The largest last: what it joins is found first.
    const auto largest = std::max_element(parts.begin(), parts.end(),
                                          [](const Rect& a, const Rect& b) { return a.cells() < b.cells(); });
    std::rotate(largest, largest + 1, parts.end());
    for (const Rect& part : parts) {
      rewritten.add(part_at(operation, part), origin);
      see_through(rewritten.operations.back());
    }
  }

  void see_through(Operation& operation) {
    for_each_input(operation, [&](std::size_t, View& view) {
      const Use& use = use_of(view);
      if (!use.is_copied) return;
      const Rect cells = image(view.map, Rect::of(view.shape));
      const auto piece = std::find_if(use.pieces.begin(), use.pieces.end(),
                                      [&](const Use::Piece& one) { return one.cells.contains(cells); });
      PILUM_CHECK(piece != use.pieces.end(), "no piece has the cells that {} reads", operation.name);
      const Operation& copy = operations_[piece->number];
      view = through(view, *copy.output(), *source_of(copy));
    });
  }

  const WindowOperations window_;
  const std::vector<Operation>& operations_;
  const std::vector<WindowStore>& stores_;
  const std::int64_t min_bytes_;
  const bool knows_deaths_;  // on several ranks what is done must not follow from them
  const bool is_distributed_;
  std::vector<Use> uses_;  // by store
  std::vector<Grid> grids_;
  std::vector<int> grid_of_;  // by operation; -1: it stays whole
};

bool has_copies(const std::vector<Operation>& operations, const machine::Machine& machine) {
  return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
    return source_of(operation) && (operation.output()->store->handles == 0 || machine.ranks > 1);
  });
}

}  // namespace

Rewritten read_through(const WindowOperations& window, std::vector<WindowStore>& stores,
                       const machine::Machine& machine) {
  if (!has_copies(window.operations, machine)) return {};
  return Finder(window, stores, machine).rewrite();
}

}  // namespace pilum::scheduler
