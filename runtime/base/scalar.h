// One number of a dtype, as kernels receive it.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "pilum/dtype.h"

namespace pilum {

// A real number and its dtype. (A complex one is two.) `bits` holds the value's bytes, zero-extended to 8; that word is
// what a kernel gets.
struct Scalar {
  DType dtype = DType::Float64;
  std::uint64_t bits = 0;

  template <class T>
  static Scalar of(T value) {
    Scalar scalar{dtype_of<T>, 0};
    std::memcpy(&scalar.bits, &value, sizeof value);
    return scalar;
  }
  template <class T>
  T as() const {  // the bytes read as T: T must be the dtype's type
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
  }
  bool operator==(const Scalar&) const = default;
};

// C++'s conversion of the value (static_cast; to bool: value != 0).
Scalar cast(const Scalar& value, DType to);
// "3", "0.2", "true"
std::string to_string(const Scalar& value);

}  // namespace pilum
