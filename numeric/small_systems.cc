#include "numeric/small_systems.h"

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "numeric/body_walk.h"
#include "numeric/matrix_cells.h"
#include "numeric/small_symmetric_text.h"
#include "numeric/small_systems_text.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr int kMostUnknowns = 8;  // whose cells are in a GPU thread's registers
constexpr int kMostRotated = 6;   // of eigenvalues alone, which LAPACK finds by another way: no faster up to here

template <class T, int N>
void solve_at(Factorization which, bool nan_if_singular, const BodyCall& call, const Piece::Bounds& point) {
  const int rank = call.piece.rank();
  const MatrixCells<const T> matrix = matrix_cells<const T>(call.stores[1], point, rank);
  small::SmallSystem<T, N> system;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) system.cell[i][j] = matrix(i, j);
  }
  system.factor();
  const BoundStore& out = call.stores[0];
  if (which == Factorization::PlainDeterminant) {
    static_cast<T*>(out.first)[cells_to(out, point, rank)] = system.determinant();
    return;
  }
  if (system.is_singular && !nan_if_singular) throw LinAlgError(scheduler::explain_matrix(scheduler::kSingularMatrix));
  const MatrixCells<T> to = matrix_cells<T>(out, point, rank);
  const bool is_inverse = which == Factorization::Inverse;
  const MatrixCells<const T> right =
      is_inverse ? MatrixCells<const T>{} : matrix_cells<const T>(call.stores[2], point, rank);
  for (int j = 0; j < to.columns; ++j) {
    T x[N];
    for (int i = 0; i < N; ++i) x[i] = is_inverse ? T(system.row[i] == j) : right(system.row[i], j);
    system.substitute(x);
    for (int i = 0; i < N; ++i) to(i, j) = system.is_singular ? std::numeric_limits<T>::quiet_NaN() : x[i];
  }
}

bool is_symmetric(Factorization which) {
  return which == Factorization::Hermitian || which == Factorization::HermitianValues;
}

// Of the upper triangle, or of the lower one.
template <class T, int N>
void diagonalize_at(bool has_vectors, bool of_upper, const BodyCall& call, const Piece::Bounds& point) {
  const int rank = call.piece.rank();
  const MatrixCells<const T> matrix = matrix_cells<const T>(call.stores[has_vectors ? 2 : 1], point, rank);
  small::SymmetricMatrix<T, N> symmetric;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j <= i; ++j) symmetric.cell[i][j] = symmetric.cell[j][i] = of_upper ? matrix(j, i) : matrix(i, j);
  }
  symmetric.find(has_vectors);
  if (!symmetric.is_found) throw LinAlgError(scheduler::explain_matrix(scheduler::kNoEigenvalues));
  const MatrixCells<T> values = column_cells<T>(call.stores[0], point, rank);
  for (int i = 0; i < N; ++i) values(i) = symmetric.cell[i][i];
  if (!has_vectors) return;
  const MatrixCells<T> vectors = matrix_cells<T>(call.stores[1], point, rank);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) vectors(i, j) = symmetric.vector[i][j];
  }
}

template <class T, int N>
void compute_at(Factorization which, bool option, const BodyCall& call, const Piece::Bounds& point) {
  if (is_symmetric(which))
    diagonalize_at<T, N>(which == Factorization::Hermitian, option, call, point);
  else
    solve_at<T, N>(which, option, call, point);
}

template <class Visit>
void visit_unknowns(std::int64_t count, const Visit& visit) {
  switch (count) {
    case 1: return visit(std::integral_constant<int, 1>());
    case 2: return visit(std::integral_constant<int, 2>());
    case 3: return visit(std::integral_constant<int, 3>());
    case 4: return visit(std::integral_constant<int, 4>());
    case 5: return visit(std::integral_constant<int, 5>());
    case 6: return visit(std::integral_constant<int, 6>());
    case 7: return visit(std::integral_constant<int, 7>());
    default: return visit(std::integral_constant<int, kMostUnknowns>());
  }
}

// The form: the dtype, which, whether singular ones give NaNs (or the upper triangle is read), the unknowns.
void solve_small(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto which = static_cast<Factorization>(form[1]);
  visit_unknowns(form[3], [&](auto unknowns) {
    for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
      if (static_cast<DType>(form[0]) == DType::Float32)
        compute_at<float, unknowns()>(which, form[2] != 0, call, point);
      else
        compute_at<double, unknowns()>(which, form[2] != 0, call, point);
    });
  });
}

