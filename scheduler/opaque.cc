#include "scheduler/opaque.h"

#include <cstring>

#include "scheduler/view_walk.h"

namespace pilum::scheduler {
namespace {

// Walks a box of points row-major.
class Odometer {
 public:
  explicit Odometer(const Rect& box) : box_(box), point_(box.lo) {}
  const std::array<std::int64_t, kMaxAxes>& point() const { return point_; }
  bool next() {
    for (int axis = box_.rank - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++point_[a] < box_.hi[a]) return true;
      point_[a] = box_.lo[a];
    }
    return false;
  }

 private:
  Rect box_;
  std::array<std::int64_t, kMaxAxes> point_;
};

std::int64_t linear(const std::array<std::int64_t, kMaxAxes>& point, const Rect& domain) {
  std::int64_t index = 0;
  for (int axis = 0; axis < domain.rank; ++axis)
    index = index * domain.extent(axis) + point[static_cast<std::size_t>(axis)];
  return index;
}

std::array<std::int64_t, kMaxAxes> point_of(std::int64_t index, const Shape& shape) {
  std::array<std::int64_t, kMaxAxes> point{};
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    point[static_cast<std::size_t>(axis)] = index % shape[axis];
    index /= shape[axis];
  }
  return point;
}

}  // namespace

void emit_opaque(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target,
                 const Instance* source) {
  const Task& task = builder.task();
  const TaskWrite& write = task.writes[0];
  const std::size_t size = itemsize(write.store->dtype);
  const ViewWalk to(target, write.map);
  const Rect domain = task.domain;
  const Touch written{target.block, partitioner::image(write.map, piece), true};
  if (task.kind == OperationKind::Import) {
    HostCall call{[=, data = task.data] {
      // Row by row where a row's cells lie side by side.
      const auto last = static_cast<std::size_t>(piece.rank - 1);
      const bool runs = to.stride[last] == static_cast<std::int64_t>(size);
      Rect starts = piece;
      if (runs) starts.hi[last] = starts.lo[last] + 1;
      const std::size_t bytes = runs ? static_cast<std::size_t>(piece.extent(piece.rank - 1)) * size : size;
      Odometer point(starts);
      do {
        std::memcpy(to.at(point.point(), piece.rank),
                    data->data() + static_cast<std::size_t>(linear(point.point(), domain)) * size, bytes);
      } while (point.next());
    }};
    builder.emit(std::move(call), processor, {written});
    return;
  }
  const TaskRead& read = task.reads[0];
  const ViewWalk from(*source, read.map);
  HostCall call{[=, shape = read.view_shape, rank = read.map.view_rank] {
    Odometer point(piece);
    do {
      std::memcpy(to.at(point.point(), piece.rank), from.at(point_of(linear(point.point(), domain), shape), rank),
                  size);
    } while (point.next());
  }};
  Rect view = Rect::of(read.view_shape);
  if (view.rank == 0) view = byte_range(0, 1);
  builder.emit(std::move(call), processor, {Touch{source->block, partitioner::image(read.map, view), false}, written});
}

}  // namespace pilum::scheduler
