#include "numeric/linalg_body.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/field_order.h"
#include "numeric/gathered.h"
#include "numeric/gpu_elimination.h"
#include "numeric/gpu_factors.h"
#include "numeric/gpu_orthogonal.h"
#include "numeric/lapack.h"
#include "numeric/matrix_cells.h"
#include "numeric/small_systems.h"
#include "pilum/creation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using BodyAccess = pilum::detail::Access;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using pilum::detail::StoreArgument;

// Column by column, as LAPACK has it.
template <class T>
struct Columns {
  Columns(int rows, int columns) : rows(rows), columns(columns), cells(u(rows) * u(columns)) {}
  explicit Columns(const MatrixCells<const T>& from) : Columns(from.rows, from.columns) {
    for (int j = 0; j < columns; ++j) {
      for (int i = 0; i < rows; ++i) (*this)(i, j) = from(i, j);
    }
  }
  void write(const MatrixCells<T>& to) const {
    for (int i = 0; i < to.rows; ++i) {
      for (int j = 0; j < to.columns; ++j) to(i, j) = (*this)(i, j);
    }
  }
  T& operator()(int i, int j) { return cells[u(j) * u(rows) + u(i)]; }
  const T& operator()(int i, int j) const { return cells[u(j) * u(rows) + u(i)]; }
  T* data() { return cells.data(); }

  int rows, columns;
  std::vector<T> cells;
};

[[noreturn]] void refuse_matrix(int what) {
  throw LinAlgError(scheduler::explain_matrix(what));
}

// One matrix of a piece, or one of each array: the stores' places at a point.
template <class T>
struct AtPoint {
  using Real = typename Lapack<T>::Real;
  const BodyCall& call;
  const Piece::Bounds& point;
  bool option;
  const Lapack<T>& lapack = Lapack<T>::get();

  int rank() const { return call.piece.rank(); }
  Columns<T> read(int store) const { return Columns<T>(matrix_cells<const T>(call.stores[store], point, rank())); }
  MatrixCells<T> out(int store) const { return matrix_cells<T>(call.stores[store], point, rank()); }
  template <class C>
  MatrixCells<C> values(int store) const {
    return column_cells<C>(call.stores[store], point, rank());
  }

  void solve() const {
    Columns<T> a = read(1), b = read(2);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    lapack.gesv(&a.rows, &b.columns, a.data(), &a.rows, pivots.data(), b.data(), &b.rows, &info);
    if (info != 0) refuse_matrix(scheduler::kSingularMatrix);
    b.write(out(0));
  }

  void invert() const {
    Columns<T> a = read(1), b(a.rows, a.rows);
    for (int i = 0; i < a.rows; ++i) b(i, i) = T(1);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    lapack.gesv(&a.rows, &b.columns, a.data(), &a.rows, pivots.data(), b.data(), &b.rows, &info);
    if (info != 0 && !option) refuse_matrix(scheduler::kSingularMatrix);
    if (info != 0) std::ranges::fill(b.cells, T(std::numeric_limits<Real>::quiet_NaN()));
    b.write(out(0));
  }

  void determinant() const {
    Columns<T> a = read(2);
    std::vector<int> pivots(static_cast<std::size_t>(a.rows));
    int info = 0;
    lapack.getrf(&a.rows, &a.rows, a.data(), &a.rows, pivots.data(), &info);
    T sign(1);
    Real logarithm = 0;
    for (int i = 0; i < a.rows; ++i) {
      const Real size = std::abs(a(i, i));
      sign *= size == 0 ? T(0) : a(i, i) / size;
      if (pivots[u(i)] != i + 1) sign = -sign;
      logarithm += std::log(size);
    }
    if (info > 0) sign = T(0), logarithm = -std::numeric_limits<Real>::infinity();
    static_cast<T*>(call.stores[0].first)[cells_to(call.stores[0], point, rank())] = sign;
    static_cast<Real*>(call.stores[1].first)[cells_to(call.stores[1], point, rank())] = logarithm;
  }

  void cholesky() const {
    Columns<T> a = read(1);
    const char triangle = option ? 'U' : 'L';
    int info = 0;
    lapack.potrf(&triangle, &a.rows, a.data(), &a.rows, &info, 1);
    if (info != 0) refuse_matrix(scheduler::kIndefiniteMatrix);
    for (int j = 0; j < a.columns; ++j) {
      for (int i = 0; i < a.rows; ++i) {
        if (option ? i > j : i < j) a(i, j) = T(0);
      }
    }
    a.write(out(0));
  }

