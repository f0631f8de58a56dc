// Whether a call gave what NumPy gave.
#pragma once

#include <optional>
#include <string>

#include "tests/numpy/case.h"

namespace pilum::numpy_suite {

// What is wrong with these cells, in words: dtype, shape, or the first cell.
[[nodiscard]] std::optional<std::string> difference(const Expected& expected, const Cells& cells);

// Runs the case, and says what differs: the results, an error that should have been thrown, or should not, an argument
// that the error changed, or whether the result is a view.
[[nodiscard]] std::optional<std::string> run(const Case& test);

// The call and its arguments' cells, in a line or two.
[[nodiscard]] std::string to_string(const Case& test);

}  // namespace pilum::numpy_suite
