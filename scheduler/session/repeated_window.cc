#include "scheduler/session/repeated_window.h"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "scheduler/analyze/period.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

bool may_be_learnt(const Operation& operation) {
  return !operation.launch() && !std::holds_alternative<Import>(operation.what);
}

// The places where an operation has views or numbers, in the order of the key's words: the view that a number has, too.
template <class AnyOperation, class Visit>
void for_each_place(AnyOperation& operation, Visit visit) {
  std::visit(
      [&visit](auto& kind) {
        using Kind = std::remove_cvref_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, Elementwise>) {
          visit(kind.output);
          for (auto& input : kind.inputs) visit(input.view);
        } else if constexpr (std::is_same_v<Kind, Reduction> || std::is_same_v<Kind, ReshapedCopy>) {
          visit(kind.output);
          visit(kind.input);
        }
      },
      operation.what);
}

// Of an operand that is one: what a plan follows from.
std::uint64_t number_of(const Operand& number) {
  return static_cast<std::uint64_t>(number.scalar.dtype) | std::uint64_t{number.name} << 8;
}

}  // namespace

void RepeatedWindow::expect(const Operation& operation) {
  Expected& expected = expected_.emplace_back();
  expected.place = pack_place(operation.where);
  expected.kind = pack_kind(operation);
  expected.name = operation.name;
  expected.file = operation.where.file_name();
}

void RepeatedWindow::begin_learning(std::span<const Operation> waiting) {
  *this = RepeatedWindow();
  waited_ = waiting.size();
  for (const Operation& operation : waiting) {
    for_each_place(operation, [this](const View&) { ages_.push_back(kAnyAge); });
    expect(operation);
  }
}

bool RepeatedWindow::learn(const Operation& operation, const PeriodFinder& loops) {
  if (!may_be_learnt(operation)) return false;
  const std::uint64_t recorded = expected_.size() - waited_;
  for_each_place(operation, [&](const View& view) {
    const std::uint64_t age = view.store ? loops.age_of(*view.store) : kAnyAge;
    ages_.push_back(age > recorded ? age : kAnyAge);  // else the store was touched by one of these
  });
  expect(operation);
  expected_.back().pinned = loops.hash_places(operation);
  return true;
}

bool RepeatedWindow::end_learning(const std::vector<Operation>& window, const WindowCut& cut, std::uint64_t number) {
  if (expected_.size() != window.size() || !std::ranges::all_of(window, may_be_learnt)) return false;
  body_ = cut.body;
  was_read_ = cut.wanted != nullptr;
  waited_at_cut_ = cut.waited;
  choice_ = cut.choice;
  number_ = number;
  WindowKey key = begin_window_key(window.size(), body_);
  for (const Operation& operation : window) add_to_key(key, operation);
  wanted_ = cut.wanted ? cut.wanted->window_index : -1;
  expect_places(window, key.pins);
  for (const StoreRef& store : key.stores) store->window_index = -1;
  // What waits was found by the places, too, and takes no pins along.
  if (choice_ && std::ranges::any_of(expected_, [](const Expected& one) { return one.pins; })) return false;
  keep_operations(window, cut.waits);
  if (planned_ == 0) return false;
  if (cut.waits.empty()) {
    words_ = std::move(key.key.window);
  } else {
    expect_cut(window, cut.waits, key.stores);
  }
  hash_ = hash_operations(words_);
  pins_ = std::move(key.pins);
  for (const Pins& pins : pins_) free_.push_back(pins.free);
  return true;
}

