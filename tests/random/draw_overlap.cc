#include <algorithm>
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

std::vector<Statement> Drawer::draw_parts() {
  const std::int64_t choice = dice_.below(100);
  if (choice < 30) return draw_partial_updates();
  return choice < 42 ? draw_rims() : choice < 54 ? draw_padded() : draw_neighbours();
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
  if (dice_.percent(40)) {
    for (Statement& statement : draw_sum_that_is_read(name)) updates.push_back(std::move(statement));
  }
  return updates;
}

namespace {

// Two views of an array that lie beside each other along an axis, and the one of a third array that is as long.
struct Neighbours {
  std::vector<IndexItem> low, high, target;
};
Neighbours draw_beside(Dice& dice, std::size_t axes, std::size_t axis) {
  Neighbours drawn{std::vector<IndexItem>(axes), std::vector<IndexItem>(axes), std::vector<IndexItem>(axes)};
  const std::int64_t by = dice.percent(70) ? 1 : 2;
  drawn.low[axis] = range({}, -by);
  drawn.high[axis] = range(by, {});
  drawn.target[axis] = dice.percent(50) ? drawn.low[axis] : drawn.high[axis];
  return drawn;
}

}  // namespace

std::vector<Statement> Drawer::draw_neighbours() {
  const int name = draw_live();
  std::vector<int> alike;
  for (const int other : exact_names(state_)) {
    if (shape_of(other) == shape_of(name) && alike.size() + 1 < kNames) alike.push_back(other);
  }
  if (shape_of(name).empty() || alike.size() < 2) return {{draw_assignment()}};
  if (const auto own = std::find(alike.begin(), alike.end(), name); own != alike.end()) std::swap(alike[0], *own);
  return dice_.percent(60) ? draw_staggered(alike, shape_of(alike[0]).size()) : draw_fluxes(alike);
}

// ey -= f(hz); ex -= g(hz); hz -= h(ex, ey): and others that are like it, where some array is read or written again.
std::vector<Statement> Drawer::draw_staggered(const std::vector<int>& alike, std::size_t axes) {
  std::vector<Statement> updates;
  const std::int64_t first = dice_.between(1, 2);
  std::vector<int> written;
  for (std::int64_t k = 0; k <= first + (dice_.percent(30) ? 1 : 0); ++k) {
    const bool is_later = k >= first;
    const int target = is_later && dice_.percent(85) ? alike[0] : dice_.one_of(alike);
    const bool is_inner = dice_.percent(50);
    Expression value = number(0);
    for (std::int64_t terms = is_later ? dice_.between(1, 2) : 1; terms > 0; --terms) {
      const bool is_own = is_later && dice_.percent(15);
      const int source = is_own              ? target
                         : is_later          ? dice_.one_of(written)
                         : dice_.percent(80) ? alike[0]
                                             : dice_.one_of(alike);
      const auto axis = static_cast<std::size_t>(dice_.below(static_cast<std::int64_t>(axes)));
      const Neighbours sides = draw_beside(dice_, axes, axis);
      Expression slope =
          operation(Op::Subtract, operand(sliced(source, sides.high)), operand(sliced(source, sides.low)));
      if (terms == 1 && value.op == Op::Number) {
        updates.push_back({Assign{sliced(target, sides.target), dice_.percent(80) ? Op::Subtract : Op::Leaf,
                                  operation(Op::Multiply, number(0.25), slope)}});
      } else {  // of all axes
        std::vector<IndexItem> inside(axes, is_inner ? range(2, -2) : range({}, -1)), beside = inside;
        beside[axis] = !is_inner ? range(1, {}) : dice_.percent(50) ? range(1, -3) : range(3, -1);
        value = operation(Op::Add, value,
                          operation(Op::Subtract, operand(sliced(source, beside)), operand(sliced(source, inside))));
        if (terms == 1) {
          updates.push_back(
              {Assign{sliced(target, inside), Op::Subtract, operation(Op::Multiply, number(0.25), value)}});
        }
      }
    }
    written.push_back(target);
  }
  return updates;
}

