// An image of bytes: grey, blurred, its edges, those above a threshold, and its histogram made even.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs image_pipeline(Inputs& in) {
  const np::Array image = in["image"];
  const np::Array grey = 0.299 * image(all, all, 0) + 0.587 * image(all, all, 1) + 0.114 * image(all, all, 2);
  const np::Array rows = (grey(slice(0, -4), all) + 4 * grey(slice(1, -3), all) + 6 * grey(slice(2, -2), all) +
                          4 * grey(slice(3, -1), all) + grey(slice(4, {}), all)) /
                         16;
  const np::Array b = (rows(all, slice(0, -4)) + 4 * rows(all, slice(1, -3)) + 6 * rows(all, slice(2, -2)) +
                       4 * rows(all, slice(3, -1)) + rows(all, slice(4, {}))) /
                      16;
  const slice lo(0, -2), mid(1, -1), hi(2, {});
  const np::Array gx = b(lo, hi) + 2 * b(mid, hi) + b(hi, hi) - b(lo, lo) - 2 * b(mid, lo) - b(hi, lo);
  const np::Array gy = b(hi, lo) + 2 * b(hi, mid) + b(hi, hi) - b(lo, lo) - 2 * b(lo, mid) - b(lo, hi);
  const np::Array magnitude = np::hypot(gx, gy);
  const np::Array edges = magnitude > magnitude.mean() + 2 * magnitude.std();
  const np::Array bytes = b.astype(pilum::uint8);
  const np::Array histogram = np::bincount(bytes.ravel(), 256);
  const np::Array cdf = np::cumsum(histogram);
  const np::Array lookup = (255 * (cdf - cdf(0)) / (bytes.size() - cdf(0))).astype(pilum::uint8);
  return {{"edges", edges}, {"equal", np::take(lookup, bytes)}, {"histogram", histogram}};
}

static const Entry entry("image_pipeline", image_pipeline);
