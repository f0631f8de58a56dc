// Draws made of several others: mixtures, quotients, vectors, orders of many lines.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "numeric/axis_parts.h"
#include "numeric/drawn_cells.h"
#include "numeric/elementwise.h"
#include "numeric/kept_operand.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/linalg.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/random.h"
#include "pilum/scan.h"
#include "pilum/sort.h"

namespace pilum::numeric::random {
namespace {

Array draw_standard_t(Generator& rng, const Call& call, const Operand& df, const Shape* size) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand* const parameters[] = {&df};
  const Shape shape = drawn_shape(call, parameters, size);
  check_positive(call, "df", df);
  const KeptOperand freedom(call, df);
  const Array normal = rng.standard_normal(shape, DType::Float64, call.where);
  const Array square = rng.chisquare(freedom, shape, call.where), share = here(square) / freedom;
  return here(normal) / here(sqrt(here(share)));
}

Array draw_f(Generator& rng, const Call& call, const Operand& dfnum, const Operand& dfden, const Shape* size) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand* const parameters[] = {&dfnum, &dfden};
  const Shape shape = drawn_shape(call, parameters, size);
  check_positive(call, "dfnum", dfnum);
  check_positive(call, "dfden", dfden);
  const KeptOperand above(call, dfnum), below(call, dfden);
  const Array first = rng.chisquare(above, shape, call.where), second = rng.chisquare(below, shape, call.where);
  const Array numerator = here(first) / above, denominator = here(second) / below;
  return here(numerator) / here(denominator);
}

// A chi square number of df + 2 k degrees of freedom for a Poisson number k of mean nonc / 2.
Array noncentral(Generator& rng, const Call& call, const KeptOperand& df, const KeptOperand& nonc, const Shape& shape) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array mean = nonc * here(0.5), count = rng.poisson(here(mean), shape, call.where);
  const Array twice = here(count) * here(2), freedom = here(twice) + df;
  return rng.chisquare(here(freedom), shape, call.where);
}

Array draw_noncentral_chisquare(Generator& rng, const Call& call, const Operand& df, const Operand& nonc,
                                const Shape* size) {
  const Operand* const parameters[] = {&df, &nonc};
  const Shape shape = drawn_shape(call, parameters, size);
  check_positive(call, "df", df);
  check_scale(call, "nonc", nonc);
  const KeptOperand freedom(call, df), place(call, nonc);
  return noncentral(rng, call, freedom, place, shape);
}

Array draw_noncentral_f(Generator& rng, const Call& call, const Operand& dfnum, const Operand& dfden,
                        const Operand& nonc, const Shape* size) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand* const parameters[] = {&dfnum, &dfden, &nonc};
  const Shape shape = drawn_shape(call, parameters, size);
  check_positive(call, "dfnum", dfnum);
  check_positive(call, "dfden", dfden);
  check_scale(call, "nonc", nonc);
  const KeptOperand above(call, dfnum), below(call, dfden), place(call, nonc);
  const Array first = noncentral(rng, call, above, place, shape), second = rng.chisquare(below, shape, call.where);
  const Array numerator = here(first) / above, denominator = here(second) / below;
  return here(numerator) / here(denominator);
}

// A Poisson number whose mean is a gamma number.
Array draw_negative_binomial(Generator& rng, const Call& call, const Operand& n, const Operand& p, const Shape* size) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand* const parameters[] = {&n, &p};
  const Shape shape = drawn_shape(call, parameters, size);
  check_positive(call, "n", n);
  check_probability(call, "p", p);
  const KeptOperand count(call, n), chance(call, p);
  const Array failure = here(1.0) - chance, scale = here(failure) / chance;
  const Array mean = rng.gamma(count, here(scale), shape, call.where);
  return rng.poisson(here(mean), shape, call.where);
}

// 2 arcsin(sqrt((1 - cosine) / 2)) to either side.
Array draw_vonmises(Generator& rng, const Call& call, const Operand& mu, const Operand& kappa, const Shape* size,
                    std::uint64_t seed, std::uint64_t& draws) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand *const parameters[] = {&mu, &kappa}, *const drawn[] = {&kappa};
  const Shape shape = drawn_shape(call, parameters, size);
  refuse_complex(call, dtype_of_operand(call, mu));
  check_parameters(call, Distribution::VonMises, drawn);
  const KeptOperand middle(call, mu);
  const Array rest = draw_cells(call, Distribution::VonMises, drawn, shape, seed, draws++);
  const Array side = rng.random(shape, DType::Float64, call.where), is_left = here(side) < here(0.5);
  const Array half = minimum(here(Array(here(rest) * here(0.5))), here(1.0));
  const Array angle = here(arcsin(here(sqrt(here(half))))) * here(2.0), turned = -here(angle);
  const Array distance = numeric::where(here(is_left), here(turned), here(angle));
  const Array place = middle + here(distance), shifted = here(place) + here(std::numbers::pi);
  const Array around = here(shifted) % here(2 * std::numbers::pi);
  return here(around) - here(std::numbers::pi);
}

