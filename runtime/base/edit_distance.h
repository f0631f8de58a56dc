// How far two names are apart.
#pragma once

#include <cstddef>
#include <string_view>

namespace pilum {

// The fewest letters to insert, remove, replace, or exchange with the next one, that make `from` into `to`
// (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

}  // namespace pilum
