// Random numbers: np::random::default_rng(seed), as numpy.random.
#pragma once

#include <cstdint>
#include <source_location>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric::random {

// Draws arrays of random numbers, as numpy.random.Generator; the methods have NumPy's names and meaning, not its
// numbers. Cell i (row-major) of the generator's d-th draw follows from the seed, d and i alone, by Philox 4x32-10
// (Salmon et al., SC 2011): it is the same on any number of cores, ranks and GPUs, and no state is kept between cells.
// Draws are elementwise operations: what is computed with them is one kernel, and a draw that is only used there is
// never in memory. A generator is a value: a copy draws what the original will draw. All ranks make the same draws.
//
// `size` is the shape; {} (or left out, where no parameter is an array) is one number, an array without axes. Without
// a size it is what the parameters broadcast to. ShapeError where they do not broadcast to `size`. Parameters that are
// arrays are not looked at: NumPy refuses a negative scale there, too.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : seed_(seed) {}

  // Uniform in [0, 1): k 2^-53 for a whole k, of float32 k 2^-24. DTypeError for dtypes that are not floating.
  PILUM_API Array random(const Shape& size = {}, DType dtype = float64,
                         std::source_location where = std::source_location::current());

  // Uniform in [low, high): float64. ValueError where high - low is not finite.
  PILUM_API Array uniform(const Operand& low = 0.0, const Operand& high = 1.0,
                          std::source_location where = std::source_location::current());
  PILUM_API Array uniform(const Operand& low, const Operand& high, const Shape& size,
                          std::source_location where = std::source_location::current());

  // Whole numbers low … high - 1, or … high with `endpoint`: int64, int32 or bool. No value is more likely than another
  // by more than 2^-32 of its probability. ValueError where there is none, or one that the dtype cannot hold.
  PILUM_API Array integers(std::int64_t low, std::int64_t high, const Shape& size = {}, DType dtype = int64,
                           bool endpoint = false, std::source_location where = std::source_location::current());

  // The normal distribution of mean `loc` and standard deviation `scale` (float64; ValueError for a negative scale),
  // and that of 0 and 1: Box and Muller's transform, up to 9.3 deviations.
  PILUM_API Array normal(const Operand& loc = 0.0, const Operand& scale = 1.0,
                         std::source_location where = std::source_location::current());
  PILUM_API Array normal(const Operand& loc, const Operand& scale, const Shape& size,
                         std::source_location where = std::source_location::current());
  PILUM_API Array standard_normal(const Shape& size = {}, DType dtype = float64,
                                  std::source_location where = std::source_location::current());

  // The exponential distribution of mean `scale` (float64; ValueError for a negative one), and that of 1: the logarithm
  // of a uniform number, up to 43.
  PILUM_API Array exponential(const Operand& scale = 1.0, std::source_location where = std::source_location::current());
  PILUM_API Array exponential(const Operand& scale, const Shape& size,
                              std::source_location where = std::source_location::current());
  PILUM_API Array standard_exponential(const Shape& size = {}, DType dtype = float64,
                                       std::source_location where = std::source_location::current());

  // random(3, 4)
  template <detail::Integer T, detail::Integer U>
  Array random(T, U) {
    static_assert(detail::kNever<T>, "a shape of several extents stands in braces: write rng.random({n, m})");
    return Array();
  }
  template <detail::Integer T, detail::Integer U>
  Array standard_normal(T, U) {
    static_assert(detail::kNever<T>, "a shape of several extents stands in braces: write rng.standard_normal({n, m})");
    return Array();
  }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;  // so far
};

namespace detail {

PILUM_API void check_seed(bool negative, std::source_location where);

}  // namespace detail

// A generator of the seed's numbers (numpy.random.default_rng). ValueError for a negative seed.
template <numeric::detail::Integer T>
Generator default_rng(T seed, std::source_location where = std::source_location::current()) {
  detail::check_seed(seed < T{0}, where);
  return Generator(static_cast<std::uint64_t>(seed));
}
template <class Never = void>
Generator default_rng() {
  static_assert(numeric::detail::kNever<Never>,
                "default_rng takes a seed here, so that every run and every rank draws the same: default_rng(42)");
  return Generator(0);
}

}  // namespace pilum::numeric::random
