// Fourier transforms by their definition, as an emulated GPU computes them.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/device/gpu_transform.h"

namespace pilum::fakes {

// The bytes between the first cell and the last one's end.
[[nodiscard]] std::size_t bytes_spanned_from(const device::GpuTransform& transform);
[[nodiscard]] std::size_t bytes_spanned_to(const device::GpuTransform& transform);
// Some, which differ from transform to transform.
[[nodiscard]] std::size_t emulated_work_bytes(const device::GpuTransform& transform);

// What is wrong with it; null: nothing.
[[nodiscard]] const char* find_transform_trouble(const device::GpuTransform& transform, const std::byte* from,
                                                 const std::byte* to, const std::byte* work);
// Fills `work` with other bytes, and `from` where it is ToReal's. What is wrong with the cells; null: nothing.
[[nodiscard]] const char* run_transform(const device::GpuTransform& transform, std::byte* from, std::byte* to,
                                        std::byte* work);

}  // namespace pilum::fakes
