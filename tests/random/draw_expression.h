// Draws expressions over the arrays of a state.
#pragma once

#include <utility>
#include <vector>

#include "tests/random/dice.h"
#include "tests/random/oracle.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// Of two.
inline Expression operation(Op op, Expression a, Expression b) {
  return Expression{.op = op, .arguments = {std::move(a), std::move(b)}};
}

// A random array, sometimes a view of it, that broadcasts to `wanted`; a number where none was found.
Expression draw_operand(Dice& dice, const Oracle& state, const Extents& wanted);
Number draw_number(Dice& dice);

// One to four operators over operands that broadcast to `wanted`. Most trees come from a small pool, the same for all
// programs, so that kernels recur.
Expression draw_expression(Dice& dice, const Oracle& state, const Extents& wanted, const std::vector<DType>& dtypes);

// A function of the user's own, of operands that broadcast to `wanted`.
Expression draw_own(Dice& dice, const Oracle& state, const Extents& wanted);

// A reduction of an operand or of an expression.
Expression draw_reduction(Dice& dice, const Oracle& state, const Extents& wanted, const std::vector<DType>& dtypes);

// What goes along an axis, of an operand or of an expression.
Expression draw_along_axis(Dice& dice, const Oracle& state, const Extents& wanted, const std::vector<DType>& dtypes);

// A function of whole arrays: of an operand or an expression, and of another one for those that take two.
Expression draw_whole(Dice& dice, const Oracle& state, const Extents& like, const std::vector<DType>& dtypes);

// The names that an expression may use: those of exact arrays.
std::vector<int> exact_names(const Oracle& state);

}  // namespace pilum::random_programs
