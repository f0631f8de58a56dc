#include "scheduler/analyze/point_value.h"

namespace pilum::scheduler {
namespace {

kernel::Inner inner_of(const partitioner::AffineMap& map, int domain_rank) {
  const int k = map.store_axis_of(domain_rank - 1);
  if (k < 0) return kernel::Inner::Broadcast;
  return k == map.store_rank - 1 && map[k].scale == 1 ? kernel::Inner::Contiguous : kernel::Inner::Strided;
}

}  // namespace

kernel::ArrayArgument array_argument(const Store& store, const partitioner::AffineMap& map, int domain_rank,
                                     kernel::Access access) {
  kernel::Inner inner = inner_of(map, domain_rank);
  // A written array that the last axis does not move has one point along it.
  if (access == kernel::Access::Write && inner == kernel::Inner::Broadcast) inner = kernel::Inner::Strided;
  kernel::ArrayArgument array{store.dtype, access, inner, static_cast<std::int8_t>(map.store_rank)};
  const int row = domain_rank > 1 ? map.store_axis_of(domain_rank - 2) : -1;
  if (row >= 0 && map[row].scale == 1) array.row = static_cast<std::int8_t>(row);
  return array;
}

}  // namespace pilum::scheduler