// Their stores have their numbers still.
void RepeatedWindow::expect_places(const std::vector<Operation>& window, const std::vector<Pins>& pins) {
  int stores = 0;
  for (std::size_t i = 0; i < window.size(); ++i) {
    if (i == waited_) begin_ = {places_.size(), axes_.size(), extents_.size()};
    Expected& expected = expected_[i];
    for_each_place(window[i], [&](const View& view) {
      const std::uint64_t age = ages_[places_.size()];
      Place& place = places_.emplace_back();
      if (!view.store) return;
      place.age = age;
      place.dtype = view.store->dtype;
      place.store = view.store->window_index;
      place.is_first = place.store == stores;
      if (place.is_first) ++stores;
      place.axes = static_cast<std::int8_t>(view.map.store_rank);
      place.extents = static_cast<std::int8_t>(view.map.view_rank);
      for (int k = 0; k < view.map.store_rank; ++k) {
        Axis& axis = axes_.emplace_back(view.map[k], is_at_a_place(view, k));
        if (!axis.is_at_a_place) continue;
        place.is_whole = false;
        axis.map.offset -= pins[static_cast<std::size_t>(place.store)].at[static_cast<std::size_t>(k)];
      }
      expected.pins = expected.pins || !place.is_whole;
      extents_.insert(extents_.end(), view.shape.begin(), view.shape.end());
    });
    if (const Elementwise* elementwise = window[i].elementwise()) {
      const std::size_t inputs = elementwise->inputs.size();
      for (std::size_t k = 0; k < inputs; ++k) {
        const Operand& input = elementwise->inputs[k];
        if (input.is_view()) continue;
        expected.scalars |= static_cast<std::uint8_t>(1 << k);
        places_[places_.size() - inputs + k].number = number_of(input);
      }
    }
  }
  if (waited_ == window.size()) begin_ = {places_.size(), axes_.size(), extents_.size()};
  ages_.clear();
}

// Those that wait behind the others.
void RepeatedWindow::keep_operations(const std::vector<Operation>& window, const std::vector<bool>& waits) {
  for (const bool waiting : {false, true}) {
    for (std::size_t i = 0; i < window.size(); ++i) {
      if ((!waits.empty() && waits[i]) != waiting) continue;
      expected_[i].operation = operations_.size();
      operations_.push_back(window[i]);
    }
    if (!waiting) planned_ = operations_.size();
  }
  for (Operation& operation : operations_) for_each_place(operation, [](View& view) { view.store = StoreRef(); });
}

// Of those that are planned without the others: the words, and which of the window's stores they have.
void RepeatedWindow::expect_cut(const std::vector<Operation>& window, const std::vector<bool>& waits,
                                const std::vector<StoreRef>& stores) {
  WindowKey planned = begin_window_key(planned_, body_);
  auto place = places_.begin();
  for (std::size_t i = 0; i < window.size(); ++i) {
    if (!waits[i]) add_to_key(planned, window[i]);
    for_each_place(window[i], [&](const View&) {
      const int store = (place++)->store;
      if (waits[i] && store >= 0 && std::ranges::find(stores_waiting_, store) == stores_waiting_.end())
        stores_waiting_.push_back(store);
    });
  }
  for (const StoreRef& store : planned.stores) {
    store->window_index = -1;
    const auto number = static_cast<int>(std::ranges::find(stores, store) - stores.begin());
    stores_planned_.push_back(number);
    used_later_.push_back(std::ranges::find(stores_waiting_, number) != stores_waiting_.end());
  }
  pins_planned_ = std::move(planned.pins);
  words_ = std::move(planned.key.window);
}

bool RepeatedWindow::is_same(const RepeatedWindow& other) const {
  return words_ == other.words_ && body_ == other.body_ && waited_ == other.waited_ && planned_ == other.planned_ &&
         expected_.size() == other.expected_.size() && was_read_ == other.was_read_ && wanted_ == other.wanted_ &&
         waited_at_cut_ == other.waited_at_cut_ && choice_ == other.choice_ &&
         std::ranges::equal(expected_, other.expected_, [](const Expected& one, const Expected& two) {
           return one.hash == two.hash && one.place == two.place && one.operation == two.operation;
         });
}

bool RepeatedWindow::may_begin_with(const Operation& operation) const {
  return waited_ < expected_.size() && expected_[waited_].is(operation);
}

