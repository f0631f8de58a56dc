#include "scheduler/analyze/numbers.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "scheduler/analyze/repeater.h"
#include "scheduler/analyze/window_values.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

constexpr int kMostOfNumber = 8;  // operations that make one, all together

class NumbersAgain {
 public:
  NumbersAgain(const WindowOperations& window, std::vector<WindowStore>& stores)
      : window_(window),
        stores_(stores),
        values_(window, stores),
        makers_(stores.size(), -1),
        sizes_(stores.size(), 0) {
    for (std::size_t number = 0; number < window.operations.size(); ++number) find(number);
  }

  Rewritten rewrite() {
    if (!reads_some()) return {};
    std::vector<Rewritten> rewritten(window_.operations.size());
    for (std::size_t number = 0; number < rewritten.size(); ++number) rewritten[number] = read_again(number);
    drop_unread(rewritten);
    Rewritten all;
    for (Rewritten& one : rewritten) all.add(std::move(one));
    return all;
  }

 private:
  // A number of this window, made by one operation of few numbers.
  void find(std::size_t number) {
    const Elementwise* elementwise = window_.operations[number].elementwise();
    if (!elementwise || elementwise->op == kernel::Op::Index) return;
    const View& output = elementwise->output;
    if (output.shape.rank() != 0 || output.store->shape.rank() != 0) return;
    const std::size_t place = place_of(output);
    if (values_.writers_of(*output.store).size() != 1 || output.store->state) return;
    int size = 1;
    bool is_of_numbers = false;
    for_each_input(window_.operations[number], [&](std::size_t, const View& view) {
      size += sizes_[place_of(view)];
      is_of_numbers = true;
      if (view.store == output.store || view.store->shape.rank() != 0) size = kMostOfNumber + 1;
    });
    if (!is_of_numbers || size > kMostOfNumber) return;
    makers_[place] = static_cast<int>(number);
    sizes_[place] = size;
  }

  // Operations of arrays, which have a kernel anyway.
  static bool may_read_again(const Operation& operation) {
    return operation.elementwise() && operation.elementwise()->op != kernel::Op::Index &&
           operation.elementwise()->output.shape.rank() > 0;
  }
  int maker_of(const View& view) const {
    const std::size_t place = place_of(view);
    return place < makers_.size() ? makers_[place] : -1;
  }
  bool reads_some() const {
    return std::ranges::any_of(window_.operations, [this](const Operation& operation) {
      bool reads = false;
      if (may_read_again(operation))
        for_each_input(operation, [&](std::size_t, const View& view) { reads = reads || maker_of(view) >= 0; });
      return reads;
    });
  }

  // The operation behind those that compute the numbers which it reads, each for it alone: of two readers one may be of
  // another task, and what is read in several is in memory.
  Rewritten read_again(std::size_t number) {
    Operation operation = window_.operations[number];
    Rewritten rewritten;
    if (may_read_again(operation)) {
      Repeater repeater(window_, makers_, stores_);
      const partitioner::Tiling distribution = distribution_of(*operation.output(), stores_);
      for_each_input(operation, [&](std::size_t, View& view) {
        const int maker = maker_of(view);
        if (maker >= 0 && is_unchanged(static_cast<std::size_t>(maker), number))
          view = repeater.repeat(static_cast<std::size_t>(maker), view, distribution);
      });
      rewritten = repeater.take();
    }
    rewritten.add(std::move(operation), window_.origin_of(number));
    return rewritten;
  }

  // Nobody writes what the number is computed from, between its operations and the reader.
  bool is_unchanged(std::size_t maker, std::size_t reader) const {
    bool is_unchanged = values_.reads_unchanged(window_.operations[maker], maker, reader);
    for_each_input(window_.operations[maker], [&](std::size_t, const View& view) {
      const int other = maker_of(view);
      is_unchanged = is_unchanged && (other < 0 || this->is_unchanged(static_cast<std::size_t>(other), reader));
    });
    return is_unchanged;
  }

  // Numbers that nobody holds, and that nobody reads any longer.
  void drop_unread(std::vector<Rewritten>& rewritten) const {
    std::vector<bool> is_read(stores_.size(), false);
    for (std::size_t number = rewritten.size(); number-- > 0;) {
      const View* output = window_.operations[number].output();
      if (output && maker_of(*output) == static_cast<int>(number) && stores_[place_of(*output)].is_gone &&
          !is_read[place_of(*output)])
        rewritten[number] = {};
      for (const Operation& operation : rewritten[number].operations)
        for_each_view(operation, [&](const View& view, bool writes) {
          is_read[place_of(view)] = is_read[place_of(view)] || !writes;
        });
    }
  }

  const WindowOperations window_;
  std::vector<WindowStore>& stores_;
  const WindowValues values_;
  std::vector<int> makers_;  // by store
  std::vector<int> sizes_;   // by store: operations that make the number, of this window
};

}  // namespace

Rewritten repeat_numbers(const WindowOperations& window, std::vector<WindowStore>& stores, const machine::Machine&) {
  return NumbersAgain(window, stores).rewrite();
}

}  // namespace pilum::scheduler
