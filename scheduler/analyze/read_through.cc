#include "scheduler/analyze/read_through.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "partitioner/region.h"
#include "runtime/base/check.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/piece_views.h"
#include "scheduler/analyze/repeater.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

using partitioner::AffineMap;

constexpr std::size_t kMaxPieces = 16;  // of a copied array
constexpr std::size_t kMaxCuts = 6;     // of an axis: neighbours up to the third on both sides
constexpr std::size_t kMaxParts = 64;   // of an operation
constexpr int kMaxChain = 3;            // of copies of copies
const std::vector<int> kNoMakers;       // a fill is computed from nothing

// Where the points of operations of one shape are cut, by axis, in order.
struct Grid {
  Shape shape;
  CutPlaces cuts;
};

// What a window does with a store.
struct Use {
  bool is_copied = false;  // it is made of pieces alone, and read by operations of cells or folds
  bool is_source = false;  // of an array that is seen through
  std::vector<Piece> pieces;
  std::optional<View> beyond;  // the pieces are one array's, beyond its ends too (piece_views.h): that, seen so
  std::vector<Rect> read;      // so far
  std::vector<std::size_t> readers, writers;
  // `f = np::roll(f, 1); f += …`: what writes all of it, and reads the pieces last. It is an array as others then.
  std::optional<std::size_t> overwriter;
  std::vector<std::size_t> piece_readers;  // until then

  bool is_of_pieces_at(std::size_t number) const { return !overwriter || number <= *overwriter; }
};

enum class Readers : std::uint8_t { Copies, All };  // who may read what is of several pieces and seen through

class Finder {
 public:
  Finder(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine& machine,
         Readers readers)
      : window_(window),
        readers_(readers),
        operations_(window.operations),
        stores_(stores),
        min_bytes_(min_bytes_to_split(machine)),
        is_distributed_(machine.processors() > 1),
        uses_(stores.size()),
        grid_of_(window.operations.size(), -1),
        repeater_(window, kNoMakers, stores) {}

  Rewritten rewrite() {
    collect_uses();
    bool some = false;
    for (std::size_t store = 0; store < uses_.size(); ++store) {
      Use& use = uses_[store];
      use.is_copied = use.is_copied && can_see_through(store, use);
      if (use.is_copied && use.pieces.size() > 1) {
        use.beyond = view_beyond(use);
        use.is_copied = use.beyond || add_cuts(use);
      }
      const auto is_of_others = [this](const Piece& piece) { return is_of_pieces(piece); };
      use.is_copied = use.is_copied && (use.beyond || std::ranges::none_of(use.pieces, is_of_others));
      if (!use.is_copied) continue;
      some = true;
      for (const Piece& piece : use.pieces) {
        if (Use* source = source_of(piece)) source->is_source = true;
      }
    }
    if (!some) return {};
    if (readers_ == Readers::All) choose_cut_operations();
    Rewritten rewritten;
    for (std::size_t number = 0; number < operations_.size(); ++number) add(number, rewritten);
    return rewritten;
  }

 private:
  Use& use_of(const View& view) { return uses_[place_of(view)]; }
  const Operation& operation(std::size_t number) const { return operations_[number]; }

