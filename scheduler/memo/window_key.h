// What a window's plan is found again by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/memo/key_words.h"
#include "scheduler/memory/state_snapshot.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// What a plan follows from: the window with its stores renamed by first use, and their states. Numbers that users pass
// are not of it, but the names of those that are always the same (number_names.h). What many windows are looked up by:
// the states are copied for those alone that are kept, or undone.
struct PlanKey {
  std::uint64_t hash = 0;
  KeyWords window;                    // its operations
  KeyWords facts;                     // of its stores
  std::vector<StoreSnapshot> states;  // by store
  bool operator==(const PlanKey&) const = default;
};

// At which places a window's views see a store: h(t) pins its first axis, x(slice(t, t + 64)) sees a few cells of it
// (is_at_a_place). Such views say in the key how far from the first one they begin. Of a store that lies in memory as a
// whole, and that the window's plan leaves so, the place itself is not of the key, only how far behind a vector's place
// it begins: the plan is the same but for addresses, which move by as much as the place. So it is with a store that is
// cut there and roams, as long as one processor's part has all that they see (Planner::take_back_copies): the key says
// which part.
struct Pins {
  Pins();
  std::uint8_t seen = 0, free = 0;                    // bit k: a view is at a place of axis k; a view is not
  std::uint8_t several = 0;                           // bit k: one at a place of axis k sees several cells along it
  std::array<std::int64_t, kMaxAxes> at;              // of those that are seen
  std::array<std::int64_t, kMaxAxes> before, behind;  // how many cells from there on some are seen, and end
  std::uint8_t pinned() const { return static_cast<std::uint8_t>(seen & ~free); }  // all views are
};

// As Operand's.
inline Pins::Pins() = default;  // NOLINT(readability-redundant-inline-specifier): as there

// The block of a store that is pinned where the key does not say it.
struct MovingRole {
  Role role = 0;
  int store = 0;           // by number
  std::int64_t shift = 0;  // bytes from where it would be pinned at 0
  Rect cells;              // all that it has
};

// A window's key, its stores by number and the blocks that these have, by role.
struct WindowKey {
  PlanKey key;  // without states, until take_states()
  std::vector<StoreRef> stores;
  std::vector<Pins> pins;          // by store
  std::vector<int> moved;          // the stores whose places the key does not say, by number
  std::vector<MovingRole> moving;  // their blocks, in order of the roles
  std::vector<int> placed;         // the stores that have a state, by number
  std::vector<Block*> blocks;
  // Of a window that is the same as one that is known, the operations' words are those, and `known` is that one's
  // number: what was equal to them once is not compared again. Then `key` has none, until take_words().
  const KeyWords* words = nullptr;
  std::uint64_t known = 0;

  const KeyWords& operation_words() const { return words ? *words : key.window; }
  void take_words() {
    if (words) key.window = *words;
    words = nullptr;
  }
  // As a new one, with the memory that it has.
  void clear();
  // As they are now: before anything of the window is planned.
  void take_states();
};

// Nothing where the window brings data from outside. `later`: operations that are recorded and not of the window.
// `body`: operations of each body that is planned by itself; 0: the window is planned as a whole.
[[nodiscard]] std::optional<WindowKey> make_window_key(const std::vector<Operation>& operations,
                                                       const std::vector<Operation>& later, std::size_t body);

// The same step by step. Until it is finished its stores have their numbers in Store::window_index.
[[nodiscard]] WindowKey begin_window_key(std::size_t operations, std::size_t body);
void add_to_key(WindowKey& key, const Operation& operation);
void finish_window_key(WindowKey& key, const std::vector<Operation>& later);
// With the stores that `later` uses, by number (empty: none), and what hash_operations() gave for its operations'
// words.
void finish_window_key(WindowKey& key, const std::vector<bool>& used_later, std::uint64_t hash);
[[nodiscard]] std::uint64_t hash_operations(const KeyWords& words);

}  // namespace pilum::scheduler
