// Products of matrices by their definition, as an emulated GPU computes them.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/device/gpu.h"

namespace pilum::fakes {

// Whether these bytes lie in memory of a GPU's.
using IsMemory = std::function<bool(const std::byte* data, std::size_t bytes)>;

// What is wrong with it; null: nothing.
[[nodiscard]] const char* find_product_trouble(const device::GpuProduct& product, const IsMemory& is_memory);
[[nodiscard]] const char* run_product(const device::GpuProduct& product);

}  // namespace pilum::fakes