std::string write_symmetric_text(bool has_vectors, bool of_upper, DType dtype, std::int64_t unknowns, int points) {
  const std::string type = cell_type(dtype), axes = std::to_string(points), core = std::to_string(points + 2),
                    wanted = has_vectors ? "true" : "false";
  std::string place;
  for (int axis = 0; axis < points; ++axis) place += "x[" + std::to_string(axis) + "], ";
  std::string text = std::string(small::kSmallSymmetric) + "\ntypedef " + type +
                     " Number;\nconstexpr int kUnknowns = " + std::to_string(unknowns) + ";\n";
  text += "void body(pilum::Point<" + axes + "> x, pilum::Write<Number, " + std::to_string(points + 1) + "> values, ";
  if (has_vectors) text += "pilum::Write<Number, " + core + "> vectors, ";
  text += "pilum::Read<Number, " + core + R"(> matrix) {
  SymmetricMatrix<Number, kUnknowns> symmetric;
  PILUM_UNROLL for (int i = 0; i < kUnknowns; ++i)
    PILUM_UNROLL for (int j = 0; j <= i; ++j)
      symmetric.cell[i][j] = symmetric.cell[j][i] = matrix()" +
          place + (of_upper ? "j, i" : "i, j") + ");\n  symmetric.find(" + wanted +
          ");\n  if (!symmetric.is_found) matrix.refuse_index(0, " + std::to_string(scheduler::kNoEigenvalues) +
          ", 0);\n  PILUM_UNROLL for (int i = 0; i < kUnknowns; ++i) values(" + place + "i) = symmetric.cell[i][i];\n";
  if (has_vectors) {
    text +=
        "  PILUM_UNROLL for (int i = 0; i < kUnknowns; ++i)\n    PILUM_UNROLL for (int j = 0; j < kUnknowns; ++j)\n"
        "      vectors(" +
        place + "i, j) = symmetric.vector[i][j];\n";
  }
  return text + "}\n";
}

// A thread a point.
std::string write_small_text(Factorization which, bool nan_if_singular, DType dtype, std::int64_t unknowns,
                             int points) {
  const std::string type = cell_type(dtype), axes = std::to_string(points), core = std::to_string(points + 2);
  const bool is_determinant = which == Factorization::PlainDeterminant, is_solution = which == Factorization::Solve;
  std::string place;
  for (int axis = 0; axis < points; ++axis) place += "x[" + std::to_string(axis) + "], ";
  std::string text = std::string(small::kSmallSystems) + "\ntypedef " + type +
                     " Number;\nconstexpr int kUnknowns = " + std::to_string(unknowns) + ";\n";
  text += "void body(pilum::Point<" + axes + "> x, pilum::Write<Number, " + (is_determinant ? axes : core) +
          "> out, pilum::Read<Number, " + core + "> matrix";
  if (is_solution) text += ", pilum::Read<Number, " + core + "> right";
  text += R"() {
  SmallSystem<Number, kUnknowns> system;
  PILUM_UNROLL for (int i = 0; i < kUnknowns; ++i)
    PILUM_UNROLL for (int j = 0; j < kUnknowns; ++j) system.cell[i][j] = matrix()" +
          place + R"(i, j);
  system.factor();
)";
  if (is_determinant) return text + "  out(x) = system.determinant();\n}\n";
  if (!nan_if_singular) {
    text +=
        "  if (system.is_singular) matrix.refuse_index(0, " + std::to_string(scheduler::kSingularMatrix) + ", 0);\n";
  }
  text += "  for (std::int64_t j = 0; j < out.hi(" + std::to_string(points + 1) + R"(); ++j) {
    Number y[kUnknowns];
    PILUM_UNROLL for (int i = 0; i < kUnknowns; ++i) y[i] = )";
  text += is_solution ? "right(" + place + "system.row[i], j);\n" : "Number(system.row[i] == j);\n";
  return text + R"(    system.substitute(y);
    PILUM_UNROLL for (int i = 0; i < kUnknowns; ++i)
      out()" +
         place +
         R"(i, j) = system.is_singular ? Number(__builtin_nan("")) : y[i];
  }
}
)";
}

// Once a thread, as other texts are.
const std::string& small_text(Factorization which, bool nan_if_singular, DType dtype, std::int64_t unknowns,
                              int points) {
  thread_local std::map<std::tuple<Factorization, bool, DType, std::int64_t, int>, std::string> written;
  std::string& text = written[{which, nan_if_singular, dtype, unknowns, points}];
  if (text.empty()) {
    text = is_symmetric(which)
               ? write_symmetric_text(which == Factorization::Hermitian, nan_if_singular, dtype, unknowns, points)
               : write_small_text(which, nan_if_singular, dtype, unknowns, points);
  }
  return text;
}

}  // namespace

bool are_small_systems(const Array& matrices) {
  const DType dtype = matrices.dtype();
  return (dtype == DType::Float32 || dtype == DType::Float64) && matrices.shape()[matrices.ndim() - 1] <= kMostUnknowns;
}

std::optional<LibraryBody> small_system_body(Factorization which, bool option, const Array& matrices, int points) {
  const bool is_known = which == Factorization::Solve || which == Factorization::Inverse ||
                        which == Factorization::PlainDeterminant || is_symmetric(which);
  if (!is_known || !are_small_systems(matrices)) return std::nullopt;
  const DType dtype = matrices.dtype();
  const std::int64_t unknowns = matrices.shape()[matrices.ndim() - 1];
  if (which == Factorization::HermitianValues && unknowns > kMostRotated) return std::nullopt;
  LibraryBody body{solve_small, {static_cast<std::int64_t>(dtype), static_cast<std::int64_t>(which), option, unknowns}};
  body.gpu = small_text(which, option, dtype, unknowns, points);
  return body;
}

}  // namespace pilum::numeric
