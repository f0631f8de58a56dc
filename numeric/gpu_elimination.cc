#include "numeric/gpu_elimination.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "numeric/body_walk.h"
#include "numeric/gpu_cell_text.h"
#include "numeric/library_task.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr std::int64_t kSharedCells = 5888;  // of the matrix and its right sides, in a block's shared memory
constexpr std::int64_t kMostRows = 256;      // of many matrices: a lane holds each 32nd of a column's multipliers
constexpr std::int64_t kFewMatrices = 8;     // or fewer large ones are factored one after the other (gpu_factors.h)
constexpr std::int64_t kLargeRows = 96;
// Eight blocks for each multiprocessor, or fewer that have so much scratch memory: they take more than one matrix each.
constexpr std::int64_t kMostBlocks = 1056, kMostScratch = std::int64_t{1} << 28;
constexpr std::uint32_t kEliminating = 256;

// Words.
enum Word : std::uint8_t {
  kRows = 0,
  kSides = 1,  // columns of the right sides
  kMatrices = 2,
  kBatchRank = 3,  // of the batch
  kTask = 4,       // a Task
  kNan = 5,        // whether a singular one gives NaNs, and no error
  kScratch = 6,
  kMatrix = 7,   // address, steps from row to row and from column to column
  kRight = 10,   // the same; or the sign's address
  kResult = 13,  // the same; or the logarithm's address
  kReport = 16,  // report, task, file, line
  kBatch = 20,   // of each axis of the batch its extent, and the steps of the matrix, the right sides and the result
  kEliminationWords = kBatch + 4 * kMaxAxes,
};
enum Task : std::uint8_t { kSolve, kInvert, kDetermine, kLower, kUpper };

constexpr const char* kHead = R"(
constexpr unsigned kThreads = 256, kWarps = kThreads / 32;
constexpr int kHeld = HELD;
static __device__ __forceinline__ Cell size_of(Cell a) { return a < 0 ? -a : a; }

// The place of the largest cell from row k on, the first one of equals. Every warp finds it itself.
static __device__ int find_pivot(const Cell* column, int k, int n, unsigned lane) {
  Cell most = -1;
  int place = k;
  for (int i = k + (int)lane; i < n; i += 32) {
    const Cell size = size_of(column[i]);
    if (size > most) most = size, place = i;
  }
#pragma unroll
  for (int away = 16; away > 0; away /= 2) {
    const Cell other = __shfl_xor_sync(0xffffffffu, most, away);
    const int there = __shfl_xor_sync(0xffffffffu, place, away);
    if (other > most || (other == most && there < place)) most = other, place = there;
  }
  return place;
}

// Rows below k of one column, less what its row k has of the multipliers that this thread holds.
static __device__ __forceinline__ void eliminate(Cell* column, const Cell* held, Cell by, int k, int n, unsigned lane) {
#pragma unroll
  for (int part = 0; part < kHeld; ++part) {
    const int i = k + 1 + (int)lane + 32 * part;
    if (i < n) column[i] -= held[part] * by;
  }
}
static __device__ __forceinline__ void hold(const Cell* column, Cell* held, int k, int n, unsigned lane) {
#pragma unroll
  for (int part = 0; part < kHeld; ++part) {
    const int i = k + 1 + (int)lane + 32 * part;
    held[part] = i < n ? column[i] : (Cell)0;
  }
}

// Columns of the matrix, then of the right sides: the upper triangle stays, and right sides are what it is to be solved
// for. The sign of the rows' order; 0 where a pivot is.
static __device__ int eliminate_all(Cell* cells, int n, int columns, unsigned lane, unsigned warp) {
  int sign = 1;
  for (int k = 0; k < n; ++k) {
    Cell* const by = cells + k * n;
    const int place = find_pivot(by, k, n, lane);
    const Cell pivot = by[place];
    __syncthreads();
    if (place != k) sign = -sign;
    if (pivot == 0) sign = 0;
    if (warp == 0) {
      if (lane == 0) {
        by[place] = by[k];
        by[k] = pivot;
      }
      __syncwarp();
      for (int i = k + 1 + (int)lane; i < n && pivot != 0; i += 32) by[i] /= pivot;
    }
    __syncthreads();
    Cell held[kHeld];
    hold(by, held, k, n, lane);
    for (int j = k + 1 + (int)warp; j < columns; j += (int)kWarps) {
      Cell* const column = cells + j * n;
      const Cell top = column[place];
      __syncwarp();
      if (lane == 0 && place != k) {
        column[place] = column[k];
        column[k] = top;
      }
      __syncwarp();
      eliminate(column, held, top, k, n, lane);
    }
    __syncthreads();
  }
  return sign;
}

