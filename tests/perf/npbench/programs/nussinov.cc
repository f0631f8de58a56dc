// The most pairs of bases that a strand of RNA can fold into (Nussinov's recursion).
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::slice;

static Outputs nussinov(Inputs& in) {
  auto& seq = in["seq"];
  const std::int64_t n = seq.size();
  auto table = np::zeros({n, n}, np::int32);
  for (std::int64_t i = n - 1; i >= 0; --i) {
    for (std::int64_t j = i + 1; j < n; ++j) {
      auto best = np::maximum(table(i, j - 1), table(i + 1, j));
      auto diagonal = table(i + 1, j - 1);
      if (i < j - 1) diagonal = diagonal + (seq(i) + seq(j) == 3);
      best = np::maximum(best, diagonal);
      if (i + 1 < j) {
        best = np::maximum(best, np::max(table(i, slice(i + 1, j)) + table(slice(i + 2, j + 1), j)));
      }
      table(i, j) = best;
    }
  }
  return {{"table", table}};
}

static const Entry entry("nussinov", nussinov);
