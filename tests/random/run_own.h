// Functions of cells of the user's own by Pilum: np::vectorize, np::reduction.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "pilum/pilum.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

using OwnArgument = std::variant<numeric::Array, double, std::int64_t>;

// The function of own_functions.cc.
numeric::Array run_own(std::int64_t which, const std::vector<OwnArgument>& arguments);

struct OwnFold {
  Op op = Op::Sum;  // … Max, Any, All
  numeric::Axes axes;
  bool keepdims = false;
  std::optional<Number> identity;
  bool by_function = false;  // np::add, and not std::plus<>()
};
numeric::Array run_own_fold(std::int64_t which, const OwnFold& fold, const std::vector<OwnArgument>& arguments);

}  // namespace pilum::random_programs