bool RepeatedWindow::enter(std::span<const Operation> waiting, const PeriodFinder& loops) {
  if (waiting.size() != waited_) return false;
  begin_following();
  for (const Operation& operation : waiting) {
    Match found(loops, next_);
    if (!expected_[size_].is(operation) || !match(operation, found)) {
      leave();
      return false;
    }
    take_numbers(operation);
    next_ = found.next;
    ++size_;
  }
  return true;
}

bool RepeatedWindow::follow(const Operation& operation, PeriodFinder& loops) {
  const Expected& expected = expected_[size_];
  if (!expected.is(operation)) return false;
  if (size_ == 0) begin_following();
  const std::size_t stores = key_.stores.size();
  Match found(loops, next_);
  if (!match(operation, found) || (expected.pins && loops.hash_places(operation) != expected.pinned)) {
    take_back(stores);
    return false;
  }
  if (expected.scalars != 0) take_numbers(operation);
  for (std::size_t i = 0; i < found.count; ++i) loops.touch(*found.touched[i].store, found.touched[i].place);
  loops.add(expected.hash);
  next_ = found.next;
  ++size_;
  return true;
}

// What no view pins is known to be so once all are as expected.
void RepeatedWindow::begin_following() {
  key_.stores.reserve(free_.size());
  key_.pins.reserve(free_.size());
  next_ = {places_.data(), axes_.data(), extents_.data()};
}

// Those of the operation that is expected next, which this is.
void RepeatedWindow::take_numbers(const Operation& operation) {
  const Expected& expected = expected_[size_];
  if (expected.scalars == 0) return;
  const Operands& inputs = operation.elementwise()->inputs;
  Operands& known = std::get<Elementwise>(operations_[expected.operation].what).inputs;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (expected.scalars >> k & 1) known[k].scalar = inputs[k].scalar;
}

// With their places in the order of the key's words.
bool RepeatedWindow::match(const Operation& operation, Match& found) {
  if (const Elementwise* elementwise = operation.elementwise()) {
    if (!match(elementwise->output, found)) return false;
    for (const Operand& input : elementwise->inputs) {
      if (input.is_view() ? !match(input.view, found) : number_of(input) != found.next.place++->number) return false;
    }
    return true;
  }
  if (const Reduction* reduction = operation.reduction())
    return match(reduction->output, found) && match(reduction->input, found);
  const auto& copy = std::get<ReshapedCopy>(operation.what);
  return match(copy.output, found) && match(copy.input, found);
}

bool RepeatedWindow::match(const View& view, Match& found) {
  const Place& expected = *found.next.place++;
  const partitioner::AffineMap& map = view.map;
  Store& store = *view.store;
  if (map.store_rank != expected.axes || map.view_rank != expected.extents) return false;
  if (expected.is_first && store.window_index < 0 && store.dtype == expected.dtype) number(view.store);
  if (store.window_index != expected.store) return false;
  if (expected.age != kAnyAge && found.loops.age_of(store) != expected.age) return false;
  const Axis* wanted_axis = found.next.axis;
  for (int k = 0; k < expected.axes; ++k) {
    const Axis& wanted = *wanted_axis++;
    const partitioner::AxisMap& axis = map[k];
    std::int64_t offset = axis.offset;
    if (is_at_a_place(view, k) != wanted.is_at_a_place) return false;
    if (wanted.is_at_a_place) offset -= pin(expected.store, static_cast<std::size_t>(k), axis);
    if (axis.axis != wanted.map.axis || axis.scale != wanted.map.scale || offset != wanted.map.offset) return false;
  }
  const std::int64_t* extent = found.next.extent;
  for (int k = 0; k < expected.extents; ++k) {
    if (view.shape[k] != *extent++) return false;
  }
  found.next.axis = wanted_axis;
  found.next.extent = extent;
  found.touched[found.count++] = {&store, expected.is_whole ? 0 : bit_of_place(view)};
  return true;
}

