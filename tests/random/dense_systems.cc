// Systems of equations by Gaussian elimination, eigenvalues by Jacobi's rotations, in long double; factors by what
// they multiply to. How far a result may be off follows from the condition of its matrix.
#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_complex.h"
#include "tests/random/dense_fold.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

using Value = std::complex<long double>;
constexpr std::int64_t kLargest = 24;  // rows and columns

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<Value> cells;

  Matrix(std::int64_t rows, std::int64_t columns)
      : rows(rows), columns(columns), cells(static_cast<std::size_t>(rows * columns)) {}
  Value& at(std::int64_t row, std::int64_t column) { return cells[static_cast<std::size_t>(row * columns + column)]; }
  const Value& at(std::int64_t row, std::int64_t column) const {
    return cells[static_cast<std::size_t>(row * columns + column)];
  }
};

Matrix unit(std::int64_t n) {
  Matrix result(n, n);
  for (std::int64_t k = 0; k < n; ++k) result.at(k, k) = 1;
  return result;
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result(a.rows, b.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < b.columns; ++j) {
      for (std::int64_t k = 0; k < a.columns; ++k) result.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return result;
}

Matrix adjoint(const Matrix& a) {
  Matrix result(a.columns, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) result.at(j, i) = std::conj(a.at(i, j));
  }
  return result;
}

long double size_of(const Matrix& a) {
  long double squares = 0;
  for (const Value& cell : a.cells) squares += std::norm(cell);
  return std::sqrt(squares);
}

struct Solution {
  Matrix x;
  Value determinant;
};

// By the largest pivot of each column. Nothing where that is 0.
std::optional<Solution> eliminated(Matrix a, Matrix b) {
  Value determinant = 1;
  for (std::int64_t column = 0; column < a.rows; ++column) {
    std::int64_t pivot = column;
    for (std::int64_t row = column; row < a.rows; ++row) {
      if (std::abs(a.at(row, column)) > std::abs(a.at(pivot, column))) pivot = row;
    }
    if (a.at(pivot, column) == Value(0)) return {};
    if (pivot != column) {
      determinant = -determinant;
      for (std::int64_t k = 0; k < a.columns; ++k) std::swap(a.at(pivot, k), a.at(column, k));
      for (std::int64_t k = 0; k < b.columns; ++k) std::swap(b.at(pivot, k), b.at(column, k));
    }
    determinant *= a.at(column, column);
    for (std::int64_t row = 0; row < a.rows; ++row) {
      if (row == column) continue;
      const Value factor = a.at(row, column) / a.at(column, column);
      for (std::int64_t k = column; k < a.columns; ++k) a.at(row, k) -= factor * a.at(column, k);
      for (std::int64_t k = 0; k < b.columns; ++k) b.at(row, k) -= factor * b.at(column, k);
    }
  }
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (std::int64_t k = 0; k < b.columns; ++k) b.at(row, k) /= a.at(row, row);
  }
  return Solution{std::move(b), determinant};
}

struct Inverse {
  Matrix inverse;
  Value determinant;
  long double condition;
};

Inverse inverted(const Matrix& a, DType dtype) {
  auto solution = eliminated(a, unit(a.rows));
  if (!solution) throw Invalid("a singular matrix");
  const long double condition = std::max(1.0L, size_of(a) * size_of(solution->x));
  const bool single = epsilon_of(is_complex(dtype) ? part_of(dtype) : dtype) > 1e-10;
  if (!(condition < (single ? 500 : 1e6))) throw Invalid("a matrix that is nearly singular");
  return {std::move(solution->x), solution->determinant, condition};
}

// The eigenvalues of a symmetric matrix, rising, by rotations that make its cells beside the diagonal 0.
std::vector<long double> symmetric_eigenvalues(std::vector<std::vector<long double>> a) {
  const std::size_t n = a.size();
  for (int sweep = 0; sweep < 60; ++sweep) {
    long double rest = 0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        rest += std::abs(a[p][q]);
        if (a[p][q] == 0) continue;
        const long double angle = std::atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2, c = std::cos(angle),
                          s = std::sin(angle);
        for (std::size_t k = 0; k < n; ++k) {
          const long double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const long double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
        }
      }
    }
    if (rest < 1e-30L) break;
  }
  std::vector<long double> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(a[k][k]);
  std::sort(values.begin(), values.end());
  return values;
}

