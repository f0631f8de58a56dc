// Users' bodies on GPUs: what is compiled for a launch, and what an index outside tells the host.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/jit/device_jit.h"
#include "scheduler/record/device_body.h"

namespace pilum::scheduler {

// Kernels of bodies, each emitted once. Of the recording thread.
class BodyKernels {
 public:
  explicit BodyKernels(jit::DeviceJit& jit) : jit_(jit) {}
  // Queued where it is not compiled yet.
  const std::shared_ptr<const jit::DeviceKernel>& get(const kernel::BodySource& body, const kernel::BodyForm& form);
  // The same, compiled. Throws pilum::ValueError for a text that does not compile or takes other parameters than the
  // CPU body, pilum::RuntimeError where there is no compiler.
  const std::shared_ptr<const jit::DeviceKernel>& get_ready(const TaskLaunch& launch);

 private:
  struct Known {
    kernel::BodyForm form;
    std::shared_ptr<const jit::DeviceKernel> kernel;
  };
  jit::DeviceJit& jit_;
  std::unordered_map<const kernel::BodySource*, std::vector<Known>> known_;  // texts live as long as the process
  kernel::BodyForm form_;
};

// Where GPUs tell what bodies were refused: a record for each, in pinned memory, made when it is first asked for.
// Who calls the GPUs calls this.
class OutOfBoundsReports {
 public:
  OutOfBoundsReports() = default;
  ~OutOfBoundsReports();
  OutOfBoundsReports(const OutOfBoundsReports&) = delete;
  OutOfBoundsReports& operator=(const OutOfBoundsReports&) = delete;

  // Throws pilum::MemoryError where there is no pinned memory.
  kernel::OutOfBoundsReport* record_of(device::Gpu& gpu);
  // One that is told whole; what it is of may be running still. Null: there is none.
  [[nodiscard]] const kernel::OutOfBoundsReport* find() const;

 private:
  struct Record {
    device::Gpu* gpu;
    kernel::OutOfBoundsReport* report;
  };
  std::vector<Record> records_;
};

}  // namespace pilum::scheduler
