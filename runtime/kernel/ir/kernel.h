// The kernel: the scalar program run at each point of a domain. A value: printable, hashable, comparable.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pilum/detail/task_form.h"
#include "pilum/dtype.h"
#include "pilum/fold.h"
#include "pilum/shape.h"

namespace pilum::kernel {

// What a node computes. Operands have the node's dtype unless the line says otherwise; IEEE, nothing contracted.
enum class Op : std::uint8_t {
  // leaves
  Load,      // the cell of `argument` at the point's image + `offset`
  Index,     // the point's coordinate on `axis`, as Int64
  Argument,  // scalar argument number `argument`
  Constant,  // `bits`
  // unary (a)
  Cast,  // from any dtype, as C++'s static_cast; to Bool: a != 0. Floats wrap in integers without a sign, or narrow
         // ones
  Negate,
  Not,  // Bool: the other one; integers: every bit's other one
  Absolute,
  Sqrt,   // floats only, as all of these
  Floor,  // whole numbers; a zero has the operand's sign
  Ceil,
  Trunc,
  Rint,           // halves to the even one
  FrexpMantissa,  // in [0.5, 1) but for zeros, infinities and NaNs, which are themselves
  FrexpExponent,  // of those 0
  Real,           // complex numbers only: a part, of the dtype of parts
  Imaginary,
  Conjugate,  // of Builder's, as all of complex numbers but Load, Real, Imaginary and Complex: there is no such node
  RoundHalf,  // Float32 and Float64: the nearest number that is a Float16, or an infinity
  ToHalf,     // of Float32, rounded: Float16; of Builder's, as FromHalf
  FromHalf,   // of Float16, exactly: Float32
  Exp,        // from here to LogGamma elementary functions, at most 1 ulp off
  Log,
  Exp2,
  Expm1,
  Log2,
  Log10,
  Log1p,
  Cbrt,
  Sin,
  Cos,
  Tan,
  Arcsin,
  Arccos,
  Arctan,
  Sinh,
  Cosh,
  Tanh,
  Arcsinh,
  Arccosh,
  Arctanh,
  Sinc,  // sin(pi a) / (pi a)
  Erf,
  Erfc,
  Gamma,
  LogGamma,  // of the gamma function's size
  // binary (a, b)
  Add,
  Subtract,
  Multiply,
  Divide,     // floats only
  Power,      // integers: b >= 0, wraps; Bool never comes here
  Remainder,  // NumPy's: it has b's sign; of integers by 0 it is 0, of floats NaN; Bool never comes here
  Minimum,    // NumPy's: a NaN in either operand is the result
  Maximum,
  Equal,  // the six comparisons: operands of one dtype, result Bool
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,  // Bool and integers, bit by bit, as Or and Xor
  Or,
  Xor,
  Complex,      // of two floats, its parts
  FloorDivide,  // NumPy's; of integers by 0 it is 0; Bool never comes here, nor to those below
  Fmod,         // C's: it has a's sign; of integers by 0 it is 0
  LeftShift,    // integers; by less than 0 or all bits it is 0
  RightShift,   // integers; by less than 0 or all bits it is 0 or -1
  Gcd,          // integers
  Lcm,
  MultiplyHigh,  // Int64, as unsigned numbers: the upper 64 of the product's 128 bits
  Copysign,      // floats only, as all below
  Nextafter,
  Ldexp,  // a * 2^b, b a whole number
  Fmin,   // the other one where one is NaN
  Fmax,
  Heaviside,  // 0, b or 1
  Hypot,      // from here to LogAddExp2 elementary functions
  Arctan2,
  LogAddExp,
  LogAddExp2,
  // ternary (a, b, c)
  Select,      // a ? b : c, with a Bool
  PhiloxLow,   // Int64: bits 0 to 63 of Philox 4x32-10 of the counter a + 2^64 b and the key c
  PhiloxHigh,  // bits 64 to 127 of it
  // Float64 of Int64: number a of the normal distribution's, two of which are drawn of the Philox of the counter
  // a / 2 + 2^64 b and the key c
  StandardNormal,
};
const char* name(Op op);  // "add", "less_equal", …

using pilum::Fold;  // of an accumulation
const char* name(Fold fold);
// The value that changes nothing, as the dtype's bytes: -0.0, 1, the largest / inf, the lowest / -inf.
std::uint64_t identity(Fold fold, DType dtype);
// The value that an accumulation starts from: the identity, but for sums of floats 0.0. So is NumPy's sum of -0.0
// alone, and of no cells; however the cells are cut, every part of them starts from it.
std::uint64_t start(Fold fold, DType dtype);

using ValueId = std::int16_t;
// A displacement in cells of the argument's store, one a store axis; entries beyond its rank are zero.
using Offset = std::array<std::int8_t, kMaxAxes>;

struct Node {
  Op op = Op::Constant;
  DType dtype = DType::Float64;  // of the result
  ValueId a = -1, b = -1, c = -1;
  std::int16_t argument = -1;  // Load: which array; Argument: which scalar
  std::int8_t axis = -1;       // Index
  Offset offset{};             // Load
  std::uint64_t bits = 0;      // Constant
  bool operator==(const Node&) const = default;
};

// How an array argument's cells lie along the domain's last axis.
enum class Inner : std::uint8_t {
  Contiguous,  // one element further per step; that is the store's last axis
  Broadcast,   // the same cell at every step
  Strided      // anything else, also backwards
};

using detail::Access;  // Reduce: accumulated

// An array argument. A ReadWrite argument is loaded only at offset 0, before its cell is stored.
// Read and Write arguments of one kernel never share cells, but for the points that are the same.
struct ArrayArgument {
  DType dtype = DType::Float64;
  Access access = Access::Read;
  Inner inner = Inner::Contiguous;
  std::int8_t store_rank = 0;
  // The store axis that goes one cell further per step of the domain's last axis but one; -1: there is none such.
  std::int8_t row = -1;
  bool operator==(const ArrayArgument&) const = default;
};

// array(point) = value
struct StoreOutput {
  std::int16_t argument = -1;
  ValueId value = -1;
  bool operator==(const StoreOutput&) const = default;
};

// array(point without the reduced axes) = fold of value over them. The kernel sets the cells it folds into to the
// fold's start first: a launch over part of a domain leaves that part's fold.
struct Accumulation {
  std::int16_t argument = -1;
  ValueId value = -1;
  Fold fold = Fold::Sum;
  std::uint8_t reduced_axes = 0;  // bit a: domain axis a is folded away
  bool operator==(const Accumulation&) const = default;
};

// Nodes stand in an order in which operands come first; each is there once (common subexpressions are one node).
// Accumulations of one kernel all reduce the same axes.
struct Kernel {
  std::int8_t rank = 1;  // of the domain, 1..8
  std::vector<ArrayArgument> arrays;
  std::vector<DType> scalars;
  std::vector<Node> nodes;
  std::vector<StoreOutput> stores;
  std::vector<Accumulation> accumulations;
  bool operator==(const Kernel&) const = default;
};

// Equal kernels have equal hashes, on every machine and in every run.
std::uint64_t hash(const Kernel& kernel);
// The program as text, one node a line: "%3 = add float64 %1 %2".
std::string print(const Kernel& kernel);

}  // namespace pilum::kernel
