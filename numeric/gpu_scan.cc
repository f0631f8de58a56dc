#include "numeric/gpu_scan.h"

#include <array>
#include <map>
#include <utility>

#include "numeric/body_walk.h"
#include "numeric/gpu_cell_text.h"
#include "numeric/library_task.h"
#include "runtime/base/check.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// What changes nothing, not even the sign of a zero.
std::string none_text(Fold fold, DType dtype) {
  const bool is_sum = fold == Fold::Sum, is_product = fold == Fold::Product, is_least = fold == Fold::Minimum;
  if (dtype == DType::Bool) return is_product || is_least ? "true" : "false";
  if (is_sum) return is_floating(dtype) ? "-0.0" : "0";
  if (is_product) return "1";
  if (is_floating(dtype)) return is_least ? "1e300 * 1e300" : "-1e300 * 1e300";
  const std::size_t bits = 8 * itemsize(dtype);
  const std::string ones = "(~0ull >> " + std::to_string(64 - bits + (is_signed(dtype) ? 1 : 0)) + ")";
  return is_least ? ones : is_signed(dtype) ? "-(Cell)" + ones + " - 1" : "0";
}

// Words: 0 the array's first cell, 1 the result's, 2 scratch, 3 cells of a line, 4 tiles of a line, 5 and 6 steps of
// the array from cell to cell and from line to line, 7 and 8 those of the result, 9 all tiles.
constexpr const char* kScan = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kTile + kThreads];
  const Room room(words.word[2], words.word[9]);
  const Tile tile = take_tile(room, words.word[4]);
  const unsigned thread = threadIdx.x;
  const long long count = (long long)words.word[3] - (long long)tile.number * kTile;
  const long long step = (long long)words.word[5], to_step = (long long)words.word[7];
  const Cell* const from = (const Cell*)words.word[0] + (long long)tile.line * (long long)words.word[6] +
                           (long long)tile.number * kTile * step;
  Cell* const to = (Cell*)words.word[1] + (long long)tile.line * (long long)words.word[8] +
                   (long long)tile.number * kTile * to_step;
  Cell own[kItems];
  load_tile(own, cells, from, step, count);
  const Cell before = find_before(room, tile, own[kItems - 1]);
#pragma unroll
  for (int k = 0; k < kItems; ++k) cells[thread * (kItems + 1) + k] = fold(before, own[k]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const long long i = k * kThreads + thread;
    if (i < count) to[i * to_step] = cells[padded(k * kThreads + thread)];
  }
}
)";

// A tile by itself.
constexpr const char* kOneTile = R"(
static __device__ __forceinline__ unsigned padded(unsigned i) { return i + i / kItems; }

// The thread's cells of a tile of so many, each with those of them before; by way of shared memory, kTile + kThreads.
static __device__ __forceinline__ void load_tile(Cell* own, Cell* cells, const Cell* from, long long step,
                                                 long long count) {
  const unsigned thread = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const long long i = k * kThreads + thread;
    own[k] = i < count ? from[i * step] : none();
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) cells[padded(k * kThreads + thread)] = own[k];
  __syncthreads();
  own[0] = cells[thread * (kItems + 1)];
#pragma unroll
  for (int k = 1; k < kItems; ++k) own[k] = fold(own[k - 1], cells[thread * (kItems + 1) + k]);
}

// What the tile's threads before come to, and all of them, where the thread's cells come to `total`.
static __device__ __forceinline__ Cell find_ahead(Cell total, Cell& sum) {
  __shared__ Cell within[2][kThreads];
  const unsigned thread = threadIdx.x;
  within[0][thread] = total;
  __syncthreads();
  int side = 0;
  for (unsigned distance = 1; distance < kThreads; distance *= 2, side ^= 1) {
    const Cell mine = within[side][thread];
    within[side ^ 1][thread] = thread >= distance ? fold(within[side][thread - distance], mine) : mine;
    __syncthreads();
  }
  sum = within[side][kThreads - 1];
  return thread ? within[side][thread - 1] : none();
}

