// What the library's tasks compute, assigned to arrays that there are, against the same kept under a name of its own.
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all, np::Array, np::slice;

TEST(AssignedResults, AreThoseThatANameHolds) {
  struct Machine {
    int ranks, processors, workers;
    bool gpus;
  };
  for (const auto& [ranks, processors, workers, gpus] :
       {Machine{1, 1, 2, false}, Machine{2, 1, 0, false}, Machine{1, 3, 0, true}, Machine{1, 4, 0, true},
        Machine{2, 2, 0, true}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (gpus ? " GPUs" : " processors"));
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = processors;
    machine.workers = workers;
    machine.gpus = gpus;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) {
      const Array a = (np::arange(60 * 40) * 7 % 31).reshape({60, 40}).astype(np::float64);
      const Array places = np::arange(60) * 11 % 60, square = a(slice(0, 40), all).copy();
      const std::vector<std::function<Array()>> functions{
          [&] { return np::cumsum(a, 0); },
          [&] { return np::cumsum(a, 1); },
          [&] { return np::sort(a, 1); },
          [&] { return np::take(a, places, 0); },
          [&] { return np::matmul(a, square); },
          [&] { return np::median(a, 1); },
          [&] { return np::argsort(a, 0); },
          [&] { return np::matmul(a, square.T()); },
          [&] { return np::sort(a(0, slice(2, 3))); },
          [&] { return np::apply_along_axis([](const Array& line) { return np::sort(line); }, 0, a(0, slice(2, 3))); },
          [&] {
            return np::apply_along_axis([](const Array& line) { return np::sort(line); }, 0,
                                        a(0, slice(0, 3))(slice(2, 3)));
          },
          [&] {
            return np::apply_along_axis([](const Array& line) { return np::sort(line); }, 1, a(slice(0, 3), all));
          },
          [&] { return np::cumsum(a(slice(2, 3), slice(0, 1)), 1); },
          [&] { return np::cumsum(a(all, 3)); },
          [&] { return np::sort(a(all, 3)); },
          [&] { return np::cumsum(a.reshape({2400})); },
          [&] { return np::take(a(all, 2), places); },
          [&] { return np::take_along_axis(a, np::argsort(a, 1), 1); }};
      for (std::size_t i = 0; i < functions.size(); ++i) {
        SCOPED_TRACE(testing::Message() << "function " << i << ", " << machine.ranks << " ranks of "
                                        << machine.processors_per_rank);
        const Array named = functions[i]();
        Array target = np::full(named.shape(), 5, named.dtype());
        target += 1;
        auto halo = target + np::roll(target, 1, 0);  // it has room for neighbours
        target[all] = functions[i]();
        EXPECT_TRUE(np::array_equal(target, named));
        target[all] = functions[i]();
        target += 1;
        EXPECT_TRUE(np::array_equal(target, named + 1));
        EXPECT_TRUE(np::array_equal(halo, np::full(named.shape(), 12, named.dtype())));
      }
    });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace pilum
