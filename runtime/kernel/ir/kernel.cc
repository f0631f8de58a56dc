#include "runtime/kernel/ir/kernel.h"

#include <limits>

#include "runtime/base/dtype_visit.h"
#include "runtime/base/scalar.h"
#include "runtime/kernel/ir/node_hash.h"

namespace pilum::kernel {
namespace {

template <class T>
std::uint64_t identity_bits(Fold fold) {
  using Limits = std::numeric_limits<T>;
  constexpr bool kFloating = Limits::has_infinity;
  switch (fold) {
    case Fold::Sum: return Scalar::of<T>(kFloating ? -T{} : T{}).bits;
    case Fold::Product: return Scalar::of<T>(T{1}).bits;
    case Fold::Minimum: return Scalar::of<T>(kFloating ? Limits::infinity() : Limits::max()).bits;
    default: return Scalar::of<T>(kFloating ? -Limits::infinity() : Limits::lowest()).bits;
  }
}

}  // namespace

const char* name(Op op) {
  static constexpr const char* kNames[] = {"load",
                                           "index",
                                           "argument",
                                           "constant",
                                           "cast",
                                           "negate",
                                           "not",
                                           "absolute",
                                           "sqrt",
                                           "floor",
                                           "ceil",
                                           "trunc",
                                           "rint",
                                           "frexp_mantissa",
                                           "frexp_exponent",
                                           "real",
                                           "imag",
                                           "conjugate",
                                           "round_half",
                                           "to_half",
                                           "from_half",
                                           "exp",
                                           "log",
                                           "exp2",
                                           "expm1",
                                           "log2",
                                           "log10",
                                           "log1p",
                                           "cbrt",
                                           "sin",
                                           "cos",
                                           "tan",
                                           "arcsin",
                                           "arccos",
                                           "arctan",
                                           "sinh",
                                           "cosh",
                                           "tanh",
                                           "arcsinh",
                                           "arccosh",
                                           "arctanh",
                                           "sinc",
                                           "erf",
                                           "erfc",
                                           "gamma",
                                           "log_gamma",
                                           "add",
                                           "subtract",
                                           "multiply",
                                           "divide",
                                           "power",
                                           "remainder",
                                           "minimum",
                                           "maximum",
                                           "equal",
                                           "not_equal",
                                           "less",
                                           "less_equal",
                                           "greater",
                                           "greater_equal",
                                           "and",
                                           "or",
                                           "xor",
                                           "complex",
                                           "floor_divide",
                                           "fmod",
                                           "left_shift",
                                           "right_shift",
                                           "gcd",
                                           "lcm",
                                           "multiply_high",
                                           "copysign",
                                           "nextafter",
                                           "ldexp",
                                           "fmin",
                                           "fmax",
                                           "heaviside",
                                           "hypot",
                                           "arctan2",
                                           "logaddexp",
                                           "logaddexp2",
                                           "select",
                                           "philox_low",
                                           "philox_high",
                                           "standard_normal"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Op::StandardNormal) + 1);
  return kNames[static_cast<int>(op)];
}

const char* name(Fold fold) {
  static constexpr const char* kNames[] = {"sum", "product", "minimum", "maximum"};
  return kNames[static_cast<int>(fold)];
}

std::uint64_t identity(Fold fold, DType dtype) {
  return visit_real_dtype(dtype, [fold]<class T>(T) { return identity_bits<T>(fold); });
}

std::uint64_t start(Fold fold, DType dtype) {
  return fold == Fold::Sum ? 0 : identity(fold, dtype);  // no bit is set in a zero of any dtype
}

std::uint64_t hash(const Kernel& kernel) {
  const auto word = [](auto value, int shift) {
    return static_cast<std::uint64_t>(static_cast<std::uint16_t>(value)) << shift;
  };
  std::uint64_t hash = mix(word(kernel.rank, 0), kernel.arrays.size() << 32 | kernel.nodes.size());
  hash = mix(hash, kernel.stores.size() << 32 | kernel.scalars.size());
  for (const ArrayArgument& array : kernel.arrays) {
    hash = mix(hash, word(array.dtype, 0) | word(array.access, 8) | word(array.inner, 16) | word(array.store_rank, 24) |
                         word(static_cast<std::uint8_t>(array.row), 32));
  }
  for (const DType dtype : kernel.scalars) hash = mix(hash, word(dtype, 0));
  for (const Node& node : kernel.nodes) hash = hash_node(hash, node);
  for (const StoreOutput& store : kernel.stores) hash = mix(hash, word(store.argument, 0) | word(store.value, 16));
  for (const Accumulation& accumulation : kernel.accumulations) {
    hash = mix(hash, word(accumulation.argument, 0) | word(accumulation.value, 16) | word(accumulation.fold, 32) |
                         word(accumulation.reduced_axes, 48));
  }
  return hash;
}

}  // namespace pilum::kernel
