// Nobody computes or spins in this process.
#pragma once

namespace pilum::programs {

// Returns once no thread of this process has used its core for some milliseconds: idle threads spin before they sleep,
// and would take time from whoever is measured next. Throws std::runtime_error where that does not come to pass.
void wait_until_quiet();

}  // namespace pilum::programs
