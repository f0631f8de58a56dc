#include <array>
#include <map>
#include <string>
#include <tuple>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "numeric/library_task.h"
#include "scheduler/record/device_call.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Words: 0 the array's first cell, 1 the result's, 2 scratch, 3 cells of a line, 4 lines, 5 cells of a block, 6 blocks
// of a line, 7 and 8 steps of the array from cell to cell and from line to line, 9 and 10 those of the result. In
// scratch block b of line l is b * lines + l.
constexpr int kColumnWords = 11;
constexpr const char* kThread = R"(
constexpr int kItems = 8;  // loads in flight
struct Thread {
  long long line, block, lines, count;
  const Cell* from;
  __device__ explicit Thread(const Words& words) {
    line = blockIdx.x * 256ll + threadIdx.x;
    block = blockIdx.y;
    lines = (long long)words.word[4];
    const long long cells = (long long)words.word[5], left = (long long)words.word[3] - block * cells;
    count = left < cells ? left : cells;
    from = (const Cell*)words.word[0] + line * (long long)words.word[8] + block * cells * (long long)words.word[7];
  }
};
)";
constexpr std::array<const char*, 3> kSteps{
    R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const Thread me(words);
  if (me.line >= me.lines) return;
  const long long step = (long long)words.word[7];
  Cell within = none();
  long long i = 0;
  for (; i + kItems <= me.count; i += kItems) {
    Cell own[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) own[k] = me.from[(i + k) * step];
#pragma unroll
    for (int k = 0; k < kItems; ++k) within = fold(within, own[k]);
  }
  for (; i < me.count; ++i) within = fold(within, me.from[i * step]);
  ((Cell*)words.word[2])[me.block * me.lines + me.line] = within;
}
)",
    R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const long long line = blockIdx.x * 256ll + threadIdx.x, lines = (long long)words.word[4];
  if (line >= lines) return;
  Cell before = none();
  for (long long block = 0; block < (long long)words.word[6]; ++block) {
    Cell& here = ((Cell*)words.word[2])[block * lines + line];
    const Cell within = here;
    here = before;
    before = fold(before, within);
  }
}
)",
    R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const Thread me(words);
  if (me.line >= me.lines) return;
  const long long step = (long long)words.word[7], to_step = (long long)words.word[9];
  Cell* const to = (Cell*)words.word[1] + me.line * (long long)words.word[10] +
                   me.block * (long long)words.word[5] * to_step;
  const Cell before = words.word[6] > 1 ? ((const Cell*)words.word[2])[me.block * me.lines + me.line] : none();
  Cell within = none();
  long long i = 0;
  for (; i + kItems <= me.count; i += kItems) {
    Cell own[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) own[k] = me.from[(i + k) * step];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      within = fold(within, own[k]);
      to[(i + k) * to_step] = fold(before, within);
    }
  }
  for (; i < me.count; ++i) {
    within = fold(within, me.from[i * step]);
    to[i * to_step] = fold(before, within);
  }
}
)"};

// The same of lines whose cells lie side by side: a block of threads has so many blocks of lines, and takes them by
// squares through shared memory, so that what is read and written lies side by side, too. What a thread keeps stands in
// `within`, by block of a line; steps 0 and 2, which is alone where lines are one block.
constexpr std::int64_t kRowsAtOnce = 64;
constexpr const char* kRowScan = R"(
constexpr int kColumns = 32, kLoads = 16;
extern "C" __global__ void __launch_bounds__(kRows) pilum_kernel(const Words words) {
  __shared__ Cell square[kRows][kColumns + 1];
  __shared__ const Cell* first[kRows];
  __shared__ Cell* to_first[kRows];
  __shared__ long long counts[kRows];
  const int thread = threadIdx.x, lane = thread % kColumns, side = thread - lane;
  const long long lines = (long long)words.word[4], block = (long long)words.word[5], blocks = (long long)words.word[6];
  const long long number = blockIdx.x * (long long)kRows + thread;
  const long long line = number / blocks, part = number % blocks, left = (long long)words.word[3] - part * block;
  const bool is_mine = line < lines;
  Cell* const totals = (Cell*)words.word[2];
  first[thread] = (const Cell*)words.word[0] + line * (long long)words.word[8] + part * block;
  to_first[thread] = (Cell*)words.word[1] + line * (long long)words.word[10] + part * block;
  counts[thread] = !is_mine ? 0 : left < block ? left : block;
  const Cell before = kWrites && is_mine && blocks > 1 ? totals[part * lines + line] : none();
  Cell within = none();
  const long long longest = (long long)words.word[3] < block ? (long long)words.word[3] : block;
  __syncthreads();
  for (long long at = 0; at < longest; at += kColumns) {
#pragma unroll
    for (int half = 0; half < kColumns; half += kLoads) {
      Cell own[kLoads];
#pragma unroll
      for (int k = 0; k < kLoads; ++k) {
        const int row = side + half + k;
        own[k] = at + lane < counts[row] ? first[row][at + lane] : none();
      }
#pragma unroll
      for (int k = 0; k < kLoads; ++k) square[side + half + k][lane] = own[k];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kColumns; ++k) {
      within = fold(within, square[thread][k]);
      if (kWrites) square[thread][k] = fold(before, within);
    }
    __syncthreads();
    if (!kWrites) continue;
#pragma unroll 8
    for (int k = 0; k < kColumns; ++k) {
      const int row = side + k;
      if (at + lane < counts[row]) to_first[row][at + lane] = square[row][lane];
    }
    __syncthreads();
  }
  if (!kWrites && is_mine) totals[part * lines + line] = within;
}
)";

}  // namespace

