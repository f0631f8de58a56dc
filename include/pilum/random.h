// Random numbers: np::random::default_rng(seed), as numpy.random.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <string_view>

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/export.h"

namespace pilum::numeric::random {

namespace detail {

template <class T>
Array refuse_extents() {
  static_assert(numeric::detail::kNever<T>,
                "a size of several extents stands in braces: write {n, m} for n, m, as in rng.random({n, m}) and "
                "rng.normal(0.0, 1.0, {n, m})");
  return Array();
}

}  // namespace detail

// How likely each is, of Generator::choice: an array, a list, a std::vector; or nothing: all alike. Made implicitly.
class Chances {
 public:
  Chances() = default;
  Chances(std::nullopt_t) {}
  Chances(const std::optional<Array>& p) : p_(p) {}
  template <numeric::detail::ArrayLike A>
  Chances(const A& p) : p_(p) {}
  Chances(std::initializer_list<double> p, std::source_location where = std::source_location::current())
      : p_(array(p, {}, where)) {}
  template <numeric::detail::Numbers T>
  Chances(const T& p, std::source_location where = std::source_location::current()) : p_(array(p, {}, where)) {}
  const std::optional<Array>& array_or_none() const { return p_; }

 private:
  std::optional<Array> p_;
};

// Draws arrays of random numbers, as numpy.random.Generator; the methods have NumPy's names and meaning, not its
// numbers. Cell i (row-major) of the generator's d-th draw follows from the seed, d and i alone, by Philox 4x32-10
// (Salmon et al., SC 2011): it is the same on any number of cores, ranks and GPUs, and no state is kept between cells.
// Draws are elementwise operations: what is computed with them is one kernel, and a draw that is only used there is
// never in memory. A generator is a value: a copy draws what the original will draw. All ranks make the same draws.
// Of distributions that no bounded work gives (gamma beta chisquare poisson binomial vonmises zipf logseries
// hypergeometric, and what is made of them) each cell has as many numbers of
// Philox as it needs, of its own; they are drawn on the cores, into memory, by IEEE operations alone, so that no C
// library and no processor changes a bit.
//
// `size` is the shape; {} (or left out, where no parameter is an array) is one number, an array without axes. Without
// a size it is what the parameters broadcast to. ShapeError where they do not broadcast to `size`. Parameters that are
// arrays are looked at when these are drawn, and the next wait throws; of the others not at all: NumPy refuses a
// negative scale there, too.
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

  // Whole numbers low … high - 1, or … high with `endpoint`, of any dtype of integers or bool. No value is more likely
  // than another by more than 2^-32 of its probability. ValueError where there is none, or one that the dtype cannot
  // hold.
  PILUM_API Array integers(std::int64_t low, std::int64_t high, const Shape& size = {}, DType dtype = int64,
                           bool endpoint = false, std::source_location where = std::source_location::current());
  // From 0 to high - 1: integers(10), integers(10, {3, 4}).
  Array integers(std::int64_t high, std::source_location where = std::source_location::current()) {
    return integers(0, high, {}, int64, false, where);
  }
  Array integers(std::int64_t high, std::initializer_list<std::int64_t> size, DType dtype = int64,
                 std::source_location where = std::source_location::current()) {
    return integers(0, high, Shape(size), dtype, false, where);
  }
  // Between bounds of which one at least is an array of integers: int64, of the shape that they have together, or
  // `size`; what is drawn where there is no number between two of them is not said. DTypeError for floating ones.
  template <class Low, class High>
    requires(numeric::detail::ArrayLike<Low> || numeric::detail::ArrayLike<High>)
  Array integers(const Low& low, const High& high, std::source_location where = std::source_location::current()) {
    return integers_between(Operand(low, where), Operand(high, where), nullptr, where);
  }
  template <class Low, class High>
    requires(numeric::detail::ArrayLike<Low> || numeric::detail::ArrayLike<High>)
  Array integers(const Low& low, const High& high, const Shape& size,
                 std::source_location where = std::source_location::current()) {
    return integers_between(Operand(low, where), Operand(high, where), &size, where);
  }

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

