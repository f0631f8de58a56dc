// What holds for each op, whatever the kernel.
#pragma once

#include "pilum/dtype.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// How many operands: a; a, b; a, b, c.
constexpr int arity(Op op) {
  if (op <= Op::Constant) return 0;
  if (op <= Op::LogGamma) return 1;
  return op >= Op::Select ? 3 : 2;
}

// The op that a fold repeats.
constexpr Op fold_op(Fold fold) {
  constexpr Op kOps[] = {Op::Add, Op::Multiply, Op::Minimum, Op::Maximum};
  return kOps[static_cast<int>(fold)];
}

constexpr bool is_comparison(Op op) {
  return op >= Op::Equal && op <= Op::GreaterEqual;
}

// Functions whose values are not representable: at most 1 ulp off, the same bits in every form.
constexpr bool is_elementary(Op op) {
  return (op >= Op::Exp && op <= Op::LogGamma) || (op >= Op::Hypot && op <= Op::LogAddExp2);
}

// Ops that kernels call as a function of their name, whose source host/function_text.h has.
constexpr bool is_function(Op op) {
  return op == Op::Power || op == Op::Remainder || (op >= Op::Floor && op <= Op::FrexpExponent) ||
         (op >= Op::RoundHalf && op <= Op::FromHalf) || (op >= Op::Exp && op <= Op::LogGamma) ||
         (op >= Op::FloorDivide && op <= Op::LogAddExp2) || op >= Op::PhiloxLow;
}

// What Builder makes of complex numbers.
constexpr bool accepts_complex(Op op) {
  switch (op) {
    case Op::Cast:
    case Op::Negate:
    case Op::Absolute:
    case Op::Real:
    case Op::Imaginary:
    case Op::Conjugate:
    case Op::Sqrt:
    case Op::Rint:
    case Op::Add:
    case Op::Subtract:
    case Op::Multiply:
    case Op::Divide:
    case Op::Power:
    case Op::Equal:
    case Op::NotEqual:
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Minimum:
    case Op::Maximum:
    case Op::Fmin:
    case Op::Fmax:
    case Op::Select: return true;
    default: return op != Op::Cbrt && op >= Op::Exp && op <= Op::Sinc;
  }
}

// Whether the op takes (last two, if Select) operands of the dtype. Bool arithmetic is NumPy's logic: add and maximum
// are "or", multiply and minimum are "and", subtract is "differs", absolute and negate change nothing.
constexpr bool accepts(Op op, DType dtype) {
  if (is_complex(dtype)) return accepts_complex(op);
  if (is_elementary(op)) return is_floating(dtype);
  switch (op) {
    case Op::Real:
    case Op::Imaginary:
    case Op::Conjugate: return false;
    case Op::ToHalf: return dtype == DType::Float32;
    case Op::FromHalf: return dtype == DType::Float16;
    case Op::RoundHalf:
    case Op::Complex: return is_floating(dtype) && dtype != DType::Float16;
    case Op::Sqrt:
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Rint:
    case Op::FrexpMantissa:
    case Op::FrexpExponent:
    case Op::Copysign:
    case Op::Nextafter:
    case Op::Ldexp:
    case Op::Fmin:
    case Op::Fmax:
    case Op::Heaviside:
    case Op::Divide: return is_floating(dtype);
    case Op::MultiplyHigh:
    case Op::PhiloxLow:
    case Op::PhiloxHigh:
    case Op::StandardNormal: return dtype == DType::Int64;
    case Op::LeftShift:
    case Op::RightShift:
    case Op::Gcd:
    case Op::Lcm: return is_integer(dtype);
    case Op::Not:
    case Op::And:
    case Op::Or:
    case Op::Xor: return !is_floating(dtype);
    case Op::Power:
    case Op::FloorDivide:
    case Op::Fmod:
    case Op::Remainder: return dtype != DType::Bool;
    default: return true;
  }
}

}  // namespace pilum::kernel
