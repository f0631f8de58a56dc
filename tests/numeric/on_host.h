// For tests of bodies for GPUs.
#pragma once

#include <stdexcept>

#include "pilum/task.h"

namespace pilum::test {

// A body for cores that is not to be called.
template <class... P>
void on_host(Piece, P...) {
  throw std::runtime_error("this ran on the host");
}

}  // namespace pilum::test
