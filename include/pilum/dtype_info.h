// What dtypes hold and which casts lose nothing: numpy.iinfo, finfo, can_cast, result_type.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <source_location>

#include "pilum/dtype.h"
#include "pilum/export.h"
#include "pilum/operand.h"

namespace pilum::numeric {

// numpy.iinfo, of an integer dtype.
struct IntegerInfo {
  int bits;
  std::int64_t min;
  std::uint64_t max;
};
// numpy.finfo, of a floating dtype, or of the parts of a complex one. Each number is exactly one of the dtype.
struct FloatInfo {
  int bits;
  double eps;  // from 1 to the next number
  double min, max;
  double smallest_normal, smallest_subnormal;
};

// Throw DTypeError where the dtype is of another kind.
PILUM_API IntegerInfo iinfo(DType dtype, std::source_location where = std::source_location::current());
PILUM_API FloatInfo finfo(DType dtype, std::source_location where = std::source_location::current());

// NumPy's casting: none but the dtype itself; values are kept; kinds are (bool, unsigned, signed, floating: never
// back).
enum class Casting : std::uint8_t { No, Safe, SameKind, Unsafe };

// numpy.can_cast.
PILUM_API bool can_cast(DType from, DType to, Casting casting = Casting::Safe);

// numpy.promote_types.
constexpr DType promote_types(DType a, DType b) {
  return promote(a, b);
}
namespace detail {
// An array, a number or a dtype.
struct TypeSource {
  TypeSource(DType dtype) : dtype(dtype) {}
  TypeSource(const Operand& operand) : operand(operand) {}
  std::optional<DType> dtype;
  std::optional<Operand> operand;
};
PILUM_API DType result_type_of(std::initializer_list<TypeSource> sources);
}  // namespace detail
// numpy.result_type: the dtype that a + b is computed in. Numbers are weak. Of any number of arrays, numbers and
// dtypes.
constexpr DType result_type(DType a, DType b) {
  return promote(a, b);
}
inline DType result_type(const Operand& a, const Operand& b) {
  return detail::result_type_of({a, b});
}
template <class... Sources>
  requires(std::constructible_from<detail::TypeSource, const Sources&> && ...)
DType result_type(const Sources&... sources) {
  return detail::result_type_of({detail::TypeSource(sources)...});
}

}  // namespace pilum::numeric