Array draw_counts(const Call& call, Distribution distribution, Operands parameters, const Shape* size,
                  std::uint64_t seed, std::uint64_t& draws) {
  const Shape shape = drawn_shape(call, parameters, size);
  check_parameters(call, distribution, parameters);
  return draw_cells(call, distribution, parameters, shape, seed, draws++);
}

// Of a line of parameters, which are waited for.
std::vector<double> line_of(const Call& call, const char* name, const Array& a) {
  const Shape& shape = checked_state(call, a).shape;
  refuse_complex(call, a.dtype());
  if (shape.rank() != 1 || shape[0] == 0)
    fail<ShapeError>(call, name, " has shape ", shape, ": give one axis, and a number at least");
  return a.astype(DType::Float64, call.where).to_vector<double>(call.where);
}

Shape with_last(const Call& call, Shape size, std::int64_t extent) {
  if (size.rank() == kMaxAxes)
    fail<ShapeError>(call, "size ", size, " leaves no axis for the vectors: give ", kMaxAxes - 1, " axes at most");
  size.push_back(extent);
  check_shape(call, size, DType::Float64);
  return size;
}

}  // namespace

Array Generator::vonmises(const Operand& mu, const Operand& kappa, std::source_location where) {
  return draw_vonmises(*this, Call{"vonmises", where}, mu, kappa, nullptr, seed_, draws_);
}
Array Generator::vonmises(const Operand& mu, const Operand& kappa, const Shape& size, std::source_location where) {
  return draw_vonmises(*this, Call{"vonmises", where}, mu, kappa, &size, seed_, draws_);
}

Array Generator::zipf(const Operand& a, std::source_location where) {
  const Operand* const parameters[] = {&a};
  return draw_counts(Call{"zipf", where}, Distribution::Zipf, parameters, nullptr, seed_, draws_);
}
Array Generator::zipf(const Operand& a, const Shape& size, std::source_location where) {
  const Operand* const parameters[] = {&a};
  return draw_counts(Call{"zipf", where}, Distribution::Zipf, parameters, &size, seed_, draws_);
}

Array Generator::logseries(const Operand& p, std::source_location where) {
  const Operand* const parameters[] = {&p};
  return draw_counts(Call{"logseries", where}, Distribution::LogSeries, parameters, nullptr, seed_, draws_);
}
Array Generator::logseries(const Operand& p, const Shape& size, std::source_location where) {
  const Operand* const parameters[] = {&p};
  return draw_counts(Call{"logseries", where}, Distribution::LogSeries, parameters, &size, seed_, draws_);
}

Array Generator::hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample,
                                std::source_location where) {
  const Operand* const parameters[] = {&ngood, &nbad, &nsample};
  return draw_counts(Call{"hypergeometric", where}, Distribution::Hypergeometric, parameters, nullptr, seed_, draws_);
}
Array Generator::hypergeometric(const Operand& ngood, const Operand& nbad, const Operand& nsample, const Shape& size,
                                std::source_location where) {
  const Operand* const parameters[] = {&ngood, &nbad, &nsample};
  return draw_counts(Call{"hypergeometric", where}, Distribution::Hypergeometric, parameters, &size, seed_, draws_);
}

