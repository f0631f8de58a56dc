// Windows that are recorded as one was before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/memo/window_key.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

class PeriodFinder;

// A loop's body is recorded again and again, and its plan is found by the same words each time. So an operation is
// compared with the one that is expected as the call comes, while it is at hand, place by place and without a word
// written, and one that is as expected is not kept: of it there are its numbers, which go into the one that is known,
// and stores in the key. Where the operations are wanted after all they are put together again.
//
// First a window is learnt, then windows follow it: to PeriodFinder as if each operation had been looked at. Windows of
// operations without data from outside and users' tasks alone. The recording thread's.
class RepeatedWindow {
 public:
  // A window is known, which others may follow.
  bool is_known() const { return known_ && !operations_.empty(); }
  bool is_learning() const { return learning_; }
  std::size_t length() const { return operations_.size(); }
  // Operations of the window that follows it. Their stores are numbered meanwhile.
  std::size_t size() const { return size_; }
  bool is_complete() const { return size_ > 0 && size_ == operations_.size(); }
  std::size_t body() const { return body_; }

  // The window that is recorded next is learnt: of it, each operation before `loops` gets it, and the hash it got.
  void begin_learning(std::size_t body);
  void learn(const Operation& operation, const PeriodFinder& loops);
  void learn_hash(std::uint64_t hash) { expected_.back().hash = hash; }
  // These were learnt. False where it cannot be followed.
  bool end_learning(const std::vector<Operation>& window);
  void forget();

  // True where the operation is the expected one: it is recorded then. Else nothing has happened. Not of a complete
  // window.
  bool follow(const Operation& operation, PeriodFinder& loops);
  // Of the window so far, with its stores; it is over then.
  // Its words are this object's.
  [[nodiscard]] WindowKey take_key();
  // The operations without their stores, with the numbers of the window that followed last.
  const std::vector<Operation>& operations() const { return operations_; }
  // The first so many of them, with the stores of this window, pinned where it pins them.
  [[nodiscard]] std::vector<Operation> operations_with(const WindowKey& window, std::size_t count) const;
  // Those of the window so far, which is over then.
  [[nodiscard]] std::vector<Operation> take_operations();

 private:
  // All of an operation but its places.
  struct Expected {
    std::uint64_t place = 0;  // of the call
    std::uint64_t kind = 0;
    const char *name = nullptr, *file = nullptr;
    std::uint64_t hash = 0;    // PeriodFinder's
    std::uint64_t pinned = 0;  // its hash_places()
    bool pins = false;         // a view pins an axis
    std::uint8_t scalars = 0;  // bit k: input k is a number
  };
  static constexpr int kNumber = -2;  // no store's number, and not that of one without
  static constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
  // A view or a number of an operation. A view's axes and extents follow those of the one before in axes_, extents_.
  struct Place {
    int store = kNumber;  // by number
    std::int8_t axes = 0, extents = 0;
    bool is_first = false;             // of the store's in the window
    bool is_whole = true;              // pins no axis
    std::uint64_t number = kNoNumber;  // of a number: its dtype and name
  };
  // How far the window is that follows.
  struct Cursor {
    const Place* place = nullptr;
    const partitioner::AxisMap* axis = nullptr;
    const std::int64_t* extent = nullptr;
  };
  // The stores of an operation's views.
  struct Touched {
    struct One {
      Store* store = nullptr;
      bool is_whole = false;
    };
    std::array<One, Operands::kMax + 1> stores;
    std::size_t count = 0;
  };

  void expect_places();
  void begin_following();
  bool match(const Operation& operation, Cursor& cursor, Touched& touched);
  bool match(const View& view, Cursor& cursor, Touched& touched);
  std::int64_t pin(int store, std::size_t axis, std::int64_t offset);
  void number(const StoreRef& store);
  void take_back(std::size_t stores);
  void release_numbers();

  WindowKey key_;  // of the window that is learnt or follows
  std::size_t size_ = 0, body_ = 0;
  bool learning_ = false, known_ = false;
  std::vector<Expected> expected_;
  std::vector<Place> places_;
  std::vector<partitioner::AxisMap> axes_;  // pinned ones from where the store is pinned first
  std::vector<std::int64_t> extents_;
  Cursor next_;
  KeyWords words_;                   // of its operations
  std::uint64_t hash_ = 0;           // of these
  std::uint64_t number_ = 0;         // of the window that is known
  std::uint64_t learnt_ = 0;         // windows so far
  std::vector<std::uint64_t> ages_;  // by store, when it was first used
  std::vector<Operation> operations_;
  std::vector<Pins> pins_;  // by store, of the window that was learnt
};

}  // namespace pilum::scheduler