// At which place of the axis the window's views see the store first.
std::int64_t RepeatedWindow::pin(int store, std::size_t axis, const partitioner::AxisMap& map) {
  Pins& pins = key_.pins[static_cast<std::size_t>(store)];
  const auto bit = static_cast<std::uint8_t>(1 << axis);
  if (!(pins.seen & bit)) {
    const Pins& learnt = pins_[static_cast<std::size_t>(store)];
    pins.at[axis] = map.offset;
    pins.before[axis] = learnt.before[axis];
    pins.behind[axis] = learnt.behind[axis];
  }
  pins.seen |= bit;
  if (map.axis >= 0) pins.several |= bit;
  return pins.at[axis];
}

void RepeatedWindow::number(const StoreRef& store) {
  const std::size_t number = key_.stores.size();
  store->window_index = static_cast<int>(number);
  key_.stores.push_back(store);
  key_.pins.emplace_back().free = free_[number];
}

void RepeatedWindow::take_back(std::size_t stores) {
  for (; key_.stores.size() > stores; key_.stores.pop_back()) key_.stores.back()->window_index = -1;
  key_.pins.resize(stores);
}

WindowKey RepeatedWindow::take_key() {
  WindowKey key;
  if (keeps_some()) {
    key = std::move(planned_key_);
    key.stores.reserve(stores_planned_.size());
    for (const int number : stores_planned_) key.stores.push_back(key_.stores[static_cast<std::size_t>(number)]);
    key.pins = pins_planned_;
    finish_window_key(key, used_later_, hash_);
    release_numbers();
    pending_.swap(key_.stores);
    key_.clear();
  } else {
    finish_window_key(key_, used_later_, hash_);
    key = std::move(key_);
  }
  key.words = &words_;
  key.known = number_;
  size_ = 0;
  return key;
}

void RepeatedWindow::hand_over(RepeatedWindow& next, WindowKey& key) {
  if (keeps_some()) {
    next.begin_following();
    for (const int number : stores_waiting_) next.number(pending_[static_cast<std::size_t>(number)]);
    for (; next.size_ < next.waited_; ++next.size_) next.take_numbers(operations_[planned_ + next.size_]);
    next.next_ = {next.places_.data() + next.begin_.place, next.axes_.data() + next.begin_.axis,
                  next.extents_.data() + next.begin_.extent};
    pending_.clear();
  }
  key.clear();
  (keeps_some() ? planned_key_ : key_) = std::move(key);
}

std::vector<Operation> RepeatedWindow::operations_with(std::span<const StoreRef> stores, std::span<const Pins> pins,
                                                       std::size_t count) const {
  std::vector<Operation> operations;
  operations.reserve(count);
  auto place = places_.begin();
  auto placed_axis = axes_.begin();
  for (std::size_t i = 0; i < count; ++i) {
    operations.push_back(operations_[expected_[i].operation]);
    for_each_place(operations.back(), [&](View& view) {
      const int store = (place++)->store;
      if (store == kNumber) return;
      const auto number = static_cast<std::size_t>(store);
      view.store = stores[number];
      for (int k = 0; k < view.map.store_rank; ++k) {
        const auto axis = static_cast<std::size_t>(k);
        if ((placed_axis++)->is_at_a_place) view.map[k].offset += pins[number].at[axis] - pins_[number].at[axis];
      }
    });
  }
  return operations;
}

void RepeatedWindow::put_together(const WindowKey& window, std::vector<Operation>& planned,
                                  std::vector<Operation>& waiting) {
  if (!keeps_some()) {
    planned = operations_with(window.stores, window.pins, length());
    return;
  }
  std::vector<Operation> all = operations_with(pending_, pins_, length());  // none pins anything
  for (std::size_t i = 0; i < all.size(); ++i)
    (expected_[i].operation < planned_ ? planned : waiting).push_back(std::move(all[i]));
  pending_.clear();
}

std::vector<Operation> RepeatedWindow::take_operations() {
  std::vector<Operation> operations = operations_with(key_.stores, key_.pins, size_);
  leave();
  return operations;
}

void RepeatedWindow::leave() {
  release_numbers();
  key_.clear();
  pending_.clear();
  size_ = 0;
}

void RepeatedWindow::release_numbers() {
  for (const StoreRef& store : key_.stores) store->window_index = -1;
}

}  // namespace pilum::scheduler
