// What a GPU does for an instruction.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/device/kept_work.h"
#include "runtime/jit/device_jit.h"
#include "scheduler/execute/gpu_body.h"
#include "scheduler/record/plan.h"

namespace pilum::scheduler {

// Copies and boundaries have streams of their own: they pass by the interior.
[[nodiscard]] device::Stream stream_of(const Instruction& instruction);
// What is to be issued for it, where a graph takes it, to this GPU. A launch's words are good until the next call of
// this thread.
struct KernelWork {
  device::GpuLaunch launch;
  const std::string* text = nullptr;  // of the kernel, where it may run beside others in one launch
};
using WorkInTurn = std::vector<device::KeptWork>;  // of a body that issues it itself
using GpuWork = std::variant<KernelWork, device::GpuCopy, device::GpuFlag, WorkInTurn>;
[[nodiscard]] GpuWork prepare(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit,
                              OutOfBoundsReports& reports);
// Whether it can be issued without code being loaded, for which the driver may wait until all is done that the GPU was
// told (Gpu::has_loaded). Of one that makes calls that is not known.
[[nodiscard]] bool is_loaded(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit);
// Issues the instruction; kernels that are not compiled yet are waited for.
void issue(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit, OutOfBoundsReports& reports);

}  // namespace pilum::scheduler
