// The ranks of pages by 50 iterations over a dense matrix of links.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs pagerank(Inputs& in) {
  const np::Array links = in["links"];
  const auto n = links.shape()[0];
  const double d = 0.85;
  const np::Array out = links.sum(0);
  const np::Array M = np::where(out > 0, links / np::maximum(out, 1), 1.0 / double(n));
  np::Array rank = np::full(n, 1.0 / double(n));
  for (int i = 0; i < 50; ++i) {
    rank = d * np::matmul(M, rank) + (1 - d) / double(n);
    rank /= rank.sum();
  }
  return {{"rank", rank}};
}

static const Entry entry("pagerank", pagerank);
