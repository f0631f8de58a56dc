#include "tests/random/draw_expression.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/random/draw_leaf.h"
#include "tests/random/own_functions.h"

namespace pilum::random_programs {
namespace {

constexpr int kPool = 40;

// The tree without its leaves, which are Number for a number and Leaf for an array.
Expression draw_tree(Dice& dice, int operators) {
  if (operators == 0) return Expression{.op = Op::Leaf};
  static constexpr std::array kOps = {
      Op::Add,           Op::Add,        Op::Add,          Op::Add,       Op::Add,         Op::Subtract,
      Op::Subtract,      Op::Subtract,   Op::Multiply,     Op::Multiply,  Op::Multiply,    Op::Multiply,
      Op::Divide,        Op::Less,       Op::GreaterEqual, Op::Equal,     Op::NotEqual,    Op::Greater,
      Op::LessEqual,     Op::Minimum,    Op::Minimum,      Op::Maximum,   Op::Maximum,     Op::Where,
      Op::Where,         Op::Where,      Op::Negative,     Op::Abs,       Op::Sqrt,        Op::AsType,
      Op::Copy,          Op::Add,        Op::Remainder,    Op::Remainder, Op::And,         Op::Or,
      Op::Xor,           Op::Invert,     Op::Not,          Op::Multiply,  Op::FloorDivide, Op::Fmod,
      Op::LeftShift,     Op::RightShift, Op::Gcd,          Op::Lcm,       Op::Copysign,    Op::Nextafter,
      Op::Heaviside,     Op::Fmin,       Op::Fmax,         Op::Floor,     Op::Ceil,        Op::Trunc,
      Op::Rint,          Op::Signbit,    Op::Fabs,         Op::NanToNum,  Op::Reciprocal,  Op::FrexpMantissa,
      Op::FrexpExponent, Op::ModfPart,   Op::ModfWhole,    Op::Conj,      Op::Real,        Op::Imag,
      Op::Sign,          Op::Square,     Op::IsNan,        Op::IsFinite};
  Expression tree{.op = dice.one_of(kOps)};
  const auto left = static_cast<int>(dice.below(operators));
  tree.arguments.push_back(draw_tree(dice, left));
  if (tree.op == Op::Sqrt) tree.arguments[0] = Expression{.op = Op::Abs, .arguments = {tree.arguments[0]}};
  if (!is_binary(tree.op) && tree.op != Op::Where) return tree;
  tree.arguments.push_back(draw_tree(dice, operators - 1 - left));
  if (tree.op == Op::Where) tree.arguments.push_back(Expression{.op = Op::Leaf});
  for (std::size_t place = 1; place < tree.arguments.size(); ++place) {
    if (tree.arguments[place].op == Op::Leaf && dice.percent(35)) tree.arguments[place] = Expression{.op = Op::Number};
  }
  if (tree.op == Op::Where && tree.arguments[0].op == Op::Leaf) {
    tree.arguments[0] =
        Expression{.op = Op::Less, .arguments = {Expression{.op = Op::Leaf}, Expression{.op = Op::Leaf}}};
  }
  return tree;
}

void fill_leaves(Expression& tree, Dice& dice, const Oracle& state, const Extents& wanted,
                 const std::vector<DType>& dtypes) {
  if (tree.op == Op::Number) {
    tree.number = draw_number(dice);
  } else if (tree.op == Op::Leaf) {
    tree = draw_operand(dice, state, wanted);
  } else if (tree.op == Op::AsType) {
    tree.dtype = dice.one_of(dtypes);
  }
  for (Expression& argument : tree.arguments) fill_leaves(argument, dice, state, wanted, dtypes);
}

}  // namespace

std::vector<int> exact_names(const Oracle& state) {
  std::vector<int> names;
  for (int name = 0; name < kNames; ++name) {
    if (state.view(name) && state.is_exact(*state.view(name))) names.push_back(name);
  }
  return names;
}

Number draw_number(Dice& dice) {
  if (dice.percent(4)) return {Number::Kind::Bool, static_cast<double>(dice.below(2))};
  if (dice.percent(2)) return {Number::Kind::Complex, 0.5 * static_cast<double>(dice.between(-2, 2)), 1};
  if (dice.percent(30)) return {Number::Kind::Integer, static_cast<double>(dice.between(-3, 5))};
  static constexpr std::array<double, 8> kFloats = {0.5, 0.25, 2, 0.2, -1.5, 1, 0.75, -0.5};
  return {Number::Kind::Floating, dice.one_of(kFloats)};
}

Expression draw_operand(Dice& dice, const Oracle& state, const Extents& wanted) {
  const std::vector<int> names = exact_names(state);
  for (int attempt = 0; attempt < 4 && !names.empty(); ++attempt) {
    const int name = dice.one_of(names);
    if (auto leaf = draw_fit(dice, name, state.view(name)->shape, wanted)) {
      return Expression{.op = Op::Leaf, .leaf = *std::move(leaf)};
    }
  }
  return Expression{.op = Op::Number, .number = draw_number(dice)};
}

Expression draw_own(Dice& dice, const Oracle& state, const Extents& wanted) {
  const std::int64_t which = dice.below(count_own_functions());
  const OwnFunction& function = own_function(which);
  Expression result{.op = Op::Own, .number = {Number::Kind::Integer, static_cast<double>(which)}};
  for (int place = 0; place < function.arguments; ++place)
    result.arguments.push_back(draw_operand(dice, state, wanted));
  if (function.takes_numbers && function.arguments > 1 && dice.percent(25)) {
    Expression& argument = result.arguments[static_cast<std::size_t>(dice.below(function.arguments))];
    argument = Expression{.op = Op::Number, .number = draw_number(dice)};
  }
  return result;
}

namespace {

// What was added later takes the place of one in so many. It is a part of a die that was cast before, too: x % (100 n)
// % 100 is x % 100, so that programs without it are the same as ever.
constexpr std::int64_t kRarely = 16;

Expression draw_added(Dice& dice, const Oracle& state, const Extents& wanted, Expression tree) {
  // Inexact results are seldom of use.
  static constexpr std::array kOps = {Op::BitwiseCount, Op::DivmodQuotient, Op::DivmodRest, Op::Degrees,
                                      Op::Degrees,      Op::Radians,        Op::Radians,    Op::FloatPower,
                                      Op::FloatPower,   Op::FloatPower};
  static constexpr std::array kIntegers = {DType::Int64,  DType::Int64, DType::Int8,  DType::UInt8,
                                           DType::UInt16, DType::Int32, DType::UInt64};
  const Op op = dice.one_of(kOps);
  if (op == Op::BitwiseCount && dice.percent(80))
    tree = {.op = Op::AsType, .dtype = dice.one_of(kIntegers), .arguments = {std::move(tree)}};
  if (!is_binary(op)) return Expression{.op = op, .arguments = {std::move(tree)}};
  const Expression number{.op = Op::Number, .number = draw_number(dice)};
  return operation(op, std::move(tree), dice.percent(40) ? number : draw_operand(dice, state, wanted));
}

}  // namespace

Expression draw_expression(Dice& dice, const Oracle& state, const Extents& wanted, const std::vector<DType>& dtypes) {
  if (dice.percent(8)) return draw_own(dice, state, wanted);
  Dice pool(static_cast<std::uint64_t>(dice.below(kPool)));
  Dice& tree_dice = dice.percent(75) ? pool : dice;
  Expression tree = draw_tree(tree_dice, static_cast<int>(tree_dice.between(1, 3)));
  fill_leaves(tree, dice, state, wanted, dtypes);
  const std::int64_t way = dice.below(100 * kRarely);
  if (way < 100) return draw_added(dice, state, wanted, std::move(tree));
  if (way % 100 < 4) {
    static constexpr auto kFirst = static_cast<int>(Op::Exp), kCount = static_cast<int>(Op::Angle) - kFirst + 1;
    const Op op = static_cast<Op>(kFirst + static_cast<int>(dice.below(kCount)));
    return Expression{.op = op, .arguments = {std::move(tree)}};
  }
  if (dice.percent(3)) {
    static constexpr std::array<double, 6> kExponents = {2, 2, 0.5, 3, -1, 1.5};
    const Number number{Number::Kind::Floating, dice.one_of(kExponents)};
    const Number whole{Number::Kind::Integer, static_cast<double>(dice.between(0, 4))};
    const Expression exponent{.op = Op::Number, .number = dice.percent(50) ? whole : number};
    return Expression{.op = Op::Power,
                      .arguments = {std::move(tree), dice.percent(80) ? exponent : draw_operand(dice, state, wanted)}};
  }
  if (dice.percent(1)) {
    static constexpr std::array kTwo = {Op::Hypot, Op::Arctan2, Op::LogAddExp, Op::LogAddExp2};
    return Expression{.op = dice.one_of(kTwo), .arguments = {std::move(tree), draw_operand(dice, state, wanted)}};
  }
  return tree;
}

namespace {

FoldSays draw_says(Dice& dice, Op op, const std::vector<DType>& dtypes) {
  FoldSays says;
  const bool is_total = op == Op::Sum || op == Op::Prod, is_average = op == Op::Mean || op == Op::Var || op == Op::Std;
  const bool takes_initial = is_total || op == Op::Min || op == Op::Max;
  if ((is_total || is_average) && dice.percent(30)) says.skips_nans = true;
  if (takes_initial && dice.percent(50)) says.initial = draw_number(dice);
  static constexpr std::array kTotals = {DType::Float64, DType::Float32, DType::Int64,  DType::Int32,
                                         DType::Int8,    DType::Bool,    DType::UInt16, DType::Float16};
  if (is_total && dice.percent(30)) says.dtype = dice.percent(50) ? dice.one_of(dtypes) : dice.one_of(kTotals);
  if (is_average && dice.percent(30)) says.dtype = dice.percent(50) ? DType::Float32 : DType::Float64;
  if (op == Op::Var || op == Op::Std) says.ddof = static_cast<int>(dice.below(3));
  return says;
}

// What np::reduction combines by.
bool is_combined(Op op) {
  return (op >= Op::Sum && op <= Op::Max) || op == Op::Any || op == Op::All;
}

// Bools that broadcast to the argument, mostly.
Expression draw_chosen(Dice& dice, const Oracle& state, const Extents& wanted) {
  static constexpr std::array kOrders = {Op::Less, Op::GreaterEqual, Op::NotEqual};
  const Expression limit{.op = Op::Number, .number = draw_number(dice)};
  return operation(dice.one_of(kOrders), draw_operand(dice, state, wanted), limit);
}

}  // namespace

Expression draw_reduction(Dice& dice, const Oracle& state, const Extents& wanted, const std::vector<DType>& dtypes) {
  static constexpr std::array kOps = {Op::Sum, Op::Sum, Op::Sum,          Op::Sum,  Op::Sum,  Op::Sum,  Op::Min,
                                      Op::Min, Op::Max, Op::Max,          Op::Mean, Op::Mean, Op::Prod, Op::Prod,
                                      Op::Any, Op::All, Op::CountNonzero, Op::Var,  Op::Std};
  Expression result{.op = dice.one_of(kOps)};
  result.keepdims = dice.percent(30);
  for (int axis = 0; axis < static_cast<int>(wanted.size()); ++axis) {
    const int back = axis - static_cast<int>(wanted.size());
    if (dice.percent(35)) result.axes.push_back(dice.percent(20) ? back : axis);
  }
  const bool operand = dice.percent(50), own = dice.percent(15);
  result.arguments.push_back(own       ? draw_own(dice, state, wanted)
                             : operand ? draw_operand(dice, state, wanted)
                                       : draw_expression(dice, state, wanted, dtypes));
  if (dice.percent(25)) {
    result.says = draw_says(dice, result.op, dtypes);
    if (dice.percent(50)) result.arguments.push_back(draw_chosen(dice, state, wanted));
  }
  const Expression& argument = result.arguments[0];
  if (argument.op == Op::Own && result.arguments.size() == 1 && is_combined(result.op) && dice.percent(70)) {
    result.says = {.by_reduction = own_function(static_cast<std::int64_t>(argument.number.value)).parts == 1,
                   .initial = result.says.initial};
  }
  return result;
}

namespace {

// The second one mostly with the axes of the first one exchanged, so that they fit.
Expression draw_matmul(Dice& dice, const Oracle& state, const Extents& wanted) {
  Extents turned = wanted;
  if (turned.size() > 1) std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  if (dice.percent(40) && !wanted.empty()) turned = {wanted.back()};
  return {.op = Op::Matmul, .arguments = {draw_operand(dice, state, wanted), draw_operand(dice, state, turned)}};
}

// Draws whose parameters are arrays; those that have no sign are sizes.
Expression draw_drawn(Dice& dice, const Oracle& state, const Extents& wanted) {
  static constexpr auto kFirst = static_cast<int>(Op::Normals), kLast = static_cast<int>(Op::Binomials);
  Expression result{.op = dice.percent(25) ? Op::Normals : static_cast<Op>(dice.between(kFirst, kLast)),
                    .number = {Number::Kind::Integer, static_cast<double>(dice.below(1000))}};
  const auto size = [&](Op op, Number number) {
    Expression cells{.op = Op::Abs, .arguments = {draw_operand(dice, state, wanted)}};
    return operation(op, std::move(cells), Expression{.op = Op::Number, .number = number});
  };
  const auto positive = [&] { return size(Op::Add, {Number::Kind::Floating, 0.5}); };
  switch (result.op) {
    case Op::Normals:
    case Op::Uniforms:
      result.arguments = {draw_operand(dice, state, wanted), draw_operand(dice, state, wanted)};
      return result;
    case Op::Lognormals:
      result.arguments = {draw_operand(dice, state, wanted), size(Op::Minimum, {Number::Kind::Floating, 1.5})};
      return result;
    case Op::Exponentials:
    case Op::ChiSquares:
    case Op::Poissons: result.arguments = {positive()}; return result;
    case Op::Binomials:
      result.arguments = {Expression{.op = Op::AsType, .dtype = DType::Int64, .arguments = {positive()}},
                          size(Op::Minimum, {Number::Kind::Floating, 0.75})};
      return result;
    default: result.arguments = {positive(), positive()}; return result;
  }
}

}  // namespace

Expression draw_along_axis(Dice& dice, const Oracle& state, const Extents& wanted, const std::vector<DType>& dtypes) {
  if (dice.percent(12)) return draw_matmul(dice, state, wanted);
  if (dice.percent(12)) return draw_drawn(dice, state, wanted);
  static constexpr auto kFirst = static_cast<int>(Op::Sort), kCount = static_cast<int>(Op::Take) - kFirst + 1;
  Expression result{.op = static_cast<Op>(kFirst + static_cast<int>(dice.below(kCount)))};
  const auto rank = static_cast<std::int64_t>(wanted.size());
  if (rank > 0) result.axes = {static_cast<int>(dice.percent(20) ? dice.between(-rank, -1) : dice.below(rank))};
  result.axes.resize(1);
  static constexpr std::array<double, 6> kPlaces = {0, 0.25, 0.5, 0.75, 0.9, 1};
  result.number = {Number::Kind::Floating, dice.one_of(kPlaces)};
  if (result.op == Op::Permuted || result.op == Op::Shuffled || result.op == Op::Chosen)
    result.number = {Number::Kind::Integer, static_cast<double>(dice.below(1000))};
  if (result.op == Op::Roll) result.number = {Number::Kind::Integer, static_cast<double>(dice.between(-4, 4))};
  const bool operand = dice.percent(60);
  result.arguments.push_back(operand ? draw_operand(dice, state, wanted)
                                     : draw_expression(dice, state, wanted, dtypes));
  if (result.op == Op::Concatenate || result.op == Op::Take)
    result.arguments.push_back(draw_operand(dice, state, wanted));
  return result;
}

namespace {

bool wants_integers(Op op) {
  return op == Op::Bincount || op == Op::BincountWeights || op == Op::RavelIndex || op == Op::UnravelIndex ||
         op == Op::ReduceXor || op == Op::HistogramWeights;
}

bool wants_matrix(Op op) {
  return op == Op::Cov || op == Op::Corrcoef || op == Op::FillDiagonal || op == Op::PickPairs || op == Op::Einsum ||
         (op >= Op::Solve && op <= Op::MultiDot) || op == Op::FromFunction || op == Op::Matvec || op == Op::Vecmat ||
         op == Op::Convolve2d || op == Op::Correlate2d;
}

// Of an array with two axes at least, where one is found.
Extents of_matrix(Dice& dice, const Oracle& state, Extents wanted) {
  for (int attempt = 0; attempt < 4 && wanted.size() < 2; ++attempt)
    wanted = state.view(dice.one_of(exact_names(state)))->shape;
  return wanted;
}

}  // namespace

Expression draw_whole(Dice& dice, const Oracle& state, const Extents& like, const std::vector<DType>& dtypes) {
  static constexpr auto kFirst = static_cast<int>(Op::Flip), kCount = static_cast<int>(Op::MultiDot) - kFirst + 1;
  static constexpr auto kAdded = static_cast<int>(Op::ZerosLike),
                        kCountAdded = static_cast<int>(Op::Correlate2d) - kAdded + 1;
  constexpr std::int64_t kSeldom = 4;  // as with kRarely
  const std::int64_t way = dice.below(kCount * kSeldom);
  Expression result{.op = static_cast<Op>(kFirst + way % kCount)};
  if (way < kCount) {
    const std::int64_t added = dice.below(kCountAdded + 6);  // few arrays are images
    result.op =
        added >= kCountAdded ? (added % 2 == 0 ? Op::Convolve2d : Op::Correlate2d) : static_cast<Op>(kAdded + added);
  }
  const Extents wanted = wants_matrix(result.op) && !exact_names(state).empty() ? of_matrix(dice, state, like) : like;
  const auto rank = std::max<std::int64_t>(static_cast<std::int64_t>(wanted.size()), 1);
  result.axes = {static_cast<int>(dice.percent(30) ? dice.between(-rank, -1) : dice.below(rank))};
  result.number = {Number::Kind::Integer, static_cast<double>(dice.between(0, 9))};
  if (result.op == Op::QuantileBy) result.number.value = static_cast<double>(dice.below(12));
  for (int place = 0; place < whole_arguments(result.op); ++place) {
    const bool operand = dice.percent(wants_matrix(result.op) ? 85 : 60);
    Expression argument = operand ? draw_operand(dice, state, wanted) : draw_expression(dice, state, wanted, dtypes);
    if (wants_integers(result.op) && dice.percent(80))
      argument = {.op = Op::AsType, .dtype = DType::Int64, .arguments = {std::move(argument)}};
    result.arguments.push_back(std::move(argument));
  }
  return result;
}

}  // namespace pilum::random_programs
