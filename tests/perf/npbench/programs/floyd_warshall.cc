// Shortest paths between all pairs of a graph's nodes.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::newaxis;

static Outputs floyd_warshall(Inputs& in) {
  auto& path = in["path"];
  for (std::int64_t k = 0; k < path.shape()[0]; ++k) {
    path[all] = np::minimum(path, path(all, k, newaxis) + path(k));
  }
  return {{"path", path}};
}

static const Entry entry("floyd_warshall", floyd_warshall);
