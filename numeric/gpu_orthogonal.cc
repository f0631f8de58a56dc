#include "numeric/gpu_orthogonal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>

#include "numeric/body_walk.h"
#include "numeric/gpu_cell_text.h"
#include "numeric/library_task.h"
#include "runtime/base/check.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr std::uint32_t kReflecting = 256;     // threads of a block
constexpr std::int64_t kMostReflections = 76;  // of kOrthogonalCells cells: its square root

// Words: 0 rows, 1 columns, 2 reflections, 3 axes of the batch; from 4 on, of the matrix, Q and R, three each: the
// address of the first cell, of Q 0 where it is not wanted, and the steps from row to row and from column to column;
// from 13 on, of each axis of the batch its extent and the steps of the three.
constexpr int kOrthogonalWords = 13 + 4 * kMaxAxes;

constexpr const char* kOrthogonalHead = R"(
constexpr unsigned kThreads = 256, kWarps = kThreads / 32;
constexpr Cell kLeast = sizeof(Cell) == 8 ? (Cell)1e-280 : (Cell)1e-30, kMost = sizeof(Cell) == 8 ? (Cell)1e280 : (Cell)1e30;
static __device__ __forceinline__ Cell all_of_warp(Cell sum) {
#pragma unroll
  for (int away = 16; away > 0; away /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, away);
  return sum;
}
static __device__ __forceinline__ Cell size_of(Cell a) { return a < 0 ? -a : a; }
)";

// A column's reflection is I - tau v v', v = (1, below * scale): columns stay as they are, but for those whose squares
// or inverses may be no numbers, and each warp applies it to columns of its own. Every warp finds it itself, all in the
// same order, which takes no waiting.
constexpr const char* kOrthogonal = R"(
struct Reflection {
  Cell diagonal, tau, scale;
};
// The length of what is below place k, beyond the numbers whose squares are numbers too.
static __device__ Cell careful_length(const Cell* column, int k, int rows, unsigned lane) {
  Cell most = 0;
  for (int i = k + 1 + lane; i < rows; i += 32) {
    const Cell size = size_of(column[i]);
    if (size > most || size != size) most = size;
  }
#pragma unroll
  for (int away = 16; away > 0; away /= 2) {
    const Cell other = __shfl_xor_sync(0xffffffffu, most, away);
    if (other > most || other != other) most = other;
  }
  if (most == 0 || most != most || most - most != 0) return most;
  Cell sum = 0;
  for (int i = k + 1 + lane; i < rows; i += 32) {
    const Cell part = column[i] / most;
    sum += part * part;
  }
  return most * sqrt(all_of_warp(sum));
}
// `is_plain`: the column stays as it is.
static __device__ Reflection reflect(const Cell* column, int k, int rows, unsigned lane, bool& is_plain) {
  Cell sum = 0;
  for (int i = k + 1 + lane; i < rows; i += 32) sum += column[i] * column[i];
  sum = all_of_warp(sum);
  const Cell alpha = column[k];
  is_plain = sum > kLeast && sum < kMost && size_of(alpha) < sqrt(kMost);
  const Cell below = is_plain ? sqrt(sum) : careful_length(column, k, rows, lane);
  if (below == 0) {
    is_plain = true;
    return {alpha, (Cell)0, (Cell)0};
  }
  Cell length;
  if (is_plain) {
    length = sqrt(alpha * alpha + sum);
  } else {
    const Cell one = size_of(alpha), large = one > below ? one : below, small = one > below ? below : one;
    const Cell ratio = small / large;
    length = large * sqrt(1 + ratio * ratio);
  }
  const Cell beta = copysign(length, -alpha);
  return {beta, (beta - alpha) / beta, is_plain ? 1 / (alpha - beta) : (Cell)1};
}
// Of a column of the matrix, or of Q, whose cell at place k is `first`.
static __device__ __forceinline__ void apply(const Cell* by, Cell* column, int k, int rows, Cell tau, Cell scale, Cell first,
                                             unsigned lane) {
  Cell sum = 0;
  for (int i = k + 1 + lane; i < rows; i += 32) sum += by[i] * column[i];
  const Cell share = tau * (first + scale * all_of_warp(sum)), times = share * scale;
  for (int i = k + 1 + lane; i < rows; i += 32) column[i] -= times * by[i];
  __syncwarp();
  if (lane == 0) column[k] = first - share;
}

extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kCells];
  __shared__ Reflection reflections[kReflections];
  const int rows = (int)words.word[0], columns = (int)words.word[1], count = (int)words.word[2];
  const unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const Cell* from = (const Cell*)words.word[4];
  Cell *q = (Cell*)words.word[7], *r = (Cell*)words.word[10];
  unsigned long long point = blockIdx.x;
  for (int axis = (int)words.word[3] - 1; axis >= 0; --axis) {
    const unsigned long long* const w = words.word + 13 + 4 * axis;
    const long long at = (long long)(point % w[0]);
    point /= w[0];
    from += at * (long long)w[1];
    if (q) q += at * (long long)w[2];
    r += at * (long long)w[3];
  }
  {
    const long long row = (long long)words.word[5], column = (long long)words.word[6];
    const bool is_by_columns = row == 1 && column != 1;
    for (int e = thread; e < rows * columns; e += kThreads) {
      const int i = is_by_columns ? e % rows : e / columns, j = is_by_columns ? e / rows : e % columns;
      cells[j * rows + i] = from[i * row + j * column];
    }
  }
  __syncthreads();
  for (int k = 0; k < count; ++k) {
    Cell* const by = cells + k * rows;
    bool is_plain;
    const Reflection found = reflect(by, k, rows, lane, is_plain);
    if (thread == 0) reflections[k] = found;
    if (!is_plain) {
      const Cell whole = by[k] - found.diagonal;
      __syncthreads();
      for (int i = k + 1 + thread; i < rows; i += kThreads) by[i] /= whole;
      __syncthreads();
    }
    if (found.tau != 0) {
      for (int j = k + 1 + warp; j < columns; j += kWarps)
        apply(by, cells + j * rows, k, rows, found.tau, found.scale, cells[j * rows + k], lane);
    }
    __syncthreads();
  }
  {
    const long long row = (long long)words.word[11], column = (long long)words.word[12];
    for (int e = thread; e < count * columns; e += kThreads) {
      const int i = e / columns, j = e % columns;
      r[i * row + j * column] = i < j ? cells[j * rows + i] : i == j ? reflections[i].diagonal : (Cell)0;
    }
  }
  if (!q) return;
  __syncthreads();
  for (int k = count - 1; k >= 0; --k) {
    Cell* const by = cells + k * rows;
    const Cell tau = reflections[k].tau, scale = reflections[k].scale;
    for (int j = k + 1 + warp; j < count; j += kWarps) apply(by, cells + j * rows, k, rows, tau, scale, (Cell)0, lane);
    __syncthreads();
    for (int i = thread; i < rows; i += kThreads) by[i] = i < k ? (Cell)0 : i == k ? 1 - tau : -tau * scale * by[i];
    __syncthreads();
  }
  const long long row = (long long)words.word[8], column = (long long)words.word[9];
  for (int e = thread; e < rows * count; e += kThreads) {
    const int i = e / count, j = e % count;
    q[i * row + j * column] = cells[j * rows + i];
  }
}
)";

// Words: 0 signs, their step; 2 the matrix, its steps; 5 the columns.
constexpr const char* kReflectionSigns = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kCells];
  Cell* const signs = (Cell*)words.word[0];
  const Cell* const from = (const Cell*)words.word[2];
  const long long step = (long long)words.word[1], row = (long long)words.word[3], column = (long long)words.word[4];
  const int count = (int)words.word[5];
  for (int e = threadIdx.x; e < count * count; e += kThreads) cells[e] = from[e / count * row + e % count * column];
  __syncthreads();
  for (int k = 0; k < count; ++k) {
    const Cell sign = cells[k * count + k] < 0 ? (Cell)1 : (Cell)-1, pivot = cells[k * count + k] - sign;
    const int left = count - k - 1;
    for (int e = threadIdx.x; e < left * left; e += kThreads) {
      const int i = k + 1 + e / left, j = k + 1 + e % left;
      cells[i * count + j] -= cells[i * count + k] / pivot * cells[k * count + j];
    }
    if (threadIdx.x == 0) signs[k * step] = sign;
    __syncthreads();
  }
}
)";

std::string orthogonal_head(DType dtype, int words, std::int64_t cells) {
  return "struct Words { unsigned long long word[" + std::to_string(words) + "]; };\ntypedef " +
         plain_cell_type(dtype) + " Cell;\nconstexpr int kCells = " + std::to_string(cells) +
         ", kReflections = " + std::to_string(kMostReflections) + ";\n" + kOrthogonalHead;
}

