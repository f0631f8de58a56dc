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

// The places where an operation has views or numbers, in order.
template <class Visit>
void for_each_place(Operation& operation, Visit visit) {
  std::visit(
      [&visit](auto& kind) {
        using Kind = std::remove_cvref_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, Elementwise>) {
          visit(kind.output);
          for (Operand& input : kind.inputs) visit(input.view);
        } else if constexpr (std::is_same_v<Kind, Reduction> || std::is_same_v<Kind, ReshapedCopy>) {
          visit(kind.output);
          visit(kind.input);
        }
      },
      operation.what);
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
  expected_.push_back({key_.key.window.size(), pack_place(operation.where), 0, loops.hash_places(operation)});
}

bool RepeatedWindow::end_learning(const std::vector<Operation>& window) {
  if (expected_.size() != window.size()) {
    forget();
    return false;
  }
  operations_ = window;
  for (Operation& operation : operations_) {
    for_each_place(operation, [this](View& view) {
      numbers_.push_back(view.store ? view.store->window_index : -1);
      view.store = StoreRef();
    });
  }
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

void RepeatedWindow::forget() {
  release_numbers();
  const std::uint64_t learnt = learnt_;
  *this = RepeatedWindow();
  learnt_ = learnt;
}

bool RepeatedWindow::follow(const Operation& operation, PeriodFinder& loops) {
  const Expected& expected = expected_[size_];
  // The words before it: the first one is no operation's.
  const std::size_t begin = size_ == 0 ? 1 : expected_[size_ - 1].end;
  if (pack_place(operation.where) != expected.place || loops.hash_places(operation) != expected.pinned) return false;
  if (size_ == 0) key_.stores.reserve(ages_.size());
  const std::size_t stores = key_.stores.size();
  KeyWords& words = key_.key.window;
  words.shrink(0);
  add_to_key(key_, operation);
  bool same = words.size() == expected.end - begin;
  for (std::size_t i = 0; same && i < words.size(); ++i) same = words[i] == words_[begin + i];
  for (std::size_t number = stores; same && number < key_.stores.size(); ++number)
    same = loops.age_of(*key_.stores[number]) == ages_[number];
  if (!same) {
    for (; key_.stores.size() > stores; key_.stores.pop_back()) key_.stores.back()->window_index = -1;
    key_.pins.resize(stores);
    return false;
  }
  if (const Elementwise* elementwise = operation.elementwise()) {
    for (std::size_t place = 0; place < elementwise->inputs.size(); ++place) {
      const Operand& input = elementwise->inputs[place];
      if (!input.is_view()) std::get<Elementwise>(operations_[size_].what).inputs[place].scalar = input.scalar;
    }
  }
  loops.add(operation, expected.hash);
  ++size_;
  return true;
}

WindowKey RepeatedWindow::take_key() {
  key_.key.window.shrink(0);
  finish_window_key(key_, {}, hash_);
  key_.words = &words_;
  key_.known = number_;
  size_ = 0;
  return std::exchange(key_, WindowKey());
}

std::vector<Operation> RepeatedWindow::operations_with(const WindowKey& window, std::size_t count) const {
  std::vector<Operation> operations(operations_.begin(), operations_.begin() + static_cast<std::ptrdiff_t>(count));
  auto number = numbers_.begin();
  for (Operation& operation : operations) {
    for_each_place(operation, [&](View& view) {
      const int store = *number++;
      if (store < 0) return;
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
