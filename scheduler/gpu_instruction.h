// What a GPU does for an instruction.
#pragma once

#include "runtime/device/gpu.h"
#include "runtime/jit/device_jit.h"
#include "scheduler/gpu_body.h"
#include "scheduler/plan.h"

namespace pilum::scheduler {

// True for what is issued to a stream where processors are GPUs: launches, but for bodies that only the host has,
// copies, folds, reshapes.
[[nodiscard]] bool runs_on_gpu(const Instruction& instruction);
// Copies and edges have streams of their own: they pass by the interior.
[[nodiscard]] device::Stream stream_of(const Instruction& instruction);
// What is to be issued for it, to this GPU. A launch's words are good until the next call of this thread.
using GpuWork = std::variant<device::GpuLaunch, device::GpuCopy>;
[[nodiscard]] GpuWork prepare(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit,
                              BodyOffences& offences);
// Issues the instruction; kernels that are not compiled yet are waited for.
void issue(const Instruction& instruction, device::Gpu& gpu, jit::DeviceJit& jit, BodyOffences& offences);

}  // namespace pilum::scheduler
