#include "tests/random/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "tests/random/dice.h"
#include "tests/random/draw_expression.h"
#include "tests/random/draw_leaf.h"
#include "tests/random/oracle.h"

namespace pilum::random_programs {
namespace {

constexpr std::int64_t kLargestArray = 2500;

Leaf sliced(int name, std::vector<IndexItem> items) {
  return Leaf{name, {ViewStep{ViewStep::Kind::Index, std::move(items), {}}}};
}
IndexItem range(numeric::slice::Bound start, numeric::slice::Bound stop, std::int64_t step = 1) {
  return IndexItem{.range = {start, stop, step}};
}
Expression operand(Leaf leaf) { return Expression{.op = Op::Leaf, .leaf = std::move(leaf)}; }
Expression operation(Op op, Expression a, Expression b) { return Expression{.op = op, .arguments = {std::move(a), std::move(b)}}; }
Expression number(double value) { return Expression{.op = Op::Number, .number = {Number::Kind::Floating, value}}; }

// Most cells are finite and of a size that leaves later statements something to compare.
bool is_tame(const Dense& value) {
  if (!is_floating(value.dtype)) return true;
  std::size_t wild = 0;
  for (Cell cell : value.cells) {
    wild += !std::isfinite(cell.floating);
    if (std::isfinite(cell.floating) && std::abs(cell.floating) > 1e30) return false;
  }
  return wild * 5 <= value.cells.size();
}

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : dice_(seed) {
    program_.seed = seed;
    if (dice_.percent(85)) dtypes_.assign(3, DType::Float64);
    static constexpr std::array<DType, 6> kOthers = {DType::Float32, DType::Float32, DType::Int64,
                                                     DType::Int32,   DType::Bool,    DType::Int64};
    if (dtypes_.empty() || dice_.percent(35)) dtypes_.push_back(dice_.one_of(kOthers));
    const bool wide = dice_.percent(15);
    for (std::int64_t& extent : extents_) extent = wide ? dice_.between(1, 40) : dice_.between(2, 16);
  }

  Program draw() {
    const auto statements = static_cast<std::size_t>(dice_.between(4, 14));
    const std::int64_t creations = dice_.between(1, 3);
    for (int attempt = 0; attempt < 200 && program_.statements.size() < statements; ++attempt) {
      const bool create = static_cast<std::int64_t>(program_.statements.size()) < creations;
      add(create ? Statement{draw_create()} : draw_statement());
    }
    for (int name = 0; name < kNames; ++name) {
      if (state_.view(name)) program_.statements.push_back({Read{Leaf{name, {}}}});
    }
    return std::move(program_);
  }

 private:
  // Keeps the statement where it is valid.
  void add(Statement statement) {
    Oracle next = state_;
    if (!runs(next, statement)) return;
    state_ = std::move(next);
    program_.statements.push_back(std::move(statement));
  }

  bool runs(Oracle& state, const Statement& statement) const {
    try {
      state.run(statement);
    } catch (const Invalid&) {
      return false;
    }
    for (int name = 0; name < kNames; ++name) {
      if (state.view(name) && !is_tame(state.load(*state.view(name)))) return false;
    }
    return true;
  }

  Statement draw_statement() {
    const std::int64_t choice = dice_.below(100);
    if (exact_names(state_).empty() || choice < 6) return {draw_create()};
    if (choice < 22) return {draw_loop()};
    if (choice < 30) return draw_read();
    if (choice < 34) return {Drop{dice_.one_of(live_names())}};
    return draw_simple();
  }

  // What may stand in a loop, too.
  Statement draw_simple() {
    const std::int64_t choice = dice_.below(100);
    if (choice < 12) return {Bind{draw_name(), operand(draw_any_view())}};
    if (choice < 15) return {Bind{draw_name(), operand(Leaf{draw_live(), {}})}};
    if (choice < 40) return {Bind{draw_name(), draw_expression(dice_, state_, draw_shape(), dtypes_)}};
    if (choice < 52) return {Bind{draw_name(), draw_reduction(dice_, state_, draw_shape(), dtypes_)}};
    if (choice < 68) return draw_overlap();
    return {draw_assignment()};
  }

