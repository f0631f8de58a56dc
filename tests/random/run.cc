#include "tests/random/run.h"

#include <algorithm>
#include <array>
#include <complex>
#include <initializer_list>
#include <stdexcept>
#include <utility>

#include "pilum/pilum.h"
#include "runtime/base/dtype_visit.h"
#include "tests/random/run_draws.h"
#include "tests/random/run_own.h"
#include "tests/random/run_whole.h"

namespace pilum::random_programs {
namespace {

namespace np = numeric;

// What an expression gives: an array, or a number that stays weak.
struct Argument {
  np::Array array;
  std::optional<Number> number;
  bool ends_here = false;  // given as a temporary

  np::Operand operand() {
    if (!number && ends_here) return np::Operand(std::move(array));
    if (!number) return array;
    if (number->kind == Number::Kind::Bool) return number->value != 0;
    if (number->kind == Number::Kind::Integer) return static_cast<std::int64_t>(number->value);
    if (number->kind == Number::Kind::Complex) return std::complex<double>(number->value, number->imaginary);
    return number->value;
  }
};

std::int64_t which_of(const Expression& expression) {
  return static_cast<std::int64_t>(expression.number.value);
}

std::vector<OwnArgument> own_arguments(const std::vector<Argument>& arguments) {
  std::vector<OwnArgument> own;
  for (const Argument& argument : arguments) {
    if (!argument.number) {
      own.emplace_back(argument.array);
    } else if (argument.number->kind == Number::Kind::Floating) {
      own.emplace_back(argument.number->value);
    } else {
      own.emplace_back(static_cast<std::int64_t>(argument.number->value));
    }
  }
  return own;
}

np::Operand operand(const Number& number) {
  return Argument{{}, number}.operand();
}

np::Axes axes_of(const std::vector<int>& axes) {
  switch (axes.size()) {
    case 0: return {};
    case 1: return {axes[0]};
    case 2: return {axes[0], axes[1]};
    case 3: return {axes[0], axes[1], axes[2]};
    case 4: return {axes[0], axes[1], axes[2], axes[3]};
    case 5: return {axes[0], axes[1], axes[2], axes[3], axes[4]};
    default: throw std::logic_error("more axes than a program has");
  }
}

Shape shape_of(const Extents& extents) {
  return Shape(std::span<const std::int64_t>(extents));
}

np::Index index_of(const IndexItem& item, std::int64_t round) {
  switch (item.kind) {
    case IndexItem::Kind::Position: return item.position + item.per_round * round;
    case IndexItem::Kind::NewAxis: return np::newaxis;
    case IndexItem::Kind::Slice: break;
  }
  const bool whole = !item.range.start && !item.range.stop && item.range.step == 1;
  if (whole) return np::all;
  return item.range;
}

np::Array indexed(const np::Array& array, const std::vector<IndexItem>& items, std::int64_t round) {
  std::array<np::Index, 6> index;
  if (items.empty()) return array(np::ellipsis);
  for (std::size_t place = 0; place < items.size(); ++place) index.at(place) = index_of(items[place], round);
  return array(index[0], index[1], index[2], index[3], index[4], index[5]);
}

template <class T>
np::Array array_of(const std::vector<double>& data) {
  std::vector<T> cells;
  for (double cell : data) cells.push_back(static_cast<T>(cell));
  return np::array(cells);
}

template <class T>
np::Array complex_array_of(const Create& create, std::int64_t count) {
  std::vector<std::complex<T>> cells;
  for (std::int64_t k = 0; k < count; ++k)
    cells.emplace_back(static_cast<T>(data_cell(create, k)), static_cast<T>(data_cell(create, k + 3)));
  return np::array(cells);
}

np::Array array_of(const std::vector<double>& data, DType dtype) {
  return visit_real_dtype(dtype, [&]<class T>(T) { return array_of<T>(data); });
}

np::Array made(const Create& create) {
  switch (create.kind) {
    case Create::Kind::Zeros: return np::zeros(shape_of(create.shape), create.dtype);
    case Create::Kind::Full: return np::full(shape_of(create.shape), operand(create.value), create.dtype);
    case Create::Kind::Arange: {
      Number stop = create.value;
      stop.value += create.step.value * static_cast<double>(create.shape[0]);
      return np::arange(operand(create.value), operand(stop), operand(create.step), create.dtype);
    }
    case Create::Kind::Data: break;
    default: return run_draw(create);
  }
  const std::int64_t count = shape_of(create.shape).elements();
  std::vector<double> data;
  for (std::int64_t k = 0; k < count; ++k) data.push_back(data_cell(create, k));
  const np::Array flat = create.dtype == DType::Complex64    ? complex_array_of<float>(create, count)
                         : create.dtype == DType::Complex128 ? complex_array_of<double>(create, count)
                                                             : array_of(data, create.dtype);
  return create.shape.size() == 1 ? flat : flat.reshape(shape_of(create.shape));
}

np::Array binary(Op op, const np::Operand& a, const np::Operand& b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return a / b;
    case Op::Equal: return a == b;
    case Op::NotEqual: return a != b;
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::Minimum: return np::minimum(a, b);
    case Op::Maximum: return np::maximum(a, b);
    case Op::Remainder: return a % b;
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::LeftShift: return a << b;
    case Op::RightShift: return a >> b;
    case Op::FloorDivide: return np::floor_divide(a, b);
    case Op::Fmod: return np::fmod(a, b);
    case Op::Gcd: return np::gcd(a, b);
    case Op::Lcm: return np::lcm(a, b);
    case Op::Copysign: return np::copysign(a, b);
    case Op::Nextafter: return np::nextafter(a, b);
    case Op::Heaviside: return np::heaviside(a, b);
    case Op::Fmin: return np::fmin(a, b);
    case Op::Fmax: return np::fmax(a, b);
    case Op::Power: return np::power(a, b);
    case Op::FloatPower: return np::float_power(a, b);
    case Op::DivmodQuotient: return np::divmod(a, b).first;
    case Op::DivmodRest: return np::divmod(a, b).second;
    case Op::Hypot: return np::hypot(a, b);
    case Op::Arctan2: return np::arctan2(a, b);
    case Op::LogAddExp: return np::logaddexp(a, b);
    case Op::LogAddExp2: return np::logaddexp2(a, b);
    default: throw std::logic_error("not an operation of two");
  }
}

// `A`: const np::Array&, or np::Array for one that ends here.
template <class A>
np::Array unary(const Expression& expression, A&& given) {
  const auto a = [&]() -> A&& { return std::forward<A>(given); };
  const np::Axes axes = axes_of(expression.axes);
  switch (expression.op) {
    case Op::Negative: return -a();
    case Op::Invert: return ~a();
    case Op::Not: return !a();
    case Op::Abs: return np::abs(a());
    case Op::Sqrt: return np::sqrt(a());
    case Op::Exp: return np::exp(a());
    case Op::Log: return np::log(a());
    case Op::FrexpMantissa: return np::frexp(a()).first;
    case Op::FrexpExponent: return np::frexp(a()).second;
    case Op::ModfPart: return np::modf(a()).first;
    case Op::ModfWhole: return np::modf(a()).second;
    case Op::Floor: return np::floor(a());
    case Op::Ceil: return np::ceil(a());
    case Op::Trunc: return np::trunc(a());
    case Op::Rint: return np::rint(a());
    case Op::Signbit: return np::signbit(a());
    case Op::Fabs: return np::fabs(a());
    case Op::NanToNum: return np::nan_to_num(a());
    case Op::Reciprocal: return np::reciprocal(a());
    case Op::Exp2: return np::exp2(a());
    case Op::Expm1: return np::expm1(a());
    case Op::Log2: return np::log2(a());
    case Op::Log10: return np::log10(a());
    case Op::Log1p: return np::log1p(a());
    case Op::Cbrt: return np::cbrt(a());
    case Op::Sin: return np::sin(a());
    case Op::Cos: return np::cos(a());
    case Op::Tan: return np::tan(a());
    case Op::Arcsin: return np::arcsin(a());
    case Op::Arccos: return np::arccos(a());
    case Op::Arctan: return np::arctan(a());
    case Op::Sinh: return np::sinh(a());
    case Op::Cosh: return np::cosh(a());
    case Op::Tanh: return np::tanh(a());
    case Op::Arcsinh: return np::arcsinh(a());
    case Op::Arccosh: return np::arccosh(a());
    case Op::Arctanh: return np::arctanh(a());
    case Op::Sinc: return np::sinc(a());
    case Op::Erf: return np::erf(a());
    case Op::Erfc: return np::erfc(a());
    case Op::Gamma: return np::gamma(a());
    case Op::LogGamma: return np::lgamma(a());
    case Op::Conj: return np::conj(a());
    case Op::Real: return np::real(a());
    case Op::Imag: return np::imag(a());
    case Op::Sign: return np::sign(a());
    case Op::Square: return np::square(a());
    case Op::IsNan: return np::isnan(a());
    case Op::IsFinite: return np::isfinite(a());
    case Op::BitwiseCount: return np::bitwise_count(a());
    case Op::Angle: return np::angle(a());
    case Op::Degrees: return np::degrees(a());
    case Op::Radians: return np::radians(a());
    case Op::Sort: return np::sort(a(), expression.axes.at(0));
    case Op::Argsort: return np::argsort(a(), expression.axes.at(0));
    case Op::Argmin: return np::argmin(a(), expression.axes.at(0));
    case Op::Argmax: return np::argmax(a(), expression.axes.at(0));
    case Op::Cumsum: return np::cumsum(a(), expression.axes.at(0));
    case Op::Cumprod: return np::cumprod(a(), expression.axes.at(0));
    case Op::Diff: return np::diff(a(), 1, expression.axes.at(0));
    case Op::Gradient: return np::gradient(a(), 1.0, expression.axes.at(0));
    case Op::Trapezoid: return np::trapezoid(a(), 1.0, expression.axes.at(0));
    case Op::Roll: return np::roll(a(), static_cast<std::int64_t>(expression.number.value), expression.axes.at(0));
    case Op::Permuted:
      return np::random::default_rng(static_cast<std::int64_t>(expression.number.value))
          .permutation(a(), expression.axes.at(0));
    case Op::Shuffled: {
      const np::Array copied = a().copy();
      np::random::default_rng(static_cast<std::int64_t>(expression.number.value))
          .shuffle(copied, expression.axes.at(0));
      return copied;
    }
    case Op::Chosen:
      return np::random::default_rng(static_cast<std::int64_t>(expression.number.value))
          .choice(a(), 5, true, {}, expression.axes.at(0));
    case Op::Median: return np::median(a(), axes);
    case Op::NanMedian: return np::nanmedian(a(), axes);
    case Op::Quantile: return np::quantile(a(), expression.number.value, axes);
    case Op::NanQuantile: return np::nanquantile(a(), expression.number.value, axes);
    case Op::AsType: return a().astype(expression.dtype);
    case Op::Copy: return a().copy();
    case Op::Sum: return np::sum(a(), axes, expression.keepdims);
    case Op::Prod: return np::prod(a(), axes, expression.keepdims);
    case Op::Min: return np::min(a(), axes, expression.keepdims);
    case Op::Max: return np::max(a(), axes, expression.keepdims);
    case Op::Mean: return np::mean(a(), axes, expression.keepdims);
    case Op::Var: return np::var(a(), axes, 0, expression.keepdims);
    case Op::Std: return np::std(a(), axes, 0, expression.keepdims);
    case Op::Any: return np::any(a(), axes, expression.keepdims);
    case Op::All: return np::all_cells(a(), axes, expression.keepdims);
    case Op::CountNonzero: return np::count_nonzero(a(), axes, expression.keepdims);
    default: throw std::logic_error("not an operation of one");
  }
}

np::Array folded(const Expression& expression, const np::Array& a, const std::optional<np::Array>& where) {
  const FoldSays& says = expression.says;
  np::FoldOptions options{.keepdims = expression.keepdims, .where = where, .dtype = says.dtype, .ddof = says.ddof};
  if (says.initial) options.initial.emplace(operand(*says.initial));
  const np::Axes axes = axes_of(expression.axes);
  switch (expression.op) {
    case Op::Sum: return says.skips_nans ? np::nansum(a, axes, options) : np::sum(a, axes, options);
    case Op::Prod: return says.skips_nans ? np::nanprod(a, axes, options) : np::prod(a, axes, options);
    case Op::Mean: return says.skips_nans ? np::nanmean(a, axes, options) : np::mean(a, axes, options);
    case Op::Var: return says.skips_nans ? np::nanvar(a, axes, options) : np::var(a, axes, options);
    case Op::Std: return says.skips_nans ? np::nanstd(a, axes, options) : np::std(a, axes, options);
    case Op::Min: return np::min(a, axes, options);
    case Op::Max: return np::max(a, axes, options);
    case Op::Any: return np::any(a, axes, options);
    case Op::All: return np::all_cells(a, axes, options);
    default: throw std::logic_error("a fold without options");
  }
}

template <class T>
std::vector<Cell> cells_of(const np::Array& array, bool item) {
  const std::vector<T> values = item ? std::vector<T>{array.item<T>()} : array.to_vector<T>();
  std::vector<Cell> cells;
  for (T value : values) {
    Cell cell{.integer = 0};
    if constexpr (requires { value.imag(); }) {
      cell = Cell{.floating = value.real(), .imaginary = value.imag()};
    } else if constexpr (detail::kIsFloating<T>) {
      cell.floating = value;
    } else {
      cell.integer = value;
    }
    cells.push_back(cell);
  }
  return cells;
}

std::vector<Cell> cells_of(const np::Array& array, bool item) {
  return visit_dtype(array.dtype(), [&]<class T>(T) { return cells_of<T>(array, item); });
}

// What a point of a launch reads.
struct PointCells {
  std::int64_t scale, offset, extent, size;
  std::int64_t lo(std::int64_t i) const { return std::clamp<std::int64_t>(offset + scale * i, 0, size); }
  std::int64_t hi(std::int64_t i) const { return std::clamp<std::int64_t>(offset + scale * i + extent, lo(i), size); }
};

void gather(Piece piece, pilum::Read<double, 1> in, Write<double, 1> out, PointCells cells) {
  for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
    double sum = 0;
    for (std::int64_t k = cells.lo(i); k < cells.hi(i); ++k) sum += in(k);
    out(i) = 0.25 * sum + 0.5 * static_cast<double>(i % 5);
  }
}

