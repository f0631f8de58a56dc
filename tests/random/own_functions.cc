#include "tests/random/own_functions.h"

#include <cstddef>
#include <utility>

#include "tests/random/dense_fold.h"

namespace pilum::random_programs {
namespace {

Expression argument(int place) {
  return Expression{.op = Op::Leaf, .leaf = Leaf{place, {}}};
}
Expression number(double value) {
  return Expression{.op = Op::Number, .number = {Number::Kind::Floating, value}};
}
Expression whole(double value) {
  return Expression{.op = Op::Number, .number = {Number::Kind::Integer, value}};
}
Expression call(Op op, std::vector<Expression> arguments) {
  return Expression{.op = op, .arguments = std::move(arguments)};
}

std::vector<OwnFunction> make_functions() {
  const Expression a = argument(0), b = argument(1), c = argument(2);
  const auto where = [](const Expression& condition, const Expression& x, const Expression& y) {
    return call(Op::Where, {condition, x, y});
  };
  const auto squared_while_small = [&](const Expression& t) {
    return where(call(Op::Less, {call(Op::Abs, {t}), whole(2)}), call(Op::Add, {call(Op::Multiply, {t, t}), b}), t);
  };
  const Expression sum = call(Op::Add, {a, b}), product = call(Op::Multiply, {a, b});
  const Expression least = call(Op::Minimum, {a, b}), most = call(Op::Maximum, {a, b});
  return {
      // Of one cell.
      {1, where(call(Op::Greater, {a, whole(0)}), a, call(Op::Multiply, {number(-0.5), a}))},
      {1, call(Op::Multiply, {call(Op::Subtract, {a, whole(3)}), a})},
      {1, where(call(Op::Equal, {call(Op::Remainder, {a, whole(2)}), whole(0)}), call(Op::Divide, {a, whole(2)}),
                call(Op::Add, {call(Op::Multiply, {a, whole(3)}), whole(1)}))},
      {1, call(Op::Exp, {call(Op::Minimum, {a, whole(1)})})},
      {1, call(Op::Minimum, {call(Op::Maximum, {a, whole(0)}), number(1.5)})},
      {1, call(Op::And, {call(Op::Greater, {a, whole(0)}), call(Op::Less, {a, whole(4)})})},
      // Of two.
      {2, where(call(Op::Greater, {a, b}), product, sum)},
      {2, where(call(Op::Less, {a, b}), a, b)},
      {2, call(Op::LessEqual, {call(Op::Abs, {call(Op::Subtract, {a, b})}), number(0.5)})},
      {2, where(call(Op::Equal, {a, b}), a, call(Op::Divide, {sum, whole(2)}))},
      {2, least, true, false, 2},
      {2, most, true, false, 2},
      {2, call(Op::Subtract, {most, least})},
      {2, where(call(Op::Greater, {a, whole(1)}), whole(1), a), true, true},
      {2, call(Op::Hypot, {a, b})},
      {2, call(Op::Add, {call(Op::FloorDivide, {a, b}), call(Op::Remainder, {a, b})})},
      {2, call(Op::Multiply, {call(Op::Add, {product, a}), b})},
      {2, call(Op::Subtract, {a, call(Op::Max, {b})}), false, true},
      {2, squared_while_small(squared_while_small(squared_while_small(a))), false},
      // Of three.
      {3, where(a, b, c)},
      {3, call(Op::Add, {product, c})},
      {3, where(call(Op::Less, {a, b}), where(call(Op::Less, {a, c}), a, c), b)},
      {3, call(Op::Greater, {call(Op::Multiply, {call(Op::Subtract, {a, b}), call(Op::Subtract, {c, b})}), whole(0)})},
      {3, where(call(Op::NotEqual, {a, whole(0)}), call(Op::Subtract, {b, a}), b), true, true},
  };
}

const std::vector<OwnFunction>& functions() {
  static const std::vector<OwnFunction> made = make_functions();
  return made;
}

Dense evaluated(const Expression& body, const std::vector<Dense>& arguments) {
  if (body.op == Op::Leaf) return arguments[static_cast<std::size_t>(body.leaf.name)];
  if (body.op == Op::Number) return dense(body.number);
  std::vector<Dense> values;
  for (const Expression& part : body.arguments) values.push_back(evaluated(part, arguments));
  return is_reduction(body.op) ? reduce(body, values[0]) : compute(body, values);
}

Dense repeated(const Dense& value, const Extents& shape) {
  if (value.shape == shape && !value.weak) return value;
  Dense result{value.dtype, shape};
  for (const std::size_t place : broadcast_places(value.shape, shape)) {
    result.cells.push_back(value.cells[place]);
    if (!value.tolerance.empty()) result.tolerance.push_back(value.tolerance[place]);
  }
  return result;
}

}  // namespace

const OwnFunction& own_function(std::int64_t which) {
  return functions().at(static_cast<std::size_t>(which));
}

std::int64_t count_own_functions() {
  return static_cast<std::int64_t>(functions().size());
}

std::string own_text(std::int64_t which) {
  const OwnFunction& function = own_function(which);
  static constexpr const char* kNames[] = {"a", "a, b", "a, b, c"};
  const std::string names = kNames[function.arguments - 1];
  const std::string body = to_string(function.body);
  return "(lambda " + names + ": " +
         (function.ignores ? "np.broadcast_arrays(" + body + ", " + names + ")[0].copy()" : body) + ")";
}

Dense compute_own(const Expression& expression, const std::vector<Dense>& arguments) {
  const OwnFunction& function = own_function(static_cast<std::int64_t>(expression.number.value));
  if (arguments.size() != static_cast<std::size_t>(function.arguments)) throw Invalid("other arguments");
  Extents shape;
  int numbers = 0;
  for (const Dense& argument : arguments) {
    check_exact(argument);
    if (argument.weak) {
      const bool is_drawn = *argument.weak == Number::Kind::Integer || *argument.weak == Number::Kind::Floating;
      if (!function.takes_numbers || !is_drawn || ++numbers > 1) throw Invalid("a number as an argument");
    } else {
      shape = broadcast(shape, argument.shape);
    }
  }
  if (numbers == function.arguments) throw Invalid("a function of numbers alone");
  if (shape.size() > 5) throw Invalid("more axes than a test needs");
  std::vector<Dense> given;
  for (const Dense& argument : arguments) given.push_back(argument.weak ? argument : repeated(argument, shape));
  return repeated(evaluated(function.body, given), shape);
}

}  // namespace pilum::random_programs
