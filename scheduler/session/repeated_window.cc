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

void RepeatedWindow::begin_learning(std::size_t body) {
  forget();
  learning_ = true;
  body_ = body;
  key_ = begin_window_key(0, body);
}

void RepeatedWindow::learn(const Operation& operation, const PeriodFinder& loops) {
  if (!may_be_learnt(operation)) {
    forget();
    return;
  }
  add_to_key(key_, operation);
  while (ages_.size() < key_.stores.size()) ages_.push_back(loops.age_of(*key_.stores[ages_.size()]));
  expected_.push_back({pack_place(operation.where), pack_kind(operation), operation.name, operation.where.file_name(),
                       0, loops.hash_places(operation)});
}

bool RepeatedWindow::end_learning(const std::vector<Operation>& window) {
  if (expected_.size() != window.size()) {
    forget();
    return false;
  }
  operations_ = window;
  expect_places();
  for (Operation& operation : operations_) for_each_place(operation, [](View& view) { view.store = StoreRef(); });
  release_numbers();
  pins_ = std::move(key_.pins);
  words_ = std::move(key_.key.window);
  hash_ = hash_operations(words_);
  number_ = ++learnt_;
  key_ = WindowKey();
  learning_ = false;
  known_ = true;
  return true;
}

// Their stores have their numbers still.
void RepeatedWindow::expect_places() {
  int stores = 0;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    Expected& expected = expected_[i];
    for_each_place(operations_[i], [&](const View& view) {
      Place& place = places_.emplace_back();
      if (!view.store) return;
      place.store = view.store->window_index;
      place.is_first = place.store == stores;
      if (place.is_first) ++stores;
      place.axes = static_cast<std::int8_t>(view.map.store_rank);
      place.extents = static_cast<std::int8_t>(view.map.view_rank);
      for (int k = 0; k < view.map.store_rank; ++k) {
        partitioner::AxisMap& axis = axes_.emplace_back(view.map[k]);
        if (axis.axis >= 0) continue;
        place.is_whole = false;
        axis.offset -= key_.pins[static_cast<std::size_t>(place.store)].at[static_cast<std::size_t>(k)];
      }
      expected.pins = expected.pins || !place.is_whole;
      extents_.insert(extents_.end(), view.shape.begin(), view.shape.end());
    });
    if (const Elementwise* elementwise = operations_[i].elementwise()) {
      const std::size_t inputs = elementwise->inputs.size();
      for (std::size_t k = 0; k < inputs; ++k) {
        const Operand& input = elementwise->inputs[k];
        if (input.is_view()) continue;
        expected.scalars |= static_cast<std::uint8_t>(1 << k);
        places_[places_.size() - inputs + k].number = number_of(input);
      }
    }
  }
}

void RepeatedWindow::forget() {
  release_numbers();
  const std::uint64_t learnt = learnt_;
  *this = RepeatedWindow();
  learnt_ = learnt;
}

bool RepeatedWindow::follow(const Operation& operation, PeriodFinder& loops) {
  const Expected& expected = expected_[size_];
  if (pack_place(operation.where) != expected.place || pack_kind(operation) != expected.kind ||
      operation.name != expected.name || operation.where.file_name() != expected.file) {
    return false;
  }
  if (size_ == 0) begin_following();
  const std::size_t stores = key_.stores.size();
  Cursor cursor = next_;
  Touched touched;
  bool same = match(operation, cursor, touched) && (!expected.pins || loops.hash_places(operation) == expected.pinned);
  for (std::size_t number = stores; same && number < key_.stores.size(); ++number)
    same = loops.age_of(*key_.stores[number]) == ages_[number];
  if (!same) {
    take_back(stores);
    return false;
  }
  if (expected.scalars != 0) {
    const Operands& inputs = operation.elementwise()->inputs;
    Operands& known = std::get<Elementwise>(operations_[size_].what).inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (expected.scalars >> k & 1) known[k].scalar = inputs[k].scalar;
  }
  for (std::size_t i = 0; i < touched.count; ++i) loops.touch(*touched.stores[i].store, touched.stores[i].is_whole);
  loops.add(expected.hash);
  next_ = cursor;
  ++size_;
  return true;
}

void RepeatedWindow::begin_following() {
  key_.stores.reserve(ages_.size());
  key_.pins.reserve(ages_.size());
  next_ = {places_.data(), axes_.data(), extents_.data()};
}

