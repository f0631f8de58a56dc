// Draws as Python: NumPy's generators have other numbers.
#pragma once

#include <string>

#include "tests/random/program.h"

namespace pilum::random_programs {

std::string draw_text(const Create& create);  // of which is_draw holds
// Of an operation of which is_drawn holds.
std::string drawn_text(Op op, const std::string& parameters, const Number& seed);

}  // namespace pilum::random_programs
