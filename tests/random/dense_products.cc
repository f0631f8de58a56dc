// Folds of some cells, scans, and sums of products.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_complex.h"
#include "tests/random/dense_fold.h"
#include "tests/random/dense_lines.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

Dense folded(Op op, const Dense& x, int axis) {
  return reduce({.op = op, .axes = {axis}}, x);
}

Dense peak_to_peak(const Dense& x, int axis) {
  return compute({.op = Op::Subtract}, {folded(Op::Max, x, axis), folded(Op::Min, x, axis)});
}

Op op_without_nan(Op op) {
  switch (op) {
    case Op::NanSum: return Op::Sum;
    case Op::NanProd: return Op::Prod;
    case Op::NanMin: return Op::Min;
    case Op::NanMax: return Op::Max;
    case Op::NanMean: return Op::Mean;
    case Op::NanVar: return Op::Var;
    default: return Op::Std;
  }
}

bool is_any_nan(Cell cell, DType dtype) {
  return is_complex(dtype) ? std::isnan(cell.floating + cell.imaginary) : is_nan(cell, dtype);
}

// The fold of what is no NaN in each line.
Dense folded_without_nan(Op op, const Dense& x, int axis) {
  const AxisOf at(x.shape, axis);
  if (at.extent == 0 && (op == Op::Min || op == Op::Max)) throw Invalid("the smallest of nothing");
  Dense result;
  result.shape = x.shape;
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(at.axis));
  result.dtype = reduce({.op = op}, Dense{x.dtype, {1}, {Cell{.integer = 0}}}).dtype;
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (std::int64_t inner = 0; inner < at.after; ++inner) {
      Dense line{x.dtype, {0}};
      for (std::int64_t k = 0; k < at.extent; ++k) {
        const Cell cell = x.cells[at.place(outer, k, inner)];
        if (!is_any_nan(cell, x.dtype)) line.cells.push_back(cell);
      }
      line.shape[0] = static_cast<std::int64_t>(line.cells.size());
      if (line.cells.empty()) throw Invalid("a fold of nothing but NaN");
      const Dense number = reduce({.op = op}, line);
      result.cells.push_back(number.cells[0]);
      result.tolerance.push_back(number.tolerance.empty() ? 0 : number.tolerance[0]);
    }
  }
  return result;
}

Dense scanned_without_nan(Op op, Dense x, int axis) {
  const Cell neutral = cast(Cell{.integer = op == Op::NanCumprod}, DType::Int64, x.dtype);
  for (Cell& cell : x.cells) {
    if (is_any_nan(cell, x.dtype)) cell = neutral;
  }
  return compute_along_axis({.op = op == Op::NanCumsum ? Op::Cumsum : Op::Cumprod, .axes = {axis}}, {x});
}

// Each cell and those before it, or the last of these alone.
Dense stepped(Op op, const Dense& x, int axis, bool only_last) {
  const AxisOf at(x.shape, axis);
  if (at.extent == 0) throw Invalid("a fold of nothing");
  std::vector<Dense> steps;
  for (std::int64_t k = 0; k < at.extent; ++k) {
    const Dense next = taken(x, at, {k});
    steps.push_back(k == 0 ? next : compute({.op = op}, {steps.back(), next}));
  }
  return only_last ? without_axis(steps.back(), at) : joined(steps, at);
}

Dense weighted(const Dense& x, const Dense& y, int axis) {
  const AxisOf at(x.shape, axis);
  check_finite(x), check_finite(y);
  if (is_complex(x.dtype) || is_complex(y.dtype) || x.dtype == DType::Float16 || y.dtype == DType::Float16)
    throw Invalid("weights of other dtypes");
  const bool by_axis = y.shape == Extents{at.extent};
  if (!by_axis && y.shape != x.shape) throw Invalid("other weights");
  const DType common = promoted(x, y);
  const DType dtype = is_floating(x.dtype) && is_floating(common) ? common : DType::Float64;
  const double unit = epsilon_of(dtype) * static_cast<double>(at.extent + 4);
  Dense result{dtype, x.shape};
  result.shape.erase(result.shape.begin() + static_cast<std::ptrdiff_t>(at.axis));
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (std::int64_t inner = 0; inner < at.after; ++inner) {
      long double sum = 0, size = 0, weights = 0, sizes = 0;
      for (std::int64_t k = 0; k < at.extent; ++k) {
        const std::size_t place = at.place(outer, k, inner);
        const long double weight =
            cast(y.cells[by_axis ? static_cast<std::size_t>(k) : place], y.dtype, DType::Float64).floating;
        const long double term = weight * cast(x.cells[place], x.dtype, DType::Float64).floating;
        sum += term, size += std::abs(term), weights += weight, sizes += std::abs(weight);
      }
      if (std::abs(weights) < 1e-3L * sizes || sizes == 0) throw Invalid("weights that cancel");
      const auto mean = static_cast<double>(sum / weights);
      result.cells.push_back(Cell{.floating = mean});
      result.tolerance.push_back(2 * unit * static_cast<double>((size + std::abs(mean) * sizes) / std::abs(weights)) +
                                 1e-300);
    }
  }
  return result;
}

