#include <algorithm>
#include <array>
#include <utility>

#include "tests/random/draw_expression.h"
#include "tests/random/drawer.h"

namespace pilum::random_programs {
namespace {

Leaf row_of(int name, IndexItem row) {
  return Leaf{name, {ViewStep{ViewStep::Kind::Index, {row}, {}}}};
}

}  // namespace

// A plan is replayed from the third round on: some loops go on long enough for those to meet.
Loop Drawer::draw_loop() {
  if (dice_.percent(25)) {
    if (auto loop = draw_recurrence()) return *std::move(loop);
  }
  Loop loop;
  loop.rounds = static_cast<int>(dice_.percent(75) ? dice_.between(2, 12) : dice_.between(13, 60));
  const std::int64_t statements = dice_.between(1, 4);
  Oracle before = state_;
  for (int attempt = 0; attempt < 12 && static_cast<std::int64_t>(loop.block.size()) < statements; ++attempt) {
    if (exact_names(state_).empty()) break;
    std::vector<Statement> drawn;
    if (dice_.percent(10)) {
      drawn = draw_reductions();
    } else if (dice_.percent(15)) {
      drawn = draw_parts();
    } else if (dice_.percent(20)) {
      drawn = draw_sum_that_is_read(draw_live());
    } else {
      drawn.push_back(draw_simple());
    }
    for (Statement& statement : drawn) {
      Oracle next = state_;
      if (!runs(next, statement)) continue;
      state_ = std::move(next);  // as the next one finds it in the first round
      loop.block.push_back(std::move(statement));
    }
  }
  state_ = std::move(before);
  shorten(loop);
  return loop;
}

// Half the rounds, until it is valid: cells outgrow their dtype, or cost too much.
void Drawer::shorten(Loop& loop) {
  while (loop.rounds > 2) {
    Oracle next = state_;
    if (runs(next, {loop})) break;
    loop.rounds /= 2;
  }
}

// row i from row i - 1, or from the back
std::optional<Loop> Drawer::draw_recurrence() {
  const int name = draw_live();
  const Extents& shape = shape_of(name);
  if (shape.empty() || shape[0] < 3) return {};
  Loop loop;
  loop.rounds = static_cast<int>(std::min<std::int64_t>(shape[0] - 1, dice_.between(2, 12)));
  const std::int64_t way = dice_.percent(75) ? 1 : -1;
  const IndexItem from{IndexItem::Kind::Position, way > 0 ? 0 : shape[0] - 1, way};
  const IndexItem to{IndexItem::Kind::Position, from.position + way, way};
  Expression row{.op = Op::Leaf, .leaf = row_of(name, from)};
  const Extents rest(shape.begin() + 1, shape.end());
  const Op op = dice_.percent(50) ? Op::Add : Op::Subtract;
  Expression half{.op = Op::Number, .number = {Number::Kind::Floating, 0.5}};
  Expression value =
      operation(op, operation(Op::Multiply, std::move(row), std::move(half)), draw_operand(dice_, state_, rest));
  loop.block.push_back({Assign{row_of(name, to), draw_assignment_op(), std::move(value)}});
  return loop;
}

// Several arrays, each of which goes its own way for tens of rounds: what one of them waits for, others do not.
Loop Drawer::draw_strands() {
  Loop loop;
  loop.rounds = static_cast<int>(dice_.between(8, 80));
  std::vector<int> names = exact_names(state_);
  Oracle before = state_;
  for (std::int64_t left = dice_.between(1, 4); left > 0 && !names.empty(); --left) {
    if (exact_names(state_).empty()) break;
    const auto place = static_cast<std::ptrdiff_t>(dice_.below(static_cast<std::int64_t>(names.size())));
    const int name = names[static_cast<std::size_t>(place)];
    names.erase(names.begin() + place);
    for (Statement& statement : draw_strand(name)) {
      Oracle next = state_;
      if (!runs(next, statement)) continue;
      state_ = std::move(next);
      loop.block.push_back(std::move(statement));
    }
  }
  state_ = std::move(before);
  if (loop.block.empty()) loop.block.push_back(draw_simple());
  shorten(loop);
  return loop;
}

// An update in place, and often what is made of it by values that nothing in the loop waits for.
std::vector<Statement> Drawer::draw_strand(int name) {
  std::vector<Statement> strand;
  const bool reversed = dice_.percent(60) && !shape_of(name).empty();
  strand.push_back(reversed ? draw_reversed(name) : dice_.percent(30) ? draw_launch() : draw_overlap(name));
  if (dice_.percent(35)) return strand;
  const Leaf updated{name, {}};
  const Expression value{.op = Op::Leaf, .leaf = updated};
  int made = name;
  if (dice_.percent(80)) {
    made = draw_name_besides({name});
    const Expression other = draw_operand(dice_, state_, draw_shape());
    const bool where = dice_.percent(40);
    Expression three{.op = Op::Number, .number = {Number::Kind::Floating, 3}};
    strand.push_back({Bind{made, where ? Expression{.op = Op::Where, .arguments = {std::move(three), value, other}}
                                       : operation(dice_.percent(50) ? Op::Add : Op::Minimum, value, other)}});
  }
  const Expression argument{.op = Op::Leaf, .leaf = Leaf{made, {}}};
  Expression fold{.op = dice_.percent(50) ? Op::Sum : Op::Max, .arguments = {argument}};
  if (dice_.percent(30)) fold.axes.push_back(dice_.percent(50) ? 0 : -1);
  strand.push_back({Bind{draw_name_besides({name, made}), std::move(fold)}});
  return strand;
}

// All axes but one, mostly the longest; or any.
std::vector<int> Drawer::draw_folded_axes(const Extents& shape) {
  const auto longest = std::max_element(shape.begin(), shape.end()) - shape.begin();
  const std::int64_t kept = dice_.percent(70) ? longest : dice_.below(static_cast<std::int64_t>(shape.size()));
  const bool any = dice_.percent(25);
  std::vector<int> axes;
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
    if (any ? dice_.percent(40) : axis != kept) axes.push_back(axis);
  }
  return axes;
}

