// Functions of whole arrays by Pilum.
#pragma once

#include <cstdint>

#include "pilum/pilum.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// Every operation of which is_whole holds; `y` is empty where it takes one array.
numeric::Array run_whole(Op op, const numeric::Array& x, const numeric::Array& y, int axis, std::int64_t k);

}  // namespace pilum::random_programs
