// A Jit that compiles nothing: for tests of all the rest, of which many more fit into a night so.
#pragma once

#include <memory>

#include "runtime/jit/jit.h"

namespace pilum::fakes {

// Its kernels run row by row of at most some hundred points, a node at a time. exp and log are long double's, rounded;
// floats are folded in the order of the points. At most 4,096 kernels a process, which stay to its end;
// std::logic_error beyond.
[[nodiscard]] std::shared_ptr<jit::Jit> interpreting_jit();

}  // namespace pilum::fakes
