// Windows that are recorded as one was before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/memo/window_key.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

class PeriodFinder;

// How a window ended that is learnt.
struct WindowCut {
  std::size_t body = 0;  // operations of each body that was planned by itself; 0: the window was planned as a whole
  // Where a value was read: whose, how many operations had waited by then, and what the operations that wait were found
  // by (WaitingOperations); none: there nothing ever waits.
  const Store* wanted = nullptr;
  std::size_t waited = 0;
  std::optional<std::uint64_t> choice;
  std::vector<bool> waits;  // by number, whether the operation waits for the next window; empty: none does
};

// A loop's body is recorded again and again, and its plan is found by the same words each time. So an operation is
// compared with the one that is expected as the call comes, while it is at hand, place by place and without a word
// written, and one that is as expected is not kept: of it there are its numbers, which go into the one that is known,
// and stores in the key. Where the operations are wanted after all they are put together again.
//
// First a window is learnt, then windows follow it: to PeriodFinder as if each operation had been looked at. Windows of
// operations without data from outside and users' tasks alone. Operations that wait when a value is read are the first
// ones of the window behind (RepeatedRound), and are followed there without being recorded. The recording thread's.
class RepeatedWindow {
 public:
  // The window that is recorded next is learnt, which begins with operations that have waited: of it, each operation
  // before `loops` gets it, and the hash it got. False where it cannot be followed.
  void begin_learning(std::span<const Operation> waiting = {});
  [[nodiscard]] bool learn(const Operation& operation, const PeriodFinder& loops);
  void learn_hash(std::uint64_t hash) { expected_.back().hash = hash; }
  // These were learnt, under a number of their own. False where they cannot be followed.
  [[nodiscard]] bool end_learning(const std::vector<Operation>& window, const WindowCut& cut, std::uint64_t number);
  // That what was learnt twice is one.
  bool is_same(const RepeatedWindow& other) const;

  std::size_t length() const { return operations_.size(); }
  std::size_t body() const { return body_; }
  // Operations that it begins with, that have waited; those that are planned when it is cut: the others wait.
  std::size_t waited() const { return waited_; }
  std::size_t planned() const { return planned_; }
  bool keeps_some() const { return planned_ < operations_.size(); }
  // Operations of the window that follows it. Their stores are numbered meanwhile.
  std::size_t size() const { return size_; }
  bool is_complete() const { return size_ > 0 && size_ == expected_.size(); }
  // One that has not waited is among them.
  bool has_begun() const { return size_ > waited_; }
  // It ended where a value was read: of the store that this one is, when so many had waited.
  bool was_cut_for(const Store& wanted, std::size_t waited) const {
    return was_read_ && (!choice_ || (wanted.window_index == wanted_ && waited == waited_at_cut_));
  }
  const std::optional<std::uint64_t>& choice() const { return choice_; }

  // The first operation behind those that have waited is made by the same call.
  bool may_begin_with(const Operation& operation) const;
  // True where these are the expected ones: they have waited. Else nothing has happened.
  bool enter(std::span<const Operation> waiting, const PeriodFinder& loops);
  // True where the operation is the expected one: it is recorded then. Else nothing has happened. Not of a complete
  // window.
  bool follow(const Operation& operation, PeriodFinder& loops);
  // Of the window so far, with its stores: of what is planned of it. Its words are this object's. It is over then, but
  // for what waits.
  [[nodiscard]] WindowKey take_key();
  // The stores of what is planned of it.
  template <class Visit>
  void for_each_planned_store(Visit visit) const {
    if (keeps_some()) {
      for (const int number : stores_planned_) visit(*key_.stores[static_cast<std::size_t>(number)]);
    } else {
      for (const StoreRef& store : key_.stores) visit(*store);
    }
  }
  // The operations that are planned, without their stores, with the numbers of the window that followed last.
  std::span<const Operation> operations() const { return {operations_.data(), planned_}; }
  // What waits goes on in the next one, which may be this. The key is over, and its memory the next one's of this
  // window.
  void hand_over(RepeatedWindow& next, WindowKey& key);
  // Instead of that: all operations of the window with this key, those that are planned and those that wait.
  void put_together(const WindowKey& window, std::vector<Operation>& planned, std::vector<Operation>& waiting);
  // Those of the window so far, which is over then.
  [[nodiscard]] std::vector<Operation> take_operations();
  // Nothing follows any more.
  void leave();

