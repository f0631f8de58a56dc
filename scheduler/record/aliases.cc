#include "scheduler/record/aliases.h"

#include <memory>
#include <utility>

#include "runtime/base/check.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

template <class T>
void make_room(std::vector<T>& list, std::size_t wanted) {
  if (list.capacity() < wanted) list.reserve(2 * wanted);
}

template <class T>
void append(std::vector<std::unique_ptr<T>>& list, std::unique_ptr<T> one) {
  one->place = list.size();
  list.push_back(std::move(one));
}

// The last one takes its place.
template <class T>
std::unique_ptr<T> take(std::vector<std::unique_ptr<T>>& list, std::size_t place) {
  list.back()->place = place;
  std::swap(list[place], list.back());
  std::unique_ptr<T> taken = std::move(list.back());
  list.pop_back();
  return taken;
}

bool is_whole(const View& view) {
  return view.shape.elements() == view.store->shape.elements();
}

// Nothing of what was written last is left, once all of the alias's cells are written.
bool is_all_of_newest(const Alias& alias) {
  const Alias* at = &alias;
  while (const Reshaped* by = at->newest_by) {
    if (!is_whole(by->view)) return false;
    at = by->of_view == at ? by->of_other : by->of_view;
  }
  return true;
}

// None of its cells is read, and none that others have yet to get.
bool is_overwritten(const Operation& operation, const View& view) {
  return !operation.launch() && is_whole(view) && is_all_of_newest(*view.store->alias);
}

}  // namespace

void Aliases::join(const View& view, const StoreRef& other, std::source_location where) {
  // Whatever may fail for want of memory comes first.
  auto reshaped = std::make_unique<Reshaped>(Reshaped{view, whole(other), where});
  std::unique_ptr<Alias> of_view(view.store->alias ? nullptr : new Alias{view.store.get()});
  auto of_other = std::make_unique<Alias>(Alias{other.get()});
  Alias& base = of_view ? *of_view : *view.store->alias;
  make_room(aliases_, aliases_.size() + 2);
  make_room(let_go_, aliases_.size() + 2);
  make_room(pairs_, pairs_.size() + 1);
  make_room(base.reshaped, base.reshaped.size() + 1);
  of_other->reshaped.reserve(1);

  reshaped->of_view = &base;
  reshaped->of_other = of_other.get();
  base.alone = false;
  base.reshaped.push_back(reshaped.get());
  of_other->reshaped.push_back(reshaped.get());
  if (base.reshaped.size() == 2) base.held = Handle(view.store);
  view.store->alias = &base;
  other->alias = of_other.get();
  if (of_view) append(aliases_, std::move(of_view));
  append(aliases_, std::move(of_other));
  append(pairs_, std::move(reshaped));
}

void Aliases::separate(Store& other) noexcept {
  if (other.alias) leave(*other.alias);
}

void Aliases::before(const Operation& operation) {
  if (is_copying_) return;
  for_each_view(operation, [&](const View& view, bool write) {
    if (view.store->alias && !(write && is_overwritten(operation, view))) bring_up_to_date(*view.store->alias);
  });
  for_each_view(operation, [&](const View& view, bool write) {
    if (write && view.store->alias) note_newest(*view.store->alias);
  });
}

void Aliases::before_write(Store& store) {
  if (!store.alias) return;
  bring_up_to_date(*store.alias);
  note_newest(*store.alias);
}

void Aliases::bring_up_to_date(Alias& alias) {
  if (!alias.newest_by) return;
  const Reshaped& by = *alias.newest_by;
  Alias& from = other_end(by, alias);
  bring_up_to_date(from);
  const bool is_view = by.of_view == &alias;
  is_copying_ = true;
  try {
    recorder_.record({"reshape", by.where, ReshapedCopy{is_view ? by.view : by.other, is_view ? by.other : by.view}});
  } catch (...) {
    is_copying_ = false;
    throw;
  }
  is_copying_ = false;
  alias.store->true_cells = nullptr;
  alias.alone = from.alone = false;
  alias.newest_by = nullptr;
  const Handle gone = std::move(alias.newest);
}

void Aliases::note_newest(Alias& alias) noexcept {
  if (alias.alone) return;
  alias.newest_by = nullptr;
  let_go_.push_back(std::move(alias.newest));
  alias.alone = true;
  for (Reshaped* reshaped : alias.reshaped) mark_old(other_end(*reshaped, alias), *reshaped);
  while (!let_go_.empty()) {
    const Handle gone = std::move(let_go_.back());
    let_go_.pop_back();
  }
}

// It, and all that are joined by it.
void Aliases::mark_old(Alias& alias, Reshaped& by) noexcept {
  let_go_.push_back(std::exchange(alias.newest, Handle(StoreRef(other_end(by, alias).store))));
  alias.newest_by = &by;
  alias.alone = false;
  alias.store->true_cells = nullptr;
  for (Reshaped* reshaped : alias.reshaped) {
    if (reshaped != &by) mark_old(other_end(*reshaped, alias), *reshaped);
  }
}

std::unique_ptr<Alias> Aliases::forget(Alias& alias) noexcept {
  alias.store->alias = nullptr;
  return take(aliases_, alias.place);
}

// One that has one neighbour, which needs nothing of it: it would have a handle otherwise.
void Aliases::leave(Alias& alias) noexcept {
  PILUM_CHECK(alias.reshaped.size() == 1, "store {} has {} aliases and no handle", alias.store->id.value,
              alias.reshaped.size());
  const std::unique_ptr<Reshaped> pair = take(pairs_, alias.reshaped.front()->place);
  Alias& neighbour = other_end(*pair, alias);
  std::erase(neighbour.reshaped, pair.get());
  // What they hold is let go at the end, which may end others.
  const std::unique_ptr<Alias> one = forget(alias);
  const std::unique_ptr<Alias> last = neighbour.reshaped.empty() ? forget(neighbour) : nullptr;
  const Handle held = neighbour.reshaped.size() == 1 ? std::move(neighbour.held) : Handle();
}

void Aliases::clear() noexcept {
  pairs_.clear();
  for (const auto& alias : aliases_) {
    alias->store->alias = nullptr;
    for (const Handle* handle : {&alias->newest, &alias->held})
      if (handle->store()) handle->store()->recorder = nullptr;  // nothing is dropped any more
  }
  aliases_.clear();
}

}  // namespace pilum::scheduler
