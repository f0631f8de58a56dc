// Stores that are the same cells in two shapes. A view's axes are its store's; so what NumPy's reshape gives as a view
// is here a store of its own, and both are kept alike: at a write the other is out of date, and is copied when it is
// read.
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <vector>

#include "scheduler/record/operation.h"
#include "scheduler/record/recorder.h"

namespace pilum::scheduler {

// A view of one store, and another store that has its cells, row-major.
struct Reshaped {
  View view, other;
  std::source_location where;  // of the reshape
  Alias *of_view = nullptr, *of_other = nullptr;
  std::size_t place = 0;  // among all
};

// One store's part in it: reshapes make a tree of stores.
struct Alias {
  Store* store = nullptr;
  std::size_t place = 0;            // among all
  std::vector<Reshaped*> reshaped;  // at least one
  // Out of date: what it is copied by, from the store at its other end; which is held, whoever drops it.
  Reshaped* newest_by = nullptr;
  Handle newest;
  Handle held;         // itself, while it has several neighbours that are to see each other's writes
  bool alone = false;  // all others are out of date
};

// Of one recorder. A loop in which neither is written, or only one of them read, copies nothing.
class Aliases {
 public:
  explicit Aliases(Recorder& recorder) : recorder_(recorder) {}
  ~Aliases() { clear(); }
  Aliases(const Aliases&) = delete;
  Aliases& operator=(const Aliases&) = delete;

  bool any() const { return !pairs_.empty(); }
  // `other`, whose cells are the view's now, is its alias from now on.
  void join(const View& view, const StoreRef& other, std::source_location where);
  // It stands for itself again. Of a store that was joined and not written since.
  void separate(Store& other) noexcept;
  // What the operation reads is brought up to date, and what it writes is the newest: before it is recorded.
  void before(const Operation& operation);
  void before_read(Store& store) {
    if (store.alias) bring_up_to_date(*store.alias);
  }
  // By the program, in the memory itself.
  void before_write(Store& store);
  // The last handle is gone.
  void drop(Store& store) noexcept {
    if (store.alias) leave(*store.alias);
  }
  // They are forgotten. Nothing is recorded any more.
  void clear() noexcept;

 private:
  void bring_up_to_date(Alias& alias);
  void note_newest(Alias& alias) noexcept;
  std::unique_ptr<Alias> forget(Alias& alias) noexcept;
  void mark_old(Alias& alias, Reshaped& by) noexcept;
  void leave(Alias& alias) noexcept;
  static Alias& other_end(const Reshaped& reshaped, const Alias& alias) {
    return reshaped.of_view == &alias ? *reshaped.of_other : *reshaped.of_view;
  }

  Recorder& recorder_;
  bool is_copying_ = false;     // between them: such a copy makes nothing new
  std::vector<Handle> let_go_;  // with room for one of each alias: to let go may end others
  std::vector<std::unique_ptr<Alias>> aliases_;
  std::vector<std::unique_ptr<Reshaped>> pairs_;
};

}  // namespace pilum::scheduler
