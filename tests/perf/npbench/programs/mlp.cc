// Three dense layers: two rectified ones, and a softmax.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static np::Array relu(const np::Array& x) {
  return np::maximum(x, 0);
}

static np::Array softmax(const np::Array& x) {
  const np::Array tmp_max = np::max(x, -1, true);
  const np::Array tmp_out = np::exp(x - tmp_max);
  const np::Array tmp_sum = np::sum(tmp_out, -1, true);
  return tmp_out / tmp_sum;
}

static Outputs mlp(Inputs& in) {
  np::Array x = relu(np::matmul(in["x"], in["w1"]) + in["b1"]);
  x = relu(np::matmul(x, in["w2"]) + in["b2"]);
  x = softmax(np::matmul(x, in["w3"]) + in["b3"]);
  return {{"out", x}};
}

static const Entry entry("mlp", mlp);
