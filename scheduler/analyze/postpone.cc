#include "scheduler/analyze/postpone.h"

#include <algorithm>
#include <optional>

#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr int kMaxRounds = 4;  // what is postponed may be the last reader of another copy

using Numbers = std::vector<std::size_t>;

struct Move {
  std::size_t number = 0, behind = 0;  // of operations
};

bool is_between(std::size_t number, std::size_t first, std::size_t last) {
  return first < number && number < last;
}

// No operation from `first` to `last`, both left out, is among these.
bool has_none_between(const Numbers& numbers, std::size_t first, std::size_t last) {
  return std::none_of(numbers.begin(), numbers.end(),
                      [=](std::size_t number) { return is_between(number, first, last); });
}

// Between the copy and its last reader, the one operation that writes the source, where it may come after that reader.
std::optional<Move> find_move(const std::vector<Operation>& operations, std::size_t copy, const WindowValues& values) {
  const View* source = copied_view(operations[copy]);
  if (!source || values.maker_of(*operations[copy].output()->store) != static_cast<int>(copy)) return {};
  const Numbers& readers = values.readers_of(*operations[copy].output()->store);
  if (readers.empty()) return {};
  const std::size_t last = readers.back();
  const Numbers& writers = values.writers_of(*source->store);
  const auto is_early = [=](std::size_t writer) { return is_between(writer, copy, last); };
  const auto writer = std::find_if(writers.begin(), writers.end(), is_early);
  if (writer == writers.end() || !operations[*writer].elementwise()) return {};
  if (!has_none_between(writers, *writer, last + 1)) return {};
  if (!has_none_between(values.readers_of(*source->store), *writer, last + 1)) return {};
  bool keeps_inputs = true;
  for_each_input(operations[*writer], [&](std::size_t, const View& input) {
    keeps_inputs = keeps_inputs && has_none_between(values.writers_of(*input.store), *writer, last + 1);
  });
  if (!keeps_inputs) return {};
  return Move{*writer, last};
}

Rewritten move(const WindowOperations& window, const Move& move) {
  Rewritten moved;
  for (std::size_t number = 0; number < window.operations.size(); ++number) {
    if (number != move.number) moved.add(window.operations[number], window.origin_of(number));
    if (number == move.behind) moved.add(window.operations[move.number], window.origin_of(move.number));
  }
  return moved;
}

Rewritten postpone_one(const WindowOperations& window, const std::vector<WindowStore>& stores) {
  const WindowValues values(window.operations, stores);
  for (std::size_t number = 0; number < window.operations.size(); ++number) {
    if (const std::optional<Move> found = find_move(window.operations, number, values)) return move(window, *found);
  }
  return {};
}

// A copy that the pass may see through: it makes an array that had no cells before.
bool copies_into_new(const Operation& operation) {
  return copied_view(operation) && !operation.output()->store->state;
}

}  // namespace

Rewritten postpone_writes(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine&) {
  if (std::none_of(window.operations.begin(), window.operations.end(), copies_into_new)) return {};
  Rewritten postponed = postpone_one(window, stores);
  for (int round = 1; round < kMaxRounds && !postponed.operations.empty(); ++round) {
    Rewritten next = postpone_one({postponed.operations, &postponed.origins}, stores);
    if (next.operations.empty()) break;
    postponed = std::move(next);
  }
  return postponed;
}

}  // namespace pilum::scheduler
