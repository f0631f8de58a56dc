// A solver's window in the making.
#pragma once

#include <initializer_list>
#include <vector>

#include "partitioner/solver.h"

namespace pilum::partitioner {

inline machine::Machine machine_of(int processors, std::int64_t split_bytes = 64) {
  machine::Machine machine;
  machine.ranks = processors;
  machine.split_bytes = split_bytes;
  return machine;
}

inline AffineMap shifted(std::initializer_list<std::int64_t> offsets) {
  AffineMap map = AffineMap::identity(static_cast<int>(offsets.size()));
  int axis = 0;
  for (const std::int64_t offset : offsets) map[axis++].offset = offset;
  return map;
}

// A window in the making.
struct Window : SolverWindow {
  int store(std::initializer_list<std::int64_t> extents) {
    SolverStore made;
    made.box = Rect::of(Shape(extents));
    stores.push_back(made);
    return static_cast<int>(stores.size()) - 1;
  }
  void operation(std::vector<SolverAccess> list) {
    operations.push_back({static_cast<int>(accesses.size()), static_cast<int>(list.size())});
    accesses.insert(accesses.end(), list.begin(), list.end());
  }
  const Tiling& tiling(int number) const { return *stores[static_cast<std::size_t>(number)].tiling; }
};

inline std::vector<int> parts_of(const Tiling& tiling) {
  std::vector<int> parts;
  for (int axis = 0; axis < tiling.box().rank; ++axis) parts.push_back(tiling.axis(axis).parts);
  return parts;
}

inline machine::Machine one_rank_of(int processors) {
  machine::Machine machine;
  machine.processors_per_rank = processors;
  return machine;
}

}  // namespace pilum::partitioner
