#include "runtime/kernel/ir/complex_ops.h"

#include "runtime/base/check.h"
#include "runtime/kernel/ir/complex_functions.h"

namespace pilum::kernel {
namespace {

// NumPy's order: by the real parts, by the imaginary ones where these are equal; no number with a NaN in it is before
// or behind one by its real part. `op` is how the imaginary parts compare.
Part compare(Op op, Parts x, Parts y) {
  const bool is_less = op == Op::Less || op == Op::LessEqual;
  const Part numbers = (x.im == x.im) & (y.im == y.im);
  const Part by_re = (is_less ? x.re < y.re : x.re > y.re) & numbers;
  return by_re | ((x.re == y.re) & binary(op, x.im, y.im));
}

// The one of both that is not behind the other, the first of equal ones; of a NaN in either part this one (spreads), or
// the other one.
Parts extremum(Op op, bool nan_spreads, Parts x, Parts y) {
  const Parts lost = nan_spreads ? x : y;
  const Part is_lost = (lost.re != lost.re) | (lost.im != lost.im);
  return select(is_lost | compare(op, x, y), x, y);
}

}  // namespace

ValueId complex_unary(Builder& builder, Op op, ValueId a) {
  const Parts z = parts_of(builder, a);
  switch (op) {
    case Op::Absolute: return binary(Op::Hypot, z.re, z.im).id;
    case Op::Negate: return Parts{-z.re, -z.im}.joined();
    case Op::Conjugate: return Parts{z.re, -z.im}.joined();
    case Op::Rint: return Parts{unary(op, z.re), unary(op, z.im)}.joined();
    default: return complex_function(op, z).joined();
  }
}

ValueId complex_binary(Builder& builder, Op op, ValueId a, ValueId b) {
  const Parts x = parts_of(builder, a), y = parts_of(builder, b);
  switch (op) {
    case Op::Add: return Parts{x.re + y.re, x.im + y.im}.joined();
    case Op::Subtract: return Parts{x.re - y.re, x.im - y.im}.joined();
    case Op::Multiply: return multiply(x, y).joined();
    case Op::Divide: return divide(x, y).joined();
    case Op::Power: return complex_power(x, y).joined();
    case Op::Equal: return ((x.re == y.re) & (x.im == y.im)).id;
    case Op::NotEqual: return ((x.re != y.re) | (x.im != y.im)).id;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual: return compare(op, x, y).id;
    case Op::Minimum: return extremum(Op::LessEqual, /*nan_spreads=*/true, x, y).joined();
    case Op::Maximum: return extremum(Op::GreaterEqual, /*nan_spreads=*/true, x, y).joined();
    case Op::Fmin: return extremum(Op::LessEqual, /*nan_spreads=*/false, x, y).joined();
    case Op::Fmax: return extremum(Op::GreaterEqual, /*nan_spreads=*/false, x, y).joined();
    default: PILUM_CHECK(false, "{} of complex numbers", name(op));
  }
}

ValueId complex_cast(Builder& builder, ValueId a, DType to) {
  if (!is_complex(builder.dtype(a))) {
    const Part re{&builder, builder.cast(a, detail::part_of(to))};
    return Parts{re, re.constant(0)}.joined();
  }
  const Parts z = parts_of(builder, a);
  if (to == DType::Bool) return ((z.re != z.re.constant(0)) | (z.im != z.im.constant(0))).id;
  if (!is_complex(to)) return builder.cast(z.re.id, to);
  const DType part = detail::part_of(to);
  return builder.binary(Op::Complex, builder.cast(z.re.id, part), builder.cast(z.im.id, part));
}

ValueId complex_select(Builder& builder, ValueId condition, ValueId a, ValueId b) {
  return select(Part{&builder, condition}, parts_of(builder, a), parts_of(builder, b)).joined();
}

}  // namespace pilum::kernel
