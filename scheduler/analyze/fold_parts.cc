#include "scheduler/analyze/fold_parts.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "partitioner/region.h"
#include "scheduler/analyze/beyond.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/repeater.h"
#include "scheduler/analyze/shared_domain.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

// What a sum of its own for each rim costs, with what adds them up.
constexpr double kSecondsOfRims = 20e-6;

bool sums_all(const Operation& operation) {
  const Reduction* reduction = operation.reduction();
  return reduction && reduction->fold == kernel::Fold::Sum && reduction->output.shape.rank() == 0 &&
         reduction->output.store->shape.rank() == 0 && is_shift(reduction->input) &&
         reduction->input.shape.elements() == reduction->input.store->shape.elements();
}

bool is_worth_cutting(const Operation& operation, const machine::Machine& machine) {
  const View& input = operation.reduction()->input;
  const double bytes = static_cast<double>(input.shape.elements()) * static_cast<double>(itemsize(input.store->dtype));
  return bytes > kSecondsOfRims * machine.memory_bandwidth * machine.processors();
}

class FoldCutter {
 public:
  FoldCutter(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine& machine)
      : window_(window),
        operations_(window.operations),
        stores_(stores),
        machine_(machine),
        values_(window.operations, stores),
        shared_(window.operations, machine) {}

  Rewritten rewrite() {
    std::vector<Rewritten> cut(operations_.size());
    std::vector<bool> is_replaced(operations_.size(), false), is_seen_through(operations_.size(), false);
    bool some = false;
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      if (!is_sum_of_parts(operations_[number], machine_)) continue;
      makers_.assign(stores_.size(), -1);
      const std::optional<Rect> shared = find_shared(number);
      if (!shared) continue;
      some = is_replaced[number] = true;
      for (const int maker : makers_) {
        if (maker < 0) continue;
        const Store& made = *operations_[static_cast<std::size_t>(maker)].output()->store;
        (stores_[place_of(made)].is_gone ? is_replaced : is_seen_through)[static_cast<std::size_t>(maker)] = true;
      }
      cut[number] = fold(number, *shared);
    }
    if (!some) return {};
    Rewritten rewritten;
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      rewritten.add(std::move(cut[number]));
      if (is_replaced[number]) continue;
      Origin origin = window_.origin_of(number);
      origin.is_seen_through = origin.is_seen_through || is_seen_through[number];
      rewritten.add(operations_[number], origin);
    }
    return rewritten;
  }

 private:
  // The part of the sum's domain that an array which it is computed from is cut at. makers_ gets what the sum is
  // computed by, of which nobody else reads anything.
  std::optional<Rect> find_shared(std::size_t number) {
    std::optional<Rect> shared;
    std::vector<std::size_t> readers{number};
    for (std::size_t i = 0; i < readers.size(); ++i) {
      for_each_input(operations_[readers[i]], [&](std::size_t, const View& view) {
        if (is_value_of(*view.store, readers)) {
          const auto maker = static_cast<std::size_t>(values_.maker_of(*view.store));
          if (makers_[place_of(*view.store)] < 0) readers.push_back(maker);
          makers_[place_of(*view.store)] = static_cast<int>(maker);
        } else if (!shared) {
          shared = shared_part(view, number);
        }
      });
    }
    if (!is_unchanged(readers) || (shared && *shared == Rect::of(operations_[number].reduction()->input.shape)))
      return {};
    return shared;
  }

  // Made at the sum's points, and read by none but these.
  bool is_value_of(const Store& store, const std::vector<std::size_t>& readers) const {
    const int maker = values_.maker_of(store);
    if (maker < 0 || !values_.is_read_in_place(store)) return false;
    const Operation& operation = operations_[static_cast<std::size_t>(maker)];
    if (!divisible_cells(operation)) return false;
    const std::vector<std::size_t>& own = values_.readers_of(store);
    return std::all_of(own.begin(), own.end(), [&](std::size_t reader) {
      return std::find(readers.begin(), readers.end(), reader) != readers.end();
    });
  }

  std::optional<Rect> shared_part(const View& view, std::size_t before) const {
    const std::vector<std::size_t>& writers = values_.writers_of(*view.store);
    const auto end = std::lower_bound(writers.begin(), writers.end(), before);
    if (end == writers.begin() || !is_shift(view) || goes_beyond(view)) return {};
    for (auto writer = writers.begin(); writer != end; ++writer) {
      const Rect cells = shared_.shared_part(*writer);
      if (cells.rank > 0) return preimage(view.map, cells, Rect::of(view.shape));
    }
    if (const std::optional<Rect> largest = largest_part({writers.begin(), end}))
      return preimage(view.map, *largest, Rect::of(view.shape));
    return {};
  }

  // Of what was one operation, and has been cut already.
  std::optional<Rect> largest_part(std::span<const std::size_t> writers) const {
    std::optional<Rect> largest;
    for (const std::size_t writer : writers) {
      const Origin origin = window_.origin_of(writer);
      const std::optional<Rect> cells = divisible_cells(operations_[writer]);
      if (!cells || !origin.is_part || origin.number != window_.origin_of(writers.front()).number) return {};
      if (!largest || cells->cells() > largest->cells()) largest = cells;
    }
    return largest;
  }

  // What the values are computed from is at the sum what it was for each of them.
  bool is_unchanged(const std::vector<std::size_t>& readers) const {
    return std::ranges::all_of(readers, [&](std::size_t reader) {
      return values_.reads_unchanged(operations_[reader], reader, readers.front());
    });
  }

  // The sum of sums: of the shared part, then of the rims.
  Rewritten fold(std::size_t number, const Rect& shared) {
    const Operation& whole_sum = operations_[number];
    const View& input = whole_sum.reduction()->input;
    const Origin origin{.number = window_.origin_of(number).number, .is_part = true};
    std::vector<Rect> parts{shared};
    for (const Rect& rim : partitioner::subtract(Rect::of(input.shape), shared)) parts.push_back(rim);
    Rewritten folded;
    std::vector<View> sums;
    for (const Rect& part : parts) {
      View cells = input;
      narrow(cells, part);
      if (!sums.empty()) cells = without_single_axes(cells);
      folded.add(sum_of(number, cells, sums.emplace_back(make_sum(whole_sum))));
    }
    View so_far = sums[0];
    for (std::size_t i = 1; i < sums.size(); ++i) {
      const bool is_last = i + 1 == sums.size();
      const View to = is_last ? *whole_sum.output() : make_sum(whole_sum);
      folded.add(addition_of(whole_sum, so_far, sums[i], to), origin);
      so_far = to;
    }
    return folded;
  }

  View make_sum(const Operation& sum) {
    const View& output = *sum.output();
    return make_value(*output.store, output.store->shape, stores_[place_of(*output.store)].tiling, stores_);
  }

  // Of these cells, computed for it, into `output`.
  Rewritten sum_of(std::size_t number, const View& cells, const View& output) {
    const Operation& whole_sum = operations_[number];
    Repeater repeater(window_, makers_, stores_);
    Operation sum = whole_sum;
    auto& reduction = std::get<Reduction>(sum.what);
    reduction.output = output;
    const int maker = makers_[place_of(*cells.store)];
    reduction.input =
        maker < 0 ? cells : repeater.repeat(static_cast<std::size_t>(maker), cells, distribution_of(cells, stores_));
    reduction.reduced_axes = static_cast<std::uint8_t>((1U << cells.shape.rank()) - 1);
    Rewritten summed = repeater.take();
    summed.add(std::move(sum), {.number = window_.origin_of(number).number, .is_part = true});
    return summed;
  }

  const WindowOperations window_;
  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const machine::Machine& machine_;
  const WindowValues values_;
  const SharedDomains shared_;
  std::vector<int> makers_;  // by store: what computes the sum that is looked at
};

}  // namespace