  void orthogonal(bool has_q) const {
    Columns<T> a = read(has_q ? 2 : 1);
    const int least = std::min(a.rows, a.columns);
    std::vector<T> tau(u(std::max(least, 1)));
    int info = 0;
    with_room([&](T* work, const int* room) {
      lapack.geqrf(&a.rows, &a.columns, a.data(), &a.rows, tau.data(), work, room, &info);
    });
    const MatrixCells<T> r = out(has_q ? 1 : 0);
    for (int i = 0; i < r.rows; ++i) {
      for (int j = 0; j < r.columns; ++j) r(i, j) = i <= j && i < a.rows ? a(i, j) : T(0);
    }
    if (!has_q) return;
    const MatrixCells<T> to = out(0);
    Columns<T> q(a.rows, to.columns);
    for (int j = 0; j < std::min(least, q.columns); ++j) {
      for (int i = 0; i < q.rows; ++i) q(i, j) = a(i, j);
    }
    with_room([&](T* work, const int* room) {
      lapack.orgqr(&q.rows, &q.columns, &least, q.data(), &q.rows, tau.data(), work, room, &info);
    });
    q.write(to);
  }

  // Those of the diagonal in the elimination of Q - diag(signs), each the other one of what is there.
  void reflection_signs() const {
    Columns<T> a = read(1);
    const MatrixCells<T> signs = column_cells<T>(call.stores[0], point, rank());
    for (int k = 0; k < a.rows; ++k) {
      const T sign(std::real(a(k, k)) < 0 ? 1 : -1), pivot = a(k, k) - sign;
      for (int j = k + 1; j < a.rows; ++j) {
        const T factor = a(k, j);
        for (int i = k + 1; i < a.rows; ++i) a(i, j) -= a(i, k) / pivot * factor;
      }
      signs(k) = sign;
    }
  }

  void hermitian(bool has_vectors) const {
    Columns<T> a = read(has_vectors ? 2 : 1);
    const char job = has_vectors ? 'V' : 'N', triangle = option ? 'U' : 'L';
    std::vector<Real> values(static_cast<std::size_t>(a.rows));
    int info = 0;
    // Room: first the sizes are asked for.
    std::vector<T> work(1);
    std::vector<Real> real_work(1);
    std::vector<int> whole(1);
    for (int room = -1, real_room = -1, whole_room = -1;;) {
      if constexpr (Lapack<T>::kIsComplex) {
        using Function = void (*)(const char*, const char*, const int*, T*, const int*, Real*, T*, const int*, Real*,
                                  const int*, int*, const int*, int*, std::size_t, std::size_t);
        reinterpret_cast<Function>(lapack.heevd)(&job, &triangle, &a.rows, a.data(), &a.rows, values.data(),
                                                 work.data(), &room, real_work.data(), &real_room, whole.data(),
                                                 &whole_room, &info, 1, 1);
      } else {
        using Function = void (*)(const char*, const char*, const int*, T*, const int*, Real*, T*, const int*, int*,
                                  const int*, int*, std::size_t, std::size_t);
        reinterpret_cast<Function>(lapack.heevd)(&job, &triangle, &a.rows, a.data(), &a.rows, values.data(),
                                                 work.data(), &room, whole.data(), &whole_room, &info, 1, 1);
      }
      if (room != -1) break;
      room = size_of(work[0]);
      real_room = size_of(real_work[0]);
      whole_room = std::max(whole[0], 1);
      work.resize(u(room));
      real_work.resize(u(real_room));
      whole.resize(u(whole_room));
    }
    if (info != 0) refuse_matrix(scheduler::kNoEigenvalues);
    const MatrixCells<Real> to = this->template values<Real>(0);
    for (int i = 0; i < to.rows; ++i) to(i) = values[u(i)];
    if (has_vectors) a.write(out(1));
  }