  std::vector<int> live_names() const {
    std::vector<int> names;
    for (int name = 0; name < kNames; ++name) {
      if (state_.view(name)) names.push_back(name);
    }
    if (names.empty()) names.push_back(0);
    return names;
  }
  int draw_live() { return dice_.one_of(exact_names(state_)); }
  // A new one, or one that is bound to something else so far.
  int draw_name() {
    if (dice_.percent(20)) return dice_.one_of(live_names());
    for (int name = 0; name < kNames; ++name) {
      if (!state_.view(name)) return name;
    }
    return static_cast<int>(dice_.below(kNames));
  }
  const Extents& shape_of(int name) const { return state_.view(name)->shape; }

  Leaf draw_any_view() {
    const int name = draw_live();
    return draw_view(dice_, name, shape_of(name));
  }

  Extents draw_shape() {
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Leaf leaf = dice_.percent(60) ? Leaf{draw_live(), {}} : draw_any_view();
      Extents shape = state_.view(leaf, 0).shape;
      if (shape.size() == 1 && dice_.percent(10)) shape.insert(shape.begin(), dice_.one_of(extents_));
      if (shape.size() < 4 && count_of(shape) <= kLargestArray) return shape;
    }
    return {};
  }

  std::int64_t draw_extent() {
    if (dice_.percent(2)) return 0;
    if (dice_.percent(4)) return 1;
    return std::max<std::int64_t>(dice_.one_of(extents_) + (dice_.percent(30) ? dice_.between(-1, 2) : 0), 1);
  }

  Create draw_create() {
    Create create{.name = draw_name(), .dtype = dice_.one_of(dtypes_)};
    do {
      create.shape.clear();
      const std::int64_t axes = dice_.percent(40) ? 1 : dice_.percent(80) ? 2 : 3;
      for (std::int64_t axis = 0; axis < axes; ++axis) create.shape.push_back(draw_extent());
      if (dice_.percent(5)) dice_.percent(50) ? create.shape[0] = 300 : create.shape.back() = 300;
    } while (count_of(create.shape) > kLargestArray);
    const bool numeric = create.dtype != DType::Bool;
    if (dice_.percent(10)) {
      create.kind = Create::Kind::Zeros;
    } else if (dice_.percent(10)) {
      create.kind = Create::Kind::Full;
      create.value = {Number::Kind::Integer, static_cast<double>(dice_.between(numeric ? -3 : 0, numeric ? 9 : 1))};
    } else if (numeric && create.shape.size() == 1 && dice_.percent(40)) {
      create.kind = Create::Kind::Arange;
      const auto kind = is_floating(create.dtype) ? Number::Kind::Floating : Number::Kind::Integer;
      const double grain = kind == Number::Kind::Floating ? 0.5 : 1;
      create.value = {kind, grain * static_cast<double>(dice_.between(-5, 5))};
      create.step = {kind, grain * static_cast<double>(dice_.percent(70) ? dice_.between(1, 3) : dice_.between(-3, -1))};
    } else {
      create.kind = Create::Kind::Data;
      create.salt = dice_.below(100);
    }
    return create;
  }

  Op draw_assignment_op() {
    static constexpr std::array<Op, 10> kOps = {Op::Leaf, Op::Leaf, Op::Leaf,     Op::Leaf,     Op::Leaf,
                                                Op::Add,  Op::Add,  Op::Subtract, Op::Multiply, Op::Divide};
    return dice_.one_of(kOps);
  }

  Assign draw_assignment() {
    Assign assign{.target = dice_.percent(30) ? Leaf{draw_live(), {}} : draw_any_view(), .op = draw_assignment_op()};
    const Extents shape = state_.view(assign.target, 0).shape;
    const bool operand_alone = dice_.percent(35);
    assign.value = operand_alone ? draw_operand(dice_, state_, shape) : draw_expression(dice_, state_, shape, dtypes_);
    return assign;
  }