// Of a Hermitian matrix, those of [[re, -im], [im, re]] being each of its eigenvalues twice.
std::vector<long double> hermitian_eigenvalues(const Matrix& a) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<std::vector<long double>> doubled(2 * n, std::vector<long double>(2 * n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Value cell = a.at(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      doubled[i][j] = doubled[n + i][n + j] = cell.real();
      doubled[n + i][j] = cell.imag(), doubled[i][n + j] = -cell.imag();
    }
  }
  const std::vector<long double> twice = symmetric_eigenvalues(std::move(doubled));
  std::vector<long double> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(twice[2 * k]);
  return values;
}

// Falling: the upper half of the eigenvalues of [[0, a], [a*, 0]].
std::vector<long double> singular_values(const Matrix& a) {
  Matrix both(a.rows + a.columns, a.rows + a.columns);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) {
      both.at(i, a.rows + j) = a.at(i, j);
      both.at(a.rows + j, i) = std::conj(a.at(i, j));
    }
  }
  const std::vector<long double> values = hermitian_eigenvalues(both);
  return {values.rbegin(), values.rbegin() + std::min(a.rows, a.columns)};
}

// A batch of matrices, its dtype that of their factors.
struct Batch {
  Extents shape;  // without the last two axes
  DType dtype = DType::Float64;
  std::vector<Matrix> matrices;
};

Batch batch_of(const Dense& x) {
  if (x.shape.size() < 2) throw Invalid("matrices of fewer axes");
  if (x.dtype == DType::Float16) throw Invalid("matrices of halves");
  Batch batch{{x.shape.begin(), x.shape.end() - 2}};
  batch.dtype = is_floating(x.dtype) || is_complex(x.dtype) ? x.dtype : DType::Float64;
  const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back(), count = count_of(batch.shape);
  if (rows == 0 || columns == 0 || rows > kLargest || columns > kLargest || count * rows * columns > 4000)
    throw Invalid("matrices of other sizes");
  for (std::int64_t k = 0; k < count; ++k) {
    Matrix matrix(rows, columns);
    for (std::int64_t cell = 0; cell < rows * columns; ++cell) {
      const Cell number =
          cast(x.cells[static_cast<std::size_t>(k * rows * columns + cell)], x.dtype, DType::Complex128);
      if (!(std::abs(number.floating) < 1e4 && std::abs(number.imaginary) < 1e4)) throw Invalid("numbers far out");
      matrix.cells[static_cast<std::size_t>(cell)] = Value(number.floating, number.imaginary);
    }
    batch.matrices.push_back(std::move(matrix));
  }
  return batch;
}

// Cells of a result with one bound a matrix.
class Result {
 public:
  Result(const Batch& batch, DType dtype, const Extents& last) : dense_{dtype, batch.shape} {
    dense_.shape.insert(dense_.shape.end(), last.begin(), last.end());
  }
  void add(const Value& cell, long double bound) {
    Cell number{.floating = static_cast<double>(cell.real())};
    if (is_complex(dense_.dtype)) number.imaginary = static_cast<double>(cell.imag());
    dense_.cells.push_back(number);
    dense_.tolerance.push_back(static_cast<double>(bound) + 1e-300);
  }
  void add(const Matrix& matrix, long double bound) {
    for (const Value& cell : matrix.cells) add(cell, bound);
  }
  Dense take() { return std::move(dense_); }

 private:
  Dense dense_;
};

Dense square_part(const Dense& x) {
  if (x.shape.size() < 2) throw Invalid("matrices of fewer axes");
  Extents shape = x.shape;
  const std::size_t rank = shape.size();
  shape[rank - 1] = shape[rank - 2] = std::min(shape[rank - 1], shape[rank - 2]);
  return rebuilt(x, shape, [](const Extents& at) { return at; });
}

Dense with_diagonal(const Dense& part, std::int64_t k) {
  const std::int64_t n = part.shape.back();
  Dense diagonal{part.dtype, {n, n}};
  for (std::int64_t cell = 0; cell < n * n; ++cell)
    diagonal.cells.push_back(cast(Cell{.integer = cell % (n + 1) == 0}, DType::Int64, part.dtype));
  const Dense number = dense({Number::Kind::Integer, static_cast<double>(k)});
  return compute({.op = Op::Add}, {part, compute({.op = Op::Multiply}, {number, diagonal})});
}

DType real_dtype(DType dtype) {
  return is_complex(dtype) ? part_of(dtype) : dtype;
}

