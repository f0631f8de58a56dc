// Draws views of an array: any, or one that fits a shape.
#pragma once

#include <optional>

#include "tests/random/dice.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// name[…] with any slices, positions, transpositions and new axes.
Leaf draw_view(Dice& dice, int name, const Extents& shape);

// A view of `name` that broadcasts to `wanted`; nothing where there is none or none was found.
std::optional<Leaf> draw_fit(Dice& dice, int name, const Extents& shape, const Extents& wanted);

}  // namespace pilum::random_programs
