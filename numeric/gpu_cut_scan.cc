#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "numeric/library_task.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Words: 0 the array's first cell, of the first block; 1 that block's result; 2 cells from there on; 3 and 4 steps of
// the array and of the result.
constexpr int kFoldWords = 5;
constexpr const char* kFoldBlocks = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kTile + kThreads];
  const long long first = (long long)blockIdx.x * kTile, step = (long long)words.word[3];
  Cell own[kItems], sum;
  load_tile(own, cells, (const Cell*)words.word[0] + first * step, step, (long long)words.word[2] - first);
  find_ahead(own[kItems - 1], sum);
  if (threadIdx.x == 0) ((Cell*)words.word[1])[blockIdx.x * (long long)words.word[4]] = sum;
}
)";

// Words: 0 the array's first cell, of the first block; 1 the result's there; 2 cells from there on; 3 how many of them
// are not written; 4 and 5 steps of the array and of the result; 6 what stands before the first block, 7 its step; 8
// whether anything does.
constexpr int kCellWords = 9;
constexpr const char* kScanCells = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kTile + kThreads];
  const unsigned thread = threadIdx.x;
  const long long first = (long long)blockIdx.x * kTile, step = (long long)words.word[4];
  const long long to_step = (long long)words.word[5];
  const long long count = (long long)words.word[2] - first, skipped = (long long)words.word[3] - first;
  Cell own[kItems], sum;
  load_tile(own, cells, (const Cell*)words.word[0] + first * step, step, count);
  const Cell ahead = find_ahead(own[kItems - 1], sum);
  const Cell carried = blockIdx.x > 0 || words.word[8]
                           ? ((const Cell*)words.word[6])[blockIdx.x * (long long)words.word[7]]
                           : none();
  const Cell before = fold(carried, ahead);
#pragma unroll
  for (int k = 0; k < kItems; ++k) cells[thread * (kItems + 1) + k] = fold(before, own[k]);
  __syncthreads();
  Cell* const to = (Cell*)words.word[1] + first * to_step;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const long long i = k * kThreads + thread;
    if (i >= skipped && i < count) to[i * to_step] = cells[padded(k * kThreads + thread)];
  }
}
)";

std::uint64_t word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

// Where a cell is that need not be in the store.
std::uint64_t address(const BoundStore& store, const Piece::Bounds& point, int rank, DType dtype) {
  return reinterpret_cast<std::uint64_t>(store.first) +
         word(cells_to(store, point, rank) * static_cast<std::int64_t>(itemsize(dtype)));
}

void launch_tiles(const std::string& text, std::int64_t blocks, std::span<const std::uint64_t> words,
                  const scheduler::DeviceIssue& where) {
  const auto threads = static_cast<std::uint32_t>(kScanThreads);
  where.gpu.launch(where.stream,
                   {where.jit.get(text)->image(), {static_cast<std::uint32_t>(blocks), 1, 1}, {threads, 1, 1}, words});
}

}  // namespace

const std::string& fold_blocks_text(Fold fold, DType dtype) {
  thread_local std::map<std::pair<Fold, DType>, std::string> written;
  std::string& text = written[{fold, dtype}];
  if (text.empty()) text = one_tile_text(fold, dtype, kFoldWords, scan_items(dtype)) + kFoldBlocks;
  return text;
}

const std::string& scan_cells_text(Fold fold, DType dtype) {
  thread_local std::map<std::pair<Fold, DType>, std::string> written;
  std::string& text = written[{fold, dtype}];
  if (text.empty()) text = one_tile_text(fold, dtype, kCellWords, scan_items(dtype)) + kScanCells;
  return text;
}

void issue_fold_blocks(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const auto dtype = static_cast<DType>(form[1]);
  const auto axis = static_cast<int>(form[2]);
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const std::int64_t lo = call.piece.lo(axis), hi = call.piece.hi(axis), block = form[3];
  const std::int64_t count = std::min(hi * block, array.hi[u(axis)]) - lo * block;
  const std::string& text = fold_blocks_text(static_cast<Fold>(form[0]), dtype);
  for_each_point(call.piece, axis, [&](const Piece::Bounds& point) {
    Piece::Bounds first = point;
    first[u(axis)] = lo * block;
    const std::array<std::uint64_t, kFoldWords> words{address(array, first, rank, dtype),
                                                      address(out, point, rank, dtype), word(count),
                                                      word(array.stride[u(axis)]), word(out.stride[u(axis)])};
    launch_tiles(text, hi - lo, words, where);
  });
}

void issue_scan_cells(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const auto dtype = static_cast<DType>(form[1]);
  const auto axis = static_cast<int>(form[2]);
  const BoundStore &out = call.stores[0], &array = call.stores[1], &totals = call.stores[2];
  const int rank = call.piece.rank();
  const std::int64_t lo = call.piece.lo(axis), hi = call.piece.hi(axis), block = form[3];
  const std::int64_t first_block = lo / block, first = first_block * block;
  const std::string& text = scan_cells_text(static_cast<Fold>(form[0]), dtype);
  for_each_point(call.piece, axis, [&](const Piece::Bounds& point) {
    Piece::Bounds start = point, before = point;
    start[u(axis)] = first;
    before[u(axis)] = first_block - 1;
    const std::array<std::uint64_t, kCellWords> words{address(array, start, rank, dtype),
                                                      address(out, start, rank, dtype),
                                                      word(hi - first),
                                                      word(lo - first),
                                                      word(array.stride[u(axis)]),
                                                      word(out.stride[u(axis)]),
                                                      address(totals, before, rank, dtype),
                                                      word(totals.stride[u(axis)]),
                                                      word(first_block > 0 ? 1 : 0)};
    launch_tiles(text, (hi - first + block - 1) / block, words, where);
  });
}

}  // namespace pilum::numeric