Dense norms(const Dense& x, int axis) {
  const AxisOf at(x.shape, axis);
  check_finite(x);
  if (x.dtype == DType::Float16) throw Invalid("squares of halves");
  const DType dtype = is_complex(x.dtype) ? part_of(x.dtype) : is_floating(x.dtype) ? x.dtype : DType::Float64;
  const DType wide = is_complex(x.dtype) ? DType::Complex128 : DType::Float64;
  Dense result = without_axis(of_lines(x, at, dtype, 1,
                                       [&](const std::vector<Cell>& line) -> std::vector<Cell> {
                                         long double squares = 0;
                                         for (Cell cell : line) {
                                           const Cell number = cast(cell, x.dtype, wide);
                                           squares += static_cast<long double>(number.floating) * number.floating +
                                                      static_cast<long double>(number.imaginary) * number.imaginary;
                                         }
                                         if (squares > 1e30L) throw Invalid("squares near overflow");
                                         return {Cell{.floating = static_cast<double>(std::sqrt(squares))}};
                                       }),
                              at);
  for (Cell cell : result.cells)
    result.tolerance.push_back(static_cast<double>(at.extent + 4) * epsilon_of(dtype) * cell.floating + 1e-20);
  return result;
}

Dense covariances(const WholeCall& call) {
  const Dense& x = call.x;
  const bool divides = call.op == Op::Corrcoef;
  if (x.shape.empty() || x.shape.size() > 2) throw Invalid("variables of other axes");
  check_finite(x);
  const bool complex = is_complex(x.dtype);
  const DType dtype = complex ? DType::Complex128 : DType::Float64;
  const Dense cells = cast(x, dtype);
  const std::int64_t count = x.shape.back(), rows = x.shape.size() == 1 ? 1 : x.shape[0];
  const std::int64_t freedom = count - (divides ? 1 : call.k % 2);
  if (freedom <= 0 || rows == 0) throw Invalid("too few cells");
  using Value = std::complex<long double>;
  const auto at = [&](std::int64_t row, std::int64_t k) {
    const Cell cell = cells.cells[static_cast<std::size_t>(row * count + k)];
    return Value(cell.floating, complex ? cell.imaginary : 0);
  };
  std::vector<Value> means(static_cast<std::size_t>(rows));
  std::vector<long double> sizes(means.size(), 0);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t k = 0; k < count; ++k) {
      means[static_cast<std::size_t>(row)] += at(row, k) / static_cast<long double>(count);
      sizes[static_cast<std::size_t>(row)] += std::norm(at(row, k));
    }
  }
  const auto covariance = [&](std::int64_t a, std::int64_t b) {
    Value sum = 0;
    for (std::int64_t k = 0; k < count; ++k)
      sum += (at(a, k) - means[static_cast<std::size_t>(a)]) * std::conj(at(b, k) - means[static_cast<std::size_t>(b)]);
    return sum / static_cast<long double>(freedom);
  };
  Dense result{dtype, rows == 1 && x.shape.size() == 1 ? Extents{} : Extents{rows, rows}};
  if (rows == 1) result.shape = {};
  for (std::int64_t a = 0; a < rows; ++a) {
    for (std::int64_t b = 0; b < rows; ++b) {
      Value number = covariance(a, b);
      long double bound = std::sqrt(sizes[static_cast<std::size_t>(a)] * sizes[static_cast<std::size_t>(b)]) /
                          static_cast<long double>(freedom);
      if (divides) {
        const long double product = covariance(a, a).real() * covariance(b, b).real();
        if (product < 1e-8L * bound * bound || product == 0) throw Invalid("variables that hardly vary");
        number /= std::sqrt(product), bound = 4 * bound * bound / product + 4;
      }
      result.cells.push_back(Cell{.floating = static_cast<double>(number.real())});
      if (complex) result.cells.back().imaginary = static_cast<double>(number.imag());
      result.tolerance.push_back(8 * static_cast<double>(count + 4) * epsilon_of(dtype) * static_cast<double>(bound) +
                                 1e-300);
    }
  }
  return result;
}

