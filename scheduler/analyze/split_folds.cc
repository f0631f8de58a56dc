#include "scheduler/analyze/split_folds.h"

#include <algorithm>
#include <span>
#include <utility>

#include "scheduler/analyze/parts.h"

namespace pilum::scheduler {
namespace {

// Of the axes beside one another that are folded together the last ones are one row: it is short where the last but one
// is kept.
bool is_split(const Operation& operation, const machine::Machine& machine) {
  const Reduction* reduction = operation.reduction();
  if (!reduction || reduction->output.store->dtype == DType::Bool) return false;
  const int last = reduction->input.shape.rank() - 1;
  const unsigned row = last < 2 ? 0 : 1U << last, axes = reduction->reduced_axes;
  if (!(axes & row) || axes == row || axes & row >> 1) return false;
  const std::int64_t cells = reduction->input.shape[last];
  return 1 < cells && cells <= most_in_short_row(machine);
}

// A column of it.
View column_of(const View& view, std::int64_t place) {
  View column = view;
  const int last = view.shape.rank() - 1;
  for (int k = 0; k < view.map.store_rank; ++k) {
    auto& axis = column.map[k];
    if (axis.axis == last) axis = {-1, 0, axis.offset + axis.scale * place};
  }
  --column.map.view_rank;
  column.shape = Shape(std::span(view.shape.begin(), static_cast<std::size_t>(last)));
  return column;
}

// How a column's points are cut.
partitioner::Tiling cut_of(const View& column, const std::vector<WindowStore>& stores) {
  const partitioner::Tiling& tiling = stores[static_cast<std::size_t>(column.store->window_index)].tiling;
  return tiling.pull_back(column.map, Rect::of(column.shape));
}

// A row's cells lie on one processor.
bool is_kept_whole(const Operation& operation, const std::vector<WindowStore>& stores) {
  const View& input = operation.reduction()->input;
  const std::int64_t cells = input.shape[input.shape.rank() - 1];
  return cut_of(column_of(input, 0), stores) == cut_of(column_of(input, cells - 1), stores);
}

}  // namespace

std::int64_t most_in_short_row(const machine::Machine& machine) {
  // Up to 16 the order is the same for each number of lanes, and 16 fill vectors: these are folded as fast. GPUs'
  // threads read across a row.
  constexpr std::int64_t kMost = 15, kMostOnGpu = 4;
  return machine.kind == machine::ProcessorKind::Gpu ? kMostOnGpu : kMost;
}

Rewritten split_folds(const WindowOperations& window, std::vector<WindowStore>& stores,
                      const machine::Machine& machine) {
  const std::vector<Operation>& operations = window.operations;
  if (std::ranges::none_of(operations, [&](const Operation& one) { return is_split(one, machine); })) return {};
  Rewritten rewritten;
  for (std::size_t number = 0; number < operations.size(); ++number) {
    const Origin origin = window.origin_of(number);
    if (!is_split(operations[number], machine) || !is_kept_whole(operations[number], stores)) {
      rewritten.add(operations[number], origin);
      continue;
    }
    Operation rows = operations[number], rest = operations[number];
    auto& of_rows = std::get<Reduction>(rows.what);
    auto& of_rest = std::get<Reduction>(rest.what);
    const View column = column_of(of_rows.input, 0);
    of_rows.reduced_axes = static_cast<std::uint8_t>(1U << column.shape.rank());
    of_rows.output = make_value(*of_rest.output.store, column.shape, cut_of(column, stores), stores);
    of_rest.reduced_axes &= static_cast<std::uint8_t>(~of_rows.reduced_axes);
    of_rest.input = of_rows.output;
    rewritten.add(std::move(rows), {.number = origin.number, .is_part = true});
    rewritten.add(std::move(rest), origin);
  }
  return rewritten;
}

}  // namespace pilum::scheduler
