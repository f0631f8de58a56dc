// From a dtype to code for its C++ type.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

#include "pilum/dtype.h"
#include "runtime/base/check.h"

namespace pilum {

// Every dtype, by number.
inline constexpr auto kDTypes = [] {
  std::array<DType, kDTypeCount> dtypes{};
  for (std::size_t k = 0; k < kDTypeCount; ++k) dtypes[k] = static_cast<DType>(k);
  return dtypes;
}();

// Those of numbers that have an order.
inline constexpr auto kRealDTypes = [] {
  constexpr std::size_t kCount = static_cast<std::size_t>(
      std::count_if(kDTypes.begin(), kDTypes.end(), [](DType dtype) { return !is_complex(dtype); }));
  std::array<DType, kCount> dtypes{};
  std::copy_if(kDTypes.begin(), kDTypes.end(), dtypes.begin(), [](DType dtype) { return !is_complex(dtype); });
  return dtypes;
}();

// function(T{}), T the dtype's type. The one switch over all dtypes: a new one is added here, and found by -Wswitch.
// For code that only numbers with an order reach: who calls it refuses complex ones.
template <class Function>
decltype(auto) visit_real_dtype(DType dtype, Function&& function) {
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
    case DType::Float16: return function(half{});
    case DType::Float32: return function(float{});
    case DType::Float64: return function(double{});
    case DType::Complex64:
    case DType::Complex128: break;
  }
  PILUM_CHECK(false, "dtype {} where only real numbers come", static_cast<int>(dtype));
}

// The same of all dtypes.
template <class Function>
decltype(auto) visit_dtype(DType dtype, Function&& function) {
  if (dtype == DType::Complex64) return function(std::complex<float>{});
  if (dtype == DType::Complex128) return function(std::complex<double>{});
  return visit_real_dtype(dtype, function);
}

}  // namespace pilum