// Every cell of one line by every one of the other, at the sum of their places.
Dense convolved(const WholeCall& call) {
  const bool correlates = call.op == Op::Correlate;
  const DType dtype = promoted(call.x, call.y);
  if (dtype == DType::Bool || dtype == DType::Float16) throw Invalid("steps that are rounded");
  Dense a = cast(raveled(call.x), dtype), v = cast(raveled(call.y), dtype);
  v.cells.resize(std::min(v.cells.size(), static_cast<std::size_t>(call.k)));
  if (a.cells.empty() || v.cells.empty()) throw Invalid("a line of nothing");
  check_finite(a), check_finite(v);
  if (correlates && v.cells.size() > a.cells.size()) throw Invalid("the other way round");
  if (v.cells.size() > a.cells.size()) std::swap(a, v);
  if (correlates) {
    std::reverse(v.cells.begin(), v.cells.end());
    if (is_complex(dtype)) {
      for (Cell& cell : v.cells) cell.imaginary = -cell.imaginary;
    }
  }
  const std::size_t n = a.cells.size(), m = v.cells.size();
  const std::size_t way = static_cast<std::size_t>(call.k % 3);
  const std::size_t first = way == 0 ? 0 : way == 1 ? (m - 1) / 2 : m - 1;
  const std::size_t count = way == 0 ? n + m - 1 : way == 1 ? n : n - m + 1;
  const bool whole = !is_floating(dtype) && !is_complex(dtype);
  Dense result{dtype, {static_cast<std::int64_t>(count)}};
  for (std::size_t place = first; place < first + count; ++place) {
    std::complex<long double> sum = 0;
    long double size = 0;
    std::int64_t integers = 0;
    for (std::size_t k = 0; k < m; ++k) {
      if (place < k || place - k >= n) continue;
      const Cell x = a.cells[place - k], y = v.cells[k];
      if (whole) {
        integers = integral(Op::Add, integers, integral(Op::Multiply, x.integer, y.integer, dtype), dtype);
        continue;
      }
      const std::complex<long double> p(x.floating, is_complex(dtype) ? x.imaginary : 0),
          q(y.floating, is_complex(dtype) ? y.imaginary : 0);
      sum += p * q, size += std::abs(p) * std::abs(q);
    }
    Cell made{.integer = integers};
    if (!whole) made = Cell{.floating = static_cast<double>(sum.real()), .imaginary = 0};
    if (is_complex(dtype)) made.imaginary = static_cast<double>(sum.imag());
    result.cells.push_back(made);
    if (!whole)
      result.tolerance.push_back(static_cast<double>(m + 4) * epsilon_of(is_complex(dtype) ? part_of(dtype) : dtype) *
                                     static_cast<double>(size) +
                                 1e-300);
  }
  return result;
}

Dense polynomial(const Dense& x, const Dense& y) {
  check_finite(x), check_finite(y);
  const Dense p = raveled(x);
  if (p.cells.empty()) throw Invalid("no coefficients");
  // 0 everywhere: y * 0 alone is -0 where y is negative.
  const Dense zero = number_like(0, y.dtype);
  Dense value = compute({.op = Op::Add}, {compute({.op = Op::Multiply}, {y, zero}), zero});
  for (std::size_t k = 0; k < std::min<std::size_t>(p.cells.size(), 4); ++k)
    value = compute({.op = Op::Add}, {compute({.op = Op::Multiply}, {value, y}), Dense{p.dtype, {}, {p.cells[k]}}});
  return value;
}

Dense powers_beside(const Dense& x, std::int64_t columns) {
  const Dense flat = raveled(x);
  const DType dtype = promoted(flat, Dense{DType::Int64, {0}});
  const Dense base = cast(flat, dtype);
  Dense result{dtype, {flat.shape[0], columns}};
  const Dense one = number_like(1, dtype);
  std::vector<Dense> powers;
  for (std::int64_t k = 0; k < columns; ++k)
    powers.push_back(
        compute({.op = Op::Multiply},
                {k == 0 ? one : powers.back(),
                 k == 0 ? Dense{dtype, base.shape, std::vector<Cell>(base.cells.size(), one.cells[0])} : base}));
  for (std::size_t row = 0; row < base.cells.size(); ++row) {
    for (std::int64_t column = 0; column < columns; ++column)
      result.cells.push_back(powers[static_cast<std::size_t>(columns - 1 - column)].cells[row]);
  }
  return result;
}

