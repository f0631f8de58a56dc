#include "numeric/gpu_factors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/gpu_matrix_copy.h"
#include "numeric/library_task.h"
#include "pilum/math.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using device::GpuLapack;
using device::LapackCall;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Rows and columns that a GPU's LAPACK takes no longer for than one core does with copies there and back.
constexpr std::int64_t kLeastExtent = 96;
constexpr std::uint32_t kRowsThreads = 256;

// Words: 0 info, 1 what is said, 2 the report, 3 the task, 4 the file, 5 the line; 6 to 8 real numbers that a factor
// has and that are finite where there is one, their step and count, 9 whether they are doubles. Cells that are no
// numbers do not always show in info.
constexpr const char* kRefusal = R"(
struct Words { u64 word[10]; };
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  bool is_there = *(const int*)words.word[0] == 0;
  for (u64 i = threadIdx.x; i < words.word[8]; i += 256) {
    const u64 place = i * words.word[7];
    const double value = words.word[9] ? ((const double*)words.word[6])[place] : ((const float*)words.word[6])[place];
    is_there = is_there && value - value == 0;
  }
  if (is_there) return;
  refuse_picked({(OutOfBounds*)words.word[2], (i64)words.word[3], (i64)words.word[4], (i64)words.word[5]}, 0,
                (i64)words.word[1], 0);
}
)";

// Words: 0 the triangles, 1 the pivots, 2 info, 3 rows, 4 the sign, 5 the logarithm of the size. Each thread has every
// 256th row; the order in which their numbers come together follows from the rows alone.
constexpr const char* kDeterminant = R"(
struct Words { unsigned long long word[6]; };
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell signs[256];
  __shared__ double logarithms[256];
  const Cell* const cells = (const Cell*)words.word[0];
  const long long* const pivots = (const long long*)words.word[1];
  const long long rows = (long long)words.word[3];
  Cell sign = one();
  double logarithm = 0;
  for (long long i = threadIdx.x; i < rows; i += 256) {
    const Cell cell = cells[i * rows + i];
    const Real size = size_of(cell);
    sign = times(sign, size == 0 ? zero() : over(cell, pivots[i] == i + 1 ? size : -size));
    logarithm += log((double)size);
  }
  signs[threadIdx.x] = sign;
  logarithms[threadIdx.x] = logarithm;
  for (unsigned half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      signs[threadIdx.x] = times(signs[threadIdx.x], signs[threadIdx.x + half]);
      logarithms[threadIdx.x] += logarithms[threadIdx.x + half];
    }
  }
  if (threadIdx.x != 0) return;
  const bool is_singular = *(const int*)words.word[2] > 0;
  *(Cell*)words.word[4] = is_singular ? zero() : signs[0];
  *(Real*)words.word[5] = (Real)(is_singular ? log(0.0) : logarithms[0]);
}
)";
constexpr const char* kRealCells = R"(
typedef Real Cell;
static __device__ Cell zero() { return 0; }
static __device__ Cell one() { return 1; }
static __device__ Real size_of(Cell a) { return a < 0 ? -a : a; }
static __device__ Cell times(Cell a, Cell b) { return a * b; }
static __device__ Cell over(Cell a, Real b) { return a / b; }
)";
constexpr const char* kComplexCells = R"(
struct Cell { Real re, im; };
static __device__ Cell zero() { return {0, 0}; }
static __device__ Cell one() { return {1, 0}; }
static __device__ Real size_of(Cell a) { return (Real)hypot((double)a.re, (double)a.im); }
static __device__ Cell times(Cell a, Cell b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
static __device__ Cell over(Cell a, Real b) { return {a.re / b, a.im / b}; }
)";

// A number's bits: of the identity, or of what is no number.
std::array<std::uint64_t, 2> bits_of(DType dtype, double value) {
  std::array<std::uint64_t, 2> bits{};
  const auto put = [&](auto number) { std::memcpy(bits.data(), &number, sizeof number); };
  const auto single = static_cast<float>(value);
  switch (dtype) {
    case DType::Float32: put(single); break;
    case DType::Float64: put(value); break;
    case DType::Complex64: put(std::complex<float>(single, 0)); break;
    default: put(std::complex<double>(value, 0)); break;
  }
  return bits;
}

// The matrices of a piece, one after the other, in the same scratch memory.
class Factoring {
 public:
  Factoring(std::span<const std::int64_t> form, const BodyCall& call, device::Gpu& gpu);
  std::int64_t scratch_bytes() const { return bytes_; }
  void issue(const scheduler::DeviceIssue& where);

