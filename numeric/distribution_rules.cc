#include "numeric/distribution_rules.h"

#include "numeric/parameter_rules.h"

namespace pilum::numeric {

Rules rules_of(Distribution distribution) {
  using enum scheduler::RefusedValue;
#define PILUM_RULE(what, function) \
  ParameterRule {                  \
    what, #function, function      \
  }
  switch (distribution) {
    case Distribution::Gamma: return {PILUM_RULE(GammaShape, is_not_negative)};
    case Distribution::ChiSquare: return {PILUM_RULE(DegreesOfFreedom, is_positive)};
    case Distribution::Beta: return {PILUM_RULE(BetaA, is_positive), PILUM_RULE(BetaB, is_positive)};
    case Distribution::Poisson: return {PILUM_RULE(Mean, is_mean)};
    case Distribution::Binomial: return {PILUM_RULE(Trials, is_count), PILUM_RULE(Chance, is_probability)};
    case Distribution::VonMises: return {PILUM_RULE(Concentration, is_not_negative)};
    case Distribution::Zipf: return {PILUM_RULE(ZipfExponent, is_above_one)};
    case Distribution::LogSeries: return {PILUM_RULE(SeriesChance, is_below_one)};
    case Distribution::Hypergeometric:
      return {PILUM_RULE(Good, is_small_count), PILUM_RULE(Bad, is_small_count), PILUM_RULE(Sample, is_small_count)};
  }
#undef PILUM_RULE
  __builtin_unreachable();
}

bool is_counted(Distribution distribution) {
  switch (distribution) {
    case Distribution::Poisson:
    case Distribution::Binomial:
    case Distribution::Zipf:
    case Distribution::LogSeries:
    case Distribution::Hypergeometric: return true;
    default: return false;
  }
}

}  // namespace pilum::numeric
