// Decides how the stores of a window are cut.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "partitioner/tiling.h"
#include "runtime/machine/machine.h"

namespace pilum::partitioner {

// Cells of an axis that counts a point's values, densities and momenta say, each of which a program sees by number.
inline constexpr std::int64_t kMostComponents = 27;

struct SolverStore {
  Rect box;
  std::int64_t cell_bytes = 8;
  bool replicate = false;        // demanded: the value is wanted everywhere
  std::uint8_t split_axes = 0;   // demanded: cut along these axes (bit k) alone, however small
  std::optional<Tiling> tiling;  // set: already cut, and stays so
  std::uint8_t field_axes = 0;   // so many first axes count the components of points
  bool lies_apart = false;       // that what it is computed from is cut is no reason to cut it
};

// One view of an operation, as a map from the operation's domain. A domain axis that a written store does not follow
// is reduced into it.
struct SolverAccess {
  int store = 0;
  AffineMap map;
  bool write = false;
};

// accesses[first, first + count) of one operation.
struct SolverOperation {
  int first = 0;
  int count = 0;
  bool spreads = false;  // a task, which goes over a domain of its own
  bool is_ours = false;  // the library's: of small arrays one processor may do it. A user's is shared by all
};

struct SolverWindow {
  std::vector<SolverStore> stores;
  std::vector<SolverAccess> accesses;
  std::vector<SolverOperation> operations;
};

// Fills in the tilings that are missing. Stores linked by unit-stride views are cut together: like those already cut,
// else from the largest, by the grid of processors that costs the least in halo messages. What is not worth splitting,
// or is a reduction over a cut axis, is replicated; in one rank, what has to do with small stores alone lies with
// processor 0, so that nothing is done twice. A function of its arguments alone: every rank finds the same.
void solve(SolverWindow& window, const machine::Machine& machine);

}  // namespace pilum::partitioner