// What the threads' cells, one a place of a group, come to, as a tree; for thread 0.
static __device__ __forceinline__ Cell fold_group(Cell own) {
  __shared__ Cell others[2][kGroup];
  const unsigned thread = threadIdx.x;
  others[0][thread] = own;
  __syncthreads();
  int half = 0;
  for (unsigned left = kGroup / 2; left > 0; left /= 2, half ^= 1) {
    if (thread < left) others[half ^ 1][thread] = fold(others[half][2 * thread], others[half][2 * thread + 1]);
    __syncthreads();
  }
  return others[half][0];
}
)";

// Scratch memory, from its first byte on: the number of tiles that are taken, 8 bytes; a flag a tile, a flag a group,
// 4 bytes each; sums of tiles, and what stands before groups, 8 bytes each. Flags are raised when what they stand for
// is written.
constexpr const char* kTiles = R"(
struct Room {
  unsigned long long* taken;
  volatile unsigned* tile_flags;
  volatile unsigned* group_flags;
  char* sums;
  char* carries;
  __device__ Room(unsigned long long scratch, unsigned long long tiles) {
    const unsigned long long flags = (tiles + groups_of(tiles) + 1) / 2;  // in words
    taken = (unsigned long long*)scratch;
    tile_flags = (unsigned*)(scratch + 8);
    group_flags = tile_flags + tiles;
    sums = (char*)(scratch + 8 + 8 * flags);
    carries = sums + 8 * tiles;
  }
  // Groups of all lines are at most so many.
  static __device__ unsigned long long groups_of(unsigned long long tiles) { return tiles; }
};
struct Tile {
  unsigned long long line, number, index, tiles;  // index: of all lines' tiles; tiles: of its line
};

static __device__ __forceinline__ Cell read(const char* values, unsigned long long i) {
  return *(const volatile Cell*)(values + 8 * i);
}
static __device__ __forceinline__ void tell(char* values, unsigned long long i, Cell value, volatile unsigned* flags) {
  *(volatile Cell*)(values + 8 * i) = value;
  __threadfence();
  flags[i] = 1;
}
static __device__ __forceinline__ Cell await(const char* values, unsigned long long i, volatile unsigned* flags) {
  while (flags[i] == 0) {
  }
  __threadfence();
  return read(values, i);
}
static __device__ __forceinline__ Tile take_tile(const Room& room, unsigned long long tiles) {
  __shared__ unsigned long long ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(room.taken, 1ull);
  __syncthreads();
  return {ticket / tiles, ticket % tiles, ticket, tiles};
}

// What stands before the thread's cells, which come to `total`.
static __device__ __forceinline__ Cell find_before(const Room& room, const Tile& tile, Cell total) {
  __shared__ Cell carried;
  const unsigned thread = threadIdx.x;
  Cell sum;
  const Cell ahead = find_ahead(total, sum);
  const bool is_last = tile.number + 1 == tile.tiles;
  if (thread == 0 && !is_last) tell(room.sums, tile.index, sum, room.tile_flags);
  const unsigned place = (unsigned)(tile.number % kGroup);
  const Cell of_group =
      fold_group(thread < place ? await(room.sums, tile.index - place + thread, room.tile_flags) : none());
  if (thread == 0) {
    const unsigned long long first = tile.index - tile.number;  // of its line
    const unsigned long long group = first + tile.number / kGroup;
    const bool has_groups_before = tile.number >= kGroup;
    const Cell so_far = fold(of_group, sum);
    const Cell carry = has_groups_before ? await(room.carries, group, room.group_flags) : none();
    if (place + 1 == kGroup && !is_last) tell(room.carries, group + 1, fold(carry, so_far), room.group_flags);
    carried = fold(carry, of_group);
  }
  __syncthreads();
  return fold(carried, ahead);
}
)";

}  // namespace

int scan_items(DType dtype) {
  return itemsize(dtype) == 8 ? 8 : 16;
}

std::int64_t scan_tile(DType dtype) {
  return kScanThreads * scan_items(dtype);
}

std::string words_text(DType dtype, int words) {
  return "struct Words { unsigned long long word[" + std::to_string(words) + "]; };\ntypedef " +
         plain_cell_type(dtype) + " Cell;\n";
}

