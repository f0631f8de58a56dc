// Whether every case is wanted (PILUM_TEST_THOROUGH=1, as at night): where many cases take the same way, and compilers
// most of the time, some of them are run each time.
#pragma once

#include <cstdlib>

namespace pilum::fakes {

inline bool is_thorough() {
  const char* wanted = std::getenv("PILUM_TEST_THOROUGH");
  return wanted && *wanted && *wanted != '0';
}

}  // namespace pilum::fakes