  // e to the power of normal numbers (float64; ValueError for a negative sigma).
  PILUM_API Array lognormal(const Operand& mean = 0.0, const Operand& sigma = 1.0,
                            std::source_location where = std::source_location::current());
  PILUM_API Array lognormal(const Operand& mean, const Operand& sigma, const Shape& size,
                            std::source_location where = std::source_location::current());

  // The gamma distribution of a shape and scale 1, and of another scale: G. Marsaglia, W. W. Tsang, "A simple method
  // for generating gamma variables", ACM TOMS 26, 2000. ValueError for a negative shape or scale.
  PILUM_API Array standard_gamma(const Operand& shape, std::source_location where = std::source_location::current());
  PILUM_API Array standard_gamma(const Operand& shape, const Shape& size, DType dtype = float64,
                                 std::source_location where = std::source_location::current());
  PILUM_API Array gamma(const Operand& shape, const Operand& scale = 1.0,
                        std::source_location where = std::source_location::current());
  PILUM_API Array gamma(const Operand& shape, const Operand& scale, const Shape& size,
                        std::source_location where = std::source_location::current());
  // Twice a gamma number of half the degrees of freedom. ValueError unless `df` is positive.
  PILUM_API Array chisquare(const Operand& df, std::source_location where = std::source_location::current());
  PILUM_API Array chisquare(const Operand& df, const Shape& size,
                            std::source_location where = std::source_location::current());
  // x / (x + y) of gamma numbers of the shapes a and b. ValueError unless both are positive.
  PILUM_API Array beta(const Operand& a, const Operand& b,
                       std::source_location where = std::source_location::current());
  PILUM_API Array beta(const Operand& a, const Operand& b, const Shape& size,
                       std::source_location where = std::source_location::current());

  // How many events there are of `lam` expected ones: int64. W. Hörmann, "The transformed rejection method for
  // generating Poisson random variables", 1993 (PTRS); below 10 products of uniform numbers. ValueError for a `lam`
  // that is negative, NaN or above 9.22e18.
  PILUM_API Array poisson(const Operand& lam = 1.0, std::source_location where = std::source_location::current());
  PILUM_API Array poisson(const Operand& lam, const Shape& size,
                          std::source_location where = std::source_location::current());
  // How many of n trials succeed, each with probability p: int64. W. Hörmann, "The generation of binomial random
  // variates", 1993 (BTRS); inversion where fewer than 10 successes, or failures, are expected. DTypeError for an array
  // of trials that is floating, ValueError for a negative n and for p outside of 0 and 1.
  PILUM_API Array binomial(const Operand& n, const Operand& p,
                           std::source_location where = std::source_location::current());
  PILUM_API Array binomial(const Operand& n, const Operand& p, const Shape& size,
                           std::source_location where = std::source_location::current());

  // The numbers 0 … n - 1, or a copy of the array, in another order along an axis; each order is as likely as another.
  // It is that of random keys of 64 bits, which one processor sorts. IndexError for an axis that is not there.
  template <numeric::detail::Integer T>
  Array permutation(T n, std::source_location where = std::source_location::current()) {
    return permuted_numbers(static_cast<std::int64_t>(n), where);
  }
  PILUM_API Array permutation(const Array& a, Axis axis = 0,
                              std::source_location where = std::source_location::current());
  // The same in place. ValueError for a view whose cells are repeated.
  PILUM_API void shuffle(const Array& a, Axis axis = 0, std::source_location where = std::source_location::current());

  // Numbers below n, or cells of the array along an axis, drawn one by one; without `replace` none twice: of few of
  // many it is waited for how many were. With `p`, an array of one axis, cell k is drawn with probability p[k]: its sum
  // and its least cell are waited for, and without `replace` the order is that of exponential numbers over p (P. S.
  // Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", 2006). ValueError for nothing to draw
  // from, for more than there are without `replace`, and for a `p` of another length, with NaNs or negative cells, or
  // whose sum is not 1.
  template <numeric::detail::Integer T>
  Array choice(T n, const Shape& size = {}, bool replace = true, const Chances& p = {},
               std::source_location where = std::source_location::current()) {
    return chosen_numbers(static_cast<std::int64_t>(n), size, replace, p, where);
  }
  PILUM_API Array choice(const Array& a, const Shape& size = {}, bool replace = true, const Chances& p = {},
                         Axis axis = 0, std::source_location where = std::source_location::current());