  void general(bool has_vectors) const {
    using Complex = std::complex<Real>;
    Columns<T> a = read(has_vectors ? 2 : 1), right(has_vectors ? a.rows : 1, has_vectors ? a.rows : 1);
    const char left_job = 'N', job = has_vectors ? 'V' : 'N';
    const int one = 1, n = a.rows;
    int info = 0;
    T none{};
    std::vector<Complex> values(static_cast<std::size_t>(n));
    std::vector<Real> parts(2 * u(n));
    with_room([&](T* work, const int* room) {
      if constexpr (Lapack<T>::kIsComplex) {
        using Function = void (*)(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*,
                                  const int*, T*, const int*, Real*, int*, std::size_t, std::size_t);
        reinterpret_cast<Function>(lapack.geev)(&left_job, &job, &n, a.data(), &n, values.data(), &none, &one,
                                                right.data(), &right.rows, work, room, parts.data(), &info, 1, 1);
      } else {
        using Function = void (*)(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*,
                                  const int*, T*, const int*, int*, std::size_t, std::size_t);
        reinterpret_cast<Function>(lapack.geev)(&left_job, &job, &n, a.data(), &n, parts.data(), parts.data() + n,
                                                &none, &one, right.data(), &right.rows, work, room, &info, 1, 1);
      }
    });
    if (info != 0) refuse_matrix(scheduler::kNoEigenvalues);
    if constexpr (!Lapack<T>::kIsComplex) {
      for (int i = 0; i < n; ++i) values[u(i)] = {parts[u(i)], parts[u(n + i)]};
    }
    const MatrixCells<Complex> to = this->template values<Complex>(0);
    for (int i = 0; i < n; ++i) to(i) = values[u(i)];
    if (!has_vectors) return;
    const MatrixCells<Complex> vectors = matrix_cells<Complex>(call.stores[1], point, rank());
    for (int j = 0; j < n; ++j) {
      const bool is_pair = !Lapack<T>::kIsComplex && values[u(j)].imag() != 0 && j + 1 < n;
      for (int i = 0; i < n; ++i) {
        if constexpr (Lapack<T>::kIsComplex) {
          vectors(i, j) = right(i, j);
        } else {  // two columns are the parts of a vector, and of its conjugate
          vectors(i, j) = is_pair ? Complex(right(i, j), right(i, j + 1)) : Complex(right(i, j));
          if (is_pair) vectors(i, j + 1) = std::conj(vectors(i, j));
        }
      }
      if (is_pair) ++j;
    }
  }

  void singular(bool has_vectors) const {
    Columns<T> a = read(has_vectors ? 3 : 1);
    const int m = a.rows, n = a.columns, least = std::min(m, n);
    const int u_columns = has_vectors ? out(0).columns : 1, v_rows = has_vectors ? out(2).rows : 1;
    Columns<T> left(has_vectors ? m : 1, u_columns), right(v_rows, has_vectors ? n : 1);
    const char job = !has_vectors ? 'N' : u_columns == m && v_rows == n ? 'A' : 'S';
    std::vector<Real> values(u(least), 0), real_work;
    std::vector<int> whole(8 * u(least));
    if constexpr (Lapack<T>::kIsComplex) {
      const auto k = u(least), most = u(std::max(m, n));
      real_work.resize(std::max(5 * k * k + 5 * k, 2 * most * k + 2 * k * k + k) + 7 * k + 1);
    }
    int info = 0;
    with_room([&](T* work, const int* room) {
      if constexpr (Lapack<T>::kIsComplex) {
        using Function = void (*)(const char*, const int*, const int*, T*, const int*, Real*, T*, const int*, T*,
                                  const int*, T*, const int*, Real*, int*, int*, std::size_t);
        reinterpret_cast<Function>(lapack.gesdd)(&job, &m, &n, a.data(), &m, values.data(), left.data(), &left.rows,
                                                 right.data(), &right.rows, work, room, real_work.data(), whole.data(),
                                                 &info, 1);
      } else {
        using Function = void (*)(const char*, const int*, const int*, T*, const int*, Real*, T*, const int*, T*,
                                  const int*, T*, const int*, int*, int*, std::size_t);
        reinterpret_cast<Function>(lapack.gesdd)(&job, &m, &n, a.data(), &m, values.data(), left.data(), &left.rows,
                                                 right.data(), &right.rows, work, room, whole.data(), &info, 1);
      }
    });
    if (info != 0) refuse_matrix(scheduler::kNoSingularValues);
    const MatrixCells<Real> to = this->template values<Real>(has_vectors ? 1 : 0);
    for (int i = 0; i < to.rows; ++i) to(i) = values[u(i)];
    if (!has_vectors) return;
    left.write(out(0));
    right.write(out(2));
  }

 private:
  // What a question for room is answered with; sizes beyond 2^24 are rounded in float32.
  static int size_of(T answer) {
    const auto size = static_cast<double>(std::real(answer));
    return static_cast<int>(std::max(1.0, std::ceil(size * (1 + (sizeof(Real) == 4 ? 1e-7 : 0)))));
  }
  // Asks for the room that there should be, then calls with it.
  template <class Function>
  static void with_room(const Function& function) {
    T answer{};
    const int ask = -1;
    function(&answer, &ask);
    const int room = size_of(answer);
    std::vector<T> work(static_cast<std::size_t>(room));
    function(work.data(), &room);
  }
};

