#include "scheduler/record/host_body.h"

#include <algorithm>

namespace pilum::scheduler {
namespace {

// What the chunk may touch of one argument, and where it lies.
detail::BoundStore bind_chunk(const Footprint& footprint, const Rect& box, std::int64_t offset,
                              const kernel::BoundArray& array) {
  const auto size = static_cast<std::int64_t>(itemsize(footprint.dtype));
  detail::BoundStore store;
  store.lo = box.lo;
  store.hi = box.hi;
  for (std::size_t k = 0; k < static_cast<std::size_t>(footprint.shape.rank()); ++k) {
    store.stride[k] = array.stride[k] / size;
    offset += box.lo[k] * array.stride[k];
  }
  store.first = reinterpret_cast<void*>(offset);
  return store;
}

}  // namespace

HostBody::Chunk make_chunk(const Launch& launch, const HostBody& body, std::int64_t number) {
  Rect points{launch.rank};
  std::int64_t left = number;
  for (int axis = launch.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t along = (launch.extent[a] + launch.chunk[a] - 1) / launch.chunk[a];
    points.lo[a] = launch.lo[a] + left % along * launch.chunk[a];
    points.hi[a] = std::min(points.lo[a] + launch.chunk[a], launch.lo[a] + launch.extent[a]);
    left /= along;
  }
  HostBody::Chunk chunk{Piece(points.rank, points.lo, points.hi), {}};
  for (std::size_t i = 0; i < body.footprints.size(); ++i) {
    const Rect box = body.boxes[i].rank ? body.boxes[i] : body.footprints[i].box(points);
    chunk.stores.push_back(bind_chunk(body.footprints[i], box, number * launch.chunk_step[i], launch.arrays[i]));
  }
  return chunk;
}

}  // namespace pilum::scheduler
