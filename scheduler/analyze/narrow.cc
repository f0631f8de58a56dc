#include "scheduler/analyze/narrow.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <ranges>
#include <utility>

#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// It shows each cell once.
bool shows_part(const View& view) {
  if (view.shape.elements() == 0 || view.shape.elements() >= view.store->shape.elements()) return false;
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    if (view.map.store_axis_of(axis) < 0) return false;
  }
  return true;
}

// Of cells or of a number: who reads what it writes may do without it.
bool is_copy(const Operation& operation) {
  if (copied_view(operation)) return true;
  const Elementwise* elementwise = operation.elementwise();
  return elementwise && elementwise->op == kernel::Op::Cast && !elementwise->inputs[0].is_view();
}

class Narrower {
 public:
  Narrower(const WindowOperations& window, std::vector<WindowStore>& stores)
      : window_(window), stores_(stores), values_(window.operations, stores), is_made_here_(stores.size(), false) {
    for (const Operation& operation : window.operations) {
      for_each_view(operation, [&](const View& view, bool writes) {
        if (writes && !is_copy(operation)) is_made_here_[place_of(view)] = true;
      });
    }
  }

  // The last one first, for its part says what is wanted of those before. What cannot be narrowed in the end is left
  // out from the beginning the next time.
  Rewritten rewrite() {
    constexpr int kMostTrials = 8;
    std::vector<bool> may(window_.operations.size(), true);
    const std::size_t known = stores_.size();
    for (int trial = 0; trial < kMostTrials && narrow_all(may); ++trial) {
      bool is_settled = true;
      for (std::size_t number = 0; number < operations_.size(); ++number) {
        if (!is_narrow(number) || has_inputs_in_part(number)) continue;
        may[number] = is_settled = false;
      }
      if (is_settled) return take();
      stores_.resize(known);
    }
    return {};
  }

 private:
  // False: none.
  bool narrow_all(const std::vector<bool>& may) {
    const auto is_wanted_in_part = [&](std::size_t number) {
      return may[number] && wanted_part(window_.operations, number).has_value();
    };
    if (std::ranges::none_of(std::views::iota(std::size_t{0}, may.size()), is_wanted_in_part)) return false;
    operations_ = window_.operations;
    for (std::size_t number = operations_.size(); number-- > 0;) {
      if (!may[number]) continue;
      if (const std::optional<View> part = wanted_part(operations_, number)) narrow(number, *part);
    }
    return true;
  }

  Rewritten take() {
    Rewritten rewritten;
    for (std::size_t number = 0; number < operations_.size(); ++number)
      rewritten.add(std::move(operations_[number]), window_.origin_of(number));
    return rewritten;
  }

  // The one part of what the operation writes that is read; none: all of it is, or several are.
  std::optional<View> wanted_part(const std::vector<Operation>& operations, std::size_t number) const {
    const View* output = operations[number].output();
    if (!output || is_copy(operations[number]) || values_.maker_of(*output->store) != static_cast<int>(number) ||
        !stores_[place_of(*output)].is_gone)
      return {};
    std::optional<View> part;
    for (const std::size_t reader : values_.readers_of(*output->store)) {
      const Operation& operation = operations[reader];
      if (!operation.elementwise() && !operation.reduction()) return {};
      bool is_same = true;
      for_each_input(operation, [&](std::size_t, const View& view) {
        if (view.store != output->store) return;
        is_same = is_same && (!part || (view.map == part->map && view.shape == part->shape));
        part = view;
      });
      if (!is_same) return {};
    }
    return part && shows_part(*part) ? part : std::nullopt;
  }

  void narrow(std::size_t number, const View& part) {
    auto& elementwise = std::get<Elementwise>(operations_[number].what);
    const View old = elementwise.output;
    for_each_input(operations_[number], [&](std::size_t, View& input) { input = through(part, old, input); });
    elementwise.output = make_value(*old.store, part.shape, distribution_of(part, stores_), stores_);
    for (const std::size_t reader : values_.readers_of(*old.store)) {
      for_each_input(operations_[reader], [&](std::size_t, View& view) {
        if (view.store == old.store) view = elementwise.output;
      });
    }
  }

  // A store that narrow() has made.
  bool is_part(const Store& store) const { return place_of(store) >= is_made_here_.size(); }
  bool is_narrow(std::size_t number) const {
    const View* output = operations_[number].output();
    return output && is_part(*output->store);
  }
  // What it reads was there before the window, or is a copy of that, which is read through, or narrow: it is no value
  // that would have to be written for it.
  bool has_inputs_in_part(std::size_t number) const {
    bool are = true;
    for_each_input(operations_[number], [&](std::size_t, const View& view) {
      are = are && (is_part(*view.store) || !is_made_here_[place_of(view)]);
    });
    return are;
  }

  const WindowOperations window_;
  std::vector<WindowStore>& stores_;
  const WindowValues values_;
  std::vector<Operation> operations_;
  std::vector<bool> is_made_here_;  // by store: by an operation that is no copy
};

}  // namespace

Rewritten narrow_values(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine&) {
  return Narrower(window, stores).rewrite();
}

}  // namespace pilum::scheduler