const std::string& row_scan_text(Fold fold, DType dtype, bool writes) {
  thread_local std::map<std::tuple<Fold, DType, bool>, std::string> written;
  std::string& text = written[{fold, dtype, writes}];
  if (text.empty()) {
    text = fold_text(fold, dtype, kColumnWords) + "constexpr bool kWrites = " + (writes ? "true" : "false") +
           ";\nconstexpr int kRows = " + std::to_string(kRowsAtOnce) + ";\n" + kRowScan;
  }
  return text;
}

const std::string& column_scan_text(Fold fold, DType dtype, int step) {
  thread_local std::map<std::tuple<Fold, DType, int>, std::string> written;
  std::string& text = written[{fold, dtype, step}];
  if (text.empty()) text = fold_text(fold, dtype, kColumnWords) + kThread + kSteps[static_cast<std::size_t>(step)];
  return text;
}

void issue_block_scan(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const auto fold = static_cast<Fold>(form[0]);
  const auto dtype = static_cast<DType>(form[1]);
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const std::int64_t cells = array.hi[u(rank)] - array.lo[u(rank)], block = form[3];
  if (cells == 0 || call.piece.size() == 0) return;
  const std::int64_t blocks = (cells + block - 1) / block;
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const auto at = [&](const BoundStore& store, const Piece::Bounds& point) {
    return reinterpret_cast<std::uint64_t>(store.first) + word(cells_to(store, point, rank) * size);
  };
  const auto along = static_cast<std::uint32_t>(blocks);
  for_each_run_of_lines(call.piece, rank, {&out, &array}, [&](const Piece::Bounds& point, std::int64_t lines) {
    const auto across = static_cast<std::uint32_t>((lines + 255) / 256);
    const std::array<std::uint64_t, kColumnWords> words{at(array, point),
                                                        at(out, point),
                                                        reinterpret_cast<std::uint64_t>(where.scratch),
                                                        word(cells),
                                                        word(lines),
                                                        word(block),
                                                        word(blocks),
                                                        word(array.stride[u(rank)]),
                                                        word(array.stride[u(rank - 1)]),
                                                        word(out.stride[u(rank)]),
                                                        word(out.stride[u(rank - 1)])};
    const bool lie_in_rows = array.stride[u(rank)] == 1 && out.stride[u(rank)] == 1;
    for (int step = blocks == 1 ? 2 : 0; step < 3; ++step) {
      if (lie_in_rows && step != 1) {
        const auto& image = where.jit.get(row_scan_text(fold, dtype, /*writes=*/step == 2))->image();
        const auto grid = static_cast<std::uint32_t>((lines * blocks + kRowsAtOnce - 1) / kRowsAtOnce);
        where.launch({image, {grid, 1, 1}, {static_cast<std::uint32_t>(kRowsAtOnce), 1, 1}, words});
        continue;
      }
      const auto& image = where.jit.get(column_scan_text(fold, dtype, step))->image();
      where.launch({image, {across, step == 1 ? 1 : along, 1}, {256, 1, 1}, words});
    }
  });
}

std::int64_t block_scan_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                                const Rect& points) {
  const Shape& shape = launch.arguments[1].footprint.shape;
  return 8 * points.cells() * ((shape[shape.rank() - 1] + form[3] - 1) / form[3]);
}

}  // namespace pilum::numeric
