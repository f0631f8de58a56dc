// The seeds of random tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace pilum::scheduler {

// Calls test(seed) for `count` seeds from PILUM_TEST_SEED on, which is printed; fewer where PILUM_TEST_PROGRAMS says
// so. Ends with the first seed that fails.
template <class Test>
void for_each_seed(std::uint64_t count, Test test) {
  const char* const given = std::getenv("PILUM_TEST_SEED");
  const char* const wanted = std::getenv("PILUM_TEST_PROGRAMS");
  const std::uint64_t first = given ? std::strtoull(given, nullptr, 10) : 20261122;
  if (wanted) count = std::strtoull(wanted, nullptr, 10);
  std::cout << "PILUM_TEST_SEED=" << first << '\n' << std::flush;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE(testing::Message() << "PILUM_TEST_SEED=" << seed);
    test(seed);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace pilum::scheduler
