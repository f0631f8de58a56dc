// Factors of matrices by LAPACK itself, as an emulated GPU computes them.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/device/gpu_lapack.h"

namespace pilum::fakes {

// Whether this machine has an OpenBLAS with LAPACK in it.
[[nodiscard]] bool has_lapack();
// Some, which differ from call to call.
[[nodiscard]] std::size_t emulated_work_bytes(const device::GpuLapack& lapack);

// What is wrong with it; null: nothing. `is_memory`: whether these bytes lie in memory of a GPU's.
[[nodiscard]] const char* find_lapack_trouble(const device::GpuLapack& lapack, const device::GpuLapackCells& cells,
                                              const std::function<bool(const std::byte*, std::size_t)>& is_memory);
// Fills what it works in, and what it leaves anything in, with other bytes.
void run_lapack(const device::GpuLapack& lapack, const device::GpuLapackCells& cells);

}  // namespace pilum::fakes
