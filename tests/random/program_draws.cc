#include "tests/random/program_draws.h"

#include <stdexcept>

namespace pilum::random_programs {
namespace {

std::string number_text(double number) {
  std::string text = std::to_string(number);
  return text.substr(0, text.find_last_not_of('0') + 2);
}

std::string shape_text(const Extents& shape) {
  std::string text = "(";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + ", ";
  return text + ")";
}

std::string whole_text(double number) {
  return std::to_string(static_cast<std::int64_t>(number));
}

std::string generator(const std::string& seed) {
  return "np.random.default_rng(" + seed + ").";
}

std::string in_sixteenths(const std::string& draw) {
  return "np.floor(" + draw + " * 16) / 16";
}

const char* method_of(Create::Kind kind) {
  switch (kind) {
    case Create::Kind::Random: return "random";
    case Create::Kind::Integers: return "integers";
    case Create::Kind::Normal: return "normal";
    case Create::Kind::Exponential: return "exponential";
    case Create::Kind::Gamma: return "gamma";
    case Create::Kind::Beta: return "beta";
    case Create::Kind::Uniform: return "uniform";
    case Create::Kind::StandardNormal: return "standard_normal";
    case Create::Kind::Lognormal: return "lognormal";
    case Create::Kind::StandardExponential: return "standard_exponential";
    case Create::Kind::StandardGamma: return "standard_gamma";
    case Create::Kind::ChiSquare: return "chisquare";
    case Create::Kind::Poisson: return "poisson";
    case Create::Kind::Binomial: return "binomial";
    case Create::Kind::Permutation: return "permutation";
    default: return "choice";
  }
}

// What stands between the parentheses.
std::string parameters_of(const Create& create) {
  const std::string shape = shape_text(create.shape), dtype = ", dtype=np." + std::string(name(create.dtype));
  const std::string first = number_text(create.first) + ", ", second = number_text(create.second) + ", ";
  switch (create.kind) {
    case Create::Kind::Random:
    case Create::Kind::StandardNormal:
    case Create::Kind::StandardExponential: return shape + dtype;
    case Create::Kind::StandardGamma: return first + shape + dtype;
    case Create::Kind::Integers:
      return whole_text(create.first) + ", " + whole_text(create.second) + ", " + shape + dtype +
             (create.endpoint ? ", endpoint=True" : "");
    case Create::Kind::Exponential:
    case Create::Kind::ChiSquare:
    case Create::Kind::Poisson: return first + shape;
    case Create::Kind::Binomial: return whole_text(create.first) + ", " + second + shape;
    case Create::Kind::Permutation: return std::to_string(create.shape[0]);
    case Create::Kind::Choice: return whole_text(create.first) + ", " + shape + ", replace=False";
    case Create::Kind::ChoiceAgain: return whole_text(create.first) + ", " + shape;
    case Create::Kind::WeightedChoice: return "4, " + shape + ", p=[0.5, 0.125, 0.25, 0.125]";
    case Create::Kind::WeightedChoiceOnce: return "4, " + shape + ", False, [0.5, 0.125, 0.25, 0.125]";
    default: return first + second + shape;
  }
}

const char* method_of(Op op) {
  switch (op) {
    case Op::Normals: return "normal";
    case Op::Uniforms: return "uniform";
    case Op::Lognormals: return "lognormal";
    case Op::Exponentials: return "exponential";
    case Op::Gammas: return "gamma";
    case Op::ChiSquares: return "chisquare";
    case Op::Betas: return "beta";
    case Op::Poissons: return "poisson";
    case Op::Binomials: return "binomial";
    default: throw std::logic_error("not a draw");
  }
}

}  // namespace

std::string draw_text(const Create& create) {
  const std::string draw =
      generator(std::to_string(create.salt)) + method_of(create.kind) + "(" + parameters_of(create) + ")";
  return is_rounded(create.kind) ? in_sixteenths(draw) : draw;
}

std::string drawn_text(Op op, const std::string& parameters, const Number& seed) {
  const std::string draw = generator(whole_text(seed.value)) + method_of(op) + "(" + parameters + ")";
  return op == Op::Poissons || op == Op::Binomials ? draw : "(" + in_sixteenths(draw) + ")";
}

}  // namespace pilum::random_programs
