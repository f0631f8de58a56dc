// Functions of cells of the user's own: those that programs give to np::vectorize and np::reduction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random/dense.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// run_own.cc has the same as C++, in the same order.
struct OwnFunction {
  int arguments = 1;
  Expression body;            // its leaves are the arguments: a, b, c
  bool takes_numbers = true;  // as one of several arguments
  bool ignores = false;       // one of its arguments, whose shape the result has none the less
  int parts = 1;              // how many arrays it gives, of which the body is one: np::reduction folds one
};
const OwnFunction& own_function(std::int64_t which);
std::int64_t count_own_functions();

// As Python, to be called.
std::string own_text(std::int64_t which);

// Of Op::Own, of which the number says which function. Throws Invalid.
Dense compute_own(const Expression& expression, const std::vector<Dense>& arguments);

}  // namespace pilum::random_programs
