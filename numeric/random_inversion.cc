// Draws that are a formula of uniform, exponential or normal numbers: elementwise.
#include <cmath>
#include <numbers>

#include "numeric/drawn_cells.h"
#include "numeric/elementwise.h"
#include "numeric/kept_operand.h"
#include "numeric/shapes.h"
#include "pilum/functions.h"
#include "pilum/math.h"
#include "pilum/random.h"

namespace pilum::numeric::random {
namespace {

// Exponential numbers that are not 0, so that they have a logarithm.
Array positive_exponential(Generator& rng, const Call& call, const Shape& shape) {
  const Array drawn = rng.standard_exponential(shape, DType::Float64, call.where);
  return maximum(Operand(drawn, call.where), Operand(0x1p-54, call.where));
}

Array scaled(const Call& call, const Array& drawn, const KeptOperand& loc, const KeptOperand& scale) {
  const Array product = Operand(drawn, call.where) * scale;
  return Operand(product, call.where) + loc;
}

// Of a formula of one drawn array, scaled.
template <class Formula>
Array of_place_and_scale(Generator& rng, const Call& call, const Operand& loc, const Operand& scale, const Shape* size,
                         const Formula& formula) {
  const Operand* const parameters[] = {&loc, &scale};
  const Shape shape = drawn_shape(call, parameters, size);
  refuse_complex(call, dtype_of_operand(call, loc));
  check_scale(call, "scale", scale);
  const KeptOperand place(call, loc), width(call, scale);
  return scaled(call, formula(rng, shape), place, width);
}

Array draw_laplace(Generator& rng, const Call& call, const Operand& loc, const Operand& scale, const Shape* size) {
  return of_place_and_scale(rng, call, loc, scale, size, [&](Generator& from, const Shape& shape) {
    const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
    const Array distance = from.standard_exponential(shape, DType::Float64, call.where);
    const Array side = from.random(shape, DType::Float64, call.where), is_left = here(side) < here(0.5);
    const Array turned = -here(distance);
    return numeric::where(here(is_left), here(turned), here(distance));
  });
}

// The logarithm of u / (1 - u) for u = e^-x.
Array draw_logistic(Generator& rng, const Call& call, const Operand& loc, const Operand& scale, const Shape* size) {
  return of_place_and_scale(rng, call, loc, scale, size, [&](Generator& from, const Shape& shape) {
    const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
    const Array x = positive_exponential(from, call, shape), turned = -here(x);
    const Array rest = -here(Array(expm1(here(turned))));
    return Array(here(turned) - here(Array(log(here(rest)))));
  });
}

Array draw_gumbel(Generator& rng, const Call& call, const Operand& loc, const Operand& scale, const Shape* size) {
  return of_place_and_scale(rng, call, loc, scale, size, [&](Generator& from, const Shape& shape) {
    const Array x = positive_exponential(from, call, shape), logarithm = log(Operand(x, call.where));
    return Array(-Operand(logarithm, call.where));
  });
}

// One parameter, and a formula of it and exponential numbers.
template <class Formula>
Array of_exponential(Generator& rng, const Call& call, const Operand& parameter, const Shape* size,
                     const Formula& formula) {
  const Operand* const parameters[] = {&parameter};
  const Shape shape = drawn_shape(call, parameters, size);
  refuse_complex(call, dtype_of_operand(call, parameter));
  const KeptOperand kept(call, parameter);
  return formula(rng.standard_exponential(shape, DType::Float64, call.where), kept);
}

Array draw_rayleigh(Generator& rng, const Call& call, const Operand& scale, const Shape* size) {
  check_scale(call, "scale", scale);
  return of_exponential(rng, call, scale, size, [&](const Array& x, const KeptOperand& width) {
    const Array twice = Operand(x, call.where) * Operand(2.0, call.where), root = sqrt(Operand(twice, call.where));
    return Array(Operand(root, call.where) * width);
  });
}

Array draw_pareto(Generator& rng, const Call& call, const Operand& a, const Shape* size) {
  check_positive(call, "a", a);
  return of_exponential(rng, call, a, size, [&](const Array& x, const KeptOperand& shape) {
    const Array share = Operand(x, call.where) / shape;
    return expm1(Operand(share, call.where));
  });
}

Array draw_weibull(Generator& rng, const Call& call, const Operand& a, const Shape* size) {
  check_scale(call, "a", a);
  return of_exponential(rng, call, a, size, [&](const Array& x, const KeptOperand& shape) {
    const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
    const Array exponent = here(1.0) / shape, raised = numeric::power(here(x), here(exponent)),
                is_none = shape == here(0);
    return numeric::where(here(is_none), here(0.0), here(raised));
  });
}

Array draw_power(Generator& rng, const Call& call, const Operand& a, const Shape* size) {
  check_positive(call, "a", a);
  return of_exponential(rng, call, a, size, [&](const Array& x, const KeptOperand& shape) {
    const Array share = Operand(x, call.where) / shape, turned = -Operand(share, call.where);
    return exp(Operand(turned, call.where));
  });
}

// The least whole number above x / -log(1 - p).
Array draw_geometric(Generator& rng, const Call& call, const Operand& p, const Shape* size) {
  check_probability(call, "p", p);
  return of_exponential(rng, call, p, size, [&](const Array& x, const KeptOperand& chance) {
    const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
    const Array failure = -static_cast<const Operand&>(chance), logarithm = log1p(here(failure));
    const Array rate = -here(logarithm), trials = ceil(here(Array(here(x) / here(rate))));
    const Array least = maximum(here(trials), here(1.0)), most = minimum(here(least), here(0x1.fffffffffffffp62));
    return most.astype(DType::Int64, call.where);
  });
}

Array draw_triangular(Generator& rng, const Call& call, const Operand& left, const Operand& mode, const Operand& right,
                      const Shape* size) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand* const parameters[] = {&left, &mode, &right};
  const Shape shape = drawn_shape(call, parameters, size);
  for (const Operand* parameter : parameters) refuse_complex(call, dtype_of_operand(call, *parameter));
  check_order(call, "left", left, "mode", mode, /*may_be_equal=*/true);
  check_order(call, "mode", mode, "right", right, /*may_be_equal=*/true);
  check_order(call, "left", left, "right", right, /*may_be_equal=*/false);
  const KeptOperand low(call, left), top(call, mode), high(call, right);
  const Array u = rng.random(shape, DType::Float64, call.where);
  const Array base = high - low, rise = top - low, fall = high - top;
  const Array share = here(rise) / here(base), is_left = here(u) <= here(share);
  const Array left_square = here(Array(here(base) * here(rise))) * here(u);
  const Array others = here(1.0) - here(u), right_square = here(Array(here(base) * here(fall))) * here(others);
  const Array on_left = low + here(sqrt(here(left_square))), on_right = high - here(sqrt(here(right_square)));
  return numeric::where(here(is_left), here(on_left), here(on_right));
}

// The smaller root of the square of a normal number, m / (1 + w + sqrt(w^2 + 2 w)), or the other one, m^2 by it.
Array draw_wald(Generator& rng, const Call& call, const Operand& mean, const Operand& scale, const Shape* size) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Operand* const parameters[] = {&mean, &scale};
  const Shape shape = drawn_shape(call, parameters, size);
  check_positive(call, "mean", mean);
  check_positive(call, "scale", scale);
  const KeptOperand middle(call, mean), width(call, scale);
  const Array normal = rng.standard_normal(shape, DType::Float64, call.where);
  const Array u = rng.random(shape, DType::Float64, call.where);
  const Array square = here(normal) * here(normal), spread = here(square) * middle;
  const Array twice = width * here(2.0), w = here(spread) / here(twice), more = here(w) + here(2.0);
  const Array root = sqrt(here(Array(here(w) * here(more)))), next = here(w) + here(1.0);
  const Array divisor = here(next) + here(root), small = middle / here(divisor), large = middle * here(divisor);
  const Array sum = middle + here(small), share = middle / here(sum), is_small = here(u) <= here(share);
  return numeric::where(here(is_small), here(small), here(large));
}

}  // namespace

