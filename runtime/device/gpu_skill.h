// What a GPU does by libraries that are loaded at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pilum::device {

enum class GpuSkill : std::uint8_t { Products, Transforms, Factors };  // of matrices; Fourier's; of matrices
inline constexpr std::size_t kGpuSkills = 3;

}  // namespace pilum::device
