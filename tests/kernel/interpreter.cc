#include "tests/kernel/interpreter.h"

#include <complex>
#include <cstring>
#include <stdexcept>
#include <variant>
#include <vector>

#include "runtime/base/dtype_visit.h"
#include "tests/kernel/scalar_ops.h"

namespace pilum::kernel::test {
namespace {

using Value =
    std::variant<bool, std::int32_t, std::int64_t, float, double, std::int8_t, std::int16_t, std::uint8_t,
                 std::uint16_t, std::uint32_t, std::uint64_t, std::complex<float>, std::complex<double>, half>;

Value read(DType dtype, const void* cell) {
  const auto as = [cell](auto value) {
    std::memcpy(&value, cell, sizeof value);
    return Value(value);
  };
  if (dtype == DType::Bool) return *static_cast<const unsigned char*>(cell) != 0;
  return visit_dtype(dtype, as);
}

void write(const Value& value, void* cell) {
  std::visit([cell](auto number) { std::memcpy(cell, &number, sizeof number); }, value);
}

Value convert(const Value& value, DType to) {
  return std::visit(
      [to](auto x) -> Value { return visit_dtype(to, [x]<class T>(T) -> Value { return converted<T>(x); }); }, value);
}

// Kernels take complex numbers apart and put them together.
Value binary(Op op, const Value& a, const Value& b) {
  return std::visit(
      [&]<class T>(T x) -> Value {
        const auto y = std::get<T>(b);
        if constexpr (is_complex_number<T>) {
          throw std::logic_error("an operation of complex numbers in a kernel");
        } else {
          if constexpr (std::is_floating_point_v<T>) {
            if (op == Op::Complex) return std::complex<T>(x, y);
          }
          if (compares(op)) return comparison(op, x, y);
          return arithmetic(op, x, y);
        }
      },
      a);
}

Value unary(Op op, const Value& a) {
  if (op == Op::ToHalf) return half(std::get<float>(a));
  if (op == Op::FromHalf) return static_cast<float>(std::get<half>(a));
  return std::visit(
      [op]<class T>(T x) -> Value {
        if constexpr (is_complex_number<T>) {
          return op == Op::Real ? x.real() : x.imag();
        } else {
          return test::unary(op, x);
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
      char* place = cell(fold.argument, x);
      write(binary(op_of(fold.fold), read(dtype(fold.argument), place), values[static_cast<std::size_t>(fold.value)]),
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
      case Op::PhiloxLow:
      case Op::PhiloxHigh:
        return ternary_function(node.op, std::get<std::int64_t>(value(node.a)), std::get<std::int64_t>(value(node.b)),
                                std::get<std::int64_t>(value(node.c)));
      case Op::StandardNormal:
        return normal_function(std::get<std::int64_t>(value(node.a)), std::get<std::int64_t>(value(node.b)),
                               std::get<std::int64_t>(value(node.c)));
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
