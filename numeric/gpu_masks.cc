#include "numeric/gpu_masks.h"

#include <map>
#include <utility>
#include <vector>

#include "numeric/gpu_scan.h"
#include "numeric/library_task.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

constexpr int kItems = 16, kAxes = kMaxAxes, kWords = 10 + 3 * kAxes;
constexpr std::int64_t kTile = kScanThreads * kItems;

// Words: 0 the mask's first cell, 1 the array's, 2 the result's, 3 scratch, 4 cells, 5 tiles, 6 and 7 the numbers of
// the true cells that are wanted, 8 the result's step, 9 axes; then by axis extents, the mask's steps, the array's
// steps.
constexpr const char* kMasked = R"(
static __device__ __forceinline__ long long offset(const Words& words, int steps, long long i) {
  if (kIsFlat) return i * (long long)words.word[steps];
  long long sum = 0;
  for (int axis = (int)words.word[9] - 1; axis >= 0; --axis) {
    const long long extent = (long long)words.word[10 + axis], rest = i / extent;
    sum += (i - rest * extent) * (long long)words.word[steps + axis];
    i = rest;
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ unsigned char flags[kTile + kThreads];
  __shared__ unsigned short places[kTile];
  __shared__ long long start, end;
  const Room room(words.word[3], words.word[5]);
  const Tile tile = take_tile(room, words.word[5]);
  const unsigned thread = threadIdx.x;
  const long long first = (long long)tile.number * kTile, count = (long long)words.word[4] - first;
  const unsigned char* const mask = (const unsigned char*)words.word[0];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const long long i = k * kThreads + thread;
    flags[padded(k * kThreads + thread)] = i < count ? mask[offset(words, 10 + kAxes, first + i)] : 0;
  }
  __syncthreads();
  unsigned bits = 0;
  int total = 0;
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const unsigned flag = flags[thread * (kItems + 1) + k] != 0;
    bits |= flag << k;
    total += flag;
  }
  const long long before = find_before(room, tile, total);
  if (thread == 0) start = before;
  if (thread == kThreads - 1) end = before + total;
  __syncthreads();
  int at = (int)(before - start);
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    if (bits >> k & 1) places[at++] = (unsigned short)(thread * kItems + k);
  }
  __syncthreads();
  const long long lo = (long long)words.word[6], hi = (long long)words.word[7], step = (long long)words.word[8];
  for (long long number = start + thread; number < end; number += kThreads) {
    if (number < lo || number >= hi) continue;
    const long long i = first + places[number - start];
    ((Moved*)words.word[2])[(number - lo) * step] = COPIED;
  }
}
)";

const char* moved_type(std::int64_t itemsize) {
  switch (itemsize) {
    case 0: return "typedef long long Moved;\n#define COPIED i\n";
    case 1: return "typedef unsigned char Moved;\n";
    case 2: return "typedef unsigned short Moved;\n";
    case 4: return "typedef unsigned Moved;\n";
    case 8: return "typedef unsigned long long Moved;\n";
    default: return "struct Moved { unsigned long long words[2]; };\n";
  }
}

struct JoinedAxis {
  std::int64_t extent, mask_step, array_step;
};

// Of the mask and the array; those that lie evenly are one.
std::vector<JoinedAxis> joined_axes(const BoundStore& mask, const BoundStore* array, int rank) {
  std::vector<JoinedAxis> axes;
  for (int axis = 0; axis < rank; ++axis) {
    const JoinedAxis next{mask.hi[u(axis)] - mask.lo[u(axis)], mask.stride[u(axis)],
                          array ? array->stride[u(axis)] : 0};
    if (next.extent == 1) continue;
    if (!axes.empty() && axes.back().mask_step == next.mask_step * next.extent &&
        axes.back().array_step == next.array_step * next.extent) {
      axes.back() = {axes.back().extent * next.extent, next.mask_step, next.array_step};
    } else {
      axes.push_back(next);
    }
  }
  if (axes.empty()) axes.push_back({1, 1, 1});
  return axes;
}

}  // namespace

const std::string& mask_text(std::int64_t itemsize, bool is_flat) {
  thread_local std::map<std::pair<std::int64_t, bool>, std::string> written;
  std::string& text = written[{itemsize, is_flat}];
  if (!text.empty()) return text;
  return text = tile_text(Fold::Sum, DType::Int64, kWords, kItems) + moved_type(itemsize) +
                (itemsize ? "#define COPIED ((const Moved*)words.word[1])[offset(words, 10 + 2 * kAxes, i)]\n" : "") +
                "constexpr int kAxes = " + std::to_string(kAxes) +
                ";\nconstexpr bool kIsFlat = " + (is_flat ? "true" : "false") + ";\n" + kMasked;
}

void issue_masked(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const std::int64_t size = form[0];
  const BoundStore &out = call.stores[0], &mask = call.stores[1];
  const BoundStore* const array = size ? &call.stores[2] : nullptr;
  const std::vector<JoinedAxis> axes = joined_axes(mask, array, static_cast<int>(form[1]));
  std::int64_t cells = 1;
  for (const JoinedAxis& axis : axes) cells *= axis.extent;
  if (cells == 0 || call.piece.size() == 0) return;
  const TileRoom room(1, (cells + kTile - 1) / kTile);
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const auto address = [](const void* data) { return reinterpret_cast<std::uint64_t>(data); };
  std::vector<std::uint64_t> words{address(mask.first),
                                   address(array ? array->first : nullptr),
                                   address(out.first),
                                   address(where.scratch),
                                   word(cells),
                                   word(room.tiles),
                                   word(call.piece.lo(0)),
                                   word(call.piece.hi(0)),
                                   word(out.stride[0]),
                                   word(std::ssize(axes))};
  words.resize(kWords, 0);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    words[10 + axis] = word(axes[axis].extent);
    words[10 + kAxes + axis] = word(axes[axis].mask_step);
    words[10 + 2 * kAxes + axis] = word(axes[axis].array_step);
  }
  clear_scratch(room.cleared_words(), where);
  where.launch({where.jit.get(mask_text(size, axes.size() == 1))->image(),
                {static_cast<std::uint32_t>(room.tiles), 1, 1},
                {static_cast<std::uint32_t>(kScanThreads), 1, 1},
                words});
}

std::int64_t masked_scratch(std::span<const std::int64_t>, const scheduler::TaskLaunch& launch, const Rect&) {
  const std::int64_t cells = launch.arguments[1].footprint.shape.elements();
  return TileRoom(1, (cells + kTile - 1) / kTile).bytes();
}

}  // namespace pilum::numeric
