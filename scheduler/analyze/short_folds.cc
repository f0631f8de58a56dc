#include "scheduler/analyze/short_folds.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "runtime/kernel/ir/op_facts.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/repeater.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// What is taken apart into its cells along an axis. Whether it is follows from the extents alone, for the bits of sums
// do: but those of a row stay as they were.
struct ShortFold {
  enum class Kind : std::uint8_t {
    Row,      // the last axis is folded
    Rows,     // the last two axes are
    Columns,  // others are
    Few,      // all but the last one: each of its cells is a fold of its own, along the other axes
  };
  Kind kind;
  int axis;              // the only one, or the last one
  std::int64_t cells;    // along it, or them
  unsigned columns = 0;  // of Columns: bit a: axis a is folded
};

constexpr std::int64_t kMost = 4;
constexpr std::int64_t kMostInColumns = 16;
constexpr std::int64_t kLeastRows = 64;  // that are folded into few cells, for a fold of each

std::optional<ShortFold> short_fold(const Operation& operation, const machine::Machine& machine) {
  using Kind = ShortFold::Kind;
  const bool is_gpu = machine.kind == machine::ProcessorKind::Gpu;
  const Reduction* reduction = operation.reduction();
  if (!reduction || reduction->output.store->dtype == DType::Bool) return {};
  const Shape& shape = reduction->input.shape;
  const int last = shape.rank() - 1, axis = std::countr_zero(reduction->reduced_axes);
  const std::int64_t cells = shape.elements();
  if (std::popcount(reduction->reduced_axes) == 1) {
    const std::int64_t folded = shape[axis];
    // Of a single row the few cells are folded at once.
    if (axis == last && 1 <= folded && folded <= kMostInShortRow && cells > folded)
      return ShortFold{Kind::Row, axis, folded};
  }
  if (reduction->reduced_axes != 0 && !(reduction->reduced_axes >> last & 1)) {
    std::int64_t folded = 1;
    for (int k = 0; k < last; ++k) folded *= reduction->reduced_axes >> k & 1 ? shape[k] : 1;
    if (1 <= folded && folded <= kMostInColumns && cells > folded)
      return ShortFold{Kind::Columns, axis, folded, reduction->reduced_axes};
  }
  if (last > 1 && reduction->reduced_axes == 3U << (last - 1)) {
    const std::int64_t rows = shape[last - 1], columns = shape[last], folded = rows * columns;
    // A GPU's threads read side by side: what lies between their cells is to stay in the first cache.
    constexpr std::int64_t kMostOnGpu = 9;
    if (1 <= rows && rows <= kMost && 1 < columns && columns <= kMost && cells > folded &&
        (!is_gpu || folded <= kMostOnGpu))
      return ShortFold{Kind::Rows, last, folded};
  }
  if (is_gpu || last < 1 || reduction->reduced_axes != (1U << last) - 1) return {};
  if (shape[last] < 1 || shape[last] > kMost || cells < kLeastRows * shape[last]) return {};
  return ShortFold{Kind::Few, last, shape[last]};
}

// Of what is folded, the place-th cell of each.
View cell_of(const View& view, const ShortFold& fold, std::int64_t place) {
  if (fold.kind == ShortFold::Kind::Columns) {
    View cell = view;
    for (int axis = view.shape.rank() - 1; axis >= 0; --axis) {  // row-major
      if (!(fold.columns >> axis & 1)) continue;
      cell = pinned(cell, axis, place % view.shape[axis]);
      place /= view.shape[axis];
    }
    return cell;
  }
  if (fold.kind != ShortFold::Kind::Rows) return pinned(view, fold.axis, place);
  const std::int64_t columns = view.shape[fold.axis];
  return pinned(pinned(view, fold.axis, place % columns), fold.axis - 1, place / columns);
}

class FoldUnroller {
 public:
  FoldUnroller(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine& machine)
      : window_(window),
        operations_(window.operations),
        stores_(stores),
        machine_(machine),
        values_(window.operations, stores),
        makers_(stores.size(), -1),
        folds_(window.operations.size()),
        is_repeated_(window.operations.size(), false) {}

