#include "runtime/base/flush.h"

#include <cstdio>
#include <iostream>

namespace pilum {

void flush_output() noexcept {
  try {
    std::cout.flush();
    std::clog.flush();
    std::wcout.flush();
  } catch (...) {  // a stream that throws is the program's, and it is about to end
  }
  std::fflush(nullptr);
}

}  // namespace pilum
