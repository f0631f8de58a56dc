// Functions of cells: one, two or three operands.
#include "tests/numpy/call.h"

namespace pilum::numpy_suite {
namespace {

namespace np = numeric;

Results both(std::pair<np::Array, np::Array> pair) {
  return {std::move(pair.first), std::move(pair.second)};
}

}  // namespace

#define ONE(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.operand(0))}; }
#define TWO(name) table[#name] = [](const Arguments& a) -> Results { return {np::name(a.operand(0), a.operand(1))}; }
#define THREE(name) \
  table[#name] = [](const Arguments& a) -> Results { return {np::name(a.operand(0), a.operand(1), a.operand(2))}; }

void add_elementwise(Table& table) {
  ONE(abs);
  ONE(absolute);
  ONE(acos);
  ONE(acosh);
  ONE(arccos);
  ONE(arccosh);
  ONE(arcsin);
  ONE(arcsinh);
  ONE(arctan);
  ONE(arctanh);
  ONE(asin);
  ONE(asinh);
  ONE(atan);
  ONE(atanh);
  ONE(bitwise_count);
  ONE(bitwise_invert);
  ONE(bitwise_not);
  ONE(cbrt);
  ONE(ceil);
  ONE(conj);
  ONE(conjugate);
  ONE(cos);
  ONE(cosh);
  ONE(deg2rad);
  ONE(degrees);
  ONE(erf);
  ONE(erfc);
  ONE(exp);
  ONE(exp2);
  ONE(expm1);
  ONE(fabs);
  ONE(fix);
  ONE(floor);
  ONE(gamma);
  ONE(i0);
  ONE(imag);
  ONE(invert);
  ONE(iscomplex);
  ONE(isfinite);
  ONE(isinf);
  ONE(isnan);
  ONE(isneginf);
  ONE(isposinf);
  ONE(isreal);
  ONE(lgamma);
  ONE(log);
  ONE(log10);
  ONE(log1p);
  ONE(log2);
  ONE(logical_not);
  ONE(negative);
  ONE(positive);
  ONE(rad2deg);
  ONE(radians);
  ONE(real);
  ONE(reciprocal);
  ONE(rint);
  ONE(sign);
  ONE(signbit);
  ONE(sin);
  ONE(sinc);
  ONE(sinh);
  ONE(sqrt);
  ONE(square);
  ONE(tan);
  ONE(tanh);
  ONE(trunc);
  TWO(add);
  TWO(arctan2);
  TWO(atan2);
  TWO(bitwise_and);
  TWO(bitwise_left_shift);
  TWO(bitwise_or);
  TWO(bitwise_right_shift);
  TWO(bitwise_xor);
  TWO(copysign);
  TWO(divide);
  TWO(equal);
  TWO(float_power);
  TWO(floor_divide);
  TWO(fmax);
  TWO(fmin);
  TWO(fmod);
  TWO(gcd);
  TWO(greater);
  TWO(greater_equal);
  TWO(heaviside);
  TWO(hypot);
  TWO(lcm);
  TWO(ldexp);
  TWO(left_shift);
  TWO(less);
  TWO(less_equal);
  TWO(logaddexp);
  TWO(logaddexp2);
  TWO(logical_and);
  TWO(logical_or);
  TWO(logical_xor);
  TWO(maximum);
  TWO(minimum);
  TWO(mod);
  TWO(multiply);
  TWO(nextafter);
  TWO(not_equal);
  TWO(pow);
  TWO(power);
  TWO(remainder);
  TWO(right_shift);
  TWO(true_divide);
  TWO(subtract);
  table["clip"] = [](const Arguments& a) -> Results {
    if (!a.has(1)) return {np::clip(a.operand(0), {}, a.operand(2))};
    if (!a.has(2)) return {np::clip(a.operand(0), a.operand(1), {})};
    return {np::clip(a.operand(0), a.operand(1), a.operand(2))};
  };
  THREE(where);
  table["divmod"] = [](const Arguments& a) { return both(np::divmod(a.operand(0), a.operand(1))); };
  table["angle"] = [](const Arguments& a) -> Results { return {np::angle(a.operand(0), a.flag(1))}; };
  table["frexp"] = [](const Arguments& a) { return both(np::frexp(a.operand(0))); };
  table["modf"] = [](const Arguments& a) { return both(np::modf(a.operand(0))); };
  table["round"] = [](const Arguments& a) -> Results {
    return {np::round(a.operand(0), static_cast<int>(a.integer(1)))};
  };
  table["around"] = [](const Arguments& a) -> Results {
    return {np::around(a.operand(0), static_cast<int>(a.integer(1)))};
  };
  table["nan_to_num"] = [](const Arguments& a) -> Results {
    const auto number = [&](std::size_t place) {
      return a.has(place) ? std::optional(a.real(place)) : std::optional<double>();
    };
    return {np::nan_to_num(a.operand(0), a.real(1), number(2), number(3))};
  };
  table["isclose"] = [](const Arguments& a) -> Results {
    return {np::isclose(a.operand(0), a.operand(1), a.real(2, 1e-5), a.real(3, 1e-8), a.flag(4))};
  };
  table["allclose"] = [](const Arguments& a) -> Results {
    return {np::array(np::allclose(a.operand(0), a.operand(1), a.real(2, 1e-5), a.real(3, 1e-8), a.flag(4)))};
  };
  table["array_equal"] = [](const Arguments& a) -> Results {
    return {np::array(np::array_equal(a.array(0), a.array(1)))};
  };
}

#define OPERATOR(name, symbol) \
  table["operator" #symbol] = [](const Arguments& a) -> Results { return {a.operand(0) symbol a.operand(1)}; }
#define IN_PLACE(symbol)                                          \
  table["operator" #symbol] = [](const Arguments& a) -> Results { \
    np::Array target = a.array(0);                                \
    target symbol a.operand(1);                                   \
    return {target};                                              \
  }

void add_operators(Table& table) {
  using np::operator+, np::operator-, np::operator*, np::operator/, np::operator%, np::operator&, np::operator|,
      np::operator^, np::operator~, np::operator<<, np::operator>>, np::operator==, np::operator!=, np::operator<,
      np::operator<=, np::operator>, np::operator>=;
  OPERATOR(add, +);
  OPERATOR(subtract, -);
  OPERATOR(multiply, *);
  OPERATOR(divide, /);
  OPERATOR(remainder, %);
  OPERATOR(bitwise_and, &);
  OPERATOR(bitwise_or, |);
  OPERATOR(bitwise_xor, ^);
  OPERATOR(left_shift, <<);
  OPERATOR(right_shift, >>);
  OPERATOR(equal, ==);
  OPERATOR(not_equal, !=);
  OPERATOR(less, <);
  OPERATOR(less_equal, <=);
  OPERATOR(greater, >);
  OPERATOR(greater_equal, >=);
  IN_PLACE(+=);
  IN_PLACE(-=);
  IN_PLACE(*=);
  IN_PLACE(/=);
  IN_PLACE(%=);
  IN_PLACE(&=);
  IN_PLACE(|=);
  IN_PLACE(^=);
  IN_PLACE(<<=);
  IN_PLACE(>>=);
  table["operator~"] = [](const Arguments& a) -> Results { return {~a.operand(0)}; };
  table["operator!"] = [](const Arguments& a) -> Results { return {!a.array(0)}; };
  table["unary+"] = [](const Arguments& a) -> Results { return {+a.operand(0)}; };
  table["unary-"] = [](const Arguments& a) -> Results { return {-a.operand(0)}; };
  table["operator="] = [](const Arguments& a) -> Results {
    np::Array target = a.array(0);
    target[np::Index(np::ellipsis)] = a.operand(1);
    return {target};
  };
}

}  // namespace pilum::numpy_suite
