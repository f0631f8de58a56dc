// Random numbers by Pilum.
#pragma once

#include <cstdint>

#include "pilum/pilum.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

numeric::Array run_draw(const Create& create);  // of which is_draw holds
// An operation of which is_drawn holds; of those of one parameter the second one is not looked at.
numeric::Array run_drawn(Op op, std::int64_t seed, const numeric::Operand& first, const numeric::Operand& second);

}  // namespace pilum::random_programs
