#include "scheduler/plan/opaque.h"

#include <algorithm>
#include <cstring>

#include "scheduler/memory/view_walk.h"
#include "scheduler/plan/instances.h"

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

// Imported data are the host's: on a GPU they go through memory of the host.
void emit_import(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target) {
  const Task& task = builder.task();
  const TaskWrite& write = task.writes[0];
  const Store& store = *write.store();
  const std::size_t size = itemsize(store.dtype);
  const Rect cells = write.hull(piece);
  const bool aside = builder.rank().staging != nullptr;
  const Instance written = aside ? make_packed_on_host(builder, processor, cells, store)
                                 : Instance{target.block, target.rect, target.pitch, target.origin, {}};
  if (aside && cells.cells() != piece.cells())
    builder.copy(target, written, cells, store, processor);  // keeps the holes
  HostCall call{[=, to = ViewWalk(written, write.view.map), domain = task.domain,
                 data = std::get<ImportedCells>(task.computation).bytes] {
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
  builder.emit(std::move(call), processor, {Touch{written.block, cells, true}});
  if (!aside) return;
  builder.copy(written, target, cells, store, processor);
  builder.free(written.block, processor);
}

void emit_reshape(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target,
                  const Instance& source) {
  const Task& task = builder.task();
  const TaskWrite& write = task.writes[0];
  const View& read = task.reads[0].view;
  const ViewWalk to(target, write.view.map), from(source, read.map);
  Reshape reshape{{to.origin, to.stride}, {from.origin, from.stride}};
  reshape.itemsize = itemsize(write.store()->dtype);
  reshape.to_rank = task.domain.rank;
  reshape.from_rank = std::max(read.map.view_rank, 1);
  reshape.from_extent[0] = 1;
  for (int axis = 0; axis < read.shape.rank(); ++axis)
    reshape.from_extent[static_cast<std::size_t>(axis)] = read.shape[axis];
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.rank); ++a) {
    reshape.to_extent[a] = task.domain.hi[a] - task.domain.lo[a];
    reshape.lo[a] = piece.lo[a];
    reshape.hi[a] = piece.hi[a];
  }
  Rect view = Rect::of(read.shape);
  if (view.rank == 0) view = byte_range(0, 1);
  builder.emit(
      reshape, processor,
      {Touch{source.block, partitioner::image(read.map, view), false}, Touch{target.block, write.hull(piece), true}});
}

}  // namespace

void emit_opaque(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target,
                 const Instance* source) {
  if (std::holds_alternative<ImportedCells>(builder.task().computation)) {
    emit_import(builder, processor, piece, target);
  } else {
    emit_reshape(builder, processor, piece, target, *source);
  }
}

}  // namespace pilum::scheduler