  Rewritten rewrite() {
    find_folds();
    find_values();
    Rewritten rewritten;
    Repeater repeater(window_, makers_, stores_);
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      Origin origin = window_.origin_of(number);
      if (folds_[number]) {
        unroll(number, repeater, rewritten);
      } else if (!is_repeated_[number] || !stores_[place_of(*operations_[number].output())].is_gone) {
        origin.is_seen_through = origin.is_seen_through || is_repeated_[number];
        rewritten.add(operations_[number], origin);
      }
    }
    return rewritten;
  }

 private:
  void find_folds() {
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      folds_[number] = short_fold(operations_[number], machine_);
      if (is_row(number) && !is_kept_whole(number)) folds_[number].reset();
    }
  }

  bool is_row(std::size_t number) const {
    using Kind = ShortFold::Kind;
    return folds_[number] && (folds_[number]->kind == Kind::Row || folds_[number]->kind == Kind::Rows);
  }
  // The row's cells lie on one processor.
  bool is_kept_whole(std::size_t number) const {
    const View& input = operations_[number].reduction()->input;
    const ShortFold& fold = *folds_[number];
    return distribution_of(cell_of(input, fold, 0), stores_) ==
           distribution_of(cell_of(input, fold, fold.cells - 1), stores_);
  }

  // What is read by unrolled folds alone, and by what these are computed from, is computed with them.
  void find_values() {
    std::vector<std::size_t> last(operations_.size());  // by operation: the fold that wants it last
    for (std::size_t number = operations_.size(); number-- > 0;) {
      last[number] = number;
      const View* output = operations_[number].output();
      if (!output || values_.maker_of(*output->store) != static_cast<int>(number)) continue;
      const std::vector<std::size_t>& readers = values_.readers_of(*output->store);
      const bool is_theirs = !readers.empty() && std::ranges::all_of(readers, [&](std::size_t reader) {
        last[number] = std::max(last[number], last[reader]);
        return folds_[reader].has_value() || is_repeated_[reader];
      });
      if (!is_theirs || !values_.is_read_in_place(*output->store) ||
          !values_.reads_unchanged(operations_[number], number, last[number]))
        continue;
      is_repeated_[number] = true;
      makers_[place_of(*output)] = static_cast<int>(number);
    }
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      if (folds_[number] && repeated_by(number) > kMostRepeated) leave(number);
    }
  }

  std::size_t repeated_by(std::size_t number) const {
    std::vector<std::size_t> chain;
    add_makers(number, chain);
    const auto cells = static_cast<std::size_t>(folds_[number]->cells);
    return (chain.size() + 1) * cells;
  }
  void add_makers(std::size_t number, std::vector<std::size_t>& chain) const {
    for_each_input(operations_[number], [&](std::size_t, const View& view) {
      if (makers_[place_of(view)] < 0) return;
      const auto maker = static_cast<std::size_t>(makers_[place_of(view)]);
      if (std::ranges::find(chain, maker) != chain.end()) return;
      chain.push_back(maker);
      add_makers(maker, chain);
    });
  }

  // What it reads is written, and a row stays as it is.
  void leave(std::size_t number) {
    if (is_row(number)) folds_[number].reset();
    std::vector<std::size_t> chain;
    add_makers(number, chain);
    for (const std::size_t maker : chain) {
      is_repeated_[maker] = false;
      makers_[place_of(*operations_[maker].output())] = -1;
    }
  }

  void unroll(std::size_t number, Repeater& repeater, Rewritten& rewritten) {
    const Reduction& reduction = *operations_[number].reduction();
    const ShortFold& fold = *folds_[number];
    std::vector<View> cells;
    for (std::int64_t place = 0; place < fold.cells; ++place) {
      const View cell = cell_of(reduction.input, fold, place);
      const int maker = makers_[place_of(cell)];
      const partitioner::Tiling cut = fold.kind == ShortFold::Kind::Few ? distribution_of(cell, stores_)
                                                                        : distribution_of(reduction.output, stores_);
      cells.push_back(maker < 0 ? cell : repeater.repeat(static_cast<std::size_t>(maker), cell, cut));
    }
    rewritten.add(repeater.take());
    switch (fold.kind) {
      case ShortFold::Kind::Row: return fold_row(number, std::move(cells), rewritten);
      case ShortFold::Kind::Rows: return fold_rows(number, cells, rewritten);
      case ShortFold::Kind::Columns: return fold_columns(number, cells, rewritten);
      case ShortFold::Kind::Few: return fold_each(number, cells, rewritten);
    }
  }

  // By halves, as lanes of a vector are folded whose others hold what the fold starts from.
  void fold_row(std::size_t number, std::vector<View> cells, Rewritten& rewritten) {
    for (std::size_t half = std::bit_ceil(cells.size()) / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i + half < cells.size() && i < half; ++i)
        cells[i] = folded(number, cells[i], cells[i + half], rewritten);
      cells.resize(std::min(cells.size(), half));
    }
    finish(number, cells[0], rewritten);
  }

  // Each row is a vector, and up to four of them are partial folds of their own: ((a, b), (c, d)), the last ones of
  // four.
  void fold_rows(std::size_t number, const std::vector<View>& cells, Rewritten& rewritten) {
    const Shape& shape = operations_[number].reduction()->input.shape;
    const auto columns = static_cast<std::size_t>(shape[shape.rank() - 1]), rows = cells.size() / columns;
    std::vector<View> row;
    for (std::size_t column = 0; column < columns; ++column) {
      const auto cell = [&](std::size_t k) { return cells[k * columns + column]; };
      View before = cell(0), last = cell(rows - 1);
      if (rows == 4) before = folded(number, before, cell(1), rewritten);
      if (rows > 2) last = folded(number, cell(rows - 2), last, rewritten);
      row.push_back(rows == 1 ? before : folded(number, before, last, rewritten));
    }
    fold_row(number, std::move(row), rewritten);
  }

  // One after the other, as rows are folded into a row.
  void fold_columns(std::size_t number, const std::vector<View>& cells, Rewritten& rewritten) {
    View so_far = cells[0];
    for (std::size_t i = 1; i < cells.size(); ++i) so_far = folded(number, so_far, cells[i], rewritten);
    finish(number, so_far, rewritten);
  }

  void fold_each(std::size_t number, const std::vector<View>& cells, Rewritten& rewritten) {
    const Operation& operation = operations_[number];
    const View& output = *operation.output();
    const Origin origin{.number = window_.origin_of(number).number, .is_part = true};
    std::vector<View> sums;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const View to = pinned(output, output.shape.rank() - 1, static_cast<std::int64_t>(k));
      sums.push_back(make_value(*output.store, to.shape, distribution_of(to, stores_), stores_));
      Operation one = operation;
      auto& fold = std::get<Reduction>(one.what);
      fold.input = cells[k];
      fold.output = sums.back();
      rewritten.add(std::move(one), origin);
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      Operation copy{operation.name, operation.where, Elementwise{}};
      auto& elementwise = std::get<Elementwise>(copy.what);
      elementwise.output = pinned(output, output.shape.rank() - 1, static_cast<std::int64_t>(k));
      elementwise.compute = output.store->dtype;
      elementwise.inputs.resize(1);
      elementwise.inputs[0].view = sums[k];
      rewritten.add(std::move(copy), origin);
    }
  }

  // A sum starts from 0.0, so that one of -0.0 alone is 0.0.
  void finish(std::size_t number, const View& folded, Rewritten& rewritten) {
    const Reduction& fold = *operations_[number].reduction();
    Operation last{operations_[number].name, operations_[number].where, Elementwise{}};
    auto& elementwise = std::get<Elementwise>(last.what);
    elementwise.output = fold.output;
    elementwise.compute = fold.output.store->dtype;
    const bool starts = fold.fold == kernel::Fold::Sum && is_floating(elementwise.compute);
    elementwise.op = starts ? kernel::Op::Add : kernel::Op::Cast;
    elementwise.inputs.resize(starts ? 2 : 1);
    elementwise.inputs[0].view = folded;
    if (starts) {
      elementwise.inputs[1].scalar = Scalar::of(0.0);
      elementwise.inputs[1].name = Operand::kConstant;
    }
    rewritten.add(std::move(last), {.number = window_.origin_of(number).number});
  }

  // A value of the fold's points.
  View folded(std::size_t number, const View& one, const View& other, Rewritten& rewritten) {
    const Reduction& fold = *operations_[number].reduction();
    const View to = make_value(*fold.output.store, fold.output.shape, distribution_of(fold.output, stores_), stores_);
    Operation operation{operations_[number].name, operations_[number].where, Elementwise{}};
    auto& elementwise = std::get<Elementwise>(operation.what);
    elementwise.output = to;
    elementwise.op = kernel::fold_op(fold.fold);
    elementwise.compute = to.store->dtype;
    elementwise.inputs.resize(2);
    elementwise.inputs[0].view = one;
    elementwise.inputs[1].view = other;
    rewritten.add(std::move(operation),
                  {.number = window_.origin_of(number).number, .is_part = true, .is_repeated = true});
    return to;
  }

  const WindowOperations window_;
  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const machine::Machine& machine_;
  const WindowValues values_;
  std::vector<int> makers_;                      // by store: of values that are computed with the folds
  std::vector<std::optional<ShortFold>> folds_;  // by operation: those that become operations
  std::vector<bool> is_repeated_;                // by operation: computed with the folds
};

}  // namespace

Rewritten unroll_short_folds(const WindowOperations& window, std::vector<WindowStore>& stores,
                             const machine::Machine& machine) {
  const auto is_short = [&machine](const Operation& operation) { return short_fold(operation, machine).has_value(); };
  if (std::ranges::none_of(window.operations, is_short)) return {};
  return FoldUnroller(window, stores, machine).rewrite();
}

}  // namespace pilum::scheduler
