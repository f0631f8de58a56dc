#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "numeric/library_task.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Words: 0 the array's first cell, of the first tile; 1 that tile's result; 2 cells from there on; 3 and 4 steps of the
// array and of the result. Of groups: tiles' results for cells.
constexpr int kFoldWords = 5;
constexpr const char* kFoldTiles = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kTile + kThreads];
  const long long first = (long long)blockIdx.x * kTile, step = (long long)words.word[3];
  Cell own[kItems], sum;
  load_tile(own, cells, (const Cell*)words.word[0] + first * step, step, (long long)words.word[2] - first);
  find_ahead(own[kItems - 1], sum);
  if (threadIdx.x == 0) ((Cell*)words.word[1])[blockIdx.x * (long long)words.word[4]] = sum;
}
)";
// The last tile's comes after the tree of the others', as where a tile tells the next group of it.
constexpr const char* kFoldGroups = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell last;
  const unsigned thread = threadIdx.x;
  const long long i = (long long)blockIdx.x * kGroup + thread;
  const Cell own = i < (long long)words.word[2] ? ((const Cell*)words.word[0])[i * (long long)words.word[3]] : none();
  if (thread == kGroup - 1) last = own;
  const Cell others = fold_group(thread == kGroup - 1 ? none() : own);
  if (thread == 0) ((Cell*)words.word[1])[blockIdx.x * (long long)words.word[4]] = fold(others, last);
}
)";

// Words: 0 the array's first cell, of the first tile; 1 the result's there; 2 cells from there on; 3 how many of them
// are not written; 4 and 5 steps of the array and of the result; 6 and 7 the line's first tile's sum, and their step; 8
// and 9 what the line's first group comes to, with those before each, and their step; 10 the first tile's number.
constexpr int kCellWords = 11;
constexpr const char* kScanTiles = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kTile + kThreads];
  __shared__ Cell carried;
  const unsigned thread = threadIdx.x;
  const long long first = (long long)blockIdx.x * kTile, step = (long long)words.word[4];
  const long long to_step = (long long)words.word[5];
  const long long count = (long long)words.word[2] - first, skipped = (long long)words.word[3] - first;
  const long long tile = (long long)words.word[10] + blockIdx.x, place = tile % kGroup, group = tile / kGroup;
  const Cell* const sums = (const Cell*)words.word[6];
  const Cell of_group =
      fold_group(thread < place ? sums[(tile - place + thread) * (long long)words.word[7]] : none());
  if (thread == 0) {
    const Cell carry =
        group > 0 ? ((const Cell*)words.word[8])[(group - 1) * (long long)words.word[9]] : none();
    carried = fold(carry, of_group);
  }
  Cell own[kItems], sum;
  load_tile(own, cells, (const Cell*)words.word[0] + first * step, step, count);
  const Cell ahead = find_ahead(own[kItems - 1], sum);
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

void launch_tiles(const std::string& text, std::int64_t tiles, std::span<const std::uint64_t> words,
                  const scheduler::DeviceIssue& where) {
  constexpr auto kThreads = static_cast<std::uint32_t>(kScanThreads);
  where.launch({where.jit.get(text)->image(), {static_cast<std::uint32_t>(tiles), 1, 1}, {kThreads, 1, 1}, words});
}

void issue_folds(CutScanStep step, std::span<const std::int64_t> form, const BodyCall& call,
                 const scheduler::DeviceIssue& where) {
  const auto dtype = static_cast<DType>(form[1]);
  const auto axis = static_cast<int>(form[2]);
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const std::int64_t lo = call.piece.lo(axis), hi = call.piece.hi(axis), block = form[3];
  const std::int64_t count = std::min(hi * block, array.hi[u(axis)]) - lo * block;
  const std::string& text = cut_scan_text(static_cast<Fold>(form[0]), dtype, step);
  for_each_point(call.piece, axis, [&](const Piece::Bounds& point) {
    Piece::Bounds first = point;
    first[u(axis)] = lo * block;
    const std::array<std::uint64_t, kFoldWords> words{address(array, first, rank, dtype),
                                                      address(out, point, rank, dtype), word(count),
                                                      word(array.stride[u(axis)]), word(out.stride[u(axis)])};
    launch_tiles(text, hi - lo, words, where);
  });
}

}  // namespace

const std::string& cut_scan_text(Fold fold, DType dtype, CutScanStep step) {
  thread_local std::map<std::tuple<Fold, DType, CutScanStep>, std::string> written;
  std::string& text = written[{fold, dtype, step}];
  if (!text.empty()) return text;
  const bool of_cells = step == CutScanStep::Cells;
  text = one_tile_text(fold, dtype, of_cells ? kCellWords : kFoldWords, scan_items(dtype));
  return text += of_cells ? kScanTiles : step == CutScanStep::Tiles ? kFoldTiles : kFoldGroups;
}

void issue_fold_tiles(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  issue_folds(CutScanStep::Tiles, form, call, where);
}

void issue_fold_groups(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  issue_folds(CutScanStep::Groups, form, call, where);
}

void issue_scan_tiles(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const auto dtype = static_cast<DType>(form[1]);
  const auto axis = static_cast<int>(form[2]);
  const BoundStore &out = call.stores[0], &array = call.stores[1], &sums = call.stores[2], &groups = call.stores[3];
  const int rank = call.piece.rank();
  const std::int64_t lo = call.piece.lo(axis), hi = call.piece.hi(axis), tile = form[3];
  const std::int64_t first_tile = lo / tile, first = first_tile * tile;
  const std::string& text = cut_scan_text(static_cast<Fold>(form[0]), dtype, CutScanStep::Cells);
  for_each_point(call.piece, axis, [&](const Piece::Bounds& point) {
    Piece::Bounds start = point, line = point;
    start[u(axis)] = first;
    line[u(axis)] = 0;
    const std::array<std::uint64_t, kCellWords> words{address(array, start, rank, dtype),
                                                      address(out, start, rank, dtype),
                                                      word(hi - first),
                                                      word(lo - first),
                                                      word(array.stride[u(axis)]),
                                                      word(out.stride[u(axis)]),
                                                      address(sums, line, rank, dtype),
                                                      word(sums.stride[u(axis)]),
                                                      address(groups, line, rank, dtype),
                                                      word(groups.stride[u(axis)]),
                                                      word(first_tile)};
    launch_tiles(text, (hi - first + tile - 1) / tile, words, where);
  });
}

}  // namespace pilum::numeric