  // By one formula of uniform, exponential or normal numbers, and elementwise (float64): Laplace's, the logistic and
  // Gumbel's distribution, of a place and a scale; Rayleigh's; Pareto's from 0 on (Lomax's), Weibull's and the power
  // function's, of a shape; Cauchy's; the triangular one; Wald's (J. R. Michael, W. R. Schucany, R. W. Haas, 1976); how
  // many trials there are until the first success (geometric, int64). ValueError for numbers that NumPy refuses.
  PILUM_API Array laplace(const Operand& loc = 0.0, const Operand& scale = 1.0,
                          std::source_location where = std::source_location::current());
  PILUM_API Array laplace(const Operand& loc, const Operand& scale, const Shape& size,
                          std::source_location where = std::source_location::current());
  PILUM_API Array logistic(const Operand& loc = 0.0, const Operand& scale = 1.0,
                           std::source_location where = std::source_location::current());
  PILUM_API Array logistic(const Operand& loc, const Operand& scale, const Shape& size,
                           std::source_location where = std::source_location::current());
  PILUM_API Array gumbel(const Operand& loc = 0.0, const Operand& scale = 1.0,
                         std::source_location where = std::source_location::current());
  PILUM_API Array gumbel(const Operand& loc, const Operand& scale, const Shape& size,
                         std::source_location where = std::source_location::current());
  PILUM_API Array rayleigh(const Operand& scale = 1.0, std::source_location where = std::source_location::current());
  PILUM_API Array rayleigh(const Operand& scale, const Shape& size,
                           std::source_location where = std::source_location::current());
  PILUM_API Array pareto(const Operand& a, std::source_location where = std::source_location::current());
  PILUM_API Array pareto(const Operand& a, const Shape& size,
                         std::source_location where = std::source_location::current());
  PILUM_API Array weibull(const Operand& a, std::source_location where = std::source_location::current());
  PILUM_API Array weibull(const Operand& a, const Shape& size,
                          std::source_location where = std::source_location::current());
  PILUM_API Array power(const Operand& a, std::source_location where = std::source_location::current());
  PILUM_API Array power(const Operand& a, const Shape& size,
                        std::source_location where = std::source_location::current());
  PILUM_API Array triangular(const Operand& left, const Operand& mode, const Operand& right,
                             std::source_location where = std::source_location::current());
  PILUM_API Array triangular(const Operand& left, const Operand& mode, const Operand& right, const Shape& size,
                             std::source_location where = std::source_location::current());
  PILUM_API Array wald(const Operand& mean, const Operand& scale,
                       std::source_location where = std::source_location::current());
  PILUM_API Array wald(const Operand& mean, const Operand& scale, const Shape& size,
                       std::source_location where = std::source_location::current());
  PILUM_API Array geometric(const Operand& p, std::source_location where = std::source_location::current());
  PILUM_API Array geometric(const Operand& p, const Shape& size,
                            std::source_location where = std::source_location::current());
  PILUM_API Array standard_cauchy(const Shape& size = {}, std::source_location where = std::source_location::current());

