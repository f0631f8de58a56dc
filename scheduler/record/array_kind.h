// Arrays that lie alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace pilum::scheduler {

// What is known of all large arrays of a shape and dtype: fields of one grid, which meet each other again and again. So
// they are all cut, or all lie whole (Session::weigh_cuts), and so do kinds that meet in loops: where one of two that
// meet is cut and the other lies whole, cells go to and fro.
struct ArrayKind {
  double to_gather = 0;             // seconds that it takes to bring one of them together
  double cost = 0;                  // of the plan that is made: seconds of their cells' ways, less what tasks gain
  std::uint8_t cut_axes = 0;        // bit k: they were cut along axis k
  ArrayKind* joined = nullptr;      // one that they met, which decides for both
  std::array<ArrayKind*, 4> met{};  // once, last

  // Of the kind that decides, for all that joined it.
  bool whole = false;   // they come together as they are used, and are made so
  bool stays = false;   // cut: some are too large for one processor
  bool lost = false;    // they came together for what their cells' ways cost in a loop, where tasks gained less
  double gain = 0;      // seconds that their being cut has gained since they lie as they do, or would have
  double moved = 0;     // seconds that it took to bring them together
  double seen = 0;      // seconds that were gained or lost since then
  double patience = 1;  // times as long until they are cut again, where that was in vain
  int settled_at = 0;   // the window from which on plans say what it costs: before, arrays are on their way

  ArrayKind& decider() {
    ArrayKind* kind = this;
    for (; kind->joined; kind = kind->joined) {
      if (kind->joined->joined) kind->joined = kind->joined->joined;
    }
    return *kind;
  }

  // Once more: from then on they lie alike, whole if one of them does and all may.
  void meet(ArrayKind& other) {
    ArrayKind &mine = decider(), &its = other.decider();
    if (&mine == &its) return;
    if (std::ranges::find(met, &other) == met.end()) {
      std::ranges::rotate(met, met.end() - 1);
      met.front() = &other;
      return;
    }
    if (mine.whole == its.whole) {
      mine.gain += its.gain;
    } else if (its.whole) {
      mine.gain = its.gain;
    }
    mine.stays |= its.stays;
    mine.whole = (mine.whole || its.whole) && !mine.stays;
    mine.lost |= its.lost;
    mine.to_gather += its.to_gather;
    mine.moved += its.moved;
    mine.seen += its.seen;
    mine.patience = std::max(mine.patience, its.patience);
    its.joined = &mine;
  }
};

}  // namespace pilum::scheduler