// With their places in the order of the key's words.
bool RepeatedWindow::match(const Operation& operation, Cursor& cursor, Touched& touched) {
  if (const Elementwise* elementwise = operation.elementwise()) {
    if (!match(elementwise->output, cursor, touched)) return false;
    for (const Operand& input : elementwise->inputs) {
      if (input.is_view() ? !match(input.view, cursor, touched) : number_of(input) != cursor.place++->number)
        return false;
    }
    return true;
  }
  if (const Reduction* reduction = operation.reduction())
    return match(reduction->output, cursor, touched) && match(reduction->input, cursor, touched);
  const auto& copy = std::get<ReshapedCopy>(operation.what);
  return match(copy.output, cursor, touched) && match(copy.input, cursor, touched);
}

bool RepeatedWindow::match(const View& view, Cursor& cursor, Touched& touched) {
  const Place& expected = *cursor.place++;
  const partitioner::AffineMap& map = view.map;
  Store& store = *view.store;
  if (map.store_rank != expected.axes || map.view_rank != expected.extents) return false;
  if (store.window_index < 0 && expected.is_first) number(view.store);
  if (store.window_index != expected.store) return false;
  const partitioner::AxisMap* wanted_axis = cursor.axis;
  for (int k = 0; k < expected.axes; ++k) {
    const partitioner::AxisMap &axis = map[k], &wanted = *wanted_axis++;
    std::int64_t offset = axis.offset;
    if (axis.axis < 0) offset -= pin(expected.store, static_cast<std::size_t>(k), offset);
    if (axis.axis != wanted.axis || axis.scale != wanted.scale || offset != wanted.offset) return false;
  }
  const std::int64_t* extent = cursor.extent;
  for (int k = 0; k < expected.extents; ++k) {
    if (view.shape[k] != *extent++) return false;
  }
  cursor.axis = wanted_axis;
  cursor.extent = extent;
  touched.stores[touched.count++] = {&store, expected.is_whole};
  return true;
}

// Where the window's views pin the store along an axis first.
std::int64_t RepeatedWindow::pin(int store, std::size_t axis, std::int64_t offset) {
  Pins& pins = key_.pins[static_cast<std::size_t>(store)];
  const auto bit = static_cast<std::uint8_t>(1 << axis);
  if (!(pins.seen & bit)) pins.at[axis] = offset;
  pins.seen |= bit;
  return pins.at[axis];
}

// What no view pins is known to be so once all are as expected.
void RepeatedWindow::number(const StoreRef& store) {
  const std::size_t number = key_.stores.size();
  store->window_index = static_cast<int>(number);
  key_.stores.push_back(store);
  key_.pins.emplace_back().free = pins_[number].free;
}

void RepeatedWindow::take_back(std::size_t stores) {
  for (; key_.stores.size() > stores; key_.stores.pop_back()) key_.stores.back()->window_index = -1;
  key_.pins.resize(stores);
}

WindowKey RepeatedWindow::take_key() {
  finish_window_key(key_, {}, hash_);
  key_.words = &words_;
  key_.known = number_;
  size_ = 0;
  return std::exchange(key_, WindowKey());
}

std::vector<Operation> RepeatedWindow::operations_with(const WindowKey& window, std::size_t count) const {
  std::vector<Operation> operations(operations_.begin(), operations_.begin() + static_cast<std::ptrdiff_t>(count));
  auto place = places_.begin();
  for (Operation& operation : operations) {
    for_each_place(operation, [&](View& view) {
      const int store = (place++)->store;
      if (store == kNumber) return;
      const auto i = static_cast<std::size_t>(store);
      view.store = window.stores[i];
      for (int k = 0; k < view.map.store_rank; ++k) {
        const auto axis = static_cast<std::size_t>(k);
        if (view.map[k].axis < 0) view.map[k].offset += window.pins[i].at[axis] - pins_[i].at[axis];
      }
    });
  }
  return operations;
}

std::vector<Operation> RepeatedWindow::take_operations() {
  std::vector<Operation> operations = operations_with(key_, size_);
  release_numbers();
  key_ = WindowKey();
  size_ = 0;
  return operations;
}

void RepeatedWindow::release_numbers() {
  for (const StoreRef& store : key_.stores) store->window_index = -1;
}

}  // namespace pilum::scheduler