  void collect_uses() {
    for (std::size_t store = 0; store < uses_.size(); ++store) uses_[store].is_copied = !stores_[store].store->state;
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      const Operation& operation = operations_[number];
      // A fold's pieces follow its input, and its result was cut to suit these.
      const bool of_cells = operation.elementwise() || (operation.reduction() && !is_distributed_);
      for_each_view(operation, [&](const View& view, bool write) {
        Use& use = use_of(view);
        (write ? use.writers : use.readers).push_back(number);
        if (use.overwriter) return;
        if (!of_cells) use.is_copied = false;
        if (!write) use.piece_readers.push_back(number);
        if (!write && use.is_copied) use.read.push_back(image(view.map, Rect::of(view.shape)));
      });
      const View* output = operation.output();
      if (!output) continue;
      Use& made = use_of(*output);
      if (made.overwriter) continue;
      if (made.is_copied && overwrites_all(number)) {
        made.overwriter = number;
        continue;
      }
      const Rect cells = image(output->map, Rect::of(output->shape));
      const auto is_read = [&](const Rect& read) { return overlaps(read, cells); };
      if ((!copied_view(operation) && !fills(operation)) || std::ranges::any_of(made.read, is_read)) {
        made.is_copied = false;
      } else {
        add_piece(place_of(*output), {cells, number});
      }
    }
    for (std::size_t store = 0; store < uses_.size(); ++store) {
      Use& use = uses_[store];
      const auto is_copy = [this](const Piece& piece) { return source_of(piece) != nullptr; };
      use.is_copied = use.is_copied && (use.overwriter || is_made_and_gone(store)) &&
                      std::any_of(use.pieces.begin(), use.pieces.end(), is_copy);
    }
  }

  // Cell by cell, of what pieces have made.
  bool overwrites_all(std::size_t number) {
    const Operation& operation = operations_[number];
    const View& output = *operation.output();
    const Use& use = use_of(output);
    return !copied_view(operation) && divisible_cells(operation) && !use.pieces.empty() && !use.readers.empty() &&
           use.readers.back() == number && output.shape.elements() == output.store->shape.elements();
  }

  // Where the array may be held on some of several ranks a fill may send no message where a copy does: then only copies
  // are seen through.
  bool fills(const Operation& operation) const {
    const Elementwise* elementwise = operation.elementwise();
    return elementwise && is_gone(place_of(elementwise->output)) && elementwise->op == kernel::Op::Cast &&
           !elementwise->inputs[0].is_view() && divisible_cells(operation);
  }

  // What it was copied from is seen through itself.
  bool is_of_pieces(const Piece& piece) {
    const Use* source = source_of(piece);
    return source && source->is_copied && source->is_of_pieces_at(piece.number);
  }

  // Null: the piece is filled with a number.
  Use* source_of(const Piece& piece) {
    const View* source = copied_view(operations_[piece.number]);
    return source ? &use_of(*source) : nullptr;
  }

  // What it overwrites is a piece no more.
  void add_piece(std::size_t store, const Piece& added) {
    Use& use = uses_[store];
    std::vector<Piece> left;
    for (const Piece& piece : use.pieces) {
      if (!overlaps(piece.cells, added.cells)) {
        left.push_back(piece);
      } else if (!is_gone(store)) {
        use.is_copied = false;
      } else {
        for (const Rect& rest : partitioner::subtract(piece.cells, added.cells)) left.push_back({rest, piece.number});
      }
    }
    left.push_back(added);
    use.pieces = std::move(left);
  }

  bool can_see_through(std::size_t store, const Use& use) {
    const Rect all = Rect::of(stores_[store].store->shape);
    if (use.pieces.empty() || use.pieces.size() > kMaxPieces || use.piece_readers.empty() || use.is_source)
      return false;
    const auto is_copy = [&](std::size_t reader) { return copied_view(operation(reader)) != nullptr; };
    const bool has_several = use.pieces.size() > 1;  // then others are cut
    if (readers_ == Readers::Copies && has_several && !std::ranges::all_of(use.piece_readers, is_copy)) return false;
    std::int64_t cells = 0;
    for (const Piece& piece : use.pieces) {
      cells += piece.cells.cells();
      const Use* source = source_of(piece);
      if (!source) continue;
      if ((is_of_pieces(piece) && !source->beyond) || is_overwritten(piece, use)) return false;
    }
    return cells == all.cells();
  }

  // What the piece was copied from, before the last one has read it.
  bool is_overwritten(const Piece& piece, const Use& use) {
    const Use& source = *source_of(piece);
    const std::size_t last = use.piece_readers.back();
    const auto overwrites = [&](std::size_t writer) {
      if (writer <= piece.number || writer > last || !writes_source(writer, piece)) return false;
      return writer < last || !reads_in_place(writer, use);
    };
    const auto is_gone_before = [&](const Piece& further) { return is_overwritten(further, use); };
    return std::ranges::any_of(source.writers, overwrites) ||
           (is_of_pieces(piece) && std::ranges::any_of(source.pieces, is_gone_before));
  }

  // Of fields that are computed one after the other each copies its own.
  bool writes_source(std::size_t number, const Piece& piece) const {
    const View &source = *copied_view(operation(piece.number)), *output = operation(number).output();
    return !output || overlaps(image(output->map, Rect::of(output->shape)), image(source.map, Rect::of(source.shape)));
  }

  // What the operation reads of a copied array are the source's cells that it writes, each at its own point.
  bool reads_in_place(std::size_t number, const Use& use) {
    const View* output = operation(number).output();
    if (use.pieces.size() > 1 || !operation(number).elementwise()) return false;
    const Operation& copy = operation(use.pieces[0].number);
    bool is_in_place = true;
    for_each_input(operation(number), [&](std::size_t, const View& view) {
      if (&use_of(view) != &use) return;
      const View seen = through(view, *copy.output(), *copied_view(copy));
      is_in_place = is_in_place && seen.store == output->store && seen.map == output->map;
    });
    return is_in_place;
  }

  // What a roll or a pad makes; nullopt: it is something else, or its readers cannot be cut, or should not.
  std::optional<View> view_beyond(const Use& use) {
    if (readers_ == Readers::Copies) return {};
    std::int64_t largest = 0;  // bytes
    for (const std::size_t reader : use.piece_readers) {
      const Operation& operation = operations_[reader];
      if (!is_divisible(operation)) return {};
      const View& output = *operation.output();
      largest = std::max(largest, output.shape.elements() * static_cast<std::int64_t>(itemsize(output.store->dtype)));
    }
    if (largest < min_bytes_) return {};
    const std::optional<PieceView> found = view_of_pieces(use.pieces, operations_);
    if (!found) return {};
    const StoreRef& made = operations_[use.pieces[0].number].output()->store;
    const auto goes_on = [&](std::size_t reader) { return reads_onwards(reader, made, found->view); };
    if (!std::ranges::all_of(use.piece_readers, goes_on)) return {};
    if (found->fill && !is_number_of(found->view, *found->fill)) return {};
    const auto further = std::ranges::count_if(use.pieces, [this](const Piece& piece) { return is_of_pieces(piece); });
    if (further == 0) return found->view;
    if (further < std::ssize(use.pieces)) return {};
    return through_beyond(found->view, whole(found->view.store), *use_of(found->view).beyond);
  }

  // What is read of the pieces goes from each point to the next one, along axes where these go beyond their source.
  bool reads_onwards(std::size_t reader, const StoreRef& made, const View& beyond) const {
    bool goes_on = true;
    for_each_input(operations_[reader], [&](std::size_t, const View& view) {
      for (int j = 0; j < beyond.map.store_rank && view.store == made; ++j) {
        const auto& axis = view.map[std::max<int>(beyond.map[j].axis, 0)];
        goes_on = goes_on && (!goes_beyond(beyond, j) || axis.axis < 0 || axis.scale > 0);
      }
    });
    return goes_on;
  }

  // The number beyond the source, from now on. False: it is another one, or may be when this plan is used again.
  bool is_number_of(const View& beyond, std::size_t fill) {
    WindowStore& source = stores_[place_of(beyond)];
    const int number = window_.origin_of(fill).number;
    if (!source.fill) {
      source.fill = std::make_shared<const Operation>(operations_[fill]);
      source.fill_number = number;
    }
    const Operand &known = source.fill->elementwise()->inputs[0], &own = operations_[fill].elementwise()->inputs[0];
    return number == source.fill_number || (known.name != 0 && known.name == own.name);
  }

  // Of the readers of an array of several pieces. False: they cannot be cut so, or should not.
  bool add_cuts(const Use& use) {
    std::vector<Grid> grids = grids_;
    std::vector<std::pair<std::size_t, int>> cut;
    std::int64_t largest = 0;  // bytes: of the other readers some may be rims
    for (const std::size_t reader : use.piece_readers) {
      const Operation& operation = operations_[reader];
      if (!is_divisible(operation)) return false;
      const View& output = *operation.output();
      largest = std::max(largest, output.shape.elements() * static_cast<std::int64_t>(itemsize(output.store->dtype)));
      const int grid = find_grid(grids, output.shape);
      cut.emplace_back(reader, grid);
      bool are_few = true;
      for_each_input(operation, [&](std::size_t, const View& view) {
        are_few = are_few && (&use_of(view) != &use || add_cuts_of(view, use, grids[static_cast<std::size_t>(grid)]));
      });
      if (!are_few) return false;
    }
    if (largest < min_bytes_) return false;
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
      if (axis.axis >= 0 && axis.scale < 1) return false;
      for (const Piece& piece : use.pieces) {
        for (const std::int64_t bound :
             {piece.cells.lo[static_cast<std::size_t>(k)], piece.cells.hi[static_cast<std::size_t>(k)]}) {
          if (axis.axis < 0) continue;
          std::vector<std::int64_t>& cuts = grid.cuts[static_cast<std::size_t>(axis.axis)];
          const std::int64_t at = (bound - axis.offset + axis.scale - 1) / axis.scale;  // of the first cell behind it
          if (at <= 0 || at >= grid.shape[axis.axis]) continue;
          const auto place = std::lower_bound(cuts.begin(), cuts.end(), at);
          if (place == cuts.end() || *place != at) cuts.insert(place, at);
          if (cuts.size() > kMaxCuts) return false;
        }
      }
    }
    std::size_t parts = 1;
    for (const std::vector<std::int64_t>& cuts : grid.cuts) parts *= cuts.size() + 1;
    return parts <= kMaxParts;
  }

  // What is computed at the same points as something that is cut, from it or for it, is cut too: so it stays in
  // registers.
  void choose_cut_operations() {
    if (grids_.empty()) return;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t number = 0; number < operations_.size(); ++number) more = cut_after(number) || more;
      for (std::size_t number = operations_.size(); number-- > 0;) more = cut_before(number) || more;
      for (std::size_t store = 0; store < uses_.size(); ++store) more = cut_updates(store) || more;
    }
  }

  bool is_cut(std::size_t number) const { return grid_of_[number] >= 0; }

  bool is_made_and_gone(std::size_t store) const { return stores_[store].may_be_gone && !stores_[store].store->state; }
  bool is_gone(std::size_t store) const { return stores_[store].is_gone; }

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
    return !is_cut(number) && is_divisible(operation) && operation.output()->shape == shape;
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

  // `s = np::zeros(shape); s += …; s += …`: of an array that several operations write, all of it, each where it reads
  // it, all are cut, and who reads it then.
  bool cut_updates(std::size_t store) {
    const Use& use = uses_[store];
    if (use.writers.size() < 2 || use.is_copied || !is_made_and_gone(store)) return false;
    std::vector<std::size_t> numbers = use.writers;
    numbers.insert(numbers.end(), use.readers.begin(), use.readers.end());
    const auto cut =
        std::find_if(numbers.begin(), numbers.end(), [this](std::size_t number) { return is_cut(number); });
    if (cut == numbers.end()) return false;
    const int grid = grid_of_[*cut];
    const Shape& shape = grids_[static_cast<std::size_t>(grid)].shape;
    const View& whole = *operations_[use.writers[0]].output();
    bool some = false;
    for (const std::size_t number : numbers) {
      if (is_cut(number) ? grid_of_[number] != grid : !may_be_cut(number, shape)) return false;
      some = some || !is_cut(number);
      bool is_in_place = true;
      for_each_view(operations_[number], [&](const View& view, bool) {
        const bool is_all = view.map == whole.map && view.shape == stores_[store].store->shape;
        is_in_place = is_in_place && (place_of(view) != store || is_all);
      });
      if (!is_in_place) return false;
    }
    for (const std::size_t number : numbers) grid_of_[number] = grid;
    return some;
  }

  void add(std::size_t number, Rewritten& rewritten) {
    const Operation& operation = operations_[number];
    const View* output = operation.output();
    const Use* made = output ? &use_of(*output) : nullptr;
    const bool is_copied = made && made->is_copied && (!made->overwriter || number < *made->overwriter);
    if (is_copied && (made->overwriter || is_gone(place_of(*output)))) return;
    Origin origin = window_.origin_of(number);
    origin.is_seen_through = origin.is_seen_through || is_copied;
    if (!is_cut(number)) {
      return add(operation, number, origin, rewritten);
    }
    origin.is_part = true;
    // The largest last: what it joins is found first.
    const std::vector<Rect> parts =
        cut_at(Rect::of(output->shape), grids_[static_cast<std::size_t>(grid_of_[number])].cuts);
    for (const Rect& part : parts) {
      Operation cut = part_at(operation, part);
      origin.right = right_cells(number, cut);
      add(std::move(cut), number, origin, rewritten);
    }
  }

  // The piece that has all these cells; null: there is none.
  const Piece* piece_with(const Use& use, const View& view) const {
    const Rect cells = image(view.map, Rect::of(view.shape));
    const auto piece = std::ranges::find_if(use.pieces, [&](const auto& one) { return one.cells.contains(cells); });
    return piece == use.pieces.end() ? nullptr : &*piece;
  }

  // Where all that the part reads is of the pieces that it reads. None: not all axes of its array are those of its
  // points.
  std::optional<Rect> right_cells(std::size_t number, const Operation& part) const {
    const Operation& whole = operations_[number];
    const View& output = *whole.output();
    if (!is_shift(output)) return {};
    Rect right = Rect::of(output.shape);
    std::vector<const View*> views;
    for_each_input(whole, [&](std::size_t, const View& view) { views.push_back(&view); });
    std::size_t next = 0;
    for_each_input(part, [&](std::size_t, const View& of_part) {
      const View& view = *views[next++];
      const Use& use = uses_[place_of(view)];
      if (use.is_copied && !use.beyond && use.is_of_pieces_at(number))
        right = intersect(right, points_in(view, piece_with(use, of_part)->cells));
    });
    return image(output.map, right);
  }

  // The points at which the view shows such cells.
  static Rect points_in(const View& view, const Rect& cells) {
    Rect points = Rect::of(view.shape);
    for (int k = 0; k < view.map.store_rank; ++k) {
      const auto& axis = view.map[k];
      if (axis.axis < 0) continue;
      const auto first_from = [&axis](std::int64_t cell) { return (cell - axis.offset + axis.scale - 1) / axis.scale; };
      std::int64_t &lo = points.lo[static_cast<std::size_t>(axis.axis)],
                   &hi = points.hi[static_cast<std::size_t>(axis.axis)];
      lo = std::max(lo, first_from(cells.lo[static_cast<std::size_t>(k)]));
      hi = std::min(hi, first_from(cells.hi[static_cast<std::size_t>(k)]));
    }
    return points;
  }

  // With what it reads seen through; behind the numbers that it reads of what was filled.
  void add(Operation operation, std::size_t number, const Origin& origin, Rewritten& rewritten) {
    for_each_input(operation, [&](std::size_t, View& view) {
      const Use& use = use_of(view);
      if (!use.is_copied || !use.is_of_pieces_at(number)) return;
      if (use.beyond) {
        const std::optional<View> seen = through_beyond(view, whole(view.store), *use.beyond);
        PILUM_CHECK(seen, "{} reads cells beyond an array that it does not have", operation.name);
        if (!is_number_beyond(*seen)) {
          view = *seen;
          return;
        }
      }
      const Piece* piece = piece_with(use, view);
      PILUM_CHECK(piece, "no piece has the cells that {} reads", operation.name);
      const Operation& maker = operations_[piece->number];
      view = copied_view(maker) ? through(view, *maker.output(), *copied_view(maker))
                                : repeater_.repeat(piece->number, view, distribution_of(*operation.output(), stores_));
    });
    rewritten.add(repeater_.take());
    rewritten.add(std::move(operation), origin);
  }

  const WindowOperations window_;
  const Readers readers_;
  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const std::int64_t min_bytes_;
  const bool is_distributed_;
  std::vector<Use> uses_;  // by store
  std::vector<Grid> grids_;
  std::vector<int> grid_of_;  // by operation; -1: it stays whole
  Repeater repeater_;         // of fills
};