Projection projection_of(const Launch& launch, PointCells cells) {
  switch (launch.says) {
    case Launch::Says::Affine: return affine({{0, launch.scale, launch.offset, launch.extent}});
    case Launch::Says::Halo: return halo(-launch.offset, launch.offset + launch.extent - 1);
    case Launch::Says::Whole: return all;
    case Launch::Says::Function: break;
  }
  return [cells](const Piece& point) { return Box({cells.lo(point.lo(0))}, {cells.hi(point.lo(0))}); };
}

class Run {
 public:
  void operator()(const Create& create) { name(create.name) = made(create); }
  void operator()(const Bind& bind) { name(bind.name) = evaluate(bind.value).array; }
  void operator()(const Assign& assign) {
    np::Array target = view(assign.target);
    Argument value = evaluate(assign.value);
    switch (assign.op) {
      case Op::Leaf: std::move(target) = value.operand(); return;
      case Op::Add: target += value.operand(); return;
      case Op::Subtract: target -= value.operand(); return;
      case Op::Multiply: target *= value.operand(); return;
      case Op::Divide: target /= value.operand(); return;
      case Op::Remainder: target %= value.operand(); return;
      case Op::And: target &= value.operand(); return;
      case Op::Or: target |= value.operand(); return;
      case Op::Xor: target ^= value.operand(); return;
      default: throw std::logic_error("not an operation in place");
    }
  }
  void operator()(const MaskedAssign& assign) {
    const np::Array target = view(assign.target), mask = evaluate(assign.mask).array;
    Argument value = evaluate(assign.value);
    const np::Array cells = assign.is_chosen ? np::Array(value.array(mask)) : np::Array();
    const auto given = [&] { return assign.is_chosen ? np::Operand(cells) : value.operand(); };
    switch (assign.op) {
      case Op::Leaf: target(mask) = given(); return;
      case Op::Add: target(mask) += given(); return;
      case Op::Subtract: target(mask) -= given(); return;
      case Op::Multiply: target(mask) *= given(); return;
      case Op::Divide: target(mask) /= given(); return;
      default: throw std::logic_error("not an operation in place of chosen cells");
    }
  }
  void operator()(const Put& put) {
    np::put(name(put.target), evaluate(put.indices).array, operand(put.value), np::IndexMode::Wrap);
  }
  void operator()(const Drop& drop) { name(drop.name) = np::Array(); }
  void operator()(const Read& read) {
    const np::Array array = view(read.view);
    readings_.push_back(Reading{
        {}, array.dtype(), Extents(array.shape().begin(), array.shape().end()), cells_of(array, read.item), {}});
  }
  void operator()(const Launch& launch) {
    const np::Array &source = name(launch.source), &target = name(launch.target);
    const PointCells cells{launch.scale, launch.offset, launch.extent, source.shape()[0]};
    task("gather", gather)({target.shape()[0]}, pilum::read(source, projection_of(launch, cells)), write(target),
                           cells);
  }
  void operator()(const Loop& loop) {
    for (round_ = 0; round_ < loop.rounds; ++round_) {
      for (const Statement& statement : loop.block) std::visit(*this, statement.what);
    }
    round_ = 0;
  }

