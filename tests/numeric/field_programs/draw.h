// Programs are drawn.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "tests/numeric/field_programs/naive.h"
#include "tests/numeric/field_programs/program.h"
#include "tests/numeric/field_programs/run.h"

namespace pilum::field_programs {

class Drawer {
 public:
  Drawer(std::uint64_t seed, int attempt) : dice_(seed * 64 + static_cast<std::uint64_t>(attempt)), careful_(attempt) {
    program_.seed = seed;
  }

  Program draw() {
    program_.planes = once_in(20) ? 17 : once_in(16) ? 1 : between(2, 9);
    if (once_in(4)) {
      program_.plane = {once_in(4) ? between(5, 100) : between(129, 400)};
    } else {
      program_.plane = {between(5, 40), between(5, 40)};
      if (once_in(4)) program_.plane[1] = program_.plane[0];
      if (program_.planes > 9) program_.plane = {between(5, 16), between(5, 20)};
    }
    if (once_in(12)) program_.plane[once_in(2) ? 0 : program_.plane.size() - 1] = 1;
    program_.fields.resize(static_cast<std::size_t>(between(2, 4)));
    for (int& how : program_.fields) how = once_in(3) ? static_cast<int>(between(1, 5)) : 0;
    program_.plane_names = static_cast<int>(between(1, 2));
    program_.aliases = static_cast<int>(between(1, 2));
    program_.window = once_in(4) ? static_cast<int>(between(1, 12)) : 0;
    program_.part = between(1, program_.planes);
    reads_ = once_in(2);
    std::int64_t left = once_in(2) ? between(5, 15) : between(5, 40);
    while (left > 0) {
      Block block;
      const bool loops = once_in(2);
      const std::int64_t length = std::min(left, between(loops ? 2 : 1, loops ? 12 : 40));
      if (loops) block.rounds = static_cast<int>(between(3, 8));
      left -= length;
      for (std::int64_t k = 0; k < length; ++k) draw_statement(block.statements);
      program_.blocks.push_back(std::move(block));
    }
    for (int field = 0; field < std::ssize(program_.fields); ++field)
      if (once_in(6)) program_.dropped.push_back(field);
    return std::move(program_);
  }