// A warp a right side.
static __device__ void substitute(Cell* cells, int n, int columns, unsigned lane, unsigned warp) {
  for (int j = n + (int)warp; j < columns; j += (int)kWarps) {
    Cell* const x = cells + j * n;
    for (int k = n - 1; k >= 0; --k) {
      const Cell value = x[k] / cells[k * n + k];
      __syncwarp();
      if (lane == 0) x[k] = value;
      for (int i = (int)lane; i < k; i += 32) x[i] -= cells[k * n + i] * value;
      __syncwarp();
    }
  }
}

// The lower triangle, whose columns come one after the other. Whether there is one.
static __device__ bool find_triangle(Cell* cells, int n, unsigned lane, unsigned warp) {
  bool is_positive = true;
  for (int k = 0; k < n; ++k) {
    Cell* const by = cells + k * n;
    const Cell square = by[k], root = sqrt(square);
    is_positive = is_positive && square > 0;
    __syncthreads();
    if (warp == 0) {
      if (lane == 0) by[k] = root;
      for (int i = k + 1 + (int)lane; i < n; i += 32) by[i] /= root;
    }
    __syncthreads();
    Cell held[kHeld];
    hold(by, held, k, n, lane);
    for (int j = k + 1 + (int)warp; j < n; j += (int)kWarps) eliminate(cells + j * n, held, by[j], k, n, lane);
    __syncthreads();
  }
  return is_positive;
}

// As they lie beside each other in memory, so that neighbouring threads have neighbours.
struct Side {
  Cell* first;
  long long row, column;
  __device__ Cell& at(int i, int j) const { return first[i * row + j * column]; }
};
template <class Visit>
static __device__ void visit_cells(const Side& side, int rows, int columns, const Visit& visit) {
  const bool is_by_columns = side.row == 1 && side.column != 1;
  for (int e = threadIdx.x; e < rows * columns; e += kThreads) {
    const int i = is_by_columns ? e % rows : e / columns, j = is_by_columns ? e / rows : e % columns;
    visit(i, j);
  }
}
)";

constexpr const char* kKernel = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
#if IN_SHARED
  __shared__ Cell cells[kCells];
#else
  Cell* const cells = (Cell*)words.word[SCRATCH] +
                      (long long)blockIdx.x * (long long)(words.word[ROWS] * (words.word[ROWS] + words.word[SIDES]));
