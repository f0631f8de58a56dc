#include "scheduler/analyze/recompute.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "scheduler/analyze/arithmetic_cost.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/repeater.h"
#include "scheduler/analyze/stages.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kTimesRims = 8;  // as many points as rims has what a value is computed again for
constexpr std::size_t kFewPlaces = 3;
// Arithmetic for a later stage, whose kernel is large already, costs more: slopes of finite volumes that were computed
// again with the fluxes took two cores 140 ms a step (2048 x 2048) in place of 98.
constexpr double kPriceLater = 1.5;
constexpr std::size_t kMostInWindow = 4096;  // operations that are added to one

// All cells are alike: most such arrays are there to be written.
bool has_no_input(const Operation& operation) {
  bool has_none = true;
  for_each_input(operation, [&](std::size_t, const View&) { has_none = false; });
  return has_none;
}

class Recomputer {
 public:
  Recomputer(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine& machine)
      : window_(window),
        operations_(window.operations),
        stores_(stores),
        machine_(machine),
        values_(window, stores),
        near_(stores.size(), -1),
        far_(stores.size(), -1),
        is_late_(stores.size(), false),
        is_repeated_(stores.size(), false),
        is_far_(stores.size(), false) {}

  Rewritten rewrite() {
    if (!choose()) return {};
    Rewritten rewritten;
    Repeater near(window_, near_, stores_, &values_), far(window_, far_, stores_, &values_);
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      Operation operation = operations_[number];
      for_each_input(operation, [&](std::size_t, View& view) {
        const auto place = place_of(view);
        if (place >= is_repeated_.size() || !is_repeated_[place]) return;
        if (is_late_[place] && stages_.latest[number] == stages_.latest[static_cast<std::size_t>(near_[place])]) return;
        Repeater& repeater = is_far_[place] ? far : near;
        view = repeater.repeat(static_cast<std::size_t>(values_.maker_of(view)), view,
                               distribution_of(*operations_[number].output(), stores_));
      });
      rewritten.add(near.take());
      rewritten.add(far.take());
      Origin origin = window_.origin_of(number);
      const View* output = operation.output();
      origin.is_seen_through =
          origin.is_seen_through || (output && is_repeated_[place_of(*output)] && !is_late_[place_of(*output)]);
      rewritten.add(std::move(operation), origin);
    }
    drop_unread(rewritten);
    return rewritten;
  }

 private:
  // Which arrays are in memory whatever is computed again: numbers, those that were there before, or stay, or that
  // others than operations of cells make or read; and those that are read at other points than where they are made, or
  // in another stage.
  void find_what_is_in_memory() {
    in_memory_.resize(stores_.size());
    stages_ = find_stages(operations_, stores_);
    for (std::size_t place = 0; place < stores_.size(); ++place) {
      const Store& store = *stores_[place].store;
      in_memory_[place] = store.state || store.shape.rank() == 0 || values_.writers_of(store).empty() ||
                          !stores_[place].may_be_gone || stages_.read_beside[place];
    }
    for (const Operation& operation : operations_) {
      if (!operation.elementwise())
        for_each_view(operation, [&](const View& view, bool) { in_memory_[place_of(view)] = true; });
    }
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      const View* output = operations_[number].output();
      if (!output || in_memory_[place_of(*output)]) continue;
      in_memory_[place_of(*output)] = is_late_[place_of(*output)] =
          std::ranges::any_of(values_.readers_of(*output->store),
                              [&](std::size_t reader) { return stages_.latest[reader] > stages_.latest[number]; });
    }
  }

  // Nothing goes to memory for it that would stay in registers.
  bool is_made_of_what_there_is(std::size_t number, const std::vector<int>& makers) const {
    bool is_there = true;
    for (const std::size_t writer : values_.writers_of(*operations_[number].output()->store)) {
      for_each_input(operations_[writer], [&](std::size_t, const View& view) {
        const std::size_t place = place_of(view);
        is_there = is_there && (place >= makers.size() || makers[place] >= 0 || in_memory_[place]);
      });
    }
    return is_there;
  }

  // True where some value is to be computed again: from what is in memory, for a later stage say, or else from what
  // that is computed from.
  bool choose() {
    find_what_is_in_memory();
    bool some = false;
    for (std::size_t number = 0; number < operations_.size(); ++number) {
      const View* output = operations_[number].output();
      if (!output) continue;
      const int maker = values_.first_maker_of(*output->store);
      if (maker < 0 || values_.writers_of(*output->store).back() != number) continue;  // the parts' last one
      if (has_no_input(operations_[number]) && !window_.origin_of(number).is_repeated) continue;
      const std::size_t place = place_of(*output);
      const bool is_near = values_.maker_of(*output->store) == maker && is_made_of_what_there_is(number, near_);
      const bool is_far = is_made_of_what_there_is(number, far_);
      is_late_[place] = is_late_[place] && is_near && is_cheap_later(number);
      if (is_late_[place]) {
        in_memory_[place] = false;
        near_[place] = far_[place] = maker;
        is_repeated_[place] = some = true;
      } else if (values_.is_read_in_place(*output->store)) {
        if (is_near && !in_memory_[place]) near_[place] = maker;
        if (is_far) far_[place] = maker;
      } else if (is_near && is_worth_repeating(number, near_)) {
        near_[place] = far_[place] = maker;
        is_repeated_[place] = some = true;
      } else if (is_far && is_worth_repeating(number, far_)) {
        far_[place] = maker;
        is_repeated_[place] = is_far_[place] = some = true;
      }
    }
    return some;
  }

  // The views that the value's readers have of it, each once, the largest first; none: there is a reader that cannot do
  // with others, or the value is wanted over several domains of which none has nearly all points. (Those of rolls are
  // cut where the pieces meet.)
  std::vector<View> asked_views(const Store& store) const {
    std::vector<View> asked;
    for (const std::size_t reader : values_.readers_of(store)) {
      const Operation& operation = operations_[reader];
      if (!operation.elementwise() || operation.elementwise()->op == kernel::Op::Index) return {};
      bool can_ask = true;
      for_each_input(operation, [&](std::size_t, const View& view) {
        if (view.store.get() != &store) return;
        can_ask = can_ask && is_shift(view) && values_.maker_of(view) >= 0;
        const auto is_same = [&view](const View& other) { return other.map == view.map && other.shape == view.shape; };
        if (std::none_of(asked.begin(), asked.end(), is_same)) asked.push_back(view);
      });
      if (!can_ask) return {};
    }
    const auto cells = [](const View& view) { return view.shape.elements(); };
    std::ranges::stable_sort(asked, std::ranges::greater(), cells);
    std::int64_t of_main = 0, of_others = 0;
    for (const View& view : asked) (view.shape == asked[0].shape ? of_main : of_others) += cells(view);
    if (of_others * kTimesRims > of_main || !are_cut_alike(store, asked)) return {};
    return asked;
  }
  // Those who read the largest of what is asked for.
  bool are_cut_alike(const Store& store, const std::vector<View>& asked) const {
    std::optional<partitioner::Tiling> distribution;
    for (const std::size_t reader : values_.readers_of(store)) {
      const View& output = *operations_[reader].output();
      if (!(output.shape == asked[0].shape)) continue;
      const partitioner::Tiling own = distribution_of(output, stores_);
      if (distribution && !(*distribution == own)) return false;
      distribution = own;
    }
    return true;
  }

  bool is_worth_repeating(std::size_t number, const std::vector<int>& makers) {
    const Store& store = *operations_[number].output()->store;
    std::vector<View> asked = asked_views(store);
    if (asked.empty()) return false;
    const std::size_t views = asked.size(), known = stores_.size();
    const auto others =
        std::ranges::stable_partition(asked, [main = asked[0].shape](const View& view) { return view.shape == main; });
    const std::vector<View> rims(others.begin(), others.end());
    asked.erase(others.begin(), others.end());
    const std::size_t last = values_.readers_of(store).back();
    const partitioner::Tiling distribution = distribution_of(*operations_[last].output(), stores_);
    bool is_worth = false;
    {
      Repeater trial(window_, makers, stores_, &values_);
      for (const View& view : asked)
        (void)trial.repeat(static_cast<std::size_t>(values_.maker_of(view)), view, distribution);
      const double once = cost_of(trial.operations(), machine_) / static_cast<double>(asked.size());
      const std::size_t more = trial.operations().size() * views / asked.size();
      is_worth = trial.operations().size() <= kMostRepeated && is_unchanged(trial, last) &&
                 once * static_cast<double>(asked.size() - 1) <= 2 * gain_of_cell(machine_) &&
                 repeated_ + more <= kMostInWindow && !trial.has_failed();
      for (const View& view : is_worth ? rims : std::vector<View>())
        (void)trial.repeat(static_cast<std::size_t>(values_.maker_of(view)), view, distribution);
      is_worth = is_worth && !trial.has_failed() && is_unchanged(trial, last);
      if (is_worth) repeated_ += more;
      stores_.resize(known);
    }
    return is_worth;
  }

  // At how many points of what is computed from a value, and from that, it would be computed: those at which something
  // of it is read first beside where it is made, or where it is made.
  std::size_t places_of(const Store& store, const std::vector<std::size_t>& readers) const {
    std::vector<const partitioner::AffineMap*> maps;
    std::vector<bool> seen(stores_.size(), false);
    std::vector<std::pair<const Store*, std::size_t>> next;
    for (const std::size_t reader : readers) next.emplace_back(&store, reader);
    while (!next.empty()) {
      const auto [read, reader] = next.back();
      next.pop_back();
      const View& made = *operations_[static_cast<std::size_t>(values_.first_maker_of(*read))].output();
      const View* output = operations_[reader].output();
      const bool is_value = output && values_.first_maker_of(*output->store) >= 0;
      for_each_input(operations_[reader], [&](std::size_t, const View& view) {
        if (view.store.get() != read) return;
        if (view.map == made.map && is_value) {
          if (seen[place_of(*output)]) return;
          seen[place_of(*output)] = true;
          for (const std::size_t further : values_.readers_of(*output->store))
            next.emplace_back(output->store.get(), further);
        } else if (const auto is_same = [&view](const auto* map) { return *map == view.map; };
                   std::ranges::none_of(maps, is_same)) {
          maps.push_back(&view.map);
        }
      });
    }
    return std::max<std::size_t>(maps.size(), 1);
  }

  // `slope = f(slice(2, {})) - f(slice(0, -2))`, read where it is made and by a later stage at the same points: to
  // compute it once more there is cheaper than to write it and to read it, and what it is computed from with it.
  bool is_cheap_later(std::size_t number) {
    const View& output = *operations_[number].output();
    const int own = stages_.latest[number];
    int later = own;
    std::vector<std::size_t> late;
    for (const std::size_t reader : values_.readers_of(*output.store)) {
      const int stage = stages_.latest[reader];
      if (stage == own) continue;
      if (!operations_[reader].elementwise() || (later != own && stage != later)) return false;
      later = stage;
      late.push_back(reader);
    }
    if (late.empty() || values_.maker_of(*output.store) != static_cast<int>(number) ||
        !are_cut_alike(*output.store, {output}))
      return false;
    const std::size_t places = places_of(*output.store, values_.readers_of(*output.store));
    if (places > kFewPlaces) return false;
    const std::size_t known = stores_.size();
    Repeater trial(window_, near_, stores_, &values_);
    (void)trial.repeat(number, output, distribution_of(*operations_[late.back()].output(), stores_));
    double arrays = 2;  // that are not moved
    std::vector<const Store*> leaves;
    for (const Operation& operation : trial.operations()) {
      for_each_input(operation, [&](std::size_t, const View& view) {
        const Store* store = view.store.get();
        if (place_of(*store) >= known || store->shape.rank() == 0 || std::ranges::find(leaves, store) != leaves.end())
          return;
        leaves.push_back(store);
        const auto reads_it = [&](std::size_t reader) { return stages_.latest[reader] == later; };
        arrays -= std::ranges::none_of(values_.readers_of(*store), reads_it);
      });
    }
    const bool is_cheap = trial.operations().size() <= kMostRepeated && is_unchanged(trial, late.back()) &&
                          kPriceLater * static_cast<double>(places) * cost_of(trial.operations(), machine_) <=
                              arrays * gain_of_cell(machine_) &&
                          repeated_ + trial.operations().size() <= kMostInWindow && !trial.has_failed();
    if (is_cheap) repeated_ += trial.operations().size();
    stores_.resize(known);
    return is_cheap;
  }

  // Nobody writes what the values are computed from, between their operations and the last reader.
  bool is_unchanged(const Repeater& repeater, std::size_t last) const {
    for (std::size_t i = 0; i < repeater.operations().size(); ++i) {
      if (!values_.reads_unchanged(repeater.operations()[i], repeater.numbers()[i], last)) return false;
    }
    return true;
  }

  // One that may be computed again, or that was made for that; and that nobody holds.
  bool may_be_dropped(std::size_t place) const {
    return (place >= far_.size() || near_[place] >= 0 || far_[place] >= 0) && stores_[place].is_gone;
  }

  void drop_unread(Rewritten& rewritten) const {
    std::vector<bool> is_read(stores_.size(), false);
    std::vector<bool> stays(rewritten.operations.size(), true);
    for (std::size_t i = rewritten.operations.size(); i-- > 0;) {
      const Operation& operation = rewritten.operations[i];
      const View* output = operation.output();
      if (const std::size_t place = output ? place_of(*output) : 0; output && may_be_dropped(place))
        stays[i] = is_read[place];
      if (!stays[i]) continue;
      for_each_view(operation, [&](const View& view, bool write) {
        if (!write) is_read[place_of(view)] = true;
      });
    }
    Rewritten left;
    for (std::size_t i = 0; i < stays.size(); ++i) {
      if (stays[i]) left.add(std::move(rewritten.operations[i]), rewritten.origins[i]);
    }
    rewritten = std::move(left);
  }

  const WindowOperations window_;
  const std::vector<Operation>& operations_;
  std::vector<WindowStore>& stores_;
  const machine::Machine& machine_;
  const WindowValues values_;
  // By store: of values that are computed again with those who are computed from them, and of those that are, too,
  // where parts of a value are computed in several ways and where it is in memory.
  std::vector<int> near_, far_;
  Stages stages_;
  std::vector<bool> is_late_;      // by store: read by a later stage than its own
  std::vector<bool> is_repeated_;  // by store: for readers at other points, or of a later stage
  std::vector<bool> is_far_;       // of those: from what far_ says
  std::vector<bool> in_memory_;    // by store
  std::size_t repeated_ = 0;       // operations for them
};

// Someone reads at other points than it was made what has no memory yet.
bool is_read_beside(const std::vector<Operation>& operations, const std::vector<WindowStore>& stores) {
  std::vector<const View*> made(stores.size());  // by store
  for (const Operation& operation : operations) {
    bool is_beside = false;
    for_each_input(operation, [&](std::size_t, const View& view) {
      const View* maker = made[place_of(view)];
      is_beside = is_beside || (maker && !(view.map == maker->map && view.shape == maker->shape));
    });
    if (is_beside) return true;
    const View* output = operation.output();
    if (output && !output->store->state) made[place_of(*output)] = output;
  }
  return false;
}

}  // namespace

Rewritten recompute_values(const WindowOperations& window, std::vector<WindowStore>& stores,
                           const machine::Machine& machine) {
  if (!is_read_beside(window.operations, stores)) return {};
  return Recomputer(window, stores, machine).rewrite();
}

}  // namespace pilum::scheduler
