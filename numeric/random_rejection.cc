// Draws by methods of rejection: the distributions that no bounded work gives.
#include <cmath>

#include "numeric/drawn_cells.h"
#include "numeric/elementwise.h"
#include "pilum/math.h"
#include "pilum/random.h"

namespace pilum::numeric::random {
namespace {

// A draw that has been asked for, with the generator's counts.
struct Asked {
  Call call;
  const Shape* size;  // null: what the parameters broadcast to
  std::uint64_t seed;
  std::uint64_t& draws;
};

Array times(const Array& drawn, const Operand& scale, std::source_location where) {
  const bool is_one = scale.kind() != Operand::Kind::Array && value_of(scale) == 1;
  return is_one ? drawn : Operand(drawn, where) * scale;
}

Array draw_one(const Asked& asked, Distribution distribution, Operands parameters) {
  const Shape shape = drawn_shape(asked.call, parameters, asked.size);
  check_parameters(asked.call, distribution, parameters);
  return draw_cells(asked.call, distribution, parameters, shape, asked.seed, asked.draws++);
}

Array draw_gamma(const Asked& asked, const Operand& shape, const Operand& scale) {
  const Operand* const both[] = {&shape, &scale};
  const Shape drawn = drawn_shape(asked.call, both, asked.size);
  check_parameters(asked.call, Distribution::Gamma, Operands(both, 1));
  check_scale(asked.call, "scale", scale);
  return times(draw_cells(asked.call, Distribution::Gamma, Operands(both, 1), drawn, asked.seed, asked.draws++), scale,
               asked.call.where);
}

Array draw_binomial(const Asked& asked, const Operand& n, const Operand& p) {
  const Operand* const parameters[] = {&n, &p};
  if (n.kind() == Operand::Kind::Array) {
    if (is_floating(dtype_of_operand(asked.call, n))) {
      fail<DTypeError>(asked.call, "n is ", n.array().dtype(),
                       ": trials are counted, astype(np::int64) makes integers");
    }
    return draw_one(asked, Distribution::Binomial, parameters);
  }
  const Operand trials(std::trunc(value_of(n)), asked.call.where);
  const Operand* const whole[] = {&trials, &p};
  return draw_one(asked, Distribution::Binomial, whole);
}

}  // namespace

Array Generator::standard_gamma(const Operand& shape, std::source_location where) {
  const Operand* const parameters[] = {&shape};
  return draw_one({{"standard_gamma", where}, nullptr, seed_, draws_}, Distribution::Gamma, parameters);
}
Array Generator::standard_gamma(const Operand& shape, const Shape& size, DType dtype, std::source_location where) {
  const Call call{"standard_gamma", where};
  check_drawn_dtype(call, dtype);
  const Operand* const parameters[] = {&shape};
  const Array drawn = draw_one({call, &size, seed_, draws_}, Distribution::Gamma, parameters);
  return dtype == DType::Float64 ? drawn : drawn.astype(dtype, where);
}

Array Generator::gamma(const Operand& shape, const Operand& scale, std::source_location where) {
  return draw_gamma({{"gamma", where}, nullptr, seed_, draws_}, shape, scale);
}
Array Generator::gamma(const Operand& shape, const Operand& scale, const Shape& size, std::source_location where) {
  return draw_gamma({{"gamma", where}, &size, seed_, draws_}, shape, scale);
}

Array Generator::chisquare(const Operand& df, std::source_location where) {
  const Operand* const parameters[] = {&df};
  return draw_one({{"chisquare", where}, nullptr, seed_, draws_}, Distribution::ChiSquare, parameters);
}
Array Generator::chisquare(const Operand& df, const Shape& size, std::source_location where) {
  const Operand* const parameters[] = {&df};
  return draw_one({{"chisquare", where}, &size, seed_, draws_}, Distribution::ChiSquare, parameters);
}

Array Generator::beta(const Operand& a, const Operand& b, std::source_location where) {
  const Operand* const parameters[] = {&a, &b};
  return draw_one({{"beta", where}, nullptr, seed_, draws_}, Distribution::Beta, parameters);
}
Array Generator::beta(const Operand& a, const Operand& b, const Shape& size, std::source_location where) {
  const Operand* const parameters[] = {&a, &b};
  return draw_one({{"beta", where}, &size, seed_, draws_}, Distribution::Beta, parameters);
}

Array Generator::poisson(const Operand& lam, std::source_location where) {
  const Operand* const parameters[] = {&lam};
  return draw_one({{"poisson", where}, nullptr, seed_, draws_}, Distribution::Poisson, parameters);
}
Array Generator::poisson(const Operand& lam, const Shape& size, std::source_location where) {
  const Operand* const parameters[] = {&lam};
  return draw_one({{"poisson", where}, &size, seed_, draws_}, Distribution::Poisson, parameters);
}

Array Generator::binomial(const Operand& n, const Operand& p, std::source_location where) {
  return draw_binomial({{"binomial", where}, nullptr, seed_, draws_}, n, p);
}
Array Generator::binomial(const Operand& n, const Operand& p, const Shape& size, std::source_location where) {
  return draw_binomial({{"binomial", where}, &size, seed_, draws_}, n, p);
}

}  // namespace pilum::numeric::random
