// How wide bins should be, by the rules that numpy.histogram knows by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "numeric/errors.h"
#include "pilum/array.h"

namespace pilum::numeric {

// Throws ValueError for a name that is none.
void check_bin_rule(const Call& call, std::string_view rule);

// How many bins there are to be between the ends, of which `a` has no cell beyond. Waits, on every rank.
std::int64_t bins_by_rule(const Call& call, const Array& a, std::string_view rule, std::pair<double, double> ends);

}  // namespace pilum::numeric
