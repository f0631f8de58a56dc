// Do two computations give the same field?
#pragma once

#include <string>
#include <vector>

namespace pilum::programs {

// Where cells differ by more than `tolerance` of the largest one, or are no finite numbers, or their number differs; of
// those the worst cell, in words. Empty: nowhere.
std::string difference_of(const std::vector<double>& ours, const std::vector<double>& by_hand, double tolerance);

}  // namespace pilum::programs