bool touches(const Operation& operation, const Store& store, bool writes_alone) {
  bool found = false;
  for_each_view(operation, [&](const View& view, bool write) {
    found = found || (view.store.get() == &store && (write || !writes_alone));
  });
  return found;
}

// Copies that stay for their messages come as early as what they read is there: behind a task that could take in what
// is computed next they would keep it from that.
Rewritten begin_with_copies(Rewritten&& seen) {
  std::vector<std::size_t> order;
  for (std::size_t number = 0; number < seen.operations.size(); ++number) {
    std::size_t place = order.size();
    const View* source = seen.origins[number].is_seen_through ? copied_view(seen.operations[number]) : nullptr;
    const auto comes_before = [&](std::size_t other) {
      return seen.origins[other].is_seen_through || touches(seen.operations[other], *source->store, true) ||
             touches(seen.operations[other], *seen.operations[number].output()->store, false);
    };
    while (source && place > 0 && !comes_before(order[place - 1])) --place;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), number);
  }
  Rewritten ordered;
  for (const std::size_t number : order) ordered.add(std::move(seen.operations[number]), seen.origins[number]);
  return ordered;
}

bool has_copies(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores) {
  return std::any_of(operations.begin(), operations.end(), [&](const Operation& operation) {
    return copied_view(operation) && stores[place_of(*operation.output())].may_be_gone;
  });
}

}  // namespace

Rewritten read_through(const WindowOperations& window, std::vector<WindowStore>& stores,
                       const machine::Machine& machine) {
  if (!has_copies(window.operations, stores)) return {};
  // Copies of copies first, so that all who read one in the end are cut at the same places.
  Rewritten seen;
  const auto so_far = [&] {
    return seen.operations.empty() ? window : WindowOperations{seen.operations, &seen.origins};
  };
  const auto look = [&](Readers readers) {
    Rewritten further = Finder(so_far(), stores, machine, readers).rewrite();
    const bool found = !further.operations.empty();
    if (found) seen = std::move(further);
    return found;
  };
  for (int round = 0; round < kMaxChain && look(Readers::Copies); ++round) {
  }
  (void)look(Readers::All);
  if (machine.ranks > 1) return begin_with_copies(std::move(seen));
  return seen;
}

}  // namespace pilum::scheduler