Array Generator::standard_cauchy(const Shape& size, std::source_location where) {
  const Call call{"standard_cauchy", where};
  check_shape(call, size, DType::Float64);
  const Array u = random(size, DType::Float64, where), turn = Operand(u, where) - Operand(0.5, where);
  const Array angle = Operand(turn, where) * Operand(std::numbers::pi, where);
  return tan(Operand(angle, where));
}

Array Generator::laplace(const Operand& loc, const Operand& scale, std::source_location where) {
  return draw_laplace(*this, Call{"laplace", where}, loc, scale, nullptr);
}
Array Generator::laplace(const Operand& loc, const Operand& scale, const Shape& size, std::source_location where) {
  return draw_laplace(*this, Call{"laplace", where}, loc, scale, &size);
}

Array Generator::logistic(const Operand& loc, const Operand& scale, std::source_location where) {
  return draw_logistic(*this, Call{"logistic", where}, loc, scale, nullptr);
}
Array Generator::logistic(const Operand& loc, const Operand& scale, const Shape& size, std::source_location where) {
  return draw_logistic(*this, Call{"logistic", where}, loc, scale, &size);
}

Array Generator::gumbel(const Operand& loc, const Operand& scale, std::source_location where) {
  return draw_gumbel(*this, Call{"gumbel", where}, loc, scale, nullptr);
}
Array Generator::gumbel(const Operand& loc, const Operand& scale, const Shape& size, std::source_location where) {
  return draw_gumbel(*this, Call{"gumbel", where}, loc, scale, &size);
}