std::vector<Statement> Drawer::draw_fields() {
  Extents shape;
  for (std::int64_t axes = dice_.between(1, 2); axes > 0; --axes) shape.push_back(dice_.between(8, 24));
  std::vector<int> names;
  std::vector<Statement> statements;
  for (int field = 0; field < 3; ++field) {
    names.push_back(draw_name_besides(names));
    Create create{.name = names.back(), .kind = Create::Kind::Data, .dtype = DType::Float64, .shape = shape};
    create.salt = dice_.below(1000);
    statements.push_back({create});
  }
  Loop loop;
  loop.rounds = static_cast<int>(dice_.between(1, 6));
  loop.block = draw_staggered(names, shape.size());
  statements.push_back({loop});
  return statements;
}

// flux = f(a, b); c -= flux(…) - flux(…), once or twice; then nobody holds it, mostly.
std::vector<Statement> Drawer::draw_fluxes(const std::vector<int>& alike) {
  const std::size_t axes = shape_of(alike[0]).size();
  const int flux = draw_name_besides(alike);
  Expression value = operation(Op::Multiply, operand({dice_.one_of(alike), {}}), number(0.5));
  for (std::int64_t more = dice_.between(0, 2); more > 0; --more)
    value = operation(Op::Add, std::move(value), operand({dice_.one_of(alike), {}}));
  std::vector<Statement> statements{{Bind{flux, std::move(value)}}};
  Neighbours sides;
  for (std::int64_t uses = dice_.between(1, 3); uses > 0; --uses) {
    const auto axis = static_cast<std::size_t>(dice_.below(static_cast<std::int64_t>(axes)));
    if (sides.low.empty() || dice_.percent(60)) sides = draw_beside(dice_, axes, axis);
    Expression slope = operation(Op::Subtract, operand(sliced(flux, sides.high)), operand(sliced(flux, sides.low)));
    if (dice_.percent(30)) slope = operand(sliced(flux, sides.high));
    statements.push_back({Assign{sliced(dice_.one_of(alike), sides.target), dice_.percent(70) ? Op::Subtract : Op::Leaf,
                                 operation(Op::Multiply, number(0.25), std::move(slope))}});
  }
  if (dice_.percent(80)) statements.push_back({Drop{flux}});
  return statements;
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

std::vector<Statement> Drawer::draw_padded() {
  const int name = draw_live(), target = draw_live();
  const Extents shape = shape_of(name);
  if (shape.empty() || shape != shape_of(target)) return draw_partial_updates();
  const int padded = draw_name_besides({name, target});
  Create around{.name = padded, .dtype = state_.dtype(*state_.view(name)), .shape = shape};
  if (dice_.percent(50)) {
    around.kind = Create::Kind::Full;
    around.value = number(2).number;
  }
  std::vector<IndexItem> inside(shape.size(), range(1, -1));
  for (std::int64_t& extent : around.shape) extent += 2;
  if (dice_.percent(25)) {  // not around: before it alone
    inside.assign(shape.size(), range(2, {}));
  }
  std::vector<Statement> statements{{around}, {Assign{sliced(padded, inside), Op::Leaf, operand({name, {}})}}};
  Expression value = operation(Op::Multiply, operand({name, {}}), number(0.5));
  for (std::int64_t more = dice_.between(1, 4); more > 0; --more) {
    std::vector<IndexItem> beside(shape.size(), range(1, -1));
    beside[static_cast<std::size_t>(dice_.below(static_cast<std::int64_t>(shape.size())))] =
        dice_.percent(50) ? range({}, -2) : range(2, {});
    value = operation(dice_.percent(50) ? Op::Add : Op::Subtract, std::move(value), operand(sliced(padded, beside)));
  }
  statements.push_back({Assign{{target, {}}, dice_.percent(70) ? Op::Leaf : Op::Add, std::move(value)}});
  if (dice_.percent(80)) statements.push_back({Drop{padded}});
  if (dice_.percent(50)) {
    for (Statement& statement : draw_sum_that_is_read(target)) statements.push_back(std::move(statement));
  }
  return statements;
}

}  // namespace pilum::random_programs
