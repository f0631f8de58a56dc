#include "scheduler/analyze/split_folds.h"

#include <algorithm>
#include <utility>

#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/short_folds.h"

namespace pilum::scheduler {
namespace {

// Of the axes beside one another that are folded together the last ones are one row: it is short where the last but one
// is kept.
bool is_split(const Operation& operation) {
  const Reduction* reduction = operation.reduction();
  if (!reduction || reduction->output.store->dtype == DType::Bool) return false;
  const int last = reduction->input.shape.rank() - 1;
  const unsigned row = last < 2 ? 0 : 1U << last, axes = reduction->reduced_axes;
  if (!(axes & row) || axes == row || axes & row >> 1) return false;
  const std::int64_t cells = reduction->input.shape[last];
  return 1 < cells && cells <= kMostInShortRow;
}

// A row's cells lie on one processor.
bool is_kept_whole(const Operation& operation, const std::vector<WindowStore>& stores) {
  const View& input = operation.reduction()->input;
  const int last = input.shape.rank() - 1;
  return distribution_of(pinned(input, last, 0), stores) ==
         distribution_of(pinned(input, last, input.shape[last] - 1), stores);
}

}  // namespace

Rewritten split_folds(const WindowOperations& window, std::vector<WindowStore>& stores,
                      const machine::Machine& /*machine*/) {
  const std::vector<Operation>& operations = window.operations;
  if (std::ranges::none_of(operations, [&](const Operation& one) { return is_split(one); })) return {};
  Rewritten rewritten;
  for (std::size_t number = 0; number < operations.size(); ++number) {
    const Origin origin = window.origin_of(number);
    if (!is_split(operations[number]) || !is_kept_whole(operations[number], stores)) {
      rewritten.add(operations[number], origin);
      continue;
    }
    Operation rows = operations[number], rest = operations[number];
    auto& of_rows = std::get<Reduction>(rows.what);
    auto& of_rest = std::get<Reduction>(rest.what);
    const int last = of_rows.input.shape.rank() - 1;
    const View column = pinned(of_rows.input, last, 0);
    of_rows.reduced_axes = static_cast<std::uint8_t>(1U << last);
    of_rows.output = make_value(*of_rest.output.store, column.shape, distribution_of(column, stores), stores);
    of_rest.reduced_axes &= static_cast<std::uint8_t>(~of_rows.reduced_axes);
    of_rest.input = of_rows.output;
    rewritten.add(std::move(rows), {.number = origin.number, .is_part = true});
    rewritten.add(std::move(rest), origin);
  }
  return rewritten;
}

}  // namespace pilum::scheduler
