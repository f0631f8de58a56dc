#include "tests/kernel/interpreter.h"

#include <cmath>
#include <concepts>
#include <cstring>
#include <stdexcept>
#include <variant>

namespace pilum::kernel::test {
namespace {

using Value = std::variant<bool, std::int32_t, std::int64_t, float, double>;

Value read(DType dtype, const void* cell) {
  const auto as = [cell](auto value) {
    std::memcpy(&value, cell, sizeof value);
    return Value(value);
  };
  switch (dtype) {
    case DType::Bool: return *static_cast<const unsigned char*>(cell) != 0;
    case DType::Int32: return as(std::int32_t{});
    case DType::Int64: return as(std::int64_t{});
    case DType::Float32: return as(float{});
    default: return as(double{});
  }
}

void write(const Value& value, void* cell) {
  std::visit([cell](auto number) { std::memcpy(cell, &number, sizeof number); }, value);
}

Value convert(const Value& value, DType to) {
  return std::visit(
      [to](auto x) -> Value {
        switch (to) {
          case DType::Bool: return x != 0;
          case DType::Int32: return static_cast<std::int32_t>(x);
          case DType::Int64: return static_cast<std::int64_t>(x);
          case DType::Float32: return static_cast<float>(x);
          default: return static_cast<double>(x);
        }
      },
      value);
}

template <class T>
T wrapping(Op op, T a, T b) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(a), y = static_cast<U>(b);
  switch (op) {
    case Op::Add: return static_cast<T>(x + y);
    case Op::Subtract: return static_cast<T>(x - y);
    case Op::Multiply: return static_cast<T>(x * y);
    default: break;
  }
  U product = 1;
  for (T i = 0; i < b; ++i) product *= x;
  return static_cast<T>(product);
}

// a - floor(a / b) * b, as if the numbers were not bounded.
__int128 python_remainder(__int128 a, __int128 b) {
  __int128 quotient = a / b;
  if (quotient * b != a && (a < 0) != (b < 0)) --quotient;
  return a - quotient * b;
}

// float.__mod__ of CPython.
template <std::floating_point T>
T python_remainder(T a, T b) {
  T rest = std::fmod(a, b);
  if (std::isnan(rest)) return rest;
  if (rest == 0) return std::copysign(T{0}, b);
  if (std::signbit(rest) != std::signbit(b)) rest += b;
  return rest;
}

template <class T>
Value arithmetic(Op op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    switch (op) {
      case Op::Add:
      case Op::Maximum:
      case Op::Or: return a || b;
      case Op::Multiply:
      case Op::Minimum:
      case Op::And: return a && b;
      case Op::Subtract:
      case Op::Xor: return a != b;
      default: throw std::logic_error("bool arithmetic");
    }
  } else {
    if (op == Op::Minimum || op == Op::Maximum) {
      if (a != a) return a;
      if (b != b) return b;
      // Of two equal zeros, the first one.
      return op == Op::Minimum ? (b < a ? b : a) : (b > a ? b : a);
    }
    if constexpr (std::is_integral_v<T>) {
      switch (op) {
        case Op::Remainder: return b == 0 ? T{0} : static_cast<T>(python_remainder(a, b));
        case Op::And: return static_cast<T>(a & b);
        case Op::Or: return static_cast<T>(a | b);
        case Op::Xor: return static_cast<T>(a ^ b);
        default: return wrapping(op, a, b);
      }
    } else {
      switch (op) {
        case Op::Add: return a + b;
        case Op::Subtract: return a - b;
        case Op::Multiply: return a * b;
        case Op::Divide: return a / b;
        case Op::Power: return std::pow(a, b);
        case Op::Remainder: return python_remainder(a, b);
        default: throw std::logic_error("float arithmetic");
      }
    }
  }
}

Value binary(Op op, const Value& a, const Value& b) {
  return std::visit(
      [&](auto x) -> Value {
        const auto y = std::get<decltype(x)>(b);
        switch (op) {
          case Op::Equal: return x == y;
          case Op::NotEqual: return x != y;
          case Op::Less: return x < y;
          case Op::LessEqual: return x <= y;
          case Op::Greater: return x > y;
          case Op::GreaterEqual: return x >= y;
          default: return arithmetic(op, x, y);
        }
      },
      a);
}

