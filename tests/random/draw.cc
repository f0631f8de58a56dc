#include "tests/random/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tests/random/draw_expression.h"
#include "tests/random/draw_leaf.h"
#include "tests/random/drawer.h"

namespace pilum::random_programs {
namespace {

constexpr std::int64_t kMaxCellsOfOracle = 250'000;  // computed by the oracle, for a program
constexpr std::int64_t kMaxCellsOfLarge = 2'000'000;

Taste draw_taste(Dice& dice) {
  const std::int64_t choice = dice.below(100);
  return choice < 3 ? Taste::Large : choice < 17 ? Taste::Tiny : choice < 42 ? Taste::Strands : Taste::Ordinary;
}

// Most cells are finite and of a size that leaves later statements something to compare.
bool is_tame(const Dense& value) {
  if (!is_floating(value.dtype) && !is_complex(value.dtype)) return true;
  std::size_t wild = 0;
  for (Cell cell : value.cells) {
    wild += !std::isfinite(cell.floating) || !std::isfinite(cell.imaginary);
    for (const double part : {cell.floating, cell.imaginary}) {
      if (std::isfinite(part) && std::abs(part) > 1e30) return false;
    }
  }
  return wild * 5 <= value.cells.size();
}

}  // namespace

Drawer::Drawer(std::uint64_t seed) : dice_(seed), taste_(draw_taste(dice_)), state_(kMaxCellsOfOracle) {
  program_.seed = seed;
  if (dice_.percent(85)) dtypes_.assign(3, DType::Float64);
  static constexpr std::array kOthers = {DType::Float32, DType::Float32, DType::Int64,   DType::Int32,  DType::Bool,
                                         DType::Int64,   DType::Int8,    DType::Int16,   DType::UInt8,  DType::UInt16,
                                         DType::UInt32,  DType::UInt64,  DType::Float16, DType::Float16};
  if (dtypes_.empty() || dice_.percent(35)) dtypes_.push_back(dice_.one_of(kOthers));
  if (dice_.percent(20)) dtypes_.push_back(dice_.percent(65) ? DType::Complex128 : DType::Complex64);
  const bool wide = dice_.percent(15);
  for (std::int64_t& extent : extents_) extent = wide ? dice_.between(1, 40) : dice_.between(2, 16);
  if (taste_ == Taste::Tiny) {
    for (std::int64_t& extent : extents_) extent = dice_.between(1, 4);
  }
  if (taste_ == Taste::Large) {
    state_ = Oracle(kMaxCellsOfLarge);
    extents_ = {dice_.between(1, 3), dice_.between(1, 2), dice_.between(8'000, 40'000)};
    largest_array_ = 80'000;
  }
}

Program Drawer::draw() {
  const auto statements = static_cast<std::size_t>(taste_ == Taste::Large ? dice_.between(4, 8) : dice_.between(4, 14));
  const std::int64_t creations = taste_ == Taste::Strands ? dice_.between(2, 4) : dice_.between(1, 3);
  for (int attempt = 0; attempt < 200 && program_.statements.size() < statements; ++attempt) {
    if (static_cast<std::int64_t>(program_.statements.size()) < creations) {
      add({draw_create()});
    } else if (taste_ == Taste::Strands && program_.statements.size() == static_cast<std::size_t>(creations) &&
               !exact_names(state_).empty()) {
      add({draw_strands()});
    } else if (dice_.percent(16) && !exact_names(state_).empty()) {
      for (Statement& statement : draw_reductions()) add(std::move(statement));
    } else if (dice_.percent(16) && !exact_names(state_).empty()) {
      for (Statement& statement : dice_.percent(25) ? draw_fields() : draw_parts()) add(std::move(statement));
    } else {
      add(draw_statement());
    }
  }
  for (int name = 0; name < kNames; ++name) {
    if (state_.view(name)) program_.statements.push_back({Read{Leaf{name, {}}}});
  }
  return std::move(program_);
}

void Drawer::add(Statement statement) {
  Oracle next = state_;
  if (!runs(next, statement)) return;
  state_ = std::move(next);
  program_.statements.push_back(std::move(statement));
}

bool Drawer::runs(Oracle& state, const Statement& statement) const {
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

Statement Drawer::draw_statement() {
  const std::int64_t choice = dice_.below(100);
  if (exact_names(state_).empty() || choice < 6) return {draw_create()};
  if (choice < 22) {
    const bool strands = dice_.percent(taste_ == Taste::Strands ? 75 : 15);
    return {strands ? draw_strands() : draw_loop()};
  }
  if (choice < 30) return draw_read();
  if (choice < 34) return {Drop{dice_.one_of(live_names())}};
  return draw_simple();
}

Statement Drawer::draw_simple() {
  const std::int64_t choice = dice_.below(100);
  const auto operand = [](Leaf leaf) { return Expression{.op = Op::Leaf, .leaf = std::move(leaf)}; };
  if (choice < 12) return {Bind{draw_name(), operand(draw_any_view())}};
  if (choice < 15) return {Bind{draw_name(), operand(Leaf{draw_live(), {}})}};
  if (choice < 30 && dice_.percent(85)) return {Bind{draw_name(), draw_whole(dice_, state_, draw_shape(), dtypes_)}};
  if (choice < 40) return {Bind{draw_name(), draw_expression(dice_, state_, draw_shape(), dtypes_)}};
  if (choice < 52) return {Bind{draw_name(), draw_reduction(dice_, state_, draw_shape(), dtypes_)}};
  if (choice < 66) return draw_overlap();
  if (choice < 72) return draw_launch();
  if (choice < 82 && choice >= 77) return draw_masked();
  if (choice < 77) return {Bind{draw_name(), draw_along_axis(dice_, state_, draw_shape(), dtypes_)}};
  return {draw_assignment()};
}

std::vector<int> Drawer::live_names() const {
  std::vector<int> names;
  for (int name = 0; name < kNames; ++name) {
    if (state_.view(name)) names.push_back(name);
  }
  if (names.empty()) names.push_back(0);
  return names;
}

int Drawer::draw_live() {
  return dice_.one_of(exact_names(state_));
}

int Drawer::draw_name() {
  if (dice_.percent(20)) return dice_.one_of(live_names());
  return draw_name_besides({});
}

int Drawer::draw_name_besides(const std::vector<int>& taken) {
  const auto is_taken = [&](int name) { return std::find(taken.begin(), taken.end(), name) != taken.end(); };
  for (int name = 0; name < kNames; ++name) {
    if (!state_.view(name) && !is_taken(name)) return name;
  }
  int name = static_cast<int>(dice_.below(kNames));
  while (is_taken(name)) name = (name + 1) % kNames;
  return name;
}

Leaf Drawer::draw_any_view() {
  const int name = draw_live();
  return draw_view(dice_, name, shape_of(name));
}

Extents Drawer::draw_shape() {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Leaf leaf = dice_.percent(60) ? Leaf{draw_live(), {}} : draw_any_view();
    Extents shape = state_.view(leaf, 0).shape;
    if (shape.size() < 3 && !shape.empty() && dice_.percent(10)) shape.insert(shape.begin(), dice_.one_of(extents_));
    if (shape.size() < 4 && count_of(shape) <= largest_array_) return shape;
  }
  return {};
}

std::int64_t Drawer::draw_extent() {
  if (dice_.percent(2)) return 0;
  if (dice_.percent(4)) return 1;
  return std::max<std::int64_t>(dice_.one_of(extents_) + (dice_.percent(30) ? dice_.between(-1, 2) : 0), 1);
}

Extents Drawer::draw_new_shape() {
  Extents shape;
  do {
    shape.clear();
    const std::int64_t axes = dice_.percent(40) ? 1 : dice_.percent(80) ? 2 : 3;
    for (std::int64_t axis = 0; axis < axes; ++axis) shape.push_back(draw_extent());
    if (taste_ == Taste::Large && dice_.percent(60)) shape.back() = extents_[2];
    if (taste_ != Taste::Large && dice_.percent(5)) dice_.percent(50) ? shape[0] = 300 : shape.back() = 300;
    if (dice_.percent(8)) shape[0] = 1;  // what is broadcast along it is another shape's
  } while (count_of(shape) > largest_array_);
  return shape;
}

Create Drawer::draw_create() {
  Create create{.name = draw_name(), .dtype = dice_.one_of(dtypes_)};
  create.shape = draw_new_shape();
  draw_contents(create);
  return create;
}

void Drawer::draw_contents(Create& create) {
  const bool numeric = create.dtype != DType::Bool;
  if (dice_.percent(12)) {
    draw_distribution(create);
  } else if (dice_.percent(10)) {
    create.kind = Create::Kind::Zeros;
  } else if (dice_.percent(10)) {
    create.kind = Create::Kind::Full;
    create.value = {Number::Kind::Integer, static_cast<double>(dice_.between(
                                               numeric && !is_unsigned(create.dtype) ? -3 : 0, numeric ? 9 : 1))};
  } else if (numeric && !is_complex(create.dtype) && create.shape.size() == 1 && dice_.percent(40)) {
    create.kind = Create::Kind::Arange;
    const auto kind = is_floating(create.dtype) ? Number::Kind::Floating : Number::Kind::Integer;
    const double grain = kind == Number::Kind::Floating ? 0.5 : 1;
    create.value = {kind, grain * static_cast<double>(dice_.between(-5, 5))};
    create.step = {kind, grain * static_cast<double>(dice_.percent(70) ? dice_.between(1, 3) : dice_.between(-3, -1))};
  } else {
    create.kind = Create::Kind::Data;
    create.salt = dice_.below(100);
  }
}

void Drawer::draw_distribution(Create& create) {
  static constexpr auto kFirst = static_cast<int>(Create::Kind::Random),
                        kLast = static_cast<int>(Create::Kind::WeightedChoiceOnce);
  create.kind = static_cast<Create::Kind>(dice_.between(kFirst, kLast));
  create.salt = dice_.below(1000);
  const auto drawn = [&](std::initializer_list<double> numbers) { return dice_.one_of(std::vector<double>(numbers)); };
  create.first = drawn({0.5, 1, 2.5});
  create.second = drawn({0.5, 2});
  create.dtype = DType::Float64;
  const bool has_dtype = create.kind == Create::Kind::Random || create.kind == Create::Kind::StandardNormal ||
                         create.kind == Create::Kind::StandardExponential || create.kind == Create::Kind::StandardGamma;
  if (has_dtype && dice_.percent(30)) create.dtype = DType::Float32;
  if (create.kind < Create::Kind::Poisson && create.kind != Create::Kind::Integers) return;
  create.dtype = DType::Int64;
  switch (create.kind) {
    case Create::Kind::Integers:
      create.first = drawn({-3, 0, -0x1p40});
      create.second = drawn({1, 7, 1000, 0x1p33});
      create.endpoint = dice_.percent(25);
      if (dice_.percent(40)) draw_small_integers(create);
      return;
    case Create::Kind::ChoiceAgain: create.first = drawn({1, 7, 1000}); return;
    case Create::Kind::WeightedChoice: return;
    case Create::Kind::WeightedChoiceOnce: create.shape = {dice_.between(0, 4)}; return;
    case Create::Kind::Poisson: create.first = drawn({0.5, 3, 12, 50}); return;
    case Create::Kind::Binomial:
      create.first = drawn({1, 9, 60, 200});
      create.second = drawn({0.25, 0.5, 0.625});
      return;
    default: break;
  }
  create.shape.resize(1);
  create.first = static_cast<double>(create.shape[0] + dice_.between(create.shape[0] == 0 ? 1 : 0, 20));
}

void Drawer::draw_small_integers(Create& create) {
  static constexpr std::array kDTypes = {DType::Bool, DType::Int8, DType::UInt8, DType::Int32, DType::UInt32};
  create.dtype = dice_.one_of(kDTypes);
  create.first = create.dtype == DType::Int8 || create.dtype == DType::Int32 ? -3 : 0;
  create.second = create.dtype == DType::Bool ? 1 : 100;
  create.endpoint = create.endpoint || create.dtype == DType::Bool;
}

Op Drawer::draw_assignment_op() {
  static constexpr std::array<Op, 14> kOps = {Op::Leaf,   Op::Leaf,      Op::Leaf, Op::Leaf,     Op::Leaf,
                                              Op::Leaf,   Op::Add,       Op::Add,  Op::Subtract, Op::Multiply,
                                              Op::Divide, Op::Remainder, Op::And,  Op::Xor};
  return dice_.one_of(kOps);
}

Assign Drawer::draw_assignment() {
  Assign assign{.target = dice_.percent(30) ? Leaf{draw_live(), {}} : draw_any_view(), .op = draw_assignment_op()};
  const Extents shape = state_.view(assign.target, 0).shape;
  const bool operand_alone = dice_.percent(35);
  assign.value = operand_alone ? draw_operand(dice_, state_, shape) : draw_expression(dice_, state_, shape, dtypes_);
  return assign;
}

Statement Drawer::draw_masked() {
  if (dice_.percent(25)) {
    const int name = draw_live();
    Expression indices = draw_expression(dice_, state_, draw_shape(), {DType::Int64});
    return {Put{name, Expression{.op = Op::AsType, .dtype = DType::Int64, .arguments = {std::move(indices)}},
                draw_number(dice_)}};
  }
  static constexpr std::array kOps = {Op::Leaf, Op::Leaf, Op::Add, Op::Subtract, Op::Multiply, Op::Divide};
  static constexpr std::array kOrders = {Op::Less, Op::Greater, Op::GreaterEqual, Op::NotEqual};
  MaskedAssign assign{.target = dice_.percent(50) ? Leaf{draw_live(), {}} : draw_any_view(), .op = dice_.one_of(kOps)};
  const Expression compared{.op = Op::Leaf, .leaf = assign.target};
  const Extents shape = state_.view(assign.target, 0).shape;
  assign.mask = {.op = dice_.one_of(kOrders),
                 .arguments = {dice_.percent(60) ? compared : draw_operand(dice_, state_, shape),
                               Expression{.op = Op::Number, .number = draw_number(dice_)}}};
  assign.value = Expression{.op = Op::Number, .number = draw_number(dice_)};
  if (dice_.percent(20)) {
    assign.value = draw_operand(dice_, state_, {});
  } else if (dice_.percent(30)) {
    assign.is_chosen = true;
    assign.value = draw_operand(dice_, state_, shape);
  }
  return {std::move(assign)};
}

Statement Drawer::draw_launch() {
  std::vector<int> fit;
  for (int name : exact_names(state_)) {
    if (shape_of(name).size() == 1 && state_.dtype(*state_.view(name)) == DType::Float64) fit.push_back(name);
  }
  if (fit.empty()) return {draw_assignment()};
  Launch launch{.target = dice_.one_of(fit), .source = dice_.one_of(fit)};
  static constexpr std::array<Launch::Says, 6> kSays = {Launch::Says::Affine, Launch::Says::Affine,
                                                        Launch::Says::Halo,   Launch::Says::Halo,
                                                        Launch::Says::Whole,  Launch::Says::Function};
  static constexpr std::array<std::int64_t, 7> kScales = {1, 1, 1, 2, 3, -1, -2};
  launch.says = dice_.one_of(kSays);
  if (launch.says == Launch::Says::Halo) {
    launch.offset = -dice_.between(0, 3);
    launch.extent = 1 - launch.offset + dice_.between(0, 3);
  } else {
    const std::int64_t cells = shape_of(launch.source)[0];
    launch.scale = dice_.one_of(kScales);
    launch.offset = launch.scale > 0 ? dice_.between(-3, 3) : dice_.between(0, cells);
    launch.extent = dice_.between(1, 5);
  }
  return {launch};
}

Statement Drawer::draw_read() {
  const int name = dice_.one_of(live_names());
  if (!state_.view(name)) return {draw_create()};
  Leaf leaf = dice_.percent(50) ? Leaf{name, {}} : draw_view(dice_, name, shape_of(name));
  const bool item = count_of(state_.view(leaf, 0).shape) == 1 && dice_.percent(70);
  return {Read{std::move(leaf), item}};
}

Program draw_program(std::uint64_t seed) {
  return Drawer(seed).draw();
}

}  // namespace pilum::random_programs
