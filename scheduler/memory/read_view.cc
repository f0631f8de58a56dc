#include "scheduler/memory/read_view.h"

#include <cstring>

#include "scheduler/memory/view_walk.h"

namespace pilum::scheduler {

Rect cells_of(const View& view) {
  return partitioner::image(view.map, view.shape.rank() ? Rect::of(view.shape) : Rect::of({0}, {1}));
}

std::vector<std::byte> read_cells(std::span<std::byte> cells, const View& view) {
  Block block;
  block.data = cells.data();
  Instance instance{&block, Rect::of(view.store->shape)};
  auto pitch = static_cast<std::int64_t>(itemsize(view.store->dtype));
  for (int axis = view.store->shape.rank(); axis-- > 0;) {
    instance.pitch[static_cast<std::size_t>(axis)] = pitch;
    pitch *= view.store->shape[axis];
  }
  return read_view(instance, view);
}

std::vector<std::byte> read_view(const Instance& instance, const View& view) {
  const ViewWalk walk(instance, view.map);
  const std::size_t size = itemsize(view.store->dtype);
  const int rank = view.shape.rank();
  const std::int64_t row = rank ? view.shape[rank - 1] : 1;
  const std::int64_t step = rank ? walk.stride[static_cast<std::size_t>(rank - 1)] : 0;
  const bool runs = step == static_cast<std::int64_t>(size);
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.shape.elements()) * size);
  std::byte* to = bytes.data();
  std::array<std::int64_t, kMaxAxes> point{};
  while (to != bytes.data() + bytes.size()) {
    const std::byte* from = walk.at(point, rank);
    for (std::int64_t i = 0; i < (runs ? 1 : row); ++i) {
      const std::size_t count = runs ? static_cast<std::size_t>(row) * size : size;
      std::memcpy(to, from + i * step, count);
      to += count;
    }
    for (int axis = rank - 2; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++point[a] < view.shape[axis]) break;
      point[a] = 0;
    }
  }
  return bytes;
}

}  // namespace pilum::scheduler
