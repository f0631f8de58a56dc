// Runs programs through pilum's public interface, on whatever runtime this thread's arrays live.
#pragma once

#include <vector>

#include "tests/random/program.h"
#include "tests/random/reading.h"

namespace pilum::random_programs {

// The values that the program reads. Its handles are gone when this returns; its work may still be under way.
std::vector<Reading> run(const Program& program);

}  // namespace pilum::random_programs
