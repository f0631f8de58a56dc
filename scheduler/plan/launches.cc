#include "scheduler/plan/launches.h"

#include "scheduler/plan/body_launches.h"
#include "scheduler/plan/kernel_launches.h"

namespace pilum::scheduler {
namespace {

void emit_box(PlanBuilder& builder, const BoundPiece& bound, const Rect& points, bool boundary) {
  if (builder.task().kernel()) {
    emit_kernel(builder, bound, points, boundary);
  } else {
    emit_body(builder, bound, points, boundary);
  }
}

}  // namespace

Launch make_launch(const PlanBuilder& builder, const Rect& points) {
  Launch launch;
  launch.points = points;
  launch.rank = points.rank;
  for (std::size_t a = 0; a < static_cast<std::size_t>(launch.rank); ++a) {
    launch.lo[a] = points.lo[a];
    launch.extent[a] = points.hi[a] - points.lo[a];
  }
  static const auto kNone = std::make_shared<const std::vector<std::uint64_t>>();
  const std::vector<std::uint64_t>& scalars = builder.task().scalars;
  launch.scalars = scalars.empty() ? kNone : std::make_shared<const std::vector<std::uint64_t>>(scalars);
  return launch;
}

void emit_launches(PlanBuilder& builder, const BoundPiece& bound) {
  const kernel::Kernel* kernel = builder.task().kernel();
  if (kernel && kernel->stores.empty()) return;  // everything it computes is nobody's
  if (bound.halo_points.empty()) return emit_box(builder, bound, bound.piece, /*boundary=*/false);
  const Region interior = Region(bound.piece) - bound.halo_points;
  for (const Rect& rect : interior.rects()) emit_box(builder, bound, rect, /*boundary=*/false);
  const Region boundary = bound.halo_points & bound.piece;
  for (const Rect& rect : boundary.rects()) emit_box(builder, bound, rect, /*boundary=*/true);
}

void emit_reduction(PlanBuilder& builder, const BoundPiece& bound, std::span<const FoldTarget> targets) {
  const std::vector<Partials> partials = builder.task().kernel() ? emit_kernel_reduction(builder, bound, targets)
                                                                 : emit_body_reduction(builder, bound, targets);
  for (const Partials& partial : partials) {
    builder.emit(partial.fold, bound.processor,
                 {Touch{partial.block, byte_range(0, static_cast<std::int64_t>(partial.block->bytes)), false},
                  Touch{partial.target->block, partial.target->touched, true}});
    builder.free(partial.block, bound.processor);
  }
}

}  // namespace pilum::scheduler
