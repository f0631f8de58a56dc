// The program under test, and what it runs in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/launcher/program.h"

namespace pilum::test {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

std::string lifecycle();
std::string jacobi();
// Kernels are kept for the build's tests; more variables on top.
Variables with(Variables more = {});
bool has_mpirun();

// As ranks of one core under plaunch, or under mpirun itself.
Words under_plaunch(int ranks, const Words& application, const Words& options = {});
Words under_mpirun(int ranks, const Words& application);
// Each rank with words of its own.
Words under_mpirun(const std::vector<Words>& ranks);

// Skips without mpirun.
#define NEEDS_MPIRUN() \
  if (!has_mpirun()) GTEST_SKIP() << "there is no mpirun"

}  // namespace pilum::test