std::uint64_t number_word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::uint64_t address_at(const BoundStore& store, const Piece::Bounds& point, int rank, std::size_t size) {
  return reinterpret_cast<std::uint64_t>(store.first) +
         number_word(cells_to(store, point, rank) * static_cast<std::int64_t>(size));
}

void issue_factors(DType dtype, bool has_q, const BodyCall& call, const scheduler::DeviceIssue& where) {
  if (call.piece.size() == 0) return;
  const std::size_t size = itemsize(dtype);
  const BoundStore *const q = has_q ? &call.stores[0] : nullptr, &r = call.stores[has_q ? 1 : 0],
                          &matrix = call.stores[has_q ? 2 : 1];
  const int rank = call.piece.rank();
  const std::size_t row = u(rank), column = row + 1;
  const std::int64_t rows = matrix.hi[row] - matrix.lo[row], columns = matrix.hi[column] - matrix.lo[column];
  PILUM_CHECK(rows * columns <= kOrthogonalCells, "a matrix of {} x {} in a GPU's shared memory", rows, columns);
  std::array<std::uint64_t, kOrthogonalWords> words{};
  words[0] = number_word(rows);
  words[1] = number_word(columns);
  words[2] = number_word(std::min(rows, columns));
  words[3] = number_word(rank);
  const std::array<const BoundStore*, 3> stores{&matrix, q, &r};
  for (std::size_t k = 0; k < stores.size(); ++k) {
    if (!stores[k]) continue;
    words[4 + 3 * k] = address_at(*stores[k], call.piece.lo(), rank, size);
    words[5 + 3 * k] = number_word(stores[k]->stride[row]);
    words[6 + 3 * k] = number_word(stores[k]->stride[column]);
    for (std::size_t axis = 0; axis < row; ++axis) words[14 + 4 * axis + k] = number_word(stores[k]->stride[axis]);
  }
  for (std::size_t axis = 0; axis < row; ++axis)
    words[13 + 4 * axis] = number_word(call.piece.extent(static_cast<int>(axis)));
  const auto& image = where.jit.get(orthogonal_text(dtype))->image();
  where.launch({image, {static_cast<std::uint32_t>(call.piece.size()), 1, 1}, {kReflecting, 1, 1}, words});
}

}  // namespace

bool is_orthogonalized_by_gpus(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  return (dtype == DType::Float32 || dtype == DType::Float64) && rows * columns <= kOrthogonalCells &&
         inner == std::min(rows, columns);
}

const std::string& orthogonal_text(DType dtype) {
  thread_local std::map<DType, std::string> written;
  std::string& text = written[dtype];
  if (text.empty()) text = orthogonal_head(dtype, kOrthogonalWords, kOrthogonalCells) + kOrthogonal;
  return text;
}

void issue_orthogonal(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  issue_factors(static_cast<DType>(form[0]), /*has_q=*/true, call, where);
}

void issue_triangular(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  issue_factors(static_cast<DType>(form[0]), /*has_q=*/false, call, where);
}

const std::string& reflection_signs_text(DType dtype) {
  thread_local std::map<DType, std::string> written;
  std::string& text = written[dtype];
  if (text.empty()) text = orthogonal_head(dtype, 6, kOrthogonalCells) + kReflectionSigns;
  return text;
}

void issue_reflection_signs(std::span<const std::int64_t> form, const BodyCall& call,
                            const scheduler::DeviceIssue& where) {
  if (call.piece.size() == 0) return;
  const auto dtype = static_cast<DType>(form[0]);
  const BoundStore &signs = call.stores[0], &matrix = call.stores[1];
  const int rank = call.piece.rank();
  const std::size_t row = u(rank), column = row + 1, size = itemsize(dtype);
  const std::uint64_t words[] = {address_at(signs, call.piece.lo(), rank, size),
                                 number_word(signs.stride[row]),
                                 address_at(matrix, call.piece.lo(), rank, size),
                                 number_word(matrix.stride[row]),
                                 number_word(matrix.stride[column]),
                                 number_word(matrix.hi[row] - matrix.lo[row])};
  where.launch({where.jit.get(reflection_signs_text(dtype))->image(), {1, 1, 1}, {kReflecting, 1, 1}, words});
}

}  // namespace pilum::numeric