Array Generator::multivariate_normal(const Array& mean, const Array& cov, const Shape& size, std::string_view method,
                                     std::source_location where) {
  const Call call{"multivariate_normal", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const Shape &middle = checked_state(call, mean).shape, &square = checked_state(call, cov).shape;
  refuse_complex(call, mean.dtype());
  refuse_complex(call, cov.dtype());
  if (middle.rank() != 1 || square.rank() != 2 || square[0] != square[1] || square[0] != middle[0]) {
    fail<ShapeError>(call, "a mean of shape ", middle, " and covariances of shape ", square,
                     ": give (k) and (k, k) for vectors of k numbers");
  }
  if (method != "svd" && method != "cholesky")
    fail<ValueError>(call, "there is no method \"", method, "\": \"svd\" and \"cholesky\" are");
  const Shape shape = with_last(call, size, middle[0]);
  const Array normal = standard_normal(shape, DType::Float64, where);
  const Array floats = cov.astype(DType::Float64, where);
  Array factor;
  if (method == "cholesky") {
    factor = linalg::cholesky(floats, /*upper=*/true, where);
  } else {
    const auto [left, values, right] = linalg::svd(floats, true, where);
    const Array roots = sqrt(here(values)), column = expand_dims(roots, 1, where);
    factor = here(column) * here(right);
  }
  const Array turned = matmul(normal, factor, where);
  return here(turned) + here(mean);
}

Array Generator::dirichlet(const Array& alpha, const Shape& size, std::source_location where) {
  const Call call{"dirichlet", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const std::vector<double> shapes = line_of(call, "alpha", alpha);
  double largest = 0;
  for (const double one : shapes) {
    if (!(one >= 0)) fail<ValueError>(call, "alpha has ", one, ": give 0 or more");
    largest = std::max(largest, one);
  }
  const auto count = static_cast<std::int64_t>(shapes.size());
  const Shape shape = with_last(call, size, count);
  if (largest >= 0.1) {
    const Array drawn = standard_gamma(here(alpha), shape, DType::Float64, where);
    // One after the other: the last bits of sum() depend on how the cells are cut.
    const Array sums = cumsum(drawn, -1, {}, where), whole = part_of_axis(sums, shape.rank() - 1, count - 1, 1);
    return here(drawn) / here(whole);
  }
  // Gamma numbers may all be 0 then: what is left is divided by beta numbers, one after the other.
  const Array out = zeros(shape, DType::Float64, where);
  double rest = 0;
  for (const double one : shapes) rest += one;
  Array left = ones(size, DType::Float64, where);
  for (std::int64_t k = 0; k < count; ++k) {
    const double own = shapes[static_cast<std::size_t>(k)];
    rest -= own;
    if (!(own > 0)) continue;
    const bool is_last = k + 1 == count || !(rest > 0);
    if (is_last) {
      out(ellipsis, k) = here(left);
      break;
    }
    const Array share = beta(here(own), here(rest), size, where), part = here(share) * here(left);
    out(ellipsis, k) = here(part);
    left = here(left) - here(part);
  }
  return out;
}

Array Generator::multinomial(std::int64_t n, const Array& pvals, const Shape& size, std::source_location where) {
  const Call call{"multinomial", where};
  const auto here = [&](const auto& operand) { return Operand(operand, where); };
  const std::vector<double> chances = line_of(call, "pvals", pvals);
  if (n < 0) fail<ValueError>(call, "n is ", n, ": give 0 or more");
  double first = 0;
  for (std::size_t k = 0; k < chances.size(); ++k) {
    if (!(chances[k] >= 0 && chances[k] <= 1)) fail<ValueError>(call, "pvals has ", chances[k], ": give 0 to 1");
    if (k + 1 < chances.size()) first += chances[k];
  }
  if (first > 1 + 1e-12) fail<ValueError>(call, "the first pvals add up to ", first, ": give 1 at most");
  const auto count = static_cast<std::int64_t>(chances.size());
  const Array out = zeros(with_last(call, size, count), DType::Int64, where);
  Array left = full(size, here(n), DType::Int64);
  double rest = 1;
  for (std::int64_t k = 0; k + 1 < count; ++k) {
    const double own = chances[static_cast<std::size_t>(k)];
    const double share = rest > 0 ? std::min(own / rest, 1.0) : 0;
    const Array drawn = binomial(here(left), here(share), size, where);
    out(ellipsis, k) = here(drawn);
    left = here(left) - here(drawn);
    rest -= own;
  }
  out(ellipsis, count - 1) = here(left);
  return out;
}

Array Generator::permuted(const Array& a, std::optional<Axis> axis, std::source_location where) {
  const Call call{"permuted", where};
  const Shape shape = checked_state(call, a).shape;
  if (!axis) return permutation(ravel(a, where), 0, where).reshape(shape, where);
  const int along = checked_axis(call, *axis, shape.rank());
  if (shape.elements() == 0) return a.copy(where);
  const Array keys = random(shape, DType::Float64, where);
  return take_along_axis(a, argsort(keys, along, where), along, where);
}

Array Generator::standard_t(const Operand& df, std::source_location where) {
  return draw_standard_t(*this, Call{"standard_t", where}, df, nullptr);
}
Array Generator::standard_t(const Operand& df, const Shape& size, std::source_location where) {
  return draw_standard_t(*this, Call{"standard_t", where}, df, &size);
}

Array Generator::f(const Operand& dfnum, const Operand& dfden, std::source_location where) {
  return draw_f(*this, Call{"f", where}, dfnum, dfden, nullptr);
}
Array Generator::f(const Operand& dfnum, const Operand& dfden, const Shape& size, std::source_location where) {
  return draw_f(*this, Call{"f", where}, dfnum, dfden, &size);
}

Array Generator::noncentral_chisquare(const Operand& df, const Operand& nonc, std::source_location where) {
  return draw_noncentral_chisquare(*this, Call{"noncentral_chisquare", where}, df, nonc, nullptr);
}
Array Generator::noncentral_chisquare(const Operand& df, const Operand& nonc, const Shape& size,
                                      std::source_location where) {
  return draw_noncentral_chisquare(*this, Call{"noncentral_chisquare", where}, df, nonc, &size);
}

Array Generator::noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc,
                              std::source_location where) {
  return draw_noncentral_f(*this, Call{"noncentral_f", where}, dfnum, dfden, nonc, nullptr);
}
Array Generator::noncentral_f(const Operand& dfnum, const Operand& dfden, const Operand& nonc, const Shape& size,
                              std::source_location where) {
  return draw_noncentral_f(*this, Call{"noncentral_f", where}, dfnum, dfden, nonc, &size);
}

Array Generator::negative_binomial(const Operand& n, const Operand& p, std::source_location where) {
  return draw_negative_binomial(*this, Call{"negative_binomial", where}, n, p, nullptr);
}
Array Generator::negative_binomial(const Operand& n, const Operand& p, const Shape& size, std::source_location where) {
  return draw_negative_binomial(*this, Call{"negative_binomial", where}, n, p, &size);
}

}  // namespace pilum::numeric::random