Dense with_shape(Dense a, Extents shape) {
  a.shape = std::move(shape);
  return a;
}

Dense outer_product(const Dense& x, const Dense& y) {
  if (x.cells.size() * y.cells.size() > 50'000) throw Invalid("more cells than a test needs");
  return compute({.op = Op::Multiply}, {with_shape(x, {count_of(x.shape), 1}), with_shape(y, {1, count_of(y.shape)})});
}

Dense kronecker(const Dense& x, const Dense& y) {
  const std::size_t rank = std::max(x.shape.size(), y.shape.size());
  Dense a = x, b = y;
  while (a.shape.size() < rank) a.shape.insert(a.shape.begin(), 1);
  while (b.shape.size() < rank) b.shape.insert(b.shape.begin(), 1);
  Extents shape;
  for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(a.shape[axis] * b.shape[axis]);
  if (rank > 4 || count_of(shape) > 50'000) throw Invalid("more cells than a test needs");
  const auto of = [&](bool first) {
    return rebuilt(first ? a : b, shape, [&, first](Extents at) {
      for (std::size_t axis = 0; axis < rank; ++axis)
        at[axis] = first ? at[axis] / b.shape[axis] : at[axis] % b.shape[axis];
      return at;
    });
  };
  return compute({.op = Op::Multiply}, {of(true), of(false)});
}

Dense transposed(const Dense& x) {
  return swapped(x, 0, 1);
}

Dense transposed_result(Dense value) {
  const std::vector<double> tolerance = std::move(value.tolerance);
  value.tolerance.clear();
  Dense result = transposed(value);
  if (tolerance.empty()) return result;
  Dense bounds{DType::Float64, value.shape};
  for (const double bound : tolerance) bounds.cells.push_back(Cell{.floating = bound});
  for (Cell cell : transposed(bounds).cells) result.tolerance.push_back(cell.floating);
  return result;
}

Dense einstein(const Dense& x, const Dense& y, std::int64_t k) {
  if (x.shape.size() != 2 || y.shape.size() != 2) throw Invalid("subscripts of other axes");
  switch (k % 3) {
    case 0: return multiplied(x, transposed(y));
    case 1: return transposed_result(multiplied(x, transposed(y)));
    default: return transposed_result(multiplied(transposed(x), y));
  }
}

Dense contracted(const Dense& x, const Dense& y) {
  if (x.shape.empty() || y.shape.empty() || x.shape.back() != y.shape[0]) throw Invalid("extents that differ");
  const std::int64_t inner = y.shape[0];
  Extents shape(x.shape.begin(), x.shape.end() - 1);
  shape.insert(shape.end(), y.shape.begin() + 1, y.shape.end());
  Extents before(x.shape.begin(), x.shape.end() - 1), after(y.shape.begin() + 1, y.shape.end());
  return with_shape(multiplied(with_shape(x, {count_of(before), inner}), with_shape(y, {inner, count_of(after)})),
                    shape);
}

Dense products_of_lines(const Dense& x, const Dense& y) {
  if (x.shape.empty() || y.shape.empty()) throw Invalid("no axes");
  Extents of_x = x.shape, of_y = y.shape;
  of_x.insert(of_x.end() - 1, 1), of_y.push_back(1);
  Dense result = multiplied(with_shape(x, of_x), with_shape(y, of_y));
  result.shape.resize(result.shape.size() - 2);
  return result;
}

Dense crossed(const Dense& x, const Dense& y) {
  if (x.shape.empty() || y.shape.empty() || x.shape.back() < 3 || y.shape.back() < 3) throw Invalid("other vectors");
  const auto part = [](const Dense& a, std::int64_t k) { return taken(a, AxisOf(a.shape, -1), {k}); };
  std::vector<Dense> parts;
  for (std::int64_t k = 0; k < 3; ++k) {
    const std::int64_t next = (k + 1) % 3, last = (k + 2) % 3;
    parts.push_back(compute({.op = Op::Subtract}, {compute({.op = Op::Multiply}, {part(x, next), part(y, last)}),
                                                   compute({.op = Op::Multiply}, {part(x, last), part(y, next)})}));
  }
  return joined(parts, AxisOf(parts[0].shape, -1));
}

}  // namespace

namespace {

// Each line less its largest cell.
Dense below_largest(const Dense& x, int axis) {
  const AxisOf at(x.shape, axis);
  if (at.extent == 0 || at.before * at.after == 0 || at.before * at.after > 24)
    throw Invalid("too many lines, or none");
  const Dense largest = reduce({.op = Op::Max, .axes = {static_cast<int>(at.axis)}, .keepdims = true}, x);
  return compute({.op = Op::Subtract}, {x, largest});
}

Dense over_axes(const Dense& x, int axis) {
  const AxisOf at(x.shape, axis);
  std::vector<int> axes{0};
  if (at.axis > 0) axes.push_back(static_cast<int>(at.axis));
  return reduce({.op = Op::Max, .axes = axes, .keepdims = true}, x);
}

Dense second_difference(const Dense& x) {
  if (x.shape.size() != 1 || x.shape[0] < 3) throw Invalid("fewer cells than weights");
  const AxisOf at(x.shape, 0);
  Dense sum;
  for (int place = 0; place < 3; ++place) {
    const Dense weight = dense({Number::Kind::Floating, place == 1 ? -2.0 : 1.0});
    const Dense term = compute({.op = Op::Multiply}, {weight, taken(x, at, places_from(place, x.shape[0] - 2))});
    sum = place == 0 ? term : compute({.op = Op::Add}, {sum, term});
  }
  return sum;
}

}  // namespace

Dense folds_and_products(const WholeCall& call) {
  const auto& [op, x, y, axis, k] = call;
  switch (op) {
    case Op::Ptp: return peak_to_peak(x, axis);
    case Op::Average: return weighted(x, y, axis);
    case Op::NanSum:
    case Op::NanProd:
    case Op::NanMin:
    case Op::NanMax:
    case Op::NanMean:
    case Op::NanVar:
    case Op::NanStd: return folded_without_nan(op_without_nan(op), x, axis);
    case Op::NanCumsum:
    case Op::NanCumprod: return scanned_without_nan(op, x, axis);
    case Op::MinimumSoFar: return stepped(Op::Minimum, x, axis, false);
    case Op::MaximumSoFar: return stepped(Op::Maximum, x, axis, false);
    case Op::ReduceXor:
      if (is_floating(x.dtype) || is_complex(x.dtype)) throw Invalid("bits of floats");
      return stepped(Op::Xor, x, axis, true);
    case Op::ReduceFmax:
      if (is_complex(x.dtype)) throw Invalid("the order of complex numbers");
      return stepped(Op::Fmax, x, axis, true);
    case Op::AppliedAlong: return below_largest(x, axis);
    case Op::AppliedOver: return over_axes(x, axis);
    case Op::Stencil: return second_difference(x);
    case Op::Ediff1d:
      if (x.dtype == DType::Bool) throw Invalid("differences of bools");
      return compute_along_axis({.op = Op::Diff, .axes = {0}}, {raveled(x)});
    case Op::Trace: return folded(Op::Sum, moved_cells({Op::Diagonal, x, x, 0, k}), -1);
    case Op::Norm: return norms(x, axis);
    case Op::Cov:
    case Op::Corrcoef: return covariances(call);
    case Op::Convolve:
    case Op::Correlate: return convolved(call);
    case Op::Polyval: return polynomial(x, y);
    case Op::Vander: return powers_beside(x, k % 4);
    case Op::Dot:
      if (y.shape.size() > 2) throw Invalid("a product of more axes");
      if (x.shape.empty() || y.shape.empty()) return compute({.op = Op::Multiply}, {x, y});
      return multiplied(x, y);
    case Op::Inner:
      if (y.shape.size() > 2) throw Invalid("a product of more axes");
      if (x.shape.empty() || y.shape.empty()) return compute({.op = Op::Multiply}, {x, y});
      return multiplied(x, y.shape.size() == 2 ? transposed(y) : y);
    case Op::Outer: return outer_product(x, y);
    case Op::Kron: return kronecker(x, y);
    case Op::Tensordot: return contracted(x, y);
    case Op::Einsum: return einstein(x, y, k);
    case Op::Vecdot: return products_of_lines(x, y);
    default: return crossed(x, y);
  }
}

}  // namespace pilum::random_programs
