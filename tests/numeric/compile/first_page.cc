// Must compile as it stands: the program of the blueprint's first page.
#include <pilum/pilum.h>
namespace np = pilum::numeric;
using np::slice, np::all;

constexpr int n = 10;
constexpr int iterations = 3;

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);     // plaunch decided how many ranks, CPUs and GPUs
  auto grid = np::zeros({n + 2, n + 2});  // float64, as in NumPy
  grid(all, 0) = -273.15;
  grid(all, -1) = -273.15;
  grid(-1, all) = -273.15;
  grid(0, all) = 40.0;

  auto center = grid(slice(1, -1), slice(1, -1));  // views: no data moves
  auto north = grid(slice(0, -2), slice(1, -1));
  auto east = grid(slice(1, -1), slice(2, {}));
  auto west = grid(slice(1, -1), slice(0, -2));
  auto south = grid(slice(2, {}), slice(1, -1));
  for (int i = 0; i < iterations; ++i) {
    auto average = center + north + east + west + south;
    auto work = 0.2 * average;
    center[all] = work;  // Python's center[:] = work
  }
}
