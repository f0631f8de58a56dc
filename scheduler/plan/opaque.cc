#include "scheduler/plan/opaque.h"

#include <algorithm>
#include <cstring>

#include "partitioner/renumber.h"
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

void emit_reshape(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target, const Argument& read,
                  const Instance& source) {
  const Task& task = builder.task();
  const TaskWrite& write = task.writes[0];
  const ViewWalk to(target, write.view.map), from(source, read.view.map);
  Reshape reshape{{to.origin, to.stride}, {from.origin, from.stride}};
  reshape.itemsize = itemsize(write.store()->dtype);
  reshape.to_rank = task.domain.rank;
  reshape.from_rank = read.footprint.shape.rank();
  for (int axis = 0; axis < reshape.from_rank; ++axis)
    reshape.from_extent[static_cast<std::size_t>(axis)] = read.footprint.shape[axis];
  for (std::size_t a = 0; a < static_cast<std::size_t>(piece.rank); ++a) {
    reshape.to_extent[a] = task.domain.hi[a] - task.domain.lo[a];
    reshape.lo[a] = piece.lo[a];
    reshape.hi[a] = piece.hi[a];
  }
  builder.emit(reshape, processor,
               {Touch{source.block, read.hull(piece), false}, Touch{target.block, write.hull(piece), true}});
}

}  // namespace

Argument read_of_reshape(const Task& task) {
  Argument read = task.reads[0];
  Shape from, to = read.view.shape;  // of the domain and of what is read: of one axis, where it has none
  for (int axis = 0; axis < task.domain.rank; ++axis) from.push_back(task.domain.extent(axis));
  if (to.rank() == 0) to = Shape{1};
  auto function = std::make_shared<CellFunction>();
  function->takes_pieces = true;
  function->boxes = [from, to](const Piece& piece) {
    std::vector<Box> boxes;
    const partitioner::Region cells = partitioner::renumber(Rect{piece.rank(), piece.lo(), piece.hi()}, from, to);
    for (const Rect& rect : cells.rects()) boxes.emplace_back(rect.rank, rect.lo, rect.hi);
    return boxes;
  };
  read.footprint.shape = to;
  read.footprint.domain_rank = static_cast<std::int8_t>(task.domain.rank);
  read.footprint.cells = AskedCells{std::move(function), std::make_shared<std::map<Rect, partitioner::Region>>()};
  return read;
}

void emit_opaque(PlanBuilder& builder, int processor, const Rect& piece, const Instance& target, const Argument* read,
                 const Instance* source) {
  if (read) {
    emit_reshape(builder, processor, piece, target, *read, *source);
  } else {
    emit_import(builder, processor, piece, target);
  }
}

}  // namespace pilum::scheduler