Matrix hermitian_part(const Matrix& a) {
  Matrix result = a;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j < a.columns; ++j) result.at(i, j) = a.at(i, j) + std::conj(a.at(j, i));
  }
  return result;
}

// The sums of matrices and their adjoints; those of integers wrap in their dtype.
std::vector<Matrix> hermitian_parts(const Dense& x) {
  std::vector<Matrix> parts = batch_of(x).matrices;
  if (is_integer(x.dtype)) {
    const std::size_t rank = x.shape.size();
    return batch_of(compute({.op = Op::Add}, {x, swapped(x, rank - 2, rank - 1)})).matrices;
  }
  for (Matrix& part : parts) part = hermitian_part(part);
  return parts;
}

// L with L L* = a, row by row.
Matrix lower_factor(const Matrix& a) {
  Matrix l(a.rows, a.rows);
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      Value rest = a.at(i, j);
      for (std::int64_t k = 0; k < j; ++k) rest -= l.at(i, k) * std::conj(l.at(j, k));
      if (i == j && rest.real() <= 0) throw Invalid("a matrix that is not positive definite");
      l.at(i, j) = i == j ? Value(std::sqrt(rest.real())) : rest / l.at(j, j);
    }
  }
  return l;
}

Dense of_square(const WholeCall& call) {
  const Dense part = square_part(call.x);
  const Dense square = with_diagonal(part, call.k);
  const Batch batch = batch_of(square);
  const std::int64_t n = batch.matrices.empty() ? part.shape.back() : batch.matrices[0].rows;
  const DType dtype = batch.dtype, real = real_dtype(dtype);
  const long double unit_error = 16 * static_cast<long double>(n) * epsilon_of(real);
  switch (call.op) {
    case Op::Solve:
    case Op::SolveVector: {
      const bool vector = call.op == Op::SolveVector;
      // A right-hand side of float64, unless the matrix is of complex numbers.
      const DType wide = vector && dtype == DType::Float32     ? DType::Float64
                         : vector && dtype == DType::Complex64 ? DType::Complex128
                                                               : dtype;
      Result result(batch, wide, vector ? Extents{n} : Extents{n, 1});
      const Batch from = batch_of(part);
      for (std::size_t place = 0; place < batch.matrices.size(); ++place) {
        const Inverse inverse = inverted(batch.matrices[place], wide);
        Matrix b(n, 1);
        for (std::int64_t row = 0; row < n; ++row)
          b.at(row, 0) = vector ? Value(static_cast<long double>(row + 1)) : from.matrices[place].at(row, 0);
        const Matrix x = inverse.inverse * b;
        result.add(x, 16 * static_cast<long double>(n) * epsilon_of(real_dtype(wide)) * inverse.condition * size_of(x));
      }
      return result.take();
    }
    case Op::Inv: {
      Result result(batch, dtype, {n, n});
      for (const Matrix& matrix : batch.matrices) {
        const Inverse inverse = inverted(matrix, dtype);
        result.add(inverse.inverse, unit_error * inverse.condition * size_of(inverse.inverse));
      }
      return result.take();
    }
    case Op::Det:
    case Op::Slogdet: {
      const bool logarithm = call.op == Op::Slogdet && call.k % 2 != 0;
      Result result(batch, logarithm ? real : dtype, {});
      for (const Matrix& matrix : batch.matrices) {
        const Inverse inverse = inverted(matrix, dtype);
        const long double size = std::abs(inverse.determinant), bound = unit_error * inverse.condition;
        if (!(size > 1e-20L && size < 1e20L)) throw Invalid("a determinant far out");
        if (call.op == Op::Det) result.add(inverse.determinant, bound * size);
        if (logarithm) result.add(std::log(size), bound + unit_error * std::abs(std::log(size)));
        if (call.op == Op::Slogdet && !logarithm) result.add(inverse.determinant / size, bound);
      }
      return result.take();
    }
    case Op::Cholesky: {
      Result result(batch, dtype, {n, n});
      for (const Matrix& matrix : batch.matrices) {
        Matrix product = matrix * adjoint(matrix);
        for (std::int64_t k = 0; k < n; ++k) product.at(k, k) += static_cast<long double>(n);
        const Inverse inverse = inverted(product, dtype);
        const Matrix factor = lower_factor(product);
        result.add(factor, unit_error * inverse.condition * size_of(factor));
      }
      return result.take();
    }
    case Op::QrOrthogonal: {
      Result result(batch, dtype, {n, n});
      for (std::size_t place = 0; place < batch.matrices.size(); ++place) result.add(unit(n), unit_error);
      return result.take();
    }
    case Op::QrProduct:
    case Op::SvdProduct: {
      Result result(batch, dtype, {n, n});
      for (const Matrix& matrix : batch.matrices) result.add(matrix, unit_error * size_of(matrix));
      return result.take();
    }
    case Op::EighProduct: {
      Result result(batch, dtype, {n, n});
      for (const Matrix& hermitian : hermitian_parts(square)) result.add(hermitian, unit_error * size_of(hermitian));
      return result.take();
    }
    case Op::Eigvalsh: {
      Result result(batch, real, {n});
      for (const Matrix& hermitian : hermitian_parts(square)) {
        for (const long double value : hermitian_eigenvalues(hermitian))
          result.add(value, unit_error * size_of(hermitian));
      }
      return result.take();
    }
    case Op::EigResidual: {
      Result result(batch, is_complex(dtype) ? dtype : complex_of(dtype), {n, n});
      for (const Matrix& matrix : batch.matrices) result.add(Matrix(n, n), unit_error * size_of(matrix));
      return result.take();
    }
    case Op::Svdvals: {
      Result result(batch, real, {n});
      for (const Matrix& matrix : batch.matrices) {
        for (const long double value : singular_values(matrix)) result.add(value, unit_error * size_of(matrix));
      }
      return result.take();
    }
    default: {
      Result result(batch, real, {});
      for (const Matrix& matrix : batch.matrices) {
        const Inverse inverse = inverted(matrix, dtype);
        const std::vector<long double> values = singular_values(matrix);
        const long double condition = values.front() / values.back();
        result.add(condition, unit_error * inverse.condition * condition);
      }
      return result.take();
    }
  }
}

