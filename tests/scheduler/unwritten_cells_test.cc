// Cells that nobody has written may be read, as NumPy's: their values are anything, and nothing fails.
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::slice;

TEST(UnwrittenCells, MayBeReadOnAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3}) {
    for (const std::int64_t split_bytes : {64, 1024}) {
      fakes::run_on_simulated_ranks({.ranks = ranks, .split_bytes = split_bytes, .window = 3}, [](scheduler::Session&) {
        auto x = np::zeros({301}), y = np::empty({301});
        for (int i = 0; i < 10; ++i) {
          x(slice(47, 146)) += y(slice(80, 278, 2));
          x(slice(0, 297)) = 1.0;
          (void)np::sum(x(slice(0, 297)));
        }
        EXPECT_EQ(x(5).item<double>(), 1.0);
      });
    }
  }
}

}  // namespace
}  // namespace pilum
