// A convolution of images by several kernels, and a bias: a sum of products for each pixel of the result.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::newaxis, np::slice;

static np::Array conv2d(const np::Array& input, const np::Array& weights) {
  const std::int64_t K = weights.shape()[0];
  const std::int64_t N = input.shape()[0];
  const std::int64_t H_out = input.shape()[1] - K + 1;
  const std::int64_t W_out = input.shape()[2] - K + 1;
  const std::int64_t C_out = weights.shape()[3];
  np::Array output = np::empty({N, H_out, W_out, C_out}, np::float32);
  for (std::int64_t i = 0; i < H_out; ++i) {
    for (std::int64_t j = 0; j < W_out; ++j) {
      output(all, i, j, all) =
          np::sum(input(all, slice(i, i + K), slice(j, j + K), all, newaxis) * weights[newaxis], {1, 2, 3});
    }
  }
  return output;
}

static Outputs conv2d_bias(Inputs& in) {
  return {{"out", conv2d(in["input"], in["weights"]) + in["bias"]}};
}

static const Entry entry("conv2d_bias", conv2d_bias);