#endif
  const int n = (int)words.word[ROWS], sides = (int)words.word[SIDES], columns = n + sides, task = (int)words.word[TASK];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (u64 matrix = blockIdx.x; matrix < words.word[MATRICES]; matrix += gridDim.x) {
    Side from{(Cell*)words.word[MATRIX], (i64)words.word[MATRIX + 1], (i64)words.word[MATRIX + 2]};
    Side right{(Cell*)words.word[RIGHT], (i64)words.word[RIGHT + 1], (i64)words.word[RIGHT + 2]};
    Side to{(Cell*)words.word[RESULT], (i64)words.word[RESULT + 1], (i64)words.word[RESULT + 2]};
    u64 point = matrix;
    for (int axis = (int)words.word[AXES] - 1; axis >= 0; --axis) {
      const u64* const w = words.word + BATCH + 4 * axis;
      const i64 at = (i64)(point % w[0]);
      point /= w[0];
      from.first += at * (i64)w[1];
      right.first += at * (i64)w[2];
      to.first += at * (i64)w[3];
    }
    if (task == UPPER) {
      const i64 row = from.row;
      from.row = from.column;
      from.column = row;
    }
    visit_cells(from, n, n, [&](int i, int j) { cells[j * n + i] = from.at(i, j); });
    if (task == SOLVE) visit_cells(right, n, sides, [&](int i, int j) { cells[(n + j) * n + i] = right.at(i, j); });
    for (int e = threadIdx.x; e < n * n && task == INVERT; e += kThreads)
      cells[n * n + e] = e / n == e % n ? (Cell)1 : (Cell)0;
    __syncthreads();
    bool is_there;
    if (task == LOWER || task == UPPER) {
      is_there = find_triangle(cells, n, lane, warp);
      if (task == UPPER) {
        const i64 row = to.row;
        to.row = to.column;
        to.column = row;
      }
      visit_cells(to, n, n, [&](int i, int j) { to.at(i, j) = i >= j ? cells[j * n + i] : (Cell)0; });
    } else {
      const int sign = eliminate_all(cells, n, columns, lane, warp);
      is_there = sign != 0;
      if (task == DETERMINE) {
        if (threadIdx.x == 0) {
          Cell of_all = (Cell)sign;
          double logarithm = 0;
          for (int k = 0; k < n; ++k) {
            const Cell cell = cells[k * n + k];
            if (cell < 0) of_all = -of_all;
            if (cell != cell) of_all = cell;
            logarithm += log((double)size_of(cell));
          }
          *right.first = of_all;
          *to.first = is_there ? (Cell)logarithm : (Cell)log(0.0);
        }
        is_there = true;
      } else {
        substitute(cells, n, columns, lane, warp);
        __syncthreads();
        const Cell none = (Cell)(log(0.0) - log(0.0));  // no number
        const bool is_none = !is_there && words.word[NANS];
        visit_cells(to, n, sides, [&](int i, int j) { to.at(i, j) = is_none ? none : cells[(n + j) * n + i]; });
      }
    }
    if (!is_there && !words.word[NANS] && threadIdx.x == 0) {
      refuse_picked({(OutOfBounds*)words.word[REPORT], (i64)words.word[REPORT + 1], (i64)words.word[REPORT + 2],
                     (i64)words.word[REPORT + 3]},
                    0, task == LOWER || task == UPPER ? INDEFINITE : SINGULAR, 0);
    }
    __syncthreads();
  }
}
)";

std::string defined(const char* name, std::int64_t value) {
  return "#define " + std::string(name) + " " + std::to_string(value) + "\n";
}

std::string write_text(DType dtype, bool is_shared) {
  std::string text = "typedef long long i64;\ntypedef unsigned long long u64;\n" + kernel::refusal_text() +
                     "struct Words { u64 word[" + std::to_string(kEliminationWords) + "]; };\ntypedef " +
                     plain_cell_type(dtype) + " Cell;\nconstexpr int kCells = " + std::to_string(kSharedCells) + ";\n";
  const std::pair<const char*, int> names[] = {{"ROWS", kRows},       {"SIDES", kSides},   {"MATRICES", kMatrices},
                                               {"AXES", kBatchRank},  {"TASK", kTask},     {"NANS", kNan},
                                               {"SCRATCH", kScratch}, {"MATRIX", kMatrix}, {"RIGHT", kRight},
                                               {"RESULT", kResult},   {"REPORT", kReport}, {"BATCH", kBatch},
                                               {"SOLVE", kSolve},     {"INVERT", kInvert}, {"DETERMINE", kDetermine},
                                               {"LOWER", kLower},     {"UPPER", kUpper},   {"IN_SHARED", is_shared}};
  for (const auto& [name, value] : names) text += defined(name, value);
  text += defined("HELD", kMostRows / 32) + defined("SINGULAR", scheduler::kSingularMatrix) +
          defined("INDEFINITE", scheduler::kIndefiniteMatrix);
  return text + kHead + kKernel;
}

struct Elimination {
  DType dtype;
  Factorization which;
  bool option;
  std::size_t matrix;
  std::int64_t rows, sides, matrices, blocks;

  std::int64_t cells() const { return rows * (rows + sides); }
  bool is_shared() const { return cells() <= kSharedCells; }
  std::int64_t scratch_bytes() const {
    return is_shared() ? 0 : blocks * cells() * static_cast<std::int64_t>(itemsize(dtype));
  }
};

