// Deriche's edge detector: a recursive filter along rows, then along columns.
#include "tests/perf/npbench/npbench.h"

#include <cmath>

using namespace npbench;
using np::all;

static Outputs deriche(Inputs& in) {
  auto& image = in["image"];
  const double alpha = in.real("alpha");
  const double k = std::pow(1 - std::exp(-alpha), 2) / (1 + 2 * alpha * std::exp(-alpha) - std::exp(2 * alpha));
  const double a1 = k, a2 = k * std::exp(-alpha) * (alpha - 1), a3 = k * std::exp(-alpha) * (alpha + 1);
  const double a4 = -k * std::exp(-2 * alpha), b1 = std::pow(2, -alpha), b2 = -std::exp(-2 * alpha);
  auto y1 = np::empty_like(image), y2 = np::empty_like(image);
  const std::int64_t width = image.shape()[0], height = image.shape()[1];
  y1(all, 0) = a1 * image(all, 0);
  y1(all, 1) = a1 * image(all, 1) + a2 * image(all, 0) + b1 * y1(all, 0);
  for (std::int64_t j = 2; j < height; ++j) {
    y1(all, j) = a1 * image(all, j) + a2 * image(all, j - 1) + b1 * y1(all, j - 1) + b2 * y1(all, j - 2);
  }
  y2(all, -1) = 0;
  y2(all, -2) = a3 * image(all, -1);
  for (std::int64_t j = height - 3; j >= 0; --j) {
    y2(all, j) = a3 * image(all, j + 1) + a4 * image(all, j + 2) + b1 * y2(all, j + 1) + b2 * y2(all, j + 2);
  }
  auto out = y1 + y2;
  y1(0) = a1 * out(0);
  y1(1) = a1 * out(1) + a2 * out(0) + b1 * y1(0);
  for (std::int64_t j = 2; j < width; ++j) {
    y1(j) = a1 * out(j) + a2 * out(j - 1) + b1 * y1(j - 1) + b2 * y1(j - 2);
  }
  y2(-1) = 0;
  y2(-2) = a3 * out(-1);
  for (std::int64_t j = width - 3; j >= 0; --j) {
    y2(j) = a3 * out(j + 1) + a4 * out(j + 2) + b1 * y2(j + 1) + b2 * y2(j + 2);
  }
  out = y1 + y2;
  return {{"out", out}};
}

static const Entry entry("deriche", deriche);