Value unary(Op op, const Value& a) {
  return std::visit(
      [op](auto x) -> Value {
        using T = decltype(x);
        if constexpr (std::is_same_v<T, bool>) {
          return op == Op::Not ? !x : x;
        } else if constexpr (std::is_integral_v<T>) {
          if (op == Op::Not) return static_cast<T>(T{-1} - x);
          return op == Op::Negate || x < 0 ? wrapping(Op::Subtract, T{0}, x) : x;
        } else {
          switch (op) {
            case Op::Negate: return -x;
            case Op::Absolute: return std::fabs(x);
            case Op::Sqrt: return std::sqrt(x);
            case Op::Exp: return static_cast<T>(expl(x));
            default: return static_cast<T>(logl(x));
          }
        }
      },
      a);
}

class Run {
 public:
  Run(const Kernel& kernel, const KernelCall& call) : kernel_(kernel), call_(call) {}

  void all() {
    for (const bool identities : {true, false}) {
      std::int64_t x[8] = {};
      visit_points(x, 0, identities);
    }
  }

 private:
  void visit_points(std::int64_t* x, int axis, bool identities) {
    if (axis == kernel_.rank) {
      identities ? start_folds(x) : point(x);
      return;
    }
    const bool reduced = !kernel_.accumulations.empty() && (kernel_.accumulations[0].reduced_axes >> axis & 1);
    const std::int64_t n = identities && reduced ? 1 : call_.extent[axis];
    for (x[axis] = 0; x[axis] < n; ++x[axis]) visit_points(x, axis + 1, identities);
    x[axis] = 0;
  }

  char* cell(int argument, const std::int64_t* x, const Offset& offset = {}) const {
    const BoundArray& array = call_.arrays[argument];
    char* place = array.base;
    for (int axis = 0; axis < kernel_.rank; ++axis) place += x[axis] * array.stride[axis];
    for (std::size_t k = 0; k < offset.size(); ++k) place += offset[k] * array.pitch[k];
    return place;
  }

  DType dtype(int argument) const { return kernel_.arrays[static_cast<std::size_t>(argument)].dtype; }

  void start_folds(const std::int64_t* x) const {
    for (const Accumulation& fold : kernel_.accumulations) {
      const std::uint64_t bits = start(fold.fold, dtype(fold.argument));
      write(read(dtype(fold.argument), &bits), cell(fold.argument, x));
    }
  }

  void point(const std::int64_t* x) const {
    std::vector<Value> values;
    for (const Node& node : kernel_.nodes) values.push_back(evaluate(node, values, x));
    for (const auto& [argument, value] : kernel_.stores)
      write(values[static_cast<std::size_t>(value)], cell(argument, x));
    for (const Accumulation& fold : kernel_.accumulations) {
      static constexpr Op kOps[] = {Op::Add, Op::Multiply, Op::Minimum, Op::Maximum};
      char* place = cell(fold.argument, x);
      write(binary(kOps[static_cast<int>(fold.fold)], read(dtype(fold.argument), place),
                   values[static_cast<std::size_t>(fold.value)]),
            place);
    }
  }

  Value evaluate(const Node& node, const std::vector<Value>& values, const std::int64_t* x) const {
    const auto value = [&](ValueId id) { return values[static_cast<std::size_t>(id)]; };
    switch (node.op) {
      case Op::Load: return read(dtype(node.argument), cell(node.argument, x, node.offset));
      case Op::Index: return call_.lo[node.axis] + x[node.axis];
      case Op::Argument: return read(node.dtype, &call_.scalars[node.argument]);
      case Op::Constant: return read(node.dtype, &node.bits);
      case Op::Cast: return convert(value(node.a), node.dtype);
      case Op::Select: return std::get<bool>(value(node.a)) ? value(node.b) : value(node.c);
      default: return node.b < 0 ? unary(node.op, value(node.a)) : binary(node.op, value(node.a), value(node.b));
    }
  }

  const Kernel& kernel_;
  const KernelCall& call_;
};

}  // namespace

void interpret(const Kernel& kernel, const KernelCall& call) {
  Run(kernel, call).all();
}

}  // namespace pilum::kernel::test