Elimination elimination_of(std::span<const std::int64_t> form, const BodyCall& call) {
  Elimination all{static_cast<DType>(form[0]), static_cast<Factorization>(form[1]), form[2] != 0, 1, 0, 0, 0, 0};
  if (all.which == Factorization::Determinant) all.matrix = 2;
  const auto row = u(call.piece.rank()), column = row + 1;
  const BoundStore& matrix = call.stores[all.matrix];
  all.rows = matrix.hi[row] - matrix.lo[row];
  if (all.which == Factorization::Inverse) all.sides = all.rows;
  if (all.which == Factorization::Solve) all.sides = call.stores[2].hi[column] - call.stores[2].lo[column];
  all.matrices = call.piece.size();
  all.blocks = std::min(all.matrices, kMostBlocks);
  if (!all.is_shared()) {
    const std::int64_t bytes = all.cells() * static_cast<std::int64_t>(itemsize(all.dtype));
    all.blocks = std::clamp<std::int64_t>(kMostScratch / bytes, 1, all.blocks);
  }
  return all;
}

Task task_of(const Elimination& all) {
  switch (all.which) {
    case Factorization::Solve: return kSolve;
    case Factorization::Inverse: return kInvert;
    case Factorization::Determinant: return kDetermine;
    default: return all.option ? kUpper : kLower;
  }
}

}  // namespace

bool is_eliminated_by_gpus(Factorization which, DType dtype, std::int64_t rows, std::int64_t columns,
                           std::int64_t matrices) {
  const bool is_known = which == Factorization::Solve || which == Factorization::Inverse ||
                        which == Factorization::Determinant || which == Factorization::Cholesky;
  if (!is_known || rows != columns || (dtype != DType::Float32 && dtype != DType::Float64)) return false;
  return rows < kLargeRows || (rows <= kMostRows && matrices > kFewMatrices);
}

std::int64_t elimination_scratch(std::span<const std::int64_t> form, const BodyCall& call, device::Gpu&) {
  return elimination_of(form, call).scratch_bytes();
}

const std::string& elimination_text(DType dtype, bool is_shared) {
  thread_local std::map<std::pair<DType, bool>, std::string> written;
  std::string& text = written[{dtype, is_shared}];
  if (text.empty()) text = write_text(dtype, is_shared);
  return text;
}

void issue_eliminations(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  if (call.piece.size() == 0) return;
  const Elimination all = elimination_of(form, call);
  const int rank = call.piece.rank();
  std::array<std::uint64_t, kEliminationWords> words{};
  const auto set = [&](std::size_t place, std::int64_t value) { words[place] = static_cast<std::uint64_t>(value); };
  const auto put = [&](std::size_t place, std::size_t number, int which) {
    const BoundStore& store = call.stores[number];
    const auto size = static_cast<std::int64_t>(itemsize(all.dtype));
    words[place] = reinterpret_cast<std::uint64_t>(store.first) +
                   static_cast<std::uint64_t>(cells_to(store, call.piece.lo(), rank) * size);
    set(place + 1, store.stride[u(rank)]);
    set(place + 2, store.stride[u(rank) + 1]);
    for (std::size_t axis = 0; axis < u(rank); ++axis) set(kBatch + 4 * axis + u(which), store.stride[axis]);
  };
  set(kRows, all.rows);
  set(kSides, all.sides);
  set(kMatrices, all.matrices);
  set(kBatchRank, rank);
  words[kTask] = task_of(all);
  words[kNan] = all.which == Factorization::Inverse && all.option;
  words[kScratch] = all.is_shared() ? 0 : reinterpret_cast<std::uint64_t>(where.scratch);
  put(kMatrix, all.matrix, 1);
  if (all.which == Factorization::Solve) put(kRight, 2, 2);
  if (all.which == Factorization::Determinant) put(kRight, 0, 2);
  put(kResult, all.which == Factorization::Determinant ? 1 : 0, 3);
  words[kReport] = reinterpret_cast<std::uint64_t>(where.report);
  words[kReport + 1] = reinterpret_cast<std::uint64_t>(where.task);
  words[kReport + 2] = reinterpret_cast<std::uint64_t>(where.file);
  words[kReport + 3] = where.line;
  for (std::size_t axis = 0; axis < u(rank); ++axis) set(kBatch + 4 * axis, call.piece.extent(static_cast<int>(axis)));
  where.launch({where.jit.get(elimination_text(all.dtype, all.is_shared()))->image(),
                {static_cast<std::uint32_t>(all.blocks), 1, 1},
                {kEliminating, 1, 1},
                words});
}

}  // namespace pilum::numeric