std::vector<Statement> Drawer::draw_reductions() {
  constexpr int kGroups = 60;  // a small pool, so that kernels recur
  static constexpr std::array<Op, 7> kOps = {Op::Sum, Op::Sum, Op::Max, Op::Max, Op::Min, Op::Mean, Op::Prod};
  static constexpr std::array kDTypes = {DType::Float64, DType::Float64, DType::Float32,    DType::Float32,
                                         DType::Int64,   DType::Int32,   DType::Bool,       DType::Int8,
                                         DType::UInt64,  DType::UInt16,  DType::Complex128, DType::Float16};
  std::vector<int> names;
  for (int name : exact_names(state_)) {
    if (shape_of(name).size() > 1) names.push_back(name);
  }
  if (names.empty()) return {{Bind{draw_name(), draw_reduction(dice_, state_, draw_shape(), dtypes_)}}};
  const int name = dice_.one_of(names);
  const Expression array{.op = Op::Leaf, .leaf = Leaf{name, {}}};
  const std::vector<int> axes = draw_folded_axes(shape_of(name));
  Dice pool(1'000 + static_cast<std::uint64_t>(dice_.below(kGroups)));
  std::vector<Statement> statements;
  std::vector<int> taken = {name};
  for (std::int64_t left = pool.between(2, 4); left > 0; --left) {
    Expression fold{.op = pool.one_of(kOps), .axes = axes, .keepdims = dice_.percent(20)};
    Expression argument =
        pool.percent(40) ? array : operation(Op::Add, array, draw_operand(dice_, state_, shape_of(name)));
    if (pool.percent(70)) {
      argument = Expression{.op = Op::AsType, .dtype = pool.one_of(kDTypes), .arguments = {std::move(argument)}};
    }
    fold.arguments.push_back(std::move(argument));
    if (dice_.percent(10) && !fold.axes.empty()) fold.axes.pop_back();
    taken.push_back(draw_name_besides(taken));
    statements.push_back({Bind{taken.back(), std::move(fold)}});
  }
  return statements;
}

std::vector<Statement> Drawer::draw_sum_that_is_read(int name) {
  const Extents& shape = shape_of(name);
  Expression cells{.op = Op::Leaf, .leaf = Leaf{name, {}}};
  std::vector<int> alike;
  for (const int other : exact_names(state_)) {
    if (shape_of(other) == shape) alike.push_back(other);
  }
  std::vector<int> taken{name};
  if (!alike.empty() && dice_.percent(75)) {
    taken.push_back(dice_.one_of(alike));
    const Expression other{.op = Op::Leaf, .leaf = Leaf{taken.back(), {}}};
    cells = operation(dice_.percent(70) ? Op::Multiply : Op::Subtract, std::move(cells), other);
  }
  std::vector<Statement> statements;
  if (cells.op != Op::Leaf && dice_.percent(40)) {  // the program holds what it sums
    taken.push_back(draw_name_besides(taken));
    statements.push_back({Bind{taken.back(), std::exchange(cells, {.op = Op::Leaf, .leaf = Leaf{taken.back(), {}}})}});
  }
  const int sum = draw_name_besides(taken);
  statements.push_back({Bind{sum, Expression{.op = Op::Sum, .arguments = {std::move(cells)}}}});
  if (dice_.percent(30)) statements.push_back({draw_overlap()});
  if (dice_.percent(80)) statements.push_back({Read{Leaf{sum, {}}, true}});
  return statements;
}

}  // namespace pilum::random_programs