 private:
  struct Extents {
    std::int64_t rows, columns;
  };

  Extents extents_of(std::size_t store) const;
  MatrixPlace place_of(std::size_t store, std::size_t cell_bytes) const;
  MatrixPlace place_of(std::size_t store) const { return place_of(store, itemsize(dtype_)); }
  MatrixPlace values_of(std::size_t store) const;
  void add(LapackCall call, std::int64_t columns, std::int64_t count) {
    calls_.push_back({call, dtype_, rows_, columns, count, option_});
  }
  void add_calls();
  void lay_out(device::Gpu& gpu);
  std::int64_t take(std::int64_t bytes);

  // Steps of one matrix.
  MatrixPlace by_columns(std::int64_t offset, std::int64_t rows) const { return {where_->scratch + offset, 1, rows}; }
  void read(const MatrixPlace& from, std::int64_t rows, std::int64_t columns, std::int64_t to) const;
  void write(std::int64_t from, std::int64_t from_rows, std::size_t to, MatrixPart part = MatrixPart::Whole) const;
  void write_values(std::size_t to) const;
  void run(std::size_t call) const;
  // Where there is no such factor: `count` real numbers of it that are finite else, so many apart.
  void refuse(std::int64_t what, std::int64_t numbers = 0, std::int64_t step = 1, std::int64_t count = 0) const;
  void issue_point();
  void invert() const;
  void write_determinant() const;

  const BodyCall& call_;
  const DType dtype_;
  const Factorization which_;
  const bool option_;
  std::size_t matrix_ = 0;  // the store
  bool is_transposed_ = false;
  std::int64_t rows_ = 0, columns_ = 0;
  std::vector<GpuLapack> calls_;
  std::int64_t a_ = 0, b_ = 0, c_ = 0, d_ = 0, info_ = 0, work_ = 0, bytes_ = 0;  // offsets
  const scheduler::DeviceIssue* where_ = nullptr;
  Piece::Bounds point_{};
};

Factoring::Factoring(std::span<const std::int64_t> form, const BodyCall& call, device::Gpu& gpu)
    : call_(call),
      dtype_(static_cast<DType>(form[0])),
      which_(static_cast<Factorization>(form[1])),
      option_(form[2] != 0),
      point_(call.piece.lo()) {
  switch (which_) {
    case Factorization::Determinant:
    case Factorization::Orthogonal:
    case Factorization::Hermitian: matrix_ = 2; break;
    case Factorization::Singular: matrix_ = 3; break;
    default: matrix_ = 1; break;
  }
  std::tie(rows_, columns_) = std::pair(extents_of(matrix_).rows, extents_of(matrix_).columns);
  // Gesvd takes no fewer rows than columns: U S V^H transposed is a product of such factors, in the other order.
  const bool is_singular = which_ == Factorization::Singular || which_ == Factorization::SingularValues;
  is_transposed_ = is_singular && rows_ < columns_;
  if (is_transposed_) std::swap(rows_, columns_);
  add_calls();
  lay_out(gpu);
}

void Factoring::add_calls() {
  const std::int64_t least = std::min(rows_, columns_);
  switch (which_) {
    case Factorization::Solve:
    case Factorization::Inverse:
      add(LapackCall::Getrf, columns_, 0);
      add(LapackCall::Getrs, columns_, which_ == Factorization::Solve ? extents_of(2).columns : columns_);
      break;
    case Factorization::Determinant: add(LapackCall::Getrf, columns_, 0); break;
    case Factorization::Cholesky: add(LapackCall::Potrf, columns_, 0); break;
    case Factorization::Orthogonal:
      add(LapackCall::Geqrf, columns_, 0);
      add(LapackCall::Orgqr, extents_of(0).columns, std::min(least, extents_of(0).columns));
      break;
    case Factorization::Triangular: add(LapackCall::Geqrf, columns_, 0); break;
    case Factorization::Hermitian: add(LapackCall::Heevd, columns_, 1); break;
    case Factorization::HermitianValues: add(LapackCall::Heevd, columns_, 0); break;
    case Factorization::Singular:
      add(LapackCall::Gesvd, columns_, is_transposed_ ? extents_of(2).rows : extents_of(0).columns);
      break;
    default: add(LapackCall::Gesvd, columns_, 0); break;
  }
}

std::int64_t Factoring::take(std::int64_t bytes) {
  const std::int64_t offset = bytes_;
  bytes_ += (bytes + 255) / 256 * 256;
  return offset;
}