 private:
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(dice_() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool once_in(std::int64_t n) { return between(1, n) == 1; }
  bool in_hundred(std::int64_t percent) { return between(1, 100) <= percent; }

  Extents shape_of(std::int64_t lead, const Extents& window) {
    Extents shape;
    if (lead > 0) shape.push_back(lead);
    shape.insert(shape.end(), window.begin(), window.end());
    return shape;
  }
  Extents shape_of(Variable name) {
    if (name.kind == Kind::Field) return program_.shape();
    return name.kind == Kind::Part ? program_.shape_of(program_.part) : program_.plane;
  }
  Variable some_field() {
    if (once_in(3)) return favourite_;
    return {Kind::Field, static_cast<int>(between(0, std::ssize(program_.fields) - 1))};
  }
  Variable some_plane() {
    if (once_in(2)) return {Kind::Plane, static_cast<int>(between(0, program_.plane_names - 1))};
    return {Kind::Alias, static_cast<int>(between(0, program_.aliases - 1))};
  }

  // So many cells of an axis, anywhere.
  Pick some_of(std::int64_t extent, std::int64_t count) {
    if (count == extent) {
      if (!once_in(8)) return {};
      return {Pick::Kind::Range, extent - 1, count, -1};
    }
    std::int64_t step = once_in(6) && 2 * count <= extent ? 2 : 1;
    std::int64_t first = between(0, extent - 1 - (count - 1) * step);
    if (once_in(8)) {
      first += (count - 1) * step;
      step = -step;
    }
    return {Pick::Kind::Range, first, count, step};
  }
  // Cells of a plane, or none said where it is whole.
  Picks some_window(const Extents& window) {
    Picks picks;
    if (window == program_.plane && !once_in(12)) return picks;
    for (std::size_t axis = 0; axis < window.size(); ++axis)
      picks.push_back(some_of(program_.plane[axis], window[axis]));
    return picks;
  }

  static Node named(Variable name, const Extents& shape) {
    Node node;
    node.name = name;
    node.shape = shape;
    return node;
  }
  static Node over(Node::What what, std::vector<Node> kids, const Extents& shape) {
    Node node;
    node.what = what;
    node.kids = std::move(kids);
    node.shape = shape;
    return node;
  }
  static Node seen(Node of, Picks picks, const Extents& shape) {
    if (picks.empty()) return of;
    Node node = over(Node::What::View, {std::move(of)}, shape);
    node.picks = std::move(picks);
    return node;
  }
  static Node with_number(Op op, Node of, double number, bool number_first = false) {
    const Extents shape = of.shape;
    Node node = over(Node::What::Number, {std::move(of)}, shape);
    node.op = op;
    node.number = number;
    node.number_first = number_first;
    return node;
  }
  static Node both(Op op, Node a, Node b) {
    const Extents shape = common(a.shape, b.shape);
    Node node = over(Node::What::Binary, {std::move(a), std::move(b)}, shape);
    node.op = op;
    return node;
  }
  static Node fold(FoldOp op, Node of, std::vector<int> axes, bool keepdims, const Extents& shape) {
    Node node = over(Node::What::Fold, {std::move(of)}, shape);
    node.fold = op;
    node.axes = std::move(axes);
    node.keepdims = keepdims;
    return node;
  }

  Op some_op() {
    constexpr std::array kOps{Op::Add, Op::Add, Op::Subtract, Op::Subtract, Op::Multiply, Op::Minimum, Op::Maximum};
    return kOps[static_cast<std::size_t>(between(0, std::ssize(kOps) - 1))];
  }
  FoldOp some_fold() { return once_in(2) ? FoldOp::Sum : once_in(2) ? FoldOp::Max : FoldOp::Min; }

  // One name, or cells of it. No lead: a plane.
  Node leaf(std::int64_t lead, const Extents& window) {
    const Extents shape = shape_of(lead, window), whole = program_.shape();
    if (lead == 0 && once_in(2)) return seen(named(some_plane(), program_.plane), some_window(window), shape);
    Picks picks;
    const bool of_part = lead == program_.part && once_in(6);
    if (lead == 0) {
      picks.push_back({Pick::Kind::Position, between(0, program_.planes - 1)});
    } else if (!of_part && (lead != program_.planes || once_in(8))) {
      picks.push_back(some_of(program_.planes, lead));
    }
    const Picks rest = some_window(window);
    if (!rest.empty() && picks.empty()) picks.emplace_back();
    picks.insert(picks.end(), rest.begin(), rest.end());
    Node name = of_part ? named({Kind::Part}, program_.shape_of(lead)) : named(some_field(), whole);
    return seen(std::move(name), std::move(picks), shape);
  }

  // What is repeated beside a field.
  Node thin(std::int64_t lead, const Extents& window, int depth) {
    Extents shape(window.size() + 1, 1);
    shape[0] = lead;
    std::vector<int> axes(window.size());
    std::iota(axes.begin(), axes.end(), 1);
    switch (between(0, 7)) {
      case 0:
      case 1: {
        Node vector = named({Kind::Vector}, program_.vector_shape());
        if (lead == program_.planes) return vector;
        return seen(std::move(vector), {some_of(program_.planes, lead)}, shape);
      }
      case 2: return fold(some_fold(), expression(lead, window, depth - 1), axes, true, shape);
      case 3:
        if (window.size() == 2) {  // along the last axis alone
          shape[1] = window[0];
          return fold(some_fold(), expression(lead, window, depth - 1), {2}, true, shape);
        }
        [[fallthrough]];
      default: return expression(0, window, depth - 1);
    }
  }

  Node stack(std::int64_t lead, const Extents& window, int depth) {
    std::vector<Node> planes;
    const bool rolls = once_in(2);
    for (std::int64_t k = 0; k < lead; ++k) {
      Node plane = expression(0, window, lead > 9 ? 0 : static_cast<int>(between(0, std::max(0, depth - 1))));
      planes.push_back(rolls && once_in(2) ? roll(std::move(plane), 0) : std::move(plane));
    }
    return over(Node::What::Stack, std::move(planes), shape_of(lead, window));
  }

  // Along the axes of planes, the first of which is axis `from`.
  Node roll(Node of, int from) {
    const Extents shape = of.shape;
    Node node = over(Node::What::Roll, {std::move(of)}, shape);
    for (int axis = from; axis < std::ssize(shape); ++axis) {
      if (std::ssize(shape) - from > 1 && once_in(4)) continue;
      node.axes.push_back(axis);
      node.shifts.push_back(between(-3, 3));
    }
    if (node.axes.empty()) return std::move(node.kids[0]);
    return node;
  }

  Node expression(std::int64_t lead, const Extents& window, int depth) {
    if (depth <= 0) return leaf(lead, window);
    const Extents shape = shape_of(lead, window);
    const auto more = [&] { return expression(lead, window, depth - 1); };
    switch (between(0, lead > 0 ? 15 : 11)) {
      case 0: return leaf(lead, window);
      case 1:
      case 2:
      case 3:
      case 4: {
        Node left = more();
        Node right = lead > 0 && once_in(2) ? thin(lead, window, depth) : more();
        if (once_in(4)) std::swap(left, right);
        return both(some_op(), std::move(left), std::move(right));
      }
      case 5: {
        const Op op = some_op();
        return with_number(op, more(), static_cast<double>(between(-2, 3)), op < Op::Minimum && once_in(3));
      }
      case 6:
      case 7: {
        std::vector<Node> kids;
        kids.push_back(lead > 0 && once_in(4) ? thin(lead, window, depth) : more());
        kids.push_back(more());
        kids.push_back(lead > 0 && once_in(4) ? thin(lead, window, depth) : more());
        Node node = over(Node::What::Where, std::move(kids), shape);
        node.compare = static_cast<Compare>(between(0, 2));
        node.number = static_cast<double>(between(-1, 2));
        return node;
      }
      case 8: return roll(more(), lead > 0 ? 1 : 0);
      case 9: return over(once_in(3) ? Node::What::Copy : Node::What::Flip, {more()}, shape);
      case 10:
        if (lead == 0)
          return fold(some_fold(), expression(between(1, program_.planes), window, depth - 1), {0}, false, shape);
        return stack(lead, window, depth);
      case 11:
        if (lead == 0) {
          // A plane of something larger.
          const std::int64_t planes = between(1, program_.planes);
          Node node = expression(planes, window, depth - 1);
          return seen(std::move(node), {{Pick::Kind::Position, between(0, planes - 1)}}, shape);
        }
        if (window.size() == 2 && window[0] == window[1]) return over(Node::What::Swap, {more()}, shape);
        return stack(lead, window, depth);
      case 12: {
        if (lead < 2) return more();
        const std::int64_t first = between(1, lead - 1);
        std::vector<Node> parts;
        for (const std::int64_t count : {first, lead - first}) {
          if (count == 1 && once_in(2)) {
            parts.push_back(seen(expression(0, window, depth - 1), {{Pick::Kind::New}}, shape_of(1, window)));
          } else {
            parts.push_back(expression(count, window, depth - 1));
          }
        }
        return over(Node::What::Concatenate, std::move(parts), shape);
      }
      case 13: {
        Node node = over(Node::What::Roll, {more()}, shape);  // along the fields
        node.axes = {0};
        node.shifts = {between(-2, 2)};
        return node;
      }
      case 14: {
        // Seen with the fields last.
        const int last = static_cast<int>(shape.size()) - 1;
        const Extents turned = turned_of(shape);
        std::vector<Node> kids;
        for (int k = 0; k < 2; ++k) {
          Node node = over(Node::What::Move, {more()}, turned);
          node.axes = {0, last};
          kids.push_back(std::move(node));
        }
        Node node = both(some_op(), std::move(kids[0]), std::move(kids[1]));
        node = over(Node::What::Move, {std::move(node)}, shape);
        node.axes = {last, 0};
        return node;
      }
      default: {
        // Some planes of something larger.
        if (lead == program_.planes) return more();
        return seen(expression(lead + 1, window, depth - 1), {{Pick::Kind::Range, between(0, 1), lead, 1}}, shape);
      }
    }
  }

  static bool grows(const Node& node) {
    if (node.what == Node::What::Fold && node.fold == FoldOp::Sum) return true;
    const bool computes = node.what == Node::What::Binary || node.what == Node::What::Number;
    if (computes && node.op <= Op::Multiply) return true;
    return std::ranges::any_of(node.kids, grows);
  }
  // Back to small numbers.
  Node small(Node node) {
    if (!grows(node) || (careful_ == 0 && once_in(8))) return node;
    constexpr std::array kNumbers{3., 5., 7., 10., 19.};
    const double number = kNumbers[static_cast<std::size_t>(between(0, std::ssize(kNumbers) - 1))];
    if (once_in(4)) return with_number(Op::Minimum, with_number(Op::Maximum, std::move(node), -number), number);
    node = with_number(Op::Remainder, std::move(node), number);
    return once_in(2) ? with_number(Op::Subtract, std::move(node), std::floor(number / 2)) : node;
  }
  int some_depth() { return static_cast<int>(between(0, program_.planes > 9 ? 2 : 3)); }

  // Somewhere to write, and its extents.
  struct Place {
    Variable name;
    Picks picks;
    std::int64_t lead = 0;
    Extents window;
  };
  Place some_place() {
    Place place{.window = program_.plane};
    if (once_in(3))
      for (std::int64_t& extent : place.window)
        extent = once_in(3) ? extent : between(std::max<std::int64_t>(1, extent - 3), extent);
    if (once_in(6)) {
      place.name = some_plane();
      place.picks = some_window(place.window);
      return place;
    }
    if (once_in(8)) {
      place.name = {Kind::Part};
      place.lead = program_.part;
      const Picks rest = some_window(place.window);
      if (!rest.empty()) place.picks.emplace_back();
      place.picks.insert(place.picks.end(), rest.begin(), rest.end());
      return place;
    }
    place.name = some_field();
    favourite_ = place.name;
    switch (between(0, 3)) {
      case 0:
      case 1: place.picks = {{Pick::Kind::Position, between(0, program_.planes - 1)}}; break;
      case 2:
        place.lead = between(1, program_.planes);
        place.picks = {some_of(program_.planes, place.lead)};
        break;
      default: place.lead = program_.planes; break;
    }
    const Picks rest = some_window(place.window);
    if (!rest.empty() && place.picks.empty()) place.picks.emplace_back();
    place.picks.insert(place.picks.end(), rest.begin(), rest.end());
    return place;
  }

  void draw_statement(std::vector<Statement>& statements) {
    Statement statement;
    const Extents whole = program_.shape();
    const auto value_for = [&](const Place& place) {
      if (place.lead > 0 && once_in(5)) return thin(place.lead, place.window, some_depth() + 1);
      return expression(place.lead, place.window, some_depth());
    };
    const std::int64_t percent = between(1, 100);
    if (percent <= 30) {
      const Place place = some_place();
      statement.target = place.name;
      statement.picks = place.picks.empty() ? Picks{{}} : place.picks;
      statement.value = small(value_for(place));
    } else if (percent <= 50) {
      const Place place = some_place();
      statement.what = Statement::What::Update;
      statement.target = place.name;
      statement.picks = place.picks;
      statement.op = once_in(8) ? Op::Multiply : once_in(2) ? Op::Add : Op::Subtract;
      statement.value = small(value_for(place));
      const bool follow = careful_ > 1 || statement.op == Op::Multiply || once_in(2);
      statements.push_back(statement);
      if (!follow) return;
      statement.what = Statement::What::Assign;
      statement.picks = {{}};
      statement.value = small(with_number(Op::Add, named(place.name, shape_of(place.name)), 0));
    } else if (percent <= 58) {
      statement.what = Statement::What::Rebind;
      statement.target = favourite_ = some_field();
      statement.value = small(expression(program_.planes, program_.plane, some_depth()));
    } else if (percent <= 67) {
      statement.what = Statement::What::Rebind;
      statement.target = {Kind::Plane, static_cast<int>(between(0, program_.plane_names - 1))};
      statement.value = small(expression(0, program_.plane, once_in(2) ? 0 : some_depth()));
    } else if (percent <= 71) {
      statement.what = Statement::What::Rebind;
      if (once_in(3)) {
        statement.target = {Kind::Part};
        statement.value = seen(named(some_field(), whole), {some_of(program_.planes, program_.part)},
                               program_.shape_of(program_.part));
        statements.push_back(std::move(statement));
        return;
      }
      statement.target = {Kind::Alias, static_cast<int>(between(0, program_.aliases - 1))};
      statement.value =
          seen(named(some_field(), whole), {{Pick::Kind::Position, between(0, program_.planes - 1)}}, program_.plane);
    } else if (percent <= 75) {
      statement.what = Statement::What::Exchange;
      statement.target = some_field();
      statement.other = {Kind::Field, (statement.target.number + 1) % static_cast<int>(program_.fields.size())};
    } else if (percent <= 80) {
      statement.what = Statement::What::Hold;
      const std::int64_t lead = once_in(2) ? 0 : between(1, program_.planes);
      statement.value = expression(lead, program_.plane, some_depth());
      if (!small_enough(statement.value)) statement.value = small(std::move(statement.value));
    } else if (percent <= 86) {
      if (!reads_) return draw_statement(statements);
      statement.what = Statement::What::Read;
      statement.value = number_or_plane();
    } else if (percent <= 90) {
      statement.target = {Kind::Vector};
      statement.picks = {{}};
      std::vector<int> axes(program_.plane.size());
      std::iota(axes.begin(), axes.end(), 1);
      statement.value = small(fold(some_fold(), expression(program_.planes, program_.plane, some_depth()), axes, true,
                                   program_.vector_shape()));
    } else if (percent <= 93) {
      // Each field moves its own way.
      statement.target = favourite_ = some_field();
      statement.picks = {{}};
      std::vector<Node> planes;
      const Variable from = some_field();
      for (std::int64_t k = 0; k < program_.planes; ++k) {
        const std::int64_t place = once_in(6) ? between(0, program_.planes - 1) : k;
        planes.push_back(roll(seen(named(from, whole), {{Pick::Kind::Position, place}}, program_.plane), 0));
      }
      statement.value = over(Node::What::Stack, std::move(planes), whole);
    } else if (percent <= 95) {
      draw_row(statements);
      return;
    } else if (percent <= 98) {
      draw_steps(statements);
      return;
    } else {
      // Towards another one.
      statement.what = Statement::What::Update;
      statement.target = favourite_ = some_field();
      const Node target = named(statement.target, whole);
      const Node other = once_in(2) ? named(some_field(), whole) : thin(program_.planes, program_.plane, 2);
      statement.value = with_number(Op::Multiply, both(Op::Subtract, other, target), 2, true);
      if (other.shape.size() < whole.size()) statement.value.shape = whole;
      statements.push_back(statement);
      statement.what = Statement::What::Assign;
      statement.picks = {{}};
      statement.value = with_number(Op::Remainder, target, 11);
    }
    statements.push_back(std::move(statement));
  }

  // Plane after plane, each from its neighbours or those of another array.
  void draw_row(std::vector<Statement>& statements) {
    const Variable to = some_field(), from = once_in(2) ? to : some_field();
    const std::int64_t distance = between(-1, 1), added = between(0, 2);
    const bool backwards = once_in(2), in_place = once_in(3), rolls = once_in(3);
    for (std::int64_t k = 0; k < program_.planes; ++k) {
      Statement statement;
      statement.target = to;
      const std::int64_t place = backwards ? program_.planes - 1 - k : k;
      const std::int64_t other = (place + distance + program_.planes) % program_.planes;
      statement.picks = {{Pick::Kind::Position, place}};
      Node value = seen(named(from, program_.shape()), {{Pick::Kind::Position, other}}, program_.plane);
      if (rolls) value = roll(std::move(value), 0);
      if (in_place) {
        statement.what = Statement::What::Update;
        statement.op = Op::Subtract;
      } else if (added > 0) {
        Node more = added == 1 ? leaf(0, program_.plane)
                               : seen(named(to, program_.shape()), {{Pick::Kind::Position, place}}, program_.plane);
        value = small(both(once_in(2) ? Op::Add : Op::Subtract, std::move(value), std::move(more)));
      }
      statement.value = std::move(value);
      statements.push_back(std::move(statement));
    }
    favourite_ = to;
  }

  // What is made plane by plane, then changed as a whole, then read plane by plane: some of these steps.
  void draw_steps(std::vector<Statement>& statements) {
    const Extents whole = program_.shape();
    const Variable made = some_field(), plane{Kind::Plane, 0}, vector{Kind::Vector};
    const auto add = [&](Statement::What what, Variable target, Picks picks, Node value) {
      Statement statement;
      statement.what = what;
      statement.target = target;
      statement.picks = std::move(picks);
      statement.value = std::move(value);
      statements.push_back(std::move(statement));
    };
    if (!once_in(5)) {
      Node value = stack(program_.planes, program_.plane, 2);
      if (once_in(2)) {
        add(Statement::What::Rebind, made, {}, small(std::move(value)));
      } else {
        add(Statement::What::Assign, made, {{}}, small(std::move(value)));
      }
    }
    if (once_in(2)) draw_row(statements);
    if (!once_in(3)) {
      Node of = named(made, whole);
      if (once_in(2)) of = both(Op::Multiply, std::move(of), named(vector, program_.vector_shape()));
      add(Statement::What::Rebind, plane, {}, small(fold(some_fold(), std::move(of), {0}, false, program_.plane)));
    }
    if (!once_in(4)) {
      Node towards = both(Op::Multiply, named(vector, program_.vector_shape()), named(plane, program_.plane));
      Node value = both(Op::Subtract, std::move(towards), named(made, whole));
      add(Statement::What::Update, made, {}, with_number(Op::Remainder, std::move(value), 4));
    }
    if (once_in(3)) add(Statement::What::Hold, {}, {}, leaf(once_in(2) ? 0 : program_.planes, program_.plane));
    favourite_ = made;
    if (once_in(2)) {
      draw_row(statements);
    } else {
      const Variable to = some_field();
      add(Statement::What::Assign, to, {{}}, small(stack(program_.planes, program_.plane, 2)));
    }
  }

  bool small_enough(const Node& node) { return !grows(node) || careful_ == 0; }

  Node number_or_plane() {
    const Extents whole = program_.shape();
    switch (between(0, 3)) {
      case 0:
        return fold(some_fold(), expression(program_.planes, program_.plane, static_cast<int>(between(0, 1))), {},
                    false, {});
      case 1: return fold(some_fold(), expression(0, program_.plane, static_cast<int>(between(0, 1))), {}, false, {});
      case 2: {
        Picks cell;
        for (const std::int64_t extent : whole) cell.push_back({Pick::Kind::Position, between(0, extent - 1)});
        return seen(named(some_field(), whole), std::move(cell), {});
      }
      default: return leaf(0, program_.plane);
    }
  }

  std::mt19937_64 dice_;
  int careful_;
  bool reads_ = false;
  Variable favourite_;
  Program program_;
};

// One whose numbers stay exact.
inline Program draw_program(std::uint64_t seed) {
  for (int attempt = 0;; ++attempt) {
    Program program = Drawer(seed, attempt).draw();
    try {
      static_cast<void>(run<Naive>(program));
      return program;
    } catch (const Inexact&) {
    }
  }
}

}  // namespace pilum::field_programs