bool is_sum_of_parts(const Operation& operation, const machine::Machine& machine) {
  return sums_all(operation) && is_worth_cutting(operation, machine);
}

View without_single_axes(const View& view) {
  View result = view;
  std::array<std::int8_t, kMaxAxes> to{};
  Shape shape;
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    to[static_cast<std::size_t>(axis)] =
        view.shape[axis] == 1 ? std::int8_t{-1} : static_cast<std::int8_t>(shape.rank());
    if (view.shape[axis] != 1) shape.push_back(view.shape[axis]);
  }
  if (shape.rank() == 0) shape.push_back(1);
  for (int k = 0; k < view.map.store_rank; ++k) {
    auto& axis = result.map[k];
    if (axis.axis < 0) continue;
    axis.axis = to[static_cast<std::size_t>(axis.axis)];
    if (axis.axis < 0) axis.scale = 0;  // its one point is 0
  }
  result.map.view_rank = shape.rank();
  result.shape = shape;
  return result;
}

Operation addition_of(const Operation& sum, const View& first, const View& second, const View& to) {
  Operation addition{sum.name, sum.where, {}};
  auto& elementwise = std::get<Elementwise>(addition.what);
  elementwise.output = to;
  elementwise.op = kernel::Op::Add;
  elementwise.compute = to.store->dtype;
  elementwise.inputs.resize(2);
  elementwise.inputs[0].view = first;
  elementwise.inputs[1].view = second;
  return addition;
}

Rewritten fold_in_parts(const WindowOperations& window, std::vector<WindowStore>& stores,
                        const machine::Machine& machine) {
  const auto may_be_cut = [&](const Operation& operation) { return is_sum_of_parts(operation, machine); };
  if (std::none_of(window.operations.begin(), window.operations.end(), may_be_cut)) return {};
  return FoldCutter(window, stores, machine).rewrite();
}

}  // namespace pilum::scheduler
