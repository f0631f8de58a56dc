// A residual block: three convolutions, each normalised over the batch.
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

static np::Array batchnorm2d(const np::Array& x, double eps = 1e-5) {
  const np::Array mean = np::mean(x, 0, true);
  const np::Array std = x.std(0, 0, true);
  return (x - mean) / np::sqrt(std + eps);
}

static Outputs resnet(Inputs& in) {
  const np::Array input = in["input"];
  const auto& shape = input.shape();
  np::Array padded = np::zeros({shape[0], shape[1] + 2, shape[2] + 2, in["conv1"].shape()[3]}, np::float32);
  padded(all, slice(1, -1), slice(1, -1), all) = conv2d(input, in["conv1"]);
  np::Array x = relu(batchnorm2d(padded));
  x = relu(batchnorm2d(conv2d(x, in["conv2"])));
  x = batchnorm2d(conv2d(x, in["conv3"]));
  return {{"out", relu(x + input)}};
}

static const Entry entry("resnet", resnet);
