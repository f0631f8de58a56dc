// LeNet-5: two convolutions with pooling, three dense layers.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::newaxis, np::slice;

static np::Array relu(const np::Array& x) {
  return np::maximum(x, 0);
}

static np::Array conv2d(const np::Array& input, const np::Array& weights) {
  const std::int64_t K = weights.shape()[0];
  const std::int64_t H_out = input.shape()[1] - K + 1;
  const std::int64_t W_out = input.shape()[2] - K + 1;
  np::Array output = np::empty({input.shape()[0], H_out, W_out, weights.shape()[3]}, np::float32);
  for (std::int64_t i = 0; i < H_out; ++i) {
    for (std::int64_t j = 0; j < W_out; ++j) {
      output(all, i, j, all) =
          np::sum(input(all, slice(i, i + K), slice(j, j + K), all, newaxis) * weights[newaxis], {1, 2, 3});
    }
  }
  return output;
}

static np::Array maxpool2d(const np::Array& x) {
  const std::int64_t H = x.shape()[1] / 2, W = x.shape()[2] / 2;
  np::Array output = np::empty({x.shape()[0], H, W, x.shape()[3]}, x.dtype());
  for (std::int64_t i = 0; i < H; ++i) {
    for (std::int64_t j = 0; j < W; ++j) {
      output(all, i, j, all) = np::max(x(all, slice(2 * i, 2 * i + 2), slice(2 * j, 2 * j + 2), all), {1, 2});
    }
  }
  return output;
}

static Outputs lenet(Inputs& in) {
  np::Array x = relu(conv2d(in["input"], in["conv1"]) + in["conv1bias"]);
  x = maxpool2d(x);
  x = relu(conv2d(x, in["conv2"]) + in["conv2bias"]);
  x = maxpool2d(x);
  x = x.reshape(x.shape()[0], -1);
  x = relu(np::matmul(x, in["fc1w"]) + in["fc1b"]);
  x = relu(np::matmul(x, in["fc2w"]) + in["fc2b"]);
  return {{"out", np::matmul(x, in["fc3w"]) + in["fc3b"]}};
}

static const Entry entry("lenet", lenet);