void Factoring::lay_out(device::Gpu& gpu) {
  const auto cell = static_cast<std::int64_t>(itemsize(dtype_));
  std::int64_t columns = columns_, work = 0;
  for (const GpuLapack& call : calls_) {
    columns = std::max(columns, call.columns);  // Q may have more than the matrix
    work = std::max(work, static_cast<std::int64_t>(gpu.lapack_bytes(call)));
  }
  const std::int64_t count = calls_.back().count;
  a_ = take(rows_ * columns * cell);
  b_ = take(std::max(rows_, columns_) * 16);
  if (calls_.back().call == LapackCall::Getrs || calls_.back().call == LapackCall::Gesvd)
    c_ = take(rows_ * count * cell);
  if (calls_.back().call == LapackCall::Gesvd && count > 0) d_ = take(columns_ * columns_ * cell);
  info_ = take(256);
  work_ = take(work);
}

Factoring::Extents Factoring::extents_of(std::size_t store) const {
  const BoundStore& bound = call_.stores[store];
  const auto row = u(call_.piece.rank()), column = row + 1;
  return {bound.hi[row] - bound.lo[row], bound.hi[column] - bound.lo[column]};
}

MatrixPlace Factoring::place_of(std::size_t store, std::size_t cell_bytes) const {
  const BoundStore& bound = call_.stores[store];
  const int rank = call_.piece.rank();
  return {static_cast<std::byte*>(bound.first) + cells_to(bound, point_, rank) * static_cast<std::int64_t>(cell_bytes),
          bound.stride[u(rank)], bound.stride[u(rank) + 1]};
}

// A vector as a column.
MatrixPlace Factoring::values_of(std::size_t store) const {
  const DType part = pilum::detail::part_of(dtype_);
  return {place_of(store, itemsize(part)).first, call_.stores[store].stride[u(call_.piece.rank())], 0};
}

void Factoring::read(const MatrixPlace& from, std::int64_t rows, std::int64_t columns, std::int64_t to) const {
  copy_matrix({itemsize(dtype_), from, by_columns(to, rows), rows, columns}, *where_);
}

void Factoring::write(std::int64_t from, std::int64_t from_rows, std::size_t to, MatrixPart part) const {
  const auto [rows, columns] = extents_of(to);
  const MatrixPlace source = by_columns(from, from_rows);
  copy_matrix({itemsize(dtype_), is_transposed_ ? source.transposed() : source, place_of(to), rows, columns, part},
              *where_);
}

void Factoring::write_values(std::size_t to) const {
  const std::int64_t count = extents_of(to).rows;
  copy_matrix({itemsize(pilum::detail::part_of(dtype_)), by_columns(b_, count), values_of(to), count, 1}, *where_);
}

void Factoring::run(std::size_t call) const {
  std::byte* const scratch = where_->scratch;
  where_->gpu.run(where_->stream, calls_[call],
                  {scratch + a_, scratch + b_, scratch + c_, scratch + d_, scratch + info_, scratch + work_});
}

void Factoring::refuse(std::int64_t what, std::int64_t numbers, std::int64_t step, std::int64_t count) const {
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(where_->scratch + info_),
                                 static_cast<std::uint64_t>(what),
                                 reinterpret_cast<std::uint64_t>(where_->report),
                                 reinterpret_cast<std::uint64_t>(where_->task),
                                 reinterpret_cast<std::uint64_t>(where_->file),
                                 where_->line,
                                 reinterpret_cast<std::uint64_t>(where_->scratch + numbers),
                                 static_cast<std::uint64_t>(step),
                                 static_cast<std::uint64_t>(count),
                                 pilum::detail::part_of(dtype_) == DType::Float64};
  where_->launch({where_->jit.get(refusal_kernel_text())->image(), {1, 1, 1}, {kRowsThreads, 1, 1}, words});
}

void Factoring::write_determinant() const {
  std::byte* const scratch = where_->scratch;
  const std::uint64_t words[] = {
      reinterpret_cast<std::uint64_t>(scratch + a_),      reinterpret_cast<std::uint64_t>(scratch + b_),
      reinterpret_cast<std::uint64_t>(scratch + info_),   static_cast<std::uint64_t>(rows_),
      reinterpret_cast<std::uint64_t>(place_of(0).first), reinterpret_cast<std::uint64_t>(values_of(1).first)};
  where_->launch({where_->jit.get(determinant_text(dtype_))->image(), {1, 1, 1}, {kRowsThreads, 1, 1}, words});
}

