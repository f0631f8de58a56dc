#include "scheduler/analyze/shared_domain.h"

#include <algorithm>
#include <optional>

#include "partitioner/region.h"
#include "scheduler/analyze/beyond.h"
#include "scheduler/analyze/parts.h"
#include "scheduler/analyze/window.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

bool updates(const Operation& operation) {
  bool updates = false;
  for_each_input(operation,
                 [&](std::size_t, const View& view) { updates = updates || view.store == operation.output()->store; });
  return updates;
}

// The operation at those of its points that write `cells`.
Operation part_of(const Operation& operation, const Rect& cells) {
  Operation part = part_at(operation, preimage(operation.output()->map, cells, Rect::of(operation.output()->shape)));
  for_each_input(part, [](std::size_t, View& view) { bring_inside(view); });
  return part;
}

}  // namespace

SharedDomains::SharedDomains(const std::vector<Operation>& operations, const machine::Machine& machine)
    : machine_(machine) {
  const std::int64_t min_bytes = min_bytes_to_split(machine);
  const auto is_large = [min_bytes](const Operation& operation) {
    const View* output = operation.elementwise() ? operation.output() : nullptr;
    return output &&
           output->store->shape.elements() * static_cast<std::int64_t>(itemsize(output->store->dtype)) >= min_bytes;
  };
  if (std::none_of(operations.begin(), operations.end(), is_large)) return;
  shared_.resize(operations.size());
  is_unread_.resize(operations.size());
  find_chains(operations, min_bytes);
  const auto is_cut = [](const Rect& shared) { return shared.rank > 0; };
  if (std::any_of(shared_.begin(), shared_.end(), is_cut)) cut_what_they_read(operations);
}

void SharedDomains::find_chains(const std::vector<Operation>& operations, std::int64_t min_bytes) {
  std::vector<Chain> chains;  // by store
  const auto chain_of = [&](const Store& store) -> Chain& {
    const auto place = place_of(store);
    if (chains.size() <= place) chains.resize(place + 1);
    return chains[place];
  };
  const auto close_chain = [&](const Store& store) {
    close(chain_of(store), min_bytes / static_cast<std::int64_t>(itemsize(store.dtype)));
  };
  std::vector<const Store*> stores;
  for (std::size_t number = 0; number < operations.size(); ++number) {
    const Operation& operation = operations[number];
    const std::optional<Rect> cells = divisible_cells(operation);
    const Store* output = cells ? operation.output()->store.get() : nullptr;
    for_each_view(operation, [&](const View& view, bool) {
      stores.push_back(view.store.get());
      if (view.store.get() != output) close_chain(*view.store);
    });
    if (!cells) continue;
    Chain& chain = chain_of(*output);
    // One that covers little beside the others is a rim itself.
    if (!chain.empty() &&
        2 * intersect(chain.back().cells, *cells).cells() < std::max(chain.back().cells.cells(), cells->cells()))
      close_chain(*output);
    chain.push_back({number, *cells, updates(operation)});
  }
  for (const Store* store : stores) close_chain(*store);
}

void SharedDomains::close(Chain& chain, std::int64_t min_cells) {
  bool differ = false;
  std::size_t overwriter = 0;  // the last one that reads nothing of what is there
  Rect shared, all;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    shared = i == 0 ? chain[i].cells : intersect(shared, chain[i].cells);
    all = i == 0 ? chain[i].cells : hull(all, chain[i].cells);
    differ = differ || (i > 0 && !(chain[i].cells == chain[i - 1].cells));
    if (i > 0 && !chain[i].updates) overwriter = i;
  }
  const auto last = static_cast<std::size_t>(shared.rank - 1);
  if (differ && shared.lo[last] > all.lo[last])  // there is a rim before it already
    shared.lo[last] = first_column_of(shared.lo[last], shared.hi[last], machine_);
  if (differ && shared.cells() >= std::max<std::int64_t>(min_cells, 1) && 2 * shared.cells() >= all.cells()) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (chain[i].cells == shared) continue;
      shared_[chain[i].number] = shared;
      is_unread_[chain[i].number] = i < overwriter;
    }
  }
  chain.clear();
}

// From the last operation to the first: a value's readers are known when its maker comes.
void SharedDomains::cut_what_they_read(const std::vector<Operation>& operations) {
  struct Value {
    bool is_read = false;
    Rect shared;  // of rank 0: by some who are not cut, or are cut elsewhere
    int writers = 0;
  };
  std::vector<Value> values;  // by store
  const auto value_of = [&](const Store& store) -> Value& {
    const auto place = place_of(store);
    if (values.size() <= place) values.resize(place + 1);
    return values[place];
  };
  for (const Operation& operation : operations) {
    for_each_view(operation, [&](const View& view, bool write) { value_of(*view.store).writers += write ? 1 : 0; });
  }
  const auto read = [&](const View& view, const Rect& shared) {
    Value& value = value_of(*view.store);
    if (!value.is_read) value.shared = shared;
    if (!(value.shared == shared)) value.shared = Rect{};
    value.is_read = true;
  };
  for (std::size_t number = operations.size(); number-- > 0;) {
    const Operation& operation = operations[number];
    Rect& own = shared_[number];
    const View* output = operation.output();
    if (own.rank == 0 && divisible_cells(operation)) {
      const Value& value = value_of(*output->store);
      const bool is_whole = output->shape.elements() == output->store->shape.elements();
      if (value.writers == 1 && is_whole) own = value.shared;
    }
    const Rect points = own.rank == 0 ? Rect{} : preimage(output->map, own, Rect::of(output->shape));
    for_each_view(operation, [&](const View& view, bool write) {
      if (!write) read(view, own.rank > 0 && is_shift(view) && !goes_beyond(view) ? image(view.map, points) : Rect{});
    });
  }
}

std::span<const Operation> SharedDomains::parts_of(const Operation& operation, std::size_t number) {
  if (shared_.empty() || shared_[number].rank == 0) return {};
  const Rect& shared = shared_[number];
  std::vector<Operation>& parts = parts_.emplace_back();
  for (const Rect& rim : partitioner::subtract(*divisible_cells(operation), shared))
    parts.push_back(part_of(operation, rim));
  if (!is_unread_[number]) parts.push_back(part_of(operation, shared));
  return parts;
}

}  // namespace pilum::scheduler
