// What a rank is doing, for whoever asks why nothing moves.
#pragma once

#include <string>

namespace pilum::scheduler {

struct Activity {
  int waits_for = -1;  // the rank whose message is awaited
  std::string text;    // "waits for …", "runs …"; empty: nothing is under way
};

}  // namespace pilum::scheduler
