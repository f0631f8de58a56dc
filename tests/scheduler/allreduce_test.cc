// Folds whose results meet other arrays.
#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// The result would be cut as what is made of its shifted view, which is not where its pieces are. Found by a random
// program (seed 3857963044): the owners missed cells.
TEST(Allreduce, AResultThatIsWantedElsewhereIsThereAllTheSame) {
  for (const auto& [ranks, processors] : {std::pair{1, 3}, {3, 2}, {4, 1}}) {
    for (const std::int64_t split : {16, 32}) {
      SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << ", split at " << split);
      fakes::run_on_simulated_ranks(
          {.ranks = ranks, .processors_per_rank = processors, .split_bytes = split}, [](Session&) {
            auto a = np::reshape(np::arange(5.0), {1, 5});
            auto largest = np::max(a(slice({}, {}, -1), all) + 2.0 * a(all, slice({}, {}, -1)), 0, /*keepdims=*/true);
            auto c = np::reshape(np::arange(12.0), {2, 6});
            auto product = np::maximum(largest(all, slice(1, {})), np::sqrt(c(slice(1, {}), slice(4, 0, -1)))) *
                           c(slice(0, {}, -1), slice(1, 5));
            auto last = np::max(np::maximum(a(all, slice(-4, {})), c(slice(-1, {}), slice(2, {}))) -
                                np::where(product < largest(all, slice(1, {})), a(slice({}, {}, -1), slice(-2, {}, -1)),
                                          largest(all, slice({}, -1))));
            EXPECT_EQ(largest.to_vector<double>(), (std::vector<double>{8, 7, 6, 5, 4}));
            EXPECT_EQ(product.to_vector<double>(), (std::vector<double>{7, 12, 15, 16}));
            EXPECT_EQ(last.item<double>(), 6);
          });
    }
  }
}

}  // namespace
}  // namespace pilum::scheduler