 private:
  // All of an operation but its places.
  struct Expected {
    std::uint64_t place = 0;  // of the call
    std::uint64_t kind = 0;
    const char *name = nullptr, *file = nullptr;
    std::uint64_t hash = 0;     // PeriodFinder's
    std::uint64_t pinned = 0;   // its hash_places()
    std::size_t operation = 0;  // where it is in operations_
    bool pins = false;          // a view is at a place of an axis
    std::uint8_t scalars = 0;   // bit k: input k is a number
    [[gnu::always_inline]] bool is(const Operation& operation) const {
      return pack_place(operation.where) == place && pack_kind(operation) == kind && operation.name == name &&
             operation.where.file_name() == file;
    }
  };
  static constexpr int kNumber = -2;  // no store's number, and not that of one without
  static constexpr std::uint64_t kNoNumber = ~std::uint64_t{0};
  static constexpr std::uint64_t kAnyAge = 0;
  // A view or a number of an operation. A view's axes and extents follow those of the one before in axes_, extents_.
  struct Place {
    int store = kNumber;  // by number
    std::int8_t axes = 0, extents = 0;
    bool is_first = false;             // of the store's in the window
    bool is_whole = true;              // at no place of any axis
    DType dtype = DType::Float64;      // of the store
    std::uint64_t number = kNoNumber;  // of a number: its dtype and name
    std::uint64_t age = kAnyAge;       // of the store, where it is the first of those that are recorded in the window
  };
  struct Axis {
    partitioner::AxisMap map;  // of one at a place, from where the store is seen first
    bool is_at_a_place;
  };
  // How far the window is that follows: the next place.
  struct Cursor {
    const Place* place = nullptr;
    const Axis* axis = nullptr;
    const std::int64_t* extent = nullptr;
  };
  // An operation while it is compared: what comes behind it, and the stores of its views.
  struct Match {
    struct Touched {
      Store* store;
      std::uint64_t place;  // bit_of_place
    };
    const PeriodFinder& loops;
    Cursor next;
    std::array<Touched, Operands::kMax + 1> touched;
    std::size_t count = 0;

    // The stores are set as they are found: not cleared first.
    Match(const PeriodFinder& loops, const Cursor& next) : loops(loops), next(next) {}
  };

  void expect(const Operation& operation);
  void expect_places(const std::vector<Operation>& window, const std::vector<Pins>& pins);
  void keep_operations(const std::vector<Operation>& window, const std::vector<bool>& waits);
  void expect_cut(const std::vector<Operation>& window, const std::vector<bool>& waits,
                  const std::vector<StoreRef>& stores);
  void begin_following();
  bool match(const Operation& operation, Match& match);
  bool match(const View& view, Match& match);
  void take_numbers(const Operation& operation);
  std::int64_t pin(int store, std::size_t axis, const partitioner::AxisMap& map);
  void number(const StoreRef& store);
  void take_back(std::size_t stores);
  void release_numbers();
  std::vector<Operation> operations_with(std::span<const StoreRef> stores, std::span<const Pins> pins,
                                         std::size_t count) const;

  std::size_t size_ = 0, body_ = 0, waited_ = 0, planned_ = 0;
  std::vector<Expected> expected_;   // as recorded
  std::vector<std::uint64_t> ages_;  // by place, while it is learnt
  std::vector<Place> places_;
  std::vector<Axis> axes_;
  std::vector<std::int64_t> extents_;
  struct Begin {
    std::size_t place = 0, axis = 0, extent = 0;
  };
  Begin begin_;                        // in these, of the first operation that has not waited
  std::vector<Operation> operations_;  // those that are planned first, then those that wait
  std::vector<Pins> pins_;             // by store, of the window that was learnt
  std::vector<std::uint8_t> free_;     // and of each
  bool was_read_ = false;
  int wanted_ = -1;  // whose value, by number
  std::size_t waited_at_cut_ = 0;
  std::optional<std::uint64_t> choice_;
  // Where some wait: by number among what is planned, and among what waits, the store's number in the window.
  std::vector<int> stores_planned_, stores_waiting_;
  std::vector<Pins> pins_planned_;
  std::vector<bool> used_later_;  // by number among what is planned
  KeyWords words_;                // of the operations that are planned
  std::uint64_t hash_ = 0;        // of these
  std::uint64_t number_ = 0;      // of the window that is known

  WindowKey key_;                  // of the window that follows: its stores, and where it pins them
  WindowKey planned_key_;          // where some wait, of what is planned; else nothing
  std::vector<StoreRef> pending_;  // those of the window that was cut, where some wait, until they go on
  Cursor next_;
};

}  // namespace pilum::scheduler
