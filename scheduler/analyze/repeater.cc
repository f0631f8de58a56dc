#include "scheduler/analyze/repeater.h"

#include <optional>

#include "scheduler/analyze/beyond.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

View Repeater::repeat(std::size_t number, const View& view, const partitioner::Tiling& distribution) {
  for (const Known& known : known_) {
    if (known.number == number && known.asked.map == view.map && known.asked.shape == view.shape) return known.made;
  }
  const Operation& made = window_.operations[number];
  Operation again = made;
  for_each_input(again, [&](std::size_t, View& input) {
    const std::optional<View> seen = through_beyond(view, *made.output(), input);
    has_failed_ = has_failed_ || !seen;  // what was made for a part has that part's cells alone
    if (!seen) return;
    input = *seen;
    const auto place = place_of(input);
    int maker = place < makers_.size() ? makers_[place] : -1;
    if (maker < 0) return;
    if (values_) maker = values_->maker_of(input);
    has_failed_ = has_failed_ || maker < 0;
    if (maker >= 0) input = repeat(static_cast<std::size_t>(maker), input, distribution);
  });
  View& output = std::get<Elementwise>(again.what).output;
  output = make_value(*output.store, view.shape, distribution, stores_);
  known_.push_back({number, view, output});
  numbers_.push_back(number);
  operations_.push_back(std::move(again));
  return known_.back().made;
}

Rewritten Repeater::take() {
  Rewritten taken;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    taken.add(std::move(operations_[i]),
              {.number = window_.origin_of(numbers_[i]).number, .is_part = true, .is_repeated = true});
  }
  operations_.clear();
  numbers_.clear();
  return taken;
}

}  // namespace pilum::scheduler
