#include "scheduler/gpu_body.h"

#include <atomic>
#include <new>

#include "pilum/error.h"
#include "runtime/base/log.h"

namespace pilum::scheduler {
namespace {

using kernel::BodyAxis;

// `extent`: of the array's axis; where it is shorter than the domain, windows are clipped.
BodyAxis::Kind kind_of(const CellWindow& window, const Rect& domain, std::int64_t extent) {
  if (window.axis < 0) return BodyAxis::Kind::Fixed;
  const bool own = window.scale == 1 && window.offset == 0 && window.extent == 1 && domain.extent(window.axis) <= extent;
  return own ? BodyAxis::Kind::Own : BodyAxis::Kind::Window;
}

// Instances are row-major, and so are partial results.
bool is_contiguous(const LaunchArgument& argument) {
  if (argument.footprint.access == TaskAccess::Reduce) return true;
  const partitioner::AffineMap& map = argument.view.map;
  const int last = argument.view.shape.rank() - 1, k = last < 0 ? -1 : map.store_axis_of(last);
  return k >= 0 && k == map.store_rank - 1 && map[k].scale == 1;
}

}  // namespace

void find_body_form(const TaskLaunch& launch, kernel::BodyForm& form) {
  form.rank = launch.domain.rank;
  form.arrays.resize(launch.arguments.size());
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    const Footprint& footprint = argument.footprint;
    kernel::BodyForm::Array& array = form.arrays[i];
    array.contiguous = is_contiguous(argument);
    array.fold = footprint.access == TaskAccess::Reduce ? footprint.fold : kernel::Fold::Sum;
    array.axes.resize(static_cast<std::size_t>(footprint.shape.rank()));
    for (std::size_t k = 0; k < array.axes.size(); ++k) {
      const CellWindow& window = footprint.windows[k];
      const BodyAxis::Kind kind =
          footprint.function ? BodyAxis::Kind::Fixed
                             : kind_of(window, launch.domain, footprint.shape[static_cast<int>(k)]);
      array.axes[k] = {kind, static_cast<std::int8_t>(kind == BodyAxis::Kind::Fixed ? 0 : window.axis)};
    }
  }
}

std::vector<kernel::BodyRange> find_ranges(const Footprint& footprint, const Rect& points, const Rect& box) {
  const Rect cells = footprint.function ? box : footprint.box(points);
  std::vector<kernel::BodyRange> ranges;
  for (std::size_t k = 0; k < static_cast<std::size_t>(footprint.shape.rank()); ++k) {
    const CellWindow& window = footprint.windows[k];
    ranges.push_back(
        {cells.lo[k], cells.hi[k], window.scale, window.offset, window.extent, footprint.shape[static_cast<int>(k)]});
  }
  return ranges;
}

const std::shared_ptr<const jit::DeviceKernel>& BodyKernels::get(const kernel::BodyText& body,
                                                                 const kernel::BodyForm& form) {
  std::vector<Known>& known = known_[&body];
  for (const Known& one : known) {
    if (one.form == form) return one.kernel;
  }
  return known.emplace_back(form, jit_.get(kernel::emit_device_body(body, form))).kernel;
}

const std::shared_ptr<const jit::DeviceKernel>& BodyKernels::get_ready(const TaskLaunch& launch) {
  const kernel::BodyText& body = *launch.body->gpu;
  find_body_form(launch, form_);
  const auto& kernel = get(body, form_);
  try {
    static_cast<void>(kernel->image());
  } catch (const jit::RefusedText& refused) {
    throw ValueError(kernel::explain_refusal(body, form_, refused.log()));
  }
  return kernel;
}

BodyOffences::~BodyOffences() {
  for (const Record& record : records_) {
    try {
      record.gpu->release_pinned(reinterpret_cast<std::byte*>(record.offence));
    } catch (const Error& error) {
      log("scheduler").debug("{}", error.what());  // the GPU has failed; that was told
    }
  }
}

kernel::BodyOffence* BodyOffences::record_of(device::Gpu& gpu) {
  for (const Record& record : records_) {
    if (record.gpu == &gpu) return record.offence;
  }
  std::byte* memory = gpu.allocate_pinned(sizeof(kernel::BodyOffence));
  if (!memory) throw MemoryError("there is no page-locked memory left to tell wrong indices in");
  return records_.emplace_back(&gpu, new (memory) kernel::BodyOffence()).offence;
}

const kernel::BodyOffence* BodyOffences::find() const {
  for (const Record& record : records_) {
    const std::atomic_ref state(record.offence->state);
    if (state.load(std::memory_order_acquire) == kernel::BodyOffence::kComplete) return record.offence;
  }
  return nullptr;
}

}  // namespace pilum::scheduler
