// softmax(Q K^T / sqrt(d)) V for several heads.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;

static Outputs attention(Inputs& in) {
  const np::Array Q = in["Q"], K = in["K"], V = in["V"];
  const np::Array scores = np::matmul(Q, K.transpose(0, 2, 1)) / std::sqrt(static_cast<double>(Q.shape()[2]));
  np::Array weights = np::exp(scores - np::max(scores, -1, true));
  weights /= np::sum(weights, -1, true);
  return {{"out", np::matmul(weights, V)}};
}

static const Entry entry("attention", attention);
