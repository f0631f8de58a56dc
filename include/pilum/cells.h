// Cells as a program writes them: which C++ types there are, and numbers in nested braces.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <type_traits>
#include <vector>

#include "pilum/dtype.h"
#include "pilum/operand.h"

namespace pilum::numeric::detail {

template <class T>
constexpr DType cell_dtype() {
  if constexpr (requires { DTypeOf<T>::value; }) {
    return DTypeOf<T>::value;
  } else {
    static_assert(
        !std::same_as<T, Array>,
        "an array of arrays of arrays: np::stack(list) puts those of one list behind each other along a new axis");
    static_assert(
        std::same_as<T, Array>,
        "arrays hold bool, std::int8_t to std::int64_t, std::uint8_t to std::uint64_t, pilum::half, float, double or "
        "std::complex of these: "
        "convert the numbers first");
    return DType::Float64;
  }
}

// What item() without <double> gives, and to_vector(): anything, so that nothing is said but that the type is missing.
struct NoType {
  template <class T>
  operator T() const;
};
struct NoCells : std::vector<NoType> {
  using vector::vector;
  template <class T>
  operator T() const;
};
template <class T>
using CellVector = std::conditional_t<std::same_as<T, NoType>, NoCells, std::vector<T>>;

template <class T>
constexpr DType item_dtype() {
  if constexpr (requires { DTypeOf<T>::value; }) {
    return DTypeOf<T>::value;
  } else {
    static_assert(!std::same_as<T, NoType>, "C++ asks for a type: write a.item<double>(), a.to_vector<double>()");
    static_assert(std::same_as<T, NoType>,
                  "values are asked for as bool, std::int8_t to std::int64_t, std::uint8_t to std::uint64_t, half, "
                  "float, double or std::complex of these: cast the one you get");
    return DType::Float64;
  }
}

// A number, or a list of these: what array({{1, 2.5}, {3, 4}}) is made of, where the C++ types differ or the braces are
// more than 4 deep. Lives as long as the call.
class Cell {
 public:
  template <Number T>
  Cell(T number, std::source_location where = std::source_location::current())
      : where_(where), dtype_(cell_dtype<T>()) {
    if constexpr (pilum::detail::kIsFloating<T>) {
      floating_ = static_cast<double>(number);
    } else {
      integer_ = static_cast<std::int64_t>(number);
    }
  }
  template <ComplexNumber T>
  Cell(T number, std::source_location where = std::source_location::current())
      : where_(where), floating_(number.real()), imaginary_(number.imag()), dtype_(cell_dtype<T>()) {}
  Cell(std::initializer_list<Cell> cells, std::source_location where = std::source_location::current())
      : where_(where), cells_(cells), is_list_(true) {}

  bool is_list() const { return is_list_; }
  std::initializer_list<Cell> cells() const { return cells_; }  // of a list
  DType dtype() const { return dtype_; }                        // of a number
  std::int64_t integer() const { return integer_; }             // where its dtype is no floating one
  double floating() const { return floating_; }                 // of a complex number the real part
  double imaginary() const { return imaginary_; }
  std::source_location where() const { return where_; }

 private:
  std::source_location where_;
  std::initializer_list<Cell> cells_;
  std::int64_t integer_ = 0;
  double floating_ = 0, imaginary_ = 0;
  DType dtype_ = DType::Bool;
  bool is_list_ = false;
};

}  // namespace pilum::numeric::detail
