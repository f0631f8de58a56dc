#include "tests/random/run_draws.h"

#include <span>
#include <stdexcept>
#include <vector>

namespace pilum::random_programs {
namespace {

namespace np = numeric;

np::Array rounded(np::Array cells) {
  return np::floor(std::move(cells) * 16) / 16;
}

np::Array draw_exactly(const Create& create) {
  auto rng = np::random::default_rng(create.salt);
  const Shape shape{std::span<const std::int64_t>(create.shape)};
  const auto first = static_cast<std::int64_t>(create.first), second = static_cast<std::int64_t>(create.second);
  const auto weights = [] { return np::array(std::vector<double>(std::begin(kDrawWeights), std::end(kDrawWeights))); };
  switch (create.kind) {
    case Create::Kind::Random: return rng.random(shape, create.dtype);
    case Create::Kind::Integers: return rng.integers(first, second, shape, create.dtype, create.endpoint);
    case Create::Kind::Normal: return rng.normal(create.first, create.second, shape);
    case Create::Kind::Exponential: return rng.exponential(create.first, shape);
    case Create::Kind::Gamma: return rng.gamma(create.first, create.second, shape);
    case Create::Kind::Beta: return rng.beta(create.first, create.second, shape);
    case Create::Kind::Uniform: return rng.uniform(create.first, create.second, shape);
    case Create::Kind::StandardNormal: return rng.standard_normal(shape, create.dtype);
    case Create::Kind::Lognormal: return rng.lognormal(create.first, create.second, shape);
    case Create::Kind::StandardExponential: return rng.standard_exponential(shape, create.dtype);
    case Create::Kind::StandardGamma: return rng.standard_gamma(create.first, shape, create.dtype);
    case Create::Kind::ChiSquare: return rng.chisquare(create.first, shape);
    case Create::Kind::Poisson: return rng.poisson(create.first, shape);
    case Create::Kind::Binomial: return rng.binomial(first, create.second, shape);
    case Create::Kind::Permutation: return rng.permutation(create.shape[0]);
    case Create::Kind::Choice: return rng.choice(first, shape, /*replace=*/false);
    case Create::Kind::ChoiceAgain: return rng.choice(first, shape);
    case Create::Kind::WeightedChoice: return rng.choice(4, shape, true, weights());
    case Create::Kind::WeightedChoiceOnce: return rng.choice(4, shape, false, weights());
    default: throw std::logic_error("not a draw");
  }
}

}  // namespace

np::Array run_draw(const Create& create) {
  return is_rounded(create.kind) ? rounded(draw_exactly(create)) : draw_exactly(create);
}

np::Array run_drawn(Op op, std::int64_t seed, const np::Operand& first, const np::Operand& second) {
  auto rng = np::random::default_rng(seed);
  switch (op) {
    case Op::Normals: return rounded(rng.normal(first, second));
    case Op::Uniforms: return rounded(rng.uniform(first, second));
    case Op::Lognormals: return rounded(rng.lognormal(first, second));
    case Op::Exponentials: return rounded(rng.exponential(first));
    case Op::Gammas: return rounded(rng.gamma(first, second));
    case Op::ChiSquares: return rounded(rng.chisquare(first));
    case Op::Betas: return rounded(rng.beta(first, second));
    case Op::Poissons: return rng.poisson(first);
    case Op::Binomials: return rng.binomial(first, second);
    default: throw std::logic_error("not a draw of parameters");
  }
}

}  // namespace pilum::random_programs
