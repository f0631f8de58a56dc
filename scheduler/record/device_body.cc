#include "scheduler/record/device_body.h"

namespace pilum::scheduler {
namespace {

using kernel::BodyAxis;

// `extent`: of the array's axis; where it is shorter than the domain, windows are clipped.
BodyAxis::Kind kind_of(const AxisCells& window, const Rect& domain, std::int64_t extent) {
  if (window.axis < 0) return BodyAxis::Kind::Fixed;
  const bool own =
      window.scale == 1 && window.offset == 0 && window.extent == 1 && domain.extent(window.axis) <= extent;
  return own ? BodyAxis::Kind::Own : BodyAxis::Kind::Window;
}

// Instances are row-major, and so are partial results.
bool is_contiguous(const Argument& argument) {
  if (argument.footprint.access == kernel::Access::Reduce) return true;
  const partitioner::AffineMap& map = argument.view.map;
  const int last = argument.view.shape.rank() - 1, k = last < 0 ? -1 : map.store_axis_of(last);
  return k >= 0 && k == map.store_rank - 1 && map[k].scale == 1;
}

}  // namespace

void find_body_form(const TaskLaunch& launch, kernel::BodyForm& form) {
  form.rank = launch.domain.rank;
  form.arrays.resize(launch.arguments.size());
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const Footprint& footprint = argument.footprint;
    kernel::BodyForm::Array& array = form.arrays[i];
    array.contiguous = is_contiguous(argument);
    array.fold = footprint.access == kernel::Access::Reduce ? footprint.fold : kernel::Fold::Sum;
    array.axes.resize(static_cast<std::size_t>(footprint.shape.rank()));
    for (std::size_t k = 0; k < array.axes.size(); ++k) {
      const AxisCells window = footprint.window(static_cast<int>(k));
      const BodyAxis::Kind kind = footprint.function()
                                      ? BodyAxis::Kind::Fixed
                                      : kind_of(window, launch.domain, footprint.shape[static_cast<int>(k)]);
      array.axes[k] = {kind, static_cast<std::int8_t>(kind == BodyAxis::Kind::Fixed ? 0 : window.axis)};
    }
  }
}

std::vector<kernel::BodyRange> find_ranges(const Footprint& footprint, const Rect& points, const Rect& box) {
  const Rect cells = footprint.function() ? box : footprint.box(points);
  std::vector<kernel::BodyRange> ranges;
  for (std::size_t k = 0; k < static_cast<std::size_t>(footprint.shape.rank()); ++k) {
    const AxisCells window = footprint.window(static_cast<int>(k));
    ranges.push_back(
        {cells.lo[k], cells.hi[k], window.scale, window.offset, window.extent, footprint.shape[static_cast<int>(k)]});
  }
  return ranges;
}

}  // namespace pilum::scheduler