  // Statements that read what they write.
  Statement draw_overlap() {
    const int name = draw_live();
    const std::size_t axes = shape_of(name).size();
    if (axes == 0) return {draw_assignment()};
    switch (dice_.below(6)) {
      case 0: return {Assign{sliced(name, {range(1, {})}), draw_assignment_op(), operand(sliced(name, {range({}, -1)}))}};
      case 1: return {Assign{sliced(name, {range({}, -1)}), draw_assignment_op(), operand(sliced(name, {range(1, {})}))}};
      case 2: {
        const std::int64_t half = shape_of(name)[0] / 2;
        return {Assign{sliced(name, {range(1, {}, 2)}), Op::Leaf, operand(sliced(name, {range({}, 2 * half, 2)}))}};
      }
      case 3: return {Assign{Leaf{name, {}}, draw_assignment_op(), operand(sliced(name, {range({}, {}, -1)}))}};
      case 4: {
        if (axes < 2) return draw_stencil(name);
        Leaf turned{name, {ViewStep{ViewStep::Kind::Transpose, {}, {1, 0}}}};
        if (axes == 3) turned.steps[0].order = {1, 0, 2};
        return {Assign{Leaf{name, {}}, draw_assignment_op(), operand(turned)}};
      }
      default: return draw_stencil(name);
    }
  }

  // The inside of an array from its neighbours, into itself.
  Statement draw_stencil(int name) {
    if (shape_of(name).size() == 1) {
      const Expression sides = operation(Op::Add, operand(sliced(name, {range({}, -2)})), operand(sliced(name, {range(2, {})})));
      return {Assign{sliced(name, {range(1, -1)}), Op::Leaf, operation(Op::Multiply, sides, number(0.5))}};
    }
    const auto at = [&](IndexItem row, IndexItem column) { return operand(sliced(name, {row, column})); };
    const IndexItem inside = range(1, -1);
    Expression sum = operation(Op::Add, at(range({}, -2), inside), at(range(2, {}), inside));
    sum = operation(Op::Add, operation(Op::Add, sum, at(inside, range({}, -2))), at(inside, range(2, {})));
    return {Assign{sliced(name, {inside, inside}), Op::Leaf, operation(Op::Multiply, number(0.25), sum)}};
  }

  // row i from row i - 1, or from the back
  std::optional<Loop> draw_recurrence() {
    const int name = draw_live();
    const Extents& shape = shape_of(name);
    if (shape.empty() || shape[0] < 3) return {};
    Loop loop;
    loop.rounds = static_cast<int>(std::min<std::int64_t>(shape[0] - 1, dice_.between(2, 12)));
    const std::int64_t way = dice_.percent(75) ? 1 : -1;
    const IndexItem from{IndexItem::Kind::Position, way > 0 ? 0 : shape[0] - 1, way};
    const IndexItem to{IndexItem::Kind::Position, from.position + way, way};
    Expression row = operand(sliced(name, {from}));
    const Extents rest(shape.begin() + 1, shape.end());
    const Op op = dice_.percent(50) ? Op::Add : Op::Subtract;
    Expression value = operation(op, operation(Op::Multiply, row, number(0.5)), draw_operand(dice_, state_, rest));
    loop.block.push_back({Assign{sliced(name, {to}), draw_assignment_op(), std::move(value)}});
    return loop;
  }

  Loop draw_loop() {
    if (dice_.percent(25)) {
      if (auto loop = draw_recurrence()) return *std::move(loop);
    }
    Loop loop;
    loop.rounds = static_cast<int>(dice_.between(2, 12));
    const std::int64_t statements = dice_.between(1, 3);
    Oracle before = state_;
    for (int attempt = 0; attempt < 12 && static_cast<std::int64_t>(loop.block.size()) < statements; ++attempt) {
      if (exact_names(state_).empty()) break;
      Statement statement = draw_simple();
      Oracle next = state_;
      if (!runs(next, statement)) continue;
      state_ = std::move(next);  // as the next one finds it in the first round
      loop.block.push_back(std::move(statement));
    }
    state_ = std::move(before);
    while (loop.rounds > 2) {
      Oracle next = state_;
      if (runs(next, {loop})) break;
      loop.rounds /= 2;
    }
    return loop;
  }

  Statement draw_read() {
    const int name = dice_.one_of(live_names());
    if (!state_.view(name)) return {draw_create()};
    Leaf leaf = dice_.percent(50) ? Leaf{name, {}} : draw_view(dice_, name, shape_of(name));
    const bool item = count_of(state_.view(leaf, 0).shape) == 1 && dice_.percent(70);
    return {Read{std::move(leaf), item}};
  }

  Dice dice_;
  Program program_;
  Oracle state_;
  std::vector<DType> dtypes_;
  std::array<std::int64_t, 3> extents_{};
};

}  // namespace

Program draw_program(std::uint64_t seed) { return Drawer(seed).draw(); }

}  // namespace pilum::random_programs