// By the normal equations.
Dense least_squares(const WholeCall& call) {
  const Batch batch = batch_of(call.x);
  if (!batch.shape.empty()) throw Invalid("more than one matrix");
  const Matrix& a = batch.matrices[0];
  const bool wide = a.rows < a.columns;
  const Matrix product = wide ? a * adjoint(a) : adjoint(a) * a;
  const Inverse inverse = inverted(product, batch.dtype);
  const Matrix pseudo = wide ? adjoint(a) * inverse.inverse : inverse.inverse * adjoint(a);
  const long double error =
      32 * static_cast<long double>(a.rows + a.columns) * epsilon_of(real_dtype(batch.dtype)) * inverse.condition;
  if (call.op == Op::Pinv) {
    Result result(batch, batch.dtype, {a.columns, a.rows});
    result.add(pseudo, error * size_of(pseudo));
    return result.take();
  }
  Matrix ones(a.rows, 1);
  for (Value& cell : ones.cells) cell = 1;
  const Matrix x = pseudo * ones;
  Result result(batch, batch.dtype, {a.columns});
  result.add(x, error * (size_of(x) + size_of(pseudo) * size_of(ones)));
  return result.take();
}

Dense power_of(const Dense& part, std::int64_t n) {
  const std::size_t rank = part.shape.size();
  if (rank < 2 || part.shape[rank - 1] > kLargest || count_of(part.shape) > 4000)
    throw Invalid("matrices of other sizes");
  if (part.dtype == DType::Float16) throw Invalid("steps that are rounded");
  if (n == 0) {  // the unit matrix, in this dtype
    Dense units = part;
    const std::int64_t extent = part.shape[rank - 1];
    for (std::size_t cell = 0; cell < units.cells.size(); ++cell) {
      const std::int64_t place = static_cast<std::int64_t>(cell) % (extent * extent);
      units.cells[cell] = cast(Cell{.integer = place % (extent + 1) == 0}, DType::Int64, part.dtype);
    }
    return units;
  }
  Dense result = part;
  for (std::int64_t k = 1; k < n; ++k) result = multiplied(result, part);
  return result;
}

}  // namespace

Dense systems(const WholeCall& call) {
  switch (call.op) {
    case Op::Lstsq:
    case Op::Pinv: return least_squares(call);
    case Op::MatrixPower: return power_of(square_part(call.x), call.k % 4);
    case Op::MultiDot: {
      if (call.x.shape.size() != 2 || call.x.dtype == DType::Float16) throw Invalid("no matrix");
      const Dense turned = swapped(call.x, 0, 1);
      return multiplied(multiplied(call.x, turned), call.x);
    }
    default: return of_square(call);
  }
}

}  // namespace pilum::random_programs
