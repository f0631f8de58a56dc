// From a dtype to code for its C++ type.
#pragma once

#include <array>
#include <cstdint>

#include "pilum/dtype.h"

namespace pilum {

// Every dtype, by number.
inline constexpr auto kDTypes = [] {
  std::array<DType, kDTypeCount> dtypes{};
  for (std::size_t k = 0; k < kDTypeCount; ++k) dtypes[k] = static_cast<DType>(k);
  return dtypes;
}();

// function(T{}), T the dtype's type. The one switch over all dtypes: a new one is added here, and found by -Wswitch.
template <class Function>
decltype(auto) visit_dtype(DType dtype, Function&& function) {
  switch (dtype) {
    case DType::Bool: return function(bool{});
    case DType::Int8: return function(std::int8_t{});
    case DType::Int16: return function(std::int16_t{});
    case DType::Int32: return function(std::int32_t{});
    case DType::Int64: return function(std::int64_t{});
    case DType::UInt8: return function(std::uint8_t{});
    case DType::UInt16: return function(std::uint16_t{});
    case DType::UInt32: return function(std::uint32_t{});
    case DType::UInt64: return function(std::uint64_t{});
    case DType::Float32: return function(float{});
    case DType::Float64: return function(double{});
  }
  __builtin_unreachable();
}

}  // namespace pilum
