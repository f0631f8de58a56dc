#include "tests/random/program.h"

#include <sstream>

#include "tests/random/own_functions.h"
#include "tests/random/program_draws.h"

namespace pilum::random_programs {
namespace {

std::string text_of(int name) {
  return std::string(1, static_cast<char>('a' + name));
}

std::string text_of(DType dtype) {
  return std::string("np.") + (dtype == DType::Bool ? "bool_" : name(dtype));
}

std::string text_of(const Number& number) {
  if (number.kind == Number::Kind::Bool) return number.value != 0 ? "True" : "False";
  std::ostringstream out;
  out.precision(17);
  out << number.value;
  if (number.kind == Number::Kind::Complex) {
    out << std::showpos << number.imaginary << "j";
    return "(" + out.str() + ")";
  }
  std::string text = out.str();
  if (number.kind == Number::Kind::Floating && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

template <class List, class Print>
std::string joined(const List& list, const Print& print) {
  std::string text;
  for (const auto& entry : list) text += (text.empty() ? "" : ", ") + print(entry);
  return text;
}

std::string text_of(const std::vector<std::int64_t>& shape) {
  return "(" + joined(shape, [](std::int64_t extent) { return std::to_string(extent); }) +
         (shape.size() == 1 ? ",)" : ")");
}

std::string text_of(const IndexItem& item) {
  switch (item.kind) {
    case IndexItem::Kind::NewAxis: return "np.newaxis";
    case IndexItem::Kind::Position: {
      std::string text = std::to_string(item.position);
      if (item.per_round == 0) return text;
      return text + (item.per_round < 0 ? " - i" : " + i") +
             (std::abs(item.per_round) == 1 ? "" : " * " + std::to_string(std::abs(item.per_round)));
    }
    case IndexItem::Kind::Slice: break;
  }
  std::string text;
  if (item.range.start) text += std::to_string(*item.range.start);
  text += ":";
  if (item.range.stop) text += std::to_string(*item.range.stop);
  if (item.range.step != 1) text += ":" + std::to_string(item.range.step);
  return text;
}

const char* symbol_of(Op op) {
  switch (op) {
    case Op::Add: return "+";
    case Op::Subtract: return "-";
    case Op::Multiply: return "*";
    case Op::Divide: return "/";
    case Op::Equal: return "==";
    case Op::NotEqual: return "!=";
    case Op::Less: return "<";
    case Op::LessEqual: return "<=";
    case Op::Greater: return ">";
    case Op::GreaterEqual: return ">=";
    case Op::Remainder: return "%";
    case Op::And: return "&";
    case Op::Or: return "|";
    case Op::Xor: return "^";
    default: return nullptr;
  }
}

const char* function_of(Op op) {
  switch (op) {
    case Op::Minimum: return "np.minimum";
    case Op::Maximum: return "np.maximum";
    case Op::Where: return "np.where";
    case Op::Negative: return "np.negative";
    case Op::Invert: return "np.invert";
    case Op::Not: return "np.logical_not";
    case Op::Abs: return "np.abs";
    case Op::Sqrt: return "np.sqrt";
    case Op::Exp: return "np.exp";
    case Op::Log: return "np.log";
    case Op::FloorDivide: return "np.floor_divide";
    case Op::Fmod: return "np.fmod";
    case Op::LeftShift: return "np.left_shift";
    case Op::RightShift: return "np.right_shift";
    case Op::Gcd: return "np.gcd";
    case Op::Lcm: return "np.lcm";
    case Op::Copysign: return "np.copysign";
    case Op::Nextafter: return "np.nextafter";
    case Op::Heaviside: return "np.heaviside";
    case Op::Fmin: return "np.fmin";
    case Op::Fmax: return "np.fmax";
    case Op::Hypot: return "np.hypot";
    case Op::Arctan2: return "np.arctan2";
    case Op::LogAddExp: return "np.logaddexp";
    case Op::LogAddExp2: return "np.logaddexp2";
    case Op::FloatPower: return "np.float_power";
    case Op::DivmodQuotient: return "(lambda x, y: np.divmod(x, y)[0])";
    case Op::DivmodRest: return "(lambda x, y: np.divmod(x, y)[1])";
    case Op::Floor: return "np.floor";
    case Op::Ceil: return "np.ceil";
    case Op::Trunc: return "np.trunc";
    case Op::Rint: return "np.rint";
    case Op::Signbit: return "np.signbit";
    case Op::Fabs: return "np.fabs";
    case Op::NanToNum: return "np.nan_to_num";
    case Op::Reciprocal: return "np.reciprocal";
    case Op::FrexpMantissa: return "(lambda x: np.frexp(x)[0])";
    case Op::FrexpExponent: return "(lambda x: np.frexp(x)[1])";
    case Op::ModfPart: return "(lambda x: np.modf(x)[0])";
    case Op::ModfWhole: return "(lambda x: np.modf(x)[1])";
    case Op::Exp2: return "np.exp2";
    case Op::Expm1: return "np.expm1";
    case Op::Log2: return "np.log2";
    case Op::Log10: return "np.log10";
    case Op::Log1p: return "np.log1p";
    case Op::Cbrt: return "np.cbrt";
    case Op::Sin: return "np.sin";
    case Op::Cos: return "np.cos";
    case Op::Tan: return "np.tan";
    case Op::Arcsin: return "np.arcsin";
    case Op::Arccos: return "np.arccos";
    case Op::Arctan: return "np.arctan";
    case Op::Sinh: return "np.sinh";
    case Op::Cosh: return "np.cosh";
    case Op::Tanh: return "np.tanh";
    case Op::Arcsinh: return "np.arcsinh";
    case Op::Arccosh: return "np.arccosh";
    case Op::Arctanh: return "np.arctanh";
    case Op::Sinc: return "np.sinc";
    case Op::Erf: return "scipy.special.erf";
    case Op::Erfc: return "scipy.special.erfc";
    case Op::Gamma: return "scipy.special.gamma";
    case Op::LogGamma: return "scipy.special.gammaln";
    case Op::Conj: return "np.conj";
    case Op::Real: return "(lambda x: np.real(x).copy())";
    case Op::Imag: return "(lambda x: np.imag(x).copy())";
    case Op::Sign: return "np.sign";
    case Op::Square: return "np.square";
    case Op::IsNan: return "np.isnan";
    case Op::IsFinite: return "np.isfinite";
    case Op::BitwiseCount: return "np.bitwise_count";
    case Op::Angle: return "np.angle";
    case Op::Degrees: return "np.degrees";
    case Op::Radians: return "np.radians";
    case Op::Copy: return "np.copy";
    case Op::Sort: return "np.sort";
    case Op::Argsort: return "(lambda x, axis: np.argsort(x, axis, stable=True))";
    case Op::Argmin: return "np.argmin";
    case Op::Argmax: return "np.argmax";
    case Op::Cumsum: return "np.cumsum";
    case Op::Cumprod: return "np.cumprod";
    case Op::Diff: return "np.diff";
    case Op::Gradient: return "np.gradient";
    case Op::Trapezoid: return "np.trapezoid";
    case Op::Roll: return "np.roll";
    case Op::Median: return "np.median";
    case Op::NanMedian: return "np.nanmedian";
    case Op::Quantile: return "np.quantile";
    case Op::NanQuantile: return "np.nanquantile";
    case Op::Concatenate: return "np.concatenate";
    case Op::Take: return "np.take";
    case Op::Permuted: return "(lambda x, seed, axis: np.random.default_rng(seed).permutation(x, axis))";
    case Op::Shuffled:
      return "(lambda x, seed, axis: [y := x.copy(), np.random.default_rng(seed).shuffle(y, axis)][0])";
    case Op::Chosen: return "(lambda x, seed, axis: np.random.default_rng(seed).choice(x, 5, axis=axis))";
    case Op::Power: return "np.power";
    case Op::Matmul: return "np.matmul";
    case Op::Var: return "np.var";
    case Op::Std: return "np.std";
    case Op::Sum: return "np.sum";
    case Op::Prod: return "np.prod";
    case Op::Min: return "np.min";
    case Op::Max: return "np.max";
    case Op::Mean: return "np.mean";
    case Op::Any: return "np.any";
    case Op::All: return "np.all";
    case Op::CountNonzero: return "np.count_nonzero";
    default: return "?";
  }
}

struct DataRange {
  std::int64_t modulus;
  std::int64_t middle;
};
DataRange data_range(DType dtype) {
  if (dtype == DType::Bool) return {2, 0};
  if (is_unsigned(dtype)) return {19, 0};
  return is_floating(dtype) || is_complex(dtype) ? DataRange{25, 12} : DataRange{19, 9};
}

std::string create_text(const Create& create) {
  const std::string dtype = text_of(create.dtype);
  const std::string shape = text_of(create.shape);
  switch (create.kind) {
    case Create::Kind::Zeros: return "np.zeros(" + shape + ", " + dtype + ")";
    case Create::Kind::Full: return "np.full(" + shape + ", " + text_of(create.value) + ", " + dtype + ")";
    case Create::Kind::Arange: {
      Number stop = create.value;
      stop.value += create.step.value * static_cast<double>(create.shape[0]);
      return "np.arange(" + text_of(create.value) + ", " + text_of(stop) + ", " + text_of(create.step) + ", " + dtype +
             ")";
    }
    case Create::Kind::Data: break;
    default: return draw_text(create);
  }
  std::int64_t count = 1;
  for (std::int64_t extent : create.shape) count *= extent;
  const auto [modulus, middle] = data_range(create.dtype);
  const std::string salt = std::to_string(create.salt);
  const auto numbers = [&, modulus = modulus, middle = middle](const std::string& k) {
    const std::string cells = "((" + k + ") * k * 7 + k * " + salt + ") % 101 % " + std::to_string(modulus);
    const std::string centred = middle == 0 ? cells : cells + " - " + std::to_string(middle);
    return "(" + centred + ")" + (is_floating(create.dtype) || is_complex(create.dtype) ? " / 2" : "");
  };
  std::string cells = numbers("k := np.arange(" + std::to_string(count) + ")");
  if (is_complex(create.dtype)) cells += " + 1j * " + numbers("k := k + 3");
  return "(" + cells + ").astype(" + dtype + ").reshape(" + shape + ")";
}

struct StatementText {
  std::string indent;
  std::string operator()(const Create& create) const {
    return indent + text_of(create.name) + " = " + create_text(create) + "\n";
  }
  std::string operator()(const Bind& bind) const {
    return indent + text_of(bind.name) + " = " + to_string(bind.value) + "\n";
  }
  std::string operator()(const Assign& assign) const {
    const std::string target = to_string(assign.target);
    const bool transposed =
        !assign.target.steps.empty() && assign.target.steps.back().kind == ViewStep::Kind::Transpose;
    const std::string cells = assign.target.steps.empty() || transposed ? target + "[...]" : target;
    const std::string op = assign.op == Op::Leaf ? "" : symbol_of(assign.op);
    return indent + cells + " " + op + "= " + to_string(assign.value) + "\n";
  }
  std::string operator()(const MaskedAssign& assign) const {
    const std::string op = assign.op == Op::Leaf ? "" : symbol_of(assign.op);
    const std::string chosen = "[" + to_string(assign.mask) + "]", value = to_string(assign.value);
    return indent + to_string(assign.target) + chosen + " " + op + "= " + value + (assign.is_chosen ? chosen : "") +
           "\n";
  }
  std::string operator()(const Put& put) const {
    return indent + "np.put(" + text_of(put.target) + ", " + to_string(put.indices) + ", " + text_of(put.value) +
           ", mode=\"wrap\")\n";
  }
  std::string operator()(const Drop& drop) const { return indent + "del " + text_of(drop.name) + "\n"; }
  std::string operator()(const Read& read) const {
    return indent + "print(" + to_string(read.view) + (read.item ? ".item())\n" : ")\n");
  }
  std::string operator()(const Launch& launch) const {
    static constexpr const char* kSays[] = {"affine", "halo", "whole", "function"};
    const std::string target = text_of(launch.target);
    const std::string first = std::to_string(launch.offset) + " + " + std::to_string(launch.scale) + " * i";
    const std::string cells = "[max(0, " + first + "):max(0, " + first + " + " + std::to_string(launch.extent) + ")]";
    return indent + target + "[...] = [0.25 * sum(" + text_of(launch.source) + cells +
           ") + i % 5 / 2 for i in range(len(" + target + "))]  # task, " + kSays[static_cast<int>(launch.says)] + "\n";
  }
  std::string operator()(const Loop& loop) const {
    std::string text = indent + "for i in range(" + std::to_string(loop.rounds) + "):\n";
    for (const Statement& statement : loop.block) text += std::visit(StatementText{indent + "    "}, statement.what);
    return text;
  }
};

std::string reduction_text(const Expression& expression) {
  const FoldSays& says = expression.says;
  std::string text = to_string(expression.arguments[0]);
  if (!expression.axes.empty())
    text += ", axis=(" + joined(expression.axes, [](int axis) { return std::to_string(axis); }) + ",)";
  if (expression.keepdims) text += ", keepdims=True";
  if (says.initial) text += ", initial=" + text_of(*says.initial);
  if (says.dtype) text += ", dtype=" + text_of(*says.dtype);
  if (says.ddof != 0) text += ", ddof=" + std::to_string(says.ddof);
  if (expression.arguments.size() > 1) text += ", where=" + to_string(expression.arguments[1]);
  std::string function = function_of(expression.op);
  if (says.skips_nans) function.insert(3, "nan");
  return function + "(" + text + ")";
}

}  // namespace

double data_cell(const Create& create, std::int64_t k) {
  const auto [modulus, middle] = data_range(create.dtype);
  const auto number = static_cast<double>((k * k * 7 + k * create.salt) % 101 % modulus - middle);
  return is_floating(create.dtype) || is_complex(create.dtype) ? number / 2 : number;
}

std::string to_string(const Leaf& leaf) {
  std::string text = text_of(leaf.name);
  for (const ViewStep& step : leaf.steps) {
    if (step.kind == ViewStep::Kind::Transpose) {
      text += ".transpose(" + joined(step.order, [](int axis) { return std::to_string(axis); }) + ")";
    } else if (step.items.empty()) {
      text += "[...]";
    } else {
      text += "[" + joined(step.items, [](const IndexItem& item) { return text_of(item); }) + "]";
    }
  }
  return text;
}

std::string to_string(const Expression& expression) {
  const std::vector<Expression>& arguments = expression.arguments;
  if (expression.op == Op::Leaf) return to_string(expression.leaf);
  if (expression.op == Op::Number) return text_of(expression.number);
  if (const char* symbol = symbol_of(expression.op)) {
    return "(" + to_string(arguments[0]) + " " + symbol + " " + to_string(arguments[1]) + ")";
  }
  if (expression.op == Op::AsType) {
    return to_string(arguments[0]) + ".astype(" + text_of(expression.dtype) + ")";
  }
  if (is_reduction(expression.op)) return reduction_text(expression);
  std::string text = joined(arguments, [](const Expression& argument) { return to_string(argument); });
  if (is_drawn(expression.op)) return drawn_text(expression.op, text, expression.number);
  if (expression.op == Op::Own) return own_text(static_cast<std::int64_t>(expression.number.value)) + "(" + text + ")";
  if (is_whole(expression.op)) {
    const char* names = arguments.size() == 1 ? "x" : "x, y";
    return std::string("(lambda ") + names + ", axis, k: " + whole_text(expression.op) + ")(" + text + ", " +
           std::to_string(expression.axes.at(0)) + ", " +
           std::to_string(static_cast<std::int64_t>(expression.number.value)) + ")";
  }
  if (is_along_axis(expression.op)) {
    if (expression.op == Op::Concatenate) text = "(" + text + ")";
    if (expression.op == Op::Take) text += ", mode=\"wrap\"";
    const bool counts = expression.op == Op::Roll || expression.op == Op::Quantile ||
                        expression.op == Op::NanQuantile || expression.op == Op::Permuted ||
                        expression.op == Op::Shuffled || expression.op == Op::Chosen;
    if (counts) text += ", " + text_of(expression.number);
    text += ", axis=" + std::to_string(expression.axes.at(0));
  }
  return std::string(function_of(expression.op)) + "(" + text + ")";
}

std::string to_string(const Statement& statement) {
  return std::visit(StatementText{}, statement.what);
}

std::string to_string(const Program& program) {
  std::string text = "# seed " + std::to_string(program.seed) + "\n";
  for (const Statement& statement : program.statements) text += to_string(statement);
  return text;
}

}  // namespace pilum::random_programs