// The form: the dtype that is read, the factorization, its option.
void factorize(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto run = [&]<class T>(T) {
    for_each_point(call.piece, -1, [&](const Piece::Bounds& point) {
      const AtPoint<T> here{call, point, form[2] != 0};
      switch (static_cast<Factorization>(form[1])) {
        case Factorization::Solve: return here.solve();
        case Factorization::Inverse: return here.invert();
        case Factorization::Determinant: return here.determinant();
        case Factorization::PlainDeterminant: break;
        case Factorization::Cholesky: return here.cholesky();
        case Factorization::Orthogonal: return here.orthogonal(/*has_q=*/true);
        case Factorization::Triangular: return here.orthogonal(/*has_q=*/false);
        case Factorization::Hermitian: return here.hermitian(/*has_vectors=*/true);
        case Factorization::HermitianValues: return here.hermitian(/*has_vectors=*/false);
        case Factorization::General: return here.general(/*has_vectors=*/true);
        case Factorization::GeneralValues: return here.general(/*has_vectors=*/false);
        case Factorization::Singular: return here.singular(/*has_vectors=*/true);
        case Factorization::SingularValues: return here.singular(/*has_vectors=*/false);
        case Factorization::ReflectionSigns: return here.reflection_signs();
      }
    });
  };
  switch (static_cast<DType>(form[0])) {
    case DType::Float32: return run(float());
    case DType::Float64: return run(double());
    case DType::Complex64: return run(std::complex<float>());
    default: return run(std::complex<double>());
  }
}

Shape joined(const Shape& batch, const Shape& core) {
  Shape shape = batch;
  for (const std::int64_t extent : core) shape.push_back(extent);
  return shape;
}

// Sets what issues the work to GPUs, where they have a kernel for it.
bool set_gpu_kernel(LibraryBody& body, Factorization which, const Array& of, const std::vector<Factor>& factors,
                    std::int64_t matrices, scheduler::Recorder& recorder) {
  const std::int64_t rows = of.shape()[of.ndim() - 2], columns = of.shape()[of.ndim() - 1];
  if (which == Factorization::ReflectionSigns) {
    if (!is_orthogonalized_by_gpus(of.dtype(), rows, columns, columns)) return false;
    body.issue = issue_reflection_signs;
    return true;
  }
  if (which == Factorization::Orthogonal || which == Factorization::Triangular) {
    if (is_orthogonalized_by_gpus(of.dtype(), rows, columns, factors.back().shape[0])) {
      body.issue = which == Factorization::Orthogonal ? issue_orthogonal : issue_triangular;
      return true;
    }
  }
  if (is_eliminated_by_gpus(which, of.dtype(), rows, columns, matrices)) {
    body.issue = issue_eliminations;
    body.scratch_on = elimination_scratch;
    return true;
  }
  if (!is_factored_by_gpus(which, rows, columns)) return false;
  body.issue = issue_factors;
  body.scratch_on = factor_scratch;
  body.skill = device::GpuSkill::Factors;
  return recorder.gpus_have(device::GpuSkill::Factors);
}

}  // namespace

std::vector<Array> factorized(const Call& call, Factorization which, bool option, const Shape& batch,
                              const std::vector<Factor>& factors, const std::vector<Array>& of) {
  const Shape points = batch.rank() == 0 ? Shape{1} : batch;
  const std::optional<LibraryBody> small = small_system_body(which, option, of[0], points.rank());
  LibraryBody body =
      small ? *small
            : LibraryBody{factorize,
                          {static_cast<std::int64_t>(of[0].dtype()), static_cast<std::int64_t>(which), option}};
  const auto processors = recorder_of(call).processors();
  const bool has_kernel = !small && processors.are_gpus &&
                          set_gpu_kernel(body, which, of[0], factors, points.elements(), recorder_of(call));
  if (!small && !has_kernel && !Lapack<double>::get().is_there()) {
    fail<RuntimeError>(call,
                       "there is no OpenBLAS with LAPACK in it on this machine, which computes this: install "
                       "libopenblas0 (Debian, Ubuntu), or have libopenblas.so.0 in LD_LIBRARY_PATH");
  }
  std::vector<StoreArgument> arguments;
  std::vector<Array> made;
  for (const Factor& factor : factors) {
    made.push_back(make_row_major(recorder_of(call), call, joined(points, factor.shape), factor.dtype));
    arguments.push_back({made.back(), BodyAccess::Write, {}, Fold::Sum});
  }
  for (const Array& read : of) {
    const int rank = read.ndim();
    const Shape core{read.shape()[rank - 2], read.shape()[rank - 1]}, whole = joined(points, core);
    arguments.push_back(
        {read.shape() == whole ? read : broadcast_to(read, whole, call.where), BodyAccess::Read, {}, Fold::Sum});
    if (points.elements() == 1) warn_of_gathered(call, read);
  }
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  // Of many matrices that are cut even small results are, say determinants: else all would go to all.
  const bool are_large = std::ranges::any_of(of, [&](const Array& read) {
    return read.size() * static_cast<std::int64_t>(itemsize(read.dtype())) >= processors.split_bytes;
  });
  body.is_cut = (small || has_kernel || !processors.are_gpus) && are_large && points.elements() >= processors.count;
  launch(call, body, points, arguments);
  if (batch.rank() > 0) return made;
  for (Array& array : made) array = array[Index(0, call.where)];
  return made;
}

}  // namespace pilum::numeric
