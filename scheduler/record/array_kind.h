// Arrays that lie alike.
#pragma once

#include <cstdint>

namespace pilum::scheduler {

// What is known of all large arrays of a shape and dtype: fields of one grid, which meet each other again and again. So
// they are all cut, or all lie whole (Session::weigh_cuts).
struct ArrayKind {
  double gain = 0;            // seconds that their being cut has gained since they lie as they do, or would have
  double moved = 0;           // seconds that it took to bring them together
  double sent = 0;            // of the plan that is made: seconds that their cells take from one processor to another
  double seen = 0;            // seconds that were gained or lost since then
  double patience = 1;        // times as long until they change again, where they did so soon and so in vain
  bool whole = false;         // they come together as they are used, and are made so
  std::uint8_t cut_axes = 0;  // bit k: they were cut along axis k
};

}  // namespace pilum::scheduler