  // Made of several draws: Student's t and Fisher's F; the noncentral chi square and F; how many failures there are
  // before n successes of probability p (negative_binomial, int64).
  PILUM_API Array standard_t(const Operand& df, std::source_location where = std::source_location::current());
  PILUM_API Array standard_t(const Operand& df, const Shape& size,
                             std::source_location where = std::source_location::current());
  PILUM_API Array f(const Operand& dfnum, const Operand& dfden,
                    std::source_location where = std::source_location::current());
  PILUM_API Array f(const Operand& dfnum, const Operand& dfden, const Shape& size,
                    std::source_location where = std::source_location::current());
  PILUM_API Array noncentral_chisquare(const Operand& df, const Operand& nonc,
                                       std::source_location where = std::source_location::current());
  PILUM_API Array noncentral_chisquare(const Operand& df, const Operand& nonc, const Shape& size,
                                       std::source_location where = std::source_location::current());
  PILUM_API Array noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc,
                               std::source_location where = std::source_location::current());
  PILUM_API Array noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc, const Shape& size,
                               std::source_location where = std::source_location::current());
  PILUM_API Array negative_binomial(const Operand& n, const Operand& p,
                                    std::source_location where = std::source_location::current());
  PILUM_API Array negative_binomial(const Operand& n, const Operand& p, const Shape& size,
                                    std::source_location where = std::source_location::current());

  // By rejection or inversion: angles from -pi to pi around `mu` (D. J. Best, N. I. Fisher, 1979), Zipf's numbers (L.
  // Devroye, "Non-uniform random variate generation", 1986), the logarithmic series' (A. W. Kemp, 1981), how many good
  // ones there are among `nsample` drawn of `ngood` and `nbad` (from the likeliest number outwards; int64).
  PILUM_API Array vonmises(const Operand& mu, const Operand& kappa,
                           std::source_location where = std::source_location::current());
  PILUM_API Array vonmises(const Operand& mu, const Operand& kappa, const Shape& size,
                           std::source_location where = std::source_location::current());
  PILUM_API Array zipf(const Operand& a, std::source_location where = std::source_location::current());
  PILUM_API Array zipf(const Operand& a, const Shape& size,
                       std::source_location where = std::source_location::current());
  PILUM_API Array logseries(const Operand& p, std::source_location where = std::source_location::current());
  PILUM_API Array logseries(const Operand& p, const Shape& size,
                            std::source_location where = std::source_location::current());
  PILUM_API Array hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample,
                                 std::source_location where = std::source_location::current());
  PILUM_API Array hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample, const Shape& size,
                                 std::source_location where = std::source_location::current());

  // Vectors, along a last axis behind those of `size`. multivariate_normal: of a mean (k) and covariances (k, k), by
  // the singular values of these, or by `method` "cholesky", with matmul's last bits; dirichlet: gamma numbers of the
  // shapes alpha (k) by their sum; multinomial: how often each of k things with probabilities `pvals` is drawn in n
  // times, binomial numbers one after the other (int64). Parameters are waited for, but those of multivariate_normal.
  // ShapeError for parameters of other axes, ValueError for negative ones, probabilities of the first k - 1 that add up
  // to more than 1, another method.
  PILUM_API Array multivariate_normal(const Array& mean, const Array& cov, const Shape& size = {},
                                      std::string_view method = "svd",
                                      std::source_location where = std::source_location::current());
  PILUM_API Array dirichlet(const Array& alpha, const Shape& size = {},
                            std::source_location where = std::source_location::current());
  PILUM_API Array multinomial(std::int64_t n, const Array& pvals, const Shape& size = {},
                              std::source_location where = std::source_location::current());

  // A copy whose lines along an axis are each in an order of their own, or of all cells (numpy's permuted): by random
  // keys, which are sorted along the axis.
  PILUM_API Array permuted(const Array& a, std::optional<Axis> axis = {},
                           std::source_location where = std::source_location::current());

  // random(3, 4), normal(0.0, 1.0, 3, 4)
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array random(T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array standard_normal(T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array standard_exponential(T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array exponential(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array standard_gamma(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array chisquare(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array poisson(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array uniform(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array normal(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array lognormal(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array gamma(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array beta(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array binomial(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array integers(std::int64_t, std::int64_t, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array laplace(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array logistic(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array gumbel(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array rayleigh(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array pareto(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array weibull(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array power(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array geometric(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array standard_cauchy(T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array standard_t(const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array vonmises(const Operand&, const Operand&, T, U, More...) {
    return detail::refuse_extents<T>();
  }
  template <class A, numeric::detail::Integer T, numeric::detail::Integer U, class... More>
  Array choice(const A&, T, U, More...) {
    return detail::refuse_extents<T>();
  }

 private:
  PILUM_API Array integers_between(const Operand& low, const Operand& high, const Shape* size,
                                   std::source_location where);
  PILUM_API Array permuted_numbers(std::int64_t n, std::source_location where);
  PILUM_API Array chosen_numbers(std::int64_t n, const Shape& size, bool replace, const Chances& p,
                                 std::source_location where);
  // 0 … n - 1 in a random order.
  Array random_order(std::int64_t n, std::source_location where);
  Array drawn_places(std::int64_t n, const Shape& size, bool replace, const std::optional<Array>& p,
                     std::source_location where);

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
