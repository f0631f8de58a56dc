// One GPU's share of Fourier transforms, as calls of that GPU.
#pragma once

#include <cstdint>
#include <span>

#include "pilum/detail/task_form.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// As transform_lines(), of 2 numbers a line or more. Lines are transformed where they lie, batches of them in a call,
// where cuFFT can be told how they lie; others are copied to scratch memory and from there.
void issue_transforms(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                      const scheduler::DeviceIssue& where);
[[nodiscard]] std::int64_t transform_scratch(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                                             device::Gpu& gpu);

}  // namespace pilum::numeric
