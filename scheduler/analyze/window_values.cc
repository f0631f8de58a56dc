#include "scheduler/analyze/window_values.h"

#include <algorithm>

#include "scheduler/analyze/parts.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// Parts of one operation, which together are all of it, or that one.
bool are_of_one(const WindowOperations& window, const std::vector<std::size_t>& writers) {
  if (writers.size() == 1) return true;
  if (writers.empty() || !window.origins) return false;
  const auto origin_of = [&window](std::size_t number) -> const Origin& { return (*window.origins)[number]; };
  return std::ranges::all_of(writers, [&](std::size_t writer) {
    return origin_of(writer).right && origin_of(writer).number == origin_of(writers[0]).number;
  });
}

std::int64_t cells_of(const std::vector<Operation>& operations, const std::vector<std::size_t>& writers) {
  std::int64_t cells = 0;
  for (const std::size_t writer : writers) cells += operations[writer].output()->shape.elements();
  return cells;
}

}  // namespace

WindowValues::WindowValues(const WindowOperations& window, const std::vector<WindowStore>& stores)
    : uses_(stores.size()) {
  const std::vector<Operation>& operations = window.operations;
  for (std::size_t number = 0; number < operations.size(); ++number) {
    for_each_view(operations[number], [&](const View& view, bool write) {
      Use& use = uses_[place_of(view)];
      std::vector<std::size_t>& numbers = write ? use.writers : use.readers;
      if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
    });
  }
  for (std::size_t place = 0; place < uses_.size(); ++place) {
    Use& use = uses_[place];
    const WindowStore& store = stores[place];
    if (!are_of_one(window, use.writers) || store.store->state || !store.may_be_gone) continue;
    // What is read before it is written is no value of this window, however it looks: a loop's body is looked at alone.
    if (!use.readers.empty() && use.readers.front() <= use.writers.back()) continue;
    const Operation& maker = operations[use.writers[0]];
    const View* output = maker.output();
    if (!output || !divisible_cells(maker) || cells_of(operations, use.writers) != output->store->shape.elements())
      continue;
    use.first = static_cast<int>(use.writers[0]);
    for (std::size_t i = 0; i < use.writers.size() && use.writers.size() > 1; ++i)
      use.right.push_back(*(*window.origins)[use.writers[i]].right);
    const Rect all = Rect::of(output->store->shape);
    const auto is_all = [&all](const Rect& right) { return right == all; };
    if (std::ranges::all_of(use.right, is_all)) use.maker = use.first;
    const auto is_made_so = [&](const View& view) {
      return std::ranges::any_of(use.writers, [&](std::size_t writer) {
        const View& made = *operations[writer].output();
        return view.map == made.map && view.shape == made.shape;
      });
    };
    for (const std::size_t reader : use.readers) {
      for_each_view(operations[reader], [&](const View& view, bool) {
        if (view.store == output->store) use.is_read_in_place = use.is_read_in_place && is_made_so(view);
      });
    }
  }
}

const WindowValues::Use& WindowValues::use_of(const Store& store) const {
  return uses_[place_of(store)];
}

bool WindowValues::reads_unchanged(const Operation& operation, std::size_t after, std::size_t before) const {
  bool is_unchanged = true;
  for_each_input(operation, [&](std::size_t, const View& view) {
    if (place_of(view) >= uses_.size()) return;
    is_unchanged = is_unchanged && std::ranges::none_of(writers_of(*view.store), [&](std::size_t writer) {
                     return after < writer && writer < before;
                   });
  });
  return is_unchanged;
}

int WindowValues::maker_of(const Store& store) const {
  return use_of(store).maker;
}

int WindowValues::maker_of(const View& view) const {
  const Use& use = use_of(*view.store);
  if (use.right.empty()) return use.first;
  const Rect cells = image(view.map, Rect::of(view.shape));
  const auto found = std::ranges::find_if(use.right, [&](const Rect& right) { return right.contains(cells); });
  return found == use.right.end() ? -1
                                  : static_cast<int>(use.writers[static_cast<std::size_t>(found - use.right.begin())]);
}

}  // namespace pilum::scheduler