Array Generator::rayleigh(const Operand& scale, std::source_location where) {
  return draw_rayleigh(*this, Call{"rayleigh", where}, scale, nullptr);
}
Array Generator::rayleigh(const Operand& scale, const Shape& size, std::source_location where) {
  return draw_rayleigh(*this, Call{"rayleigh", where}, scale, &size);
}

Array Generator::pareto(const Operand& a, std::source_location where) {
  return draw_pareto(*this, Call{"pareto", where}, a, nullptr);
}
Array Generator::pareto(const Operand& a, const Shape& size, std::source_location where) {
  return draw_pareto(*this, Call{"pareto", where}, a, &size);
}

Array Generator::weibull(const Operand& a, std::source_location where) {
  return draw_weibull(*this, Call{"weibull", where}, a, nullptr);
}
Array Generator::weibull(const Operand& a, const Shape& size, std::source_location where) {
  return draw_weibull(*this, Call{"weibull", where}, a, &size);
}

Array Generator::power(const Operand& a, std::source_location where) {
  return draw_power(*this, Call{"power", where}, a, nullptr);
}
Array Generator::power(const Operand& a, const Shape& size, std::source_location where) {
  return draw_power(*this, Call{"power", where}, a, &size);
}

Array Generator::triangular(const Operand& left, const Operand& mode, const Operand& right,
                            std::source_location where) {
  return draw_triangular(*this, Call{"triangular", where}, left, mode, right, nullptr);
}
Array Generator::triangular(const Operand& left, const Operand& mode, const Operand& right, const Shape& size,
                            std::source_location where) {
  return draw_triangular(*this, Call{"triangular", where}, left, mode, right, &size);
}

Array Generator::wald(const Operand& mean, const Operand& scale, std::source_location where) {
  return draw_wald(*this, Call{"wald", where}, mean, scale, nullptr);
}
Array Generator::wald(const Operand& mean, const Operand& scale, const Shape& size, std::source_location where) {
  return draw_wald(*this, Call{"wald", where}, mean, scale, &size);
}

Array Generator::geometric(const Operand& p, std::source_location where) {
  return draw_geometric(*this, Call{"geometric", where}, p, nullptr);
}
Array Generator::geometric(const Operand& p, const Shape& size, std::source_location where) {
  return draw_geometric(*this, Call{"geometric", where}, p, &size);
}

}  // namespace pilum::numeric::random
