// Conway's game on a torus of uint8 cells, padded by one cell that repeats the other side.
#include "tests/perf/npbench/npbench.h"

using namespace npbench;
using np::all, np::slice;

static Outputs game_of_life(Inputs& in) {
  np::Array world = in["world"];
  const slice mid(1, -1), lo(0, -2), hi(2, {});
  for (std::int64_t t = 0; t < in.whole("steps"); ++t) {
    const np::Array p = np::pad(world, 1, np::Pad::Wrap);
    const np::Array neighbours =
        p(lo, lo) + p(lo, mid) + p(lo, hi) + p(mid, lo) + p(mid, hi) + p(hi, lo) + p(hi, mid) + p(hi, hi);
    const np::Array born = (neighbours == 3) & (world == 0);
    const np::Array survives = ((neighbours == 2) | (neighbours == 3)) & (world == 1);
    world[all] = 0;
    world(born | survives) = 1;
  }
  return {{"world", world}, {"alive", np::sum(world)}};
}

static const Entry entry("game_of_life", game_of_life);
