// Finds loops in the stream of operations.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// Mixes in what a view shows, but for whose store it is.
[[nodiscard]] std::uint64_t mix_map(std::uint64_t hash, const View& view);

// One bit, by where the view sees its store, as one of many places; 0: at no place of any axis.
[[nodiscard]] std::uint64_t bit_of_place(const View& view);

// Says after how many operations the stream repeats itself, from hashes that are alike for operations that do the same
// to stores of the same age. A loop is known when its body has been seen twice. A function of the recorded calls alone,
// so every rank finds the same. Bodies of up to kLongest operations; of a loop in a loop the outer one, but where its
// body has more than kShort operations and is mostly the inner one's rounds.
class PeriodFinder {
 public:
  static constexpr std::size_t kShort = 256, kLongest = 1024;

  // Takes the next operation; marks its stores as touched by it.
  void add(const Operation& operation) {
    const std::uint64_t hash = hash_of(operation);
    touch(operation);
    add(hash);
  }
  void add(std::uint64_t hash);
  // What add() marks by the next operation; for one whose hash is known. `place`: of the view that it has of the store
  // (bit_of_place).
  void touch(Store& store, std::uint64_t place) const {
    store.touched = count_;
    if (place == 0) {
      store.seen_whole = count_;
      store.places = 0;
    } else if (!roams(store) && store.seen_whole != count_) {
      store.places |= place;
      if (roams(store)) store.stays = false;  // what became of it at a few places says no more
    }
  }
  std::uint64_t last_hash() const { return history_[(count_ - 1) % kHistory]; }
  // Operations since the store was touched; of a hash it is all that follows from which store it is.
  std::uint64_t age_of(const Store& store) const { return store.touched ? count_ - store.touched : ~std::uint64_t{0}; }
  // Of late a round saw it along all of its axes: so the places where it is seen are of the loop.
  bool saw_whole(const Store& store) const { return store.seen_whole > 0 && count_ - store.seen_whole <= kFar; }
  // Of the next operation: h(t) = … is the same for each t, but where h is seen whole, too, the places tell its turns
  // apart. Of these places; 0: of none.
  std::uint64_t hash_places(const Operation& operation) const;
  std::uint64_t count() const { return count_; }  // of operations, from 1
  // The number of operations of the loop's body; 0: there is no loop.
  std::size_t period() const { return long_.is_known() ? long_.length : short_.is_known() ? short_.length : 0; }

 private:
  static constexpr std::uint64_t kFar = 64;  // operations: what was seen whole before these was so outside of the loop
  std::uint64_t hash_of(const Operation& operation) const;
  void touch(const Operation& operation) const;

  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t index = 0;
  };
  static constexpr std::size_t kHistory = 2048;  // at least kLongest + 1
  std::array<std::uint64_t, kHistory> history_{};
  std::array<std::array<Slot, 2>, kHistory> last_{};  // where a hash was last: of each remainder the two latest hashes
  std::uint64_t count_ = 1;                           // operations, and one: 0 is before all
  struct Candidate {
    std::size_t length = 0;
    std::size_t run = 0;  // operations in a row that were like the one `length` before
    bool is_known() const { return length > 0 && run >= length; }
  };
  // Goes on with the candidate, or takes another one, the hash's last distance if that is from `least` to `most`.
  void follow(Candidate& candidate, std::uint64_t hash, std::uint64_t distance, std::size_t least, std::size_t most);
  Candidate short_, long_;
  std::size_t in_short_ = 0;  // operations of the long one's run that were rounds of a short one
};

}  // namespace pilum::scheduler