// Of a singular one NaNs, or nothing, and an error.
void Factoring::invert() const {
  MatrixCopy copy{itemsize(dtype_), {}, by_columns(c_, rows_), rows_, rows_, MatrixPart::Identity, bits_of(dtype_, 1)};
  copy_matrix(copy, *where_);
  run(0);
  run(1);
  copy.from = copy.to;
  copy.to = place_of(0);
  copy.part = MatrixPart::Whole;
  copy.filling = bits_of(dtype_, std::numeric_limits<double>::quiet_NaN());
  copy.info = option_ ? where_->scratch + info_ : nullptr;
  copy_matrix(copy, *where_);
  if (!option_) refuse(scheduler::kSingularMatrix);
}

void Factoring::issue_point() {
  const MatrixPlace matrix = place_of(matrix_);
  read(is_transposed_ ? matrix.transposed() : matrix, rows_, columns_, a_);
  switch (which_) {
    case Factorization::Solve:
      read(place_of(2), rows_, calls_[1].count, c_);
      run(0);
      run(1);
      write(c_, rows_, 0);
      return refuse(scheduler::kSingularMatrix);
    case Factorization::Inverse: return invert();
    case Factorization::Determinant: run(0); return write_determinant();
    case Factorization::Cholesky:
      run(0);
      write(a_, rows_, 0, option_ ? MatrixPart::Upper : MatrixPart::Lower);
      return refuse(scheduler::kIndefiniteMatrix, a_, (rows_ + 1) * (is_complex(dtype_) ? 2 : 1), rows_);
    case Factorization::Orthogonal:
      run(0);
      write(a_, rows_, 1, MatrixPart::Upper);
      run(1);
      return write(a_, rows_, 0);
    case Factorization::Triangular: run(0); return write(a_, rows_, 0, MatrixPart::Upper);
    case Factorization::Hermitian:
      run(0);
      write_values(0);
      write(a_, rows_, 1);
      return refuse(scheduler::kNoEigenvalues, b_, 1, rows_);
    case Factorization::HermitianValues:
      run(0);
      write_values(0);
      return refuse(scheduler::kNoEigenvalues, b_, 1, rows_);
    case Factorization::Singular:
      run(0);
      write_values(1);
      write(is_transposed_ ? d_ : c_, is_transposed_ ? columns_ : rows_, 0);
      write(is_transposed_ ? c_ : d_, is_transposed_ ? rows_ : columns_, 2);
      return refuse(scheduler::kNoSingularValues, b_, 1, columns_);
    default:
      run(0);
      write_values(0);
      return refuse(scheduler::kNoSingularValues, b_, 1, columns_);
  }
}

void Factoring::issue(const scheduler::DeviceIssue& where) {
  where_ = &where;
  for_each_point(call_.piece, -1, [&](const Piece::Bounds& point) {
    point_ = point;
    issue_point();
  });
}

}  // namespace

const std::string& refusal_kernel_text() {
  static const std::string text =
      "typedef long long i64;\ntypedef unsigned long long u64;\n" + kernel::refusal_text() + kRefusal;
  return text;
}

const std::string& determinant_text(DType dtype) {
  static const auto text_of = [](const char* real, const char* cells) {
    return "typedef " + std::string(real) + " Real;" + cells + kDeterminant;
  };
  static const std::string of_floats = text_of("float", kRealCells), of_doubles = text_of("double", kRealCells),
                           of_complex_floats = text_of("float", kComplexCells),
                           of_complex_doubles = text_of("double", kComplexCells);
  switch (dtype) {
    case DType::Float32: return of_floats;
    case DType::Float64: return of_doubles;
    case DType::Complex64: return of_complex_floats;
    default: return of_complex_doubles;
  }
}

bool is_factored_by_gpus(Factorization which, std::int64_t rows, std::int64_t columns) {
  switch (which) {
    case Factorization::PlainDeterminant:
    case Factorization::General:
    case Factorization::GeneralValues:
    case Factorization::ReflectionSigns: return false;
    default: break;
  }
  return std::min(rows, columns) >= kLeastExtent && std::max(rows, columns) <= std::numeric_limits<int>::max();
}

std::int64_t factor_scratch(std::span<const std::int64_t> form, const BodyCall& call, device::Gpu& gpu) {
  return call.piece.size() == 0 ? 0 : Factoring(form, call, gpu).scratch_bytes();
}

void issue_factors(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  if (call.piece.size() > 0) Factoring(form, call, where.gpu).issue(where);
}

}  // namespace pilum::numeric
