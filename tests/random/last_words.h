// What a process says when it is aborted or hangs.
#pragma once

#include <string>

namespace pilum::random_programs {

// For the length of its life a crash of the process, or 150 s (PILUM_RANDOM_SECONDS), prints the text first.
class LastWords {
 public:
  explicit LastWords(std::string text);
  ~LastWords();
};

}  // namespace pilum::random_programs
