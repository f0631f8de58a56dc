#include "scheduler/execute/gpu_body.h"

#include <atomic>
#include <new>

#include "pilum/error.h"
#include "runtime/base/log.h"

namespace pilum::scheduler {
const std::shared_ptr<const jit::DeviceKernel>& BodyKernels::get(const kernel::BodySource& body,
                                                                 const kernel::BodyForm& form) {
  std::vector<Known>& known = known_[&body];
  for (const Known& one : known) {
    if (one.form == form) return one.kernel;
  }
  return known.emplace_back(form, jit_.get(kernel::emit_device_body(body, form))).kernel;
}

const std::shared_ptr<const jit::DeviceKernel>& BodyKernels::get_ready(const TaskLaunch& launch) {
  const kernel::BodySource& body = *launch.body->gpu;
  find_body_form(launch, form_);
  const auto& kernel = get(body, form_);
  try {
    static_cast<void>(kernel->image());
  } catch (const jit::RejectedSource& refused) {
    throw ValueError(kernel::explain_refusal(body, form_, refused.log()));
  }
  return kernel;
}

OutOfBoundsReports::~OutOfBoundsReports() {
  for (const Record& record : records_) {
    try {
      record.gpu->release_pinned(reinterpret_cast<std::byte*>(record.report));
    } catch (const Error& error) {
      log("scheduler").debug("{}", error.what());  // the GPU has failed; that was told
    }
  }
}

kernel::OutOfBoundsReport* OutOfBoundsReports::record_of(device::Gpu& gpu) {
  for (const Record& record : records_) {
    if (record.gpu == &gpu) return record.report;
  }
  std::byte* memory = gpu.allocate_pinned(sizeof(kernel::OutOfBoundsReport));
  if (!memory) throw MemoryError("no pinned memory is left for the out-of-bounds report");
  return records_.emplace_back(&gpu, new (memory) kernel::OutOfBoundsReport()).report;
}

const kernel::OutOfBoundsReport* OutOfBoundsReports::find() const {
  for (const Record& record : records_) {
    const std::atomic_ref state(record.report->state);
    if (state.load(std::memory_order_acquire) == kernel::OutOfBoundsReport::kComplete) return record.report;
  }
  return nullptr;
}

}  // namespace pilum::scheduler
