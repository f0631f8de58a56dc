// A program over arrays as a value: what a test draws, runs, prints and shrinks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pilum/dtype.h"
#include "pilum/slice.h"

namespace pilum::random_programs {

using Extents = std::vector<std::int64_t>;

// Handles that a program can hold: a, b, c, …
inline constexpr int kNames = 7;

// A number as it stands in the source: weak, as Python's.
struct Number {
  enum class Kind { Bool, Integer, Floating, Complex };
  Kind kind = Kind::Integer;
  double value = 0;      // small enough to be exact
  double imaginary = 0;  // Complex
};

// One entry between the brackets. A position may follow the round of the loop around it.
struct IndexItem {
  enum class Kind { Position, Slice, NewAxis };
  Kind kind = Kind::Slice;
  std::int64_t position = 0;
  std::int64_t per_round = 0;  // index position + per_round * round
  numeric::slice range{{}, {}};
};

// One step from an array to a view of it.
struct ViewStep {
  enum class Kind { Index, Transpose };
  Kind kind = Kind::Index;
  std::vector<IndexItem> items;  // Index
  std::vector<int> order;        // Transpose
};

struct Leaf {
  int name = 0;
  std::vector<ViewStep> steps;
};

enum class Op {
  Leaf,
  Number,
  Add,
  Subtract,
  Multiply,
  Divide,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Minimum,
  Maximum,
  Remainder,
  And,
  Or,
  Xor,
  FloorDivide,
  Fmod,
  LeftShift,
  RightShift,
  Gcd,
  Lcm,
  Copysign,
  Nextafter,
  Heaviside,
  Fmin,
  Fmax,
  Power,
  FloatPower,
  DivmodQuotient,
  DivmodRest,
  Hypot,
  Arctan2,
  LogAddExp,
  LogAddExp2,
  Where,
  Negative,
  Invert,
  Not,
  Abs,
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  Rint,
  Signbit,
  Fabs,
  NanToNum,
  Reciprocal,
  FrexpMantissa,
  FrexpExponent,
  ModfPart,
  ModfWhole,
  Conj,
  Real,
  Imag,
  Sign,
  Square,
  IsNan,
  IsFinite,
  BitwiseCount,
  Exp,
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
  Sinc,
  Erf,
  Erfc,
  Gamma,
  LogGamma,
  Angle,
  Degrees,
  Radians,
  AsType,
  Copy,
  Sort,
  Argsort,
  Argmin,
  Argmax,
  Cumsum,
  Cumprod,
  Diff,
  Gradient,
  Trapezoid,
  Roll,
  Permuted,
  Shuffled,
  Chosen,
  Median,
  NanMedian,
  Quantile,
  NanQuantile,
  Concatenate,
  Take,
  Matmul,
  Normals,
  Uniforms,
  Lognormals,
  Exponentials,
  Gammas,
  ChiSquares,
  Betas,
  Poissons,
  Binomials,
  Own,
  // Cells moved, or made anew.
  Flip,
  Rot90,
  Swapaxes,
  Tril,
  Triu,
  Diagonal,
  Diag,
  Repeat,
  Tile,
  PadConstant,
  PadEdge,
  PadWrap,
  PadReflect,
  PadSymmetric,
  Resize,
  Insert,
  DeleteAt,
  Append,
  Stack,
  Dstack,
  ColumnStack,
  Block,
  Flatten,
  Compress,
  Extract,
  TakeAlong,
  Choose,
  Select,
  ArraySplit,
  Moveaxis,
  Vstack,
  Hstack,
  TakeClipped,
  Piecewise,
  Copyto,
  FillDiagonal,
  PickPairs,
  DoublePicked,
  MultiplyAt,
  MaximumAt,
  AddAt,
  PutAlong,
  // Orders, places, sets.
  Lexsort,
  Partition,
  Argpartition,
  Searchsorted,
  IsIn,
  Digitize,
  Interp,
  Bincount,
  BincountWeights,
  Histogram,
  Unique,
  UniqueCounts,
  UniqueIndices,
  UniqueInverse,
  UniqueParts,
  UniquePartCounts,
  Nanargmin,
  Nanargmax,
  ArgminAll,
  ArgmaxAll,
  QuantileBy,
  Histogram2d,
  HistogramWeights,
  Union1d,
  Intersect1d,
  Setdiff1d,
  Setxor1d,
  Flatnonzero,
  Argwhere,
  RavelIndex,
  UnravelIndex,
  // Folds, scans, products.
  Ptp,
  Average,
  NanSum,
  NanProd,
  NanMin,
  NanMax,
  NanMean,
  NanVar,
  NanStd,
  NanCumsum,
  NanCumprod,
  MinimumSoFar,
  MaximumSoFar,
  ReduceXor,
  ReduceFmax,
  AppliedAlong,
  AppliedOver,
  Stencil,
  Ediff1d,
  Trace,
  Norm,
  Cov,
  Corrcoef,
  Convolve,
  Correlate,
  Polyval,
  Vander,
  Dot,
  Inner,
  Outer,
  Kron,
  Tensordot,
  Einsum,
  Vecdot,
  Cross,
  // Transforms.
  Fft,
  Ifft,
  Rfft,
  Irfft,
  Hfft,
  Ihfft,
  Fftn,
  Ifftn,
  Rfftn,
  Irfftn,
  Fftshift,
  Ifftshift,
  // Systems, of what is square in the last two axes.
  Solve,
  SolveVector,
  Inv,
  Det,
  Slogdet,
  Cholesky,
  QrProduct,
  QrOrthogonal,
  EighProduct,
  Eigvalsh,
  EigResidual,
  SvdProduct,
  Svdvals,
  Cond,
  Lstsq,
  Pinv,
  MatrixPower,
  MultiDot,
  // Made like another array, or of numbers.
  ZerosLike,
  OnesLike,
  FullLike,
  AtLeast,
  LinspaceNumbers,
  Linspace,
  LogspaceNumbers,
  Logspace,
  GeomspaceNumbers,
  Geomspace,
  Meshgrid,
  Indices,
  Mgrid,
  Ogrid,
  FromFunction,
  // Products of vectors, places in orders, neighbours.
  Vdot,
  Matvec,
  Vecmat,
  Percentile,
  Percentiles,
  NanPercentile,
  Convolve2d,
  Correlate2d,
  Sum,
  Prod,
  Min,
  Max,
  Mean,
  Var,
  Std,
  Any,
  All,
  CountNonzero,
};
constexpr bool is_binary(Op op) {
  return op >= Op::Add && op <= Op::LogAddExp2;
}
constexpr bool is_comparison(Op op) {
  return op >= Op::Equal && op <= Op::GreaterEqual;
}
// Functions whose last bits are not said.
constexpr bool is_inexact(Op op) {
  return (op >= Op::Hypot && op <= Op::LogAddExp2) || (op >= Op::Exp && op <= Op::Radians);
}
// A generator's first draw of cells whose parameters, one or two, are arrays; `number` is its seed. floating ones are
// rounded to sixteenths, as those of Create.
constexpr bool is_drawn(Op op) {
  return op >= Op::Normals && op <= Op::Binomials;
}
// What goes along one axis, line by line. Permuted, Shuffled and Chosen: by a generator's first draw, `number` is its
// seed. Concatenate and Take have two arguments: both arrays,
// the array and indices, which wrap.
constexpr bool is_along_axis(Op op) {
  return op >= Op::Sort && op <= Op::Take;
}
// Own: np::vectorize's function of cells; `number` says which (own_functions.h).
// A function of one array x or two, x and y, that has a rule of its own: of an axis, and of a number k, which says how
// far, how many, or which of several ways (program_whole.cc has each as Python).
constexpr bool is_whole(Op op) {
  return op >= Op::Flip && op <= Op::Correlate2d;
}
// Its Python, of x, y, axis and k; how many arrays it takes.
const char* whole_text(Op op);
int whole_arguments(Op op);
constexpr bool is_reduction(Op op) {
  return op >= Op::Sum;
}

// What a reduction is told beside its axes: FoldOptions, or that np::reduction makes it.
struct FoldSays {
  bool by_reduction = false;      // its argument is Op::Own
  bool skips_nans = false;        // nansum, …
  std::optional<Number> initial;  // Sum, Prod, Min, Max
  std::optional<DType> dtype;     // Sum, Prod, Mean, Var, Std
  int ddof = 0;                   // Var, Std
  bool is_plain() const { return !skips_nans && !initial && !dtype && ddof == 0; }
};

struct Expression {
  Op op = Op::Number;
  Leaf leaf;                          // Leaf
  Number number;                      // Number; of a quantile the place, of a roll how far
  DType dtype = DType::Float64;       // AsType
  std::vector<int> axes;              // reductions; empty: all. What goes along an axis: that one
  bool keepdims = false;              // reductions
  FoldSays says = {};                 // reductions
  std::vector<Expression> arguments;  // the others: one, two, or Where's three; a reduction's second one is `where`
};

// name = zeros(…), full(…), arange(…), an array of numbers that look random, or of a generator's first draw (`salt` is
// its seed): what functions of the C library make of random bits is rounded to sixteenths.
struct Create {
  enum class Kind {
    Zeros,
    Full,
    Arange,
    Data,
    Random,
    Integers,
    Normal,
    Exponential,
    Gamma,
    Beta,
    Uniform,
    StandardNormal,
    Lognormal,
    StandardExponential,
    StandardGamma,
    ChiSquare,
    Poisson,
    Binomial,
    Permutation,
    Choice,
    ChoiceAgain,        // with replacement
    WeightedChoice,     // by kDrawWeights
    WeightedChoiceOnce  // without replacement
  };
  int name = 0;
  Kind kind = Kind::Zeros;
  DType dtype = DType::Float64;
  Extents shape;          // Arange: one axis
  Number value;           // Full: each cell; Arange: the first
  Number step;            // Arange
  std::int64_t salt = 0;  // Data, draws
  // Integers: from … up to but without; Uniform, Normal, Lognormal, Gamma, Beta, Binomial: their two; Exponential,
  // StandardGamma, ChiSquare, Poisson: the first one.
  double first = 0, second = 0;
  bool endpoint = false;  // Integers: the second one, too
};
constexpr bool is_draw(Create::Kind kind) {
  return kind >= Create::Kind::Random;
}
constexpr bool is_rounded(Create::Kind kind) {
  return kind >= Create::Kind::Normal && kind <= Create::Kind::ChiSquare;
}
inline constexpr double kDrawWeights[] = {0.5, 0.125, 0.25, 0.125};
// Cell k, row-major, of Kind::Data: small integers for integers, halves for floats and for parts of complex numbers, of
// which the imaginary one is that of cell k + 3.
double data_cell(const Create& create, std::int64_t k);
// name = value. A view or a name alone makes an alias, anything else a new array.
struct Bind {
  int name = 0;
  Expression value;
};
// target[…] = value, or with Add, Subtract, Multiply, Divide, Remainder, And, Or, Xor target[…] += value, …; Leaf
// stands for plain =.
struct Assign {
  Leaf target;
  Op op = Op::Leaf;
  Expression value;
};
// target[mask] = value, += value, …: the mask is cells of the target's shape compared with a number, which are bools;
// the value is a number, an array without axes, or with `is_chosen` the cells that the mask chooses of an array.
struct MaskedAssign {
  Leaf target;
  Expression mask;
  Op op = Op::Leaf;
  Expression value;
  bool is_chosen = false;
};
// np.put(target, indices, value, mode="wrap"): of an array without other names for its cells.
struct Put {
  int target = 0;
  Expression indices;  // integers
  Number value;
};
// del name
struct Drop {
  int name = 0;
};
// Reads the view's cells: to_vector, or item where there is one.
struct Read {
  Leaf view;
  bool item = false;
};
// A user's task over the cells of `target`, which gets 0.25 * the sum of source[first … first + extent - 1], of what
// there is of them, + i % 5 / 2; first = offset + scale * i. Both have one axis of float64. What a point reads is said
// as …
struct Launch {
  enum class Says { Affine, Halo, Whole, Function };
  int target = 0;
  int source = 0;
  Says says = Says::Affine;
  std::int64_t scale = 1;  // 1 for a Halo, whose offset is <= 0 and whose source is as long as the target
  std::int64_t offset = 0;
  std::int64_t extent = 1;
};
struct Statement;
struct Loop {
  int rounds = 1;
  std::vector<Statement> block;
};
struct Statement {
  std::variant<Create, Bind, Assign, MaskedAssign, Put, Drop, Read, Launch, Loop> what;
};

struct Program {
  std::uint64_t seed = 0;
  std::vector<Statement> statements;
};

// As Python.
std::string to_string(const Leaf& leaf);
std::string to_string(const Expression& expression);
std::string to_string(const Statement& statement);
std::string to_string(const Program& program);

}  // namespace pilum::random_programs