std::string fold_text(Fold fold, DType dtype, int words) {
  return words_text(dtype, words) + "static __device__ __forceinline__ Cell none() { return (Cell)(" +
         none_text(fold, dtype) + "); }\n" + "static __device__ __forceinline__ Cell fold(Cell a, Cell b) { return " +
         folded_text(fold, dtype) + "; }\n";
}

std::string one_tile_text(Fold fold, DType dtype, int words, int items) {
  return fold_text(fold, dtype, words) + "constexpr int kThreads = " + std::to_string(kScanThreads) +
         ", kGroup = " + std::to_string(kScanGroup) + ", kItems = " + std::to_string(items) +
         ", kTile = kThreads * kItems;\n" + kOneTile;
}

std::string tile_text(Fold fold, DType dtype, int words, int items) {
  return one_tile_text(fold, dtype, words, items) + kTiles;
}

const std::string& scan_text(Fold fold, DType dtype) {
  thread_local std::map<std::pair<Fold, DType>, std::string> written;
  std::string& text = written[{fold, dtype}];
  if (text.empty()) text = tile_text(fold, dtype, 10, scan_items(dtype)) + kScan;
  return text;
}

const std::string& clear_text() {
  static const std::string text = R"(struct Words { unsigned long long word[2]; };
extern "C" __global__ void pilum_kernel(const Words words) {
  const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < words.word[1]) ((unsigned long long*)words.word[0])[i] = 0;
}
)";
  return text;
}

TileRoom::TileRoom(std::int64_t lines, std::int64_t tiles_of_line) : tiles(lines * tiles_of_line), groups(tiles) {}

std::int64_t TileRoom::cleared_words() const {
  return 1 + (tiles + groups + 1) / 2;
}

std::int64_t TileRoom::bytes() const {
  return 8 * (cleared_words() + tiles + groups);
}

void clear_scratch(std::int64_t count, const scheduler::DeviceIssue& where) {
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(where.scratch), static_cast<std::uint64_t>(count)};
  const auto blocks = static_cast<std::uint32_t>((count + 255) / 256);
  where.launch({where.jit.get(clear_text())->image(), {blocks, 1, 1}, {256, 1, 1}, words});
}

void issue_scan(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const auto fold = static_cast<Fold>(form[0]);
  const auto dtype = static_cast<DType>(form[1]);
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const auto last = static_cast<std::size_t>(rank);
  const std::int64_t cells = array.hi[last] - array.lo[last];
  if (cells == 0 || call.piece.size() == 0) return;
  const std::int64_t tiles = (cells + scan_tile(dtype) - 1) / scan_tile(dtype);
  const auto& image = where.jit.get(scan_text(fold, dtype))->image();
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  const auto at = [&](const BoundStore& store, const Piece::Bounds& point) {
    return reinterpret_cast<std::uint64_t>(store.first) +
           static_cast<std::uint64_t>(cells_to(store, point, rank) * size);
  };
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  for_each_run_of_lines(call.piece, rank, {&out, &array}, [&](const Piece::Bounds& point, std::int64_t lines) {
    const TileRoom room(lines, tiles);
    const std::array<std::uint64_t, 10> words{at(array, point),
                                              at(out, point),
                                              reinterpret_cast<std::uint64_t>(where.scratch),
                                              word(cells),
                                              word(tiles),
                                              word(array.stride[last]),
                                              word(array.stride[u(rank - 1)]),
                                              word(out.stride[last]),
                                              word(out.stride[u(rank - 1)]),
                                              word(room.tiles)};
    clear_scratch(room.cleared_words(), where);
    where.launch({image,
                  {static_cast<std::uint32_t>(room.tiles), 1, 1},
                  {static_cast<std::uint32_t>(kScanThreads), 1, 1},
                  words});
  });
}

std::int64_t scan_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch, const Rect& points) {
  const Shape& shape = launch.arguments[1].footprint.shape;
  const std::int64_t tile = scan_tile(static_cast<DType>(form[1]));
  return TileRoom(points.cells(), (shape[shape.rank() - 1] + tile - 1) / tile).bytes();
}

}  // namespace pilum::numeric
