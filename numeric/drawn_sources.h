// The headers whose functions draw, as text for compilers that have no files to include.
#pragma once

namespace pilum::numeric {

// parameter_rules.h, portable_math.h, philox.h, distributions.h, count_distributions.h, in a namespace `drawn`.
const char* drawn_sources();

}  // namespace pilum::numeric