  std::vector<Reading> take_readings() { return std::move(readings_); }

 private:
  np::Array& name(int name) { return names_[static_cast<std::size_t>(name)]; }

  np::Array view(const Leaf& leaf) {
    np::Array array = name(leaf.name);
    for (const ViewStep& step : leaf.steps) {
      const bool index = step.kind == ViewStep::Kind::Index;
      array = index ? indexed(array, step.items, round_) : array.transpose(axes_of(step.order));
    }
    return array;
  }

  Argument evaluate(const Expression& expression) {
    if (expression.op == Op::Number) return {{}, expression.number};
    // As a temporary, or as an array with a name: in turn, on all ranks alike.
    ends_here_ = !ends_here_;
    if (expression.op == Op::Leaf) return {view(expression.leaf), {}, ends_here_};
    if (expression.says.by_reduction) return {own_fold(expression), {}};
    std::vector<Argument> arguments;
    for (const Expression& argument : expression.arguments) arguments.push_back(evaluate(argument));
    for (Argument& argument : arguments) argument.ends_here = ends_here_;
    if (expression.op == Op::Own) return {run_own(which_of(expression), own_arguments(arguments)), {}};
    if (is_binary(expression.op)) return {binary(expression.op, arguments[0].operand(), arguments[1].operand()), {}};
    if (expression.op == Op::Where) {
      return {np::where(arguments[0].operand(), arguments[1].operand(), arguments[2].operand()), {}};
    }
    if (is_whole(expression.op)) {
      return {run_whole(expression.op, arguments[0].array, arguments.size() > 1 ? arguments[1].array : np::Array(),
                        expression.axes.at(0), static_cast<std::int64_t>(expression.number.value)),
              {}};
    }
    if (expression.op == Op::Concatenate) {
      return {np::concatenate({arguments[0].array, arguments[1].array}, expression.axes.at(0)), {}};
    }
    if (expression.op == Op::Take)
      return {np::take(arguments[0].array, arguments[1].array, expression.axes.at(0), np::IndexMode::Wrap), {}};
    if (is_drawn(expression.op)) {
      return {run_drawn(expression.op, which_of(expression), arguments[0].operand(), arguments.back().operand()), {}};
    }
    if (is_reduction(expression.op) && (arguments.size() > 1 || !expression.says.is_plain())) {
      std::optional<np::Array> chosen;
      if (arguments.size() > 1) chosen = arguments[1].array;
      return {folded(expression, arguments[0].array, chosen), {}};
    }
    if (expression.op == Op::Matmul) return {np::matmul(arguments[0].array, arguments[1].array), {}};
    if (arguments[0].ends_here) return {unary(expression, std::move(arguments[0].array)), {}};
    return {unary(expression, std::as_const(arguments[0].array)), {}};
  }

  np::Array own_fold(const Expression& expression) {
    const Expression& mapped = expression.arguments.at(0);
    const OwnFold fold{expression.op, axes_of(expression.axes), expression.keepdims, expression.says.initial,
                       ends_here_};
    std::vector<Argument> arguments;
    for (const Expression& argument : mapped.arguments) arguments.push_back(evaluate(argument));
    return run_own_fold(which_of(mapped), fold, own_arguments(arguments));
  }

  std::array<np::Array, kNames> names_;
  std::vector<Reading> readings_;
  std::int64_t round_ = 0;
  bool ends_here_ = false;
};

}  // namespace

std::vector<Reading> run(const Program& program) {
  Run run;
  for (const Statement& statement : program.statements) std::visit(run, statement.what);
  return run.take_readings();
}

}  // namespace pilum::random_programs
