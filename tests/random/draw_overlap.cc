#include <array>
#include <utility>

#include "tests/random/draw_expression.h"
#include "tests/random/drawer.h"

namespace pilum::random_programs {
namespace {

Leaf sliced(int name, std::vector<IndexItem> items) {
  return Leaf{name, {ViewStep{ViewStep::Kind::Index, std::move(items), {}}}};
}
IndexItem range(numeric::slice::Bound start, numeric::slice::Bound stop, std::int64_t step = 1) {
  return IndexItem{.range = {start, stop, step}};
}
Expression operand(Leaf leaf) {
  return Expression{.op = Op::Leaf, .leaf = std::move(leaf)};
}
Expression number(double value) {
  return Expression{.op = Op::Number, .number = {Number::Kind::Floating, value}};
}

}  // namespace

Statement Drawer::draw_overlap(int name) {
  const std::size_t axes = shape_of(name).size();
  if (axes == 0) return {draw_assignment()};
  switch (dice_.below(7)) {
    case 0: return {Assign{sliced(name, {range(1, {})}), draw_assignment_op(), operand(sliced(name, {range({}, -1)}))}};
    case 1: return {Assign{sliced(name, {range({}, -1)}), draw_assignment_op(), operand(sliced(name, {range(1, {})}))}};
    case 2: {
      const std::int64_t half = shape_of(name)[0] / 2;
      return {Assign{sliced(name, {range(1, {}, 2)}), Op::Leaf, operand(sliced(name, {range({}, 2 * half, 2)}))}};
    }
    case 3:
    case 4: return draw_reversed(name);
    case 5: {
      if (axes < 2) return draw_stencil(name);
      Leaf turned{name, {ViewStep{ViewStep::Kind::Transpose, {}, {1, 0}}}};
      if (axes == 3) turned.steps[0].order = {1, 0, 2};
      return {Assign{Leaf{name, {}}, draw_assignment_op(), operand(turned)}};
    }
    default: return draw_stencil(name);
  }
}

// The inside of an array from its neighbours, into itself.
Statement Drawer::draw_stencil(int name) {
  if (shape_of(name).size() == 1) {
    const Expression sides =
        operation(Op::Add, operand(sliced(name, {range({}, -2)})), operand(sliced(name, {range(2, {})})));
    return {Assign{sliced(name, {range(1, -1)}), Op::Leaf, operation(Op::Multiply, sides, number(0.5))}};
  }
  const auto at = [&](IndexItem row, IndexItem column) { return operand(sliced(name, {row, column})); };
  const IndexItem inside = range(1, -1);
  Expression sum = operation(Op::Add, at(range({}, -2), inside), at(range(2, {}), inside));
  sum = operation(Op::Add, operation(Op::Add, sum, at(inside, range({}, -2))), at(inside, range(2, {})));
  return {Assign{sliced(name, {inside, inside}), Op::Leaf, operation(Op::Multiply, number(0.25), sum)}};
}

// An array with itself the other way round, along one axis or more: every rank wants cells of another one.
Statement Drawer::draw_reversed(int name) {
  std::vector<IndexItem> items;
  for (std::size_t axis = 0; axis < shape_of(name).size(); ++axis) {
    items.push_back(dice_.percent(50) ? range({}, {}, -1) : IndexItem{});
  }
  items[static_cast<std::size_t>(dice_.below(static_cast<std::int64_t>(items.size())))] = range({}, {}, -1);
  const Leaf whole{name, {}};
  const Leaf turned = sliced(name, std::move(items));
  static constexpr std::array<Op, 4> kOps = {Op::Leaf, Op::Add, Op::Add, Op::Subtract};
  const bool into_turned = dice_.percent(50);
  const Leaf& target = into_turned ? turned : whole;
  const Leaf& source = into_turned ? whole : turned;
  if (dice_.percent(60)) return {Assign{target, dice_.one_of(kOps), operand(source)}};
  // Its values stay what size they are, however long the loop.
  Expression mean = operation(Op::Multiply, operation(Op::Add, operand(whole), operand(turned)), number(0.5));
  return {Assign{target, Op::Leaf, std::move(mean)}};
}

std::vector<Statement> Drawer::draw_partial_updates() {
  const int name = draw_live();
  const Extents& shape = shape_of(name);
  if (shape.empty()) return {{draw_assignment()}};
  std::vector<int> alike;
  for (const int other : exact_names(state_)) {
    if (shape_of(other) == shape) alike.push_back(other);
  }
  std::vector<Statement> updates;
  if (dice_.percent(80)) {
    Expression scaled = operation(Op::Multiply, operand({dice_.one_of(alike), {}}), number(0.5));
    updates.push_back({Assign{Leaf{name, {}}, Op::Leaf, dice_.percent(60) ? scaled : scaled.arguments[0]}});
  }
  const std::int64_t count = dice_.between(2, 6);
  for (std::int64_t k = 0; k < count; ++k) {
    const auto axis = static_cast<std::size_t>(dice_.below(static_cast<std::int64_t>(shape.size())));
    const std::int64_t by = dice_.percent(80) ? 1 : 2;
    std::vector<IndexItem> to(shape.size()), from(shape.size());
    to[axis] = range(by, {});
    from[axis] = range({}, -by);
    if (dice_.percent(50)) std::swap(to, from);
    Expression value = operand(sliced(dice_.one_of(alike), std::move(from)));
    if (dice_.percent(40)) value = operation(Op::Multiply, std::move(value), number(0.5));
    static constexpr std::array<Op, 4> kOps = {Op::Subtract, Op::Subtract, Op::Add, Op::Leaf};
    updates.push_back({Assign{sliced(name, std::move(to)), dice_.one_of(kOps), std::move(value)}});
  }
  return updates;
}

std::vector<Statement> Drawer::draw_rims() {
  const int name = draw_live(), source = draw_live();
  if (shape_of(name).empty() || shape_of(name) != shape_of(source)) return draw_partial_updates();
  const auto row = [](std::int64_t place) {
    return std::vector<IndexItem>{IndexItem{.kind = IndexItem::Kind::Position, .position = place}};
  };
  if (dice_.percent(50)) {  // numpy.roll
    return {{Assign{sliced(name, {range(1, {})}), Op::Leaf, operand(sliced(source, {range({}, -1)}))}},
            {Assign{sliced(name, row(0)), Op::Leaf, operand(sliced(source, row(-1)))}}};
  }
  return {{Assign{sliced(name, row(0)), Op::Leaf, operand(sliced(name, row(-2)))}},
          {Assign{sliced(name, row(-1)), Op::Leaf, operand(sliced(name, row(1)))}},
          draw_stencil(name)};
}

}  // namespace pilum::random_programs
