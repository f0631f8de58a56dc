#include "numeric/extremum_body.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "runtime/base/dtype_visit.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Whether `a` stands before `b` as an extremum; of equal cells neither does.
template <bool kIsMaximum, class T>
bool is_better(T a, T b) {
  return (kIsMaximum ? a > b : a < b) || (a != a && b == b);
}

// Some cells at once, as every machine has them; a plain loop becomes branches.
template <class T>
struct Lanes {
  typedef T Vector [[gnu::vector_size(16), gnu::aligned(1)]];  // NOLINT(modernize-use-using): attributes
  static constexpr std::int64_t kCount = 16 / sizeof(T);
};

// The extremum of cells side by side; a NaN, where one is.
template <bool kIsMaximum, class T>
T extremum_of(const T* cells, std::int64_t count) {
  using Vector = typename Lanes<T>::Vector;
  constexpr std::int64_t kVectors = 4, kLanes = Lanes<T>::kCount, kAtOnce = kVectors * kLanes;
  constexpr std::int64_t kAhead = 2048 / sizeof(T);  // beyond what instructions in flight reach
  T total = cells[0];
  std::int64_t i = 0;
  if (count >= kAtOnce) {
    const auto load = [cells](std::int64_t at) { return *reinterpret_cast<const Vector*>(cells + at); };
    Vector best[kVectors] = {load(0), load(kLanes), load(2 * kLanes), load(3 * kLanes)};
    // Counted: of bits that are put together g++ makes a branch a cell.
    auto lost = best[0] != best[0];
    lost ^= lost;
    for (i = 0; i + kAtOnce <= count; i += kAtOnce) {
      __builtin_prefetch(cells + i + kAhead);
      for (std::int64_t k = 0; k < kVectors; ++k) {
        const Vector next = load(i + k * kLanes);
        best[k] = (kIsMaximum ? next > best[k] : next < best[k]) ? next : best[k];
        lost += next != next;
      }
    }
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      if (lost[lane] != 0) return std::numeric_limits<T>::quiet_NaN();
      for (const Vector& lanes : best) total = is_better<kIsMaximum>(T{lanes[lane]}, total) ? lanes[lane] : total;
    }
  }
  for (; i < count; ++i) total = is_better<kIsMaximum>(cells[i], total) ? cells[i] : total;
  return total;
}

template <class T>
struct Place {
  T cell;
  std::int64_t at;
};

// The first places of some blocks side by side, of whose cells the last one may have fewer, in two steps: which of some
// hundreds in a row have the extremum, and where. A row of each block by turns, for a core's prefetchers follow a page
// at a time (runtime/kernel/host/host_calls.cc).
template <bool kIsMaximum, class T>
void find_side_by_side(const T* cells, std::int64_t count, std::int64_t blocks, Place<T>* found) {
  constexpr std::int64_t kRow = 2048 / sizeof(T);
  for (std::int64_t j = 0; j < kPlaceBlock; j += kRow) {
    for (std::int64_t k = 0; k < blocks; ++k) {
      const std::int64_t left = std::min(kRow, std::min(kPlaceBlock, count - k * kPlaceBlock) - j);
      if (left <= 0) continue;
      const T next = extremum_of<kIsMaximum>(cells + k * kPlaceBlock + j, left);
      if (j == 0 || is_better<kIsMaximum>(next, found[k].cell)) found[k] = {next, j};
    }
  }
  for (std::int64_t k = 0; k < blocks; ++k) {
    const T* const block = cells + k * kPlaceBlock;
    auto& [best, at] = found[k];
    while (block[at] != best && (best == best || block[at] == block[at])) ++at;
    best = block[at];
  }
}

template <bool kIsMaximum, class T>
Place<T> place_apart(const T* cells, std::int64_t step, std::int64_t count) {
  Place<T> best{cells[0], 0};
  for (std::int64_t i = 1; i < count; ++i) {
    if (is_better<kIsMaximum>(cells[i * step], best.cell)) best = {cells[i * step], i};
  }
  return best;
}

template <bool kIsMaximum, class T>
void find_places_of(const BodyCall& call) {
  const BoundStore &bests = call.stores[0], &places = call.stores[1], &array = call.stores[2];
  const int rank = call.piece.rank(), last = rank - 1;
  const std::int64_t step = array.stride[u(last)];
  constexpr std::int64_t kBlocks = 4;
  for_each_point(call.piece, last, [&](Piece::Bounds point) {
    while (point[u(last)] < call.piece.hi(last)) {
      Piece::Bounds first = point;
      first[u(last)] *= kPlaceBlock;
      const T* const cells = static_cast<const T*>(array.first) + cells_to(array, first, rank);
      const std::int64_t count = array.hi[u(last)] - first[u(last)];
      const std::int64_t blocks = step == 1 ? std::min(kBlocks, call.piece.hi(last) - point[u(last)]) : 1;
      Place<T> found[kBlocks];
      if (step == 1) {
        find_side_by_side<kIsMaximum>(cells, count, blocks, found);
      } else {
        found[0] = place_apart<kIsMaximum>(cells, step, std::min(kPlaceBlock, count));
      }
      for (std::int64_t k = 0; k < blocks; ++k, ++point[u(last)]) {
        static_cast<T*>(bests.first)[cells_to(bests, point, rank)] = found[k].cell;
        static_cast<std::int64_t*>(places.first)[cells_to(places, point, rank)] =
            point[u(last)] * kPlaceBlock + found[k].at;
      }
    }
  });
}

// Words: 0 the array's first cell, 1 the extrema, 2 the places, 3 cells of a line, from the first block on, 4 the first
// block's number, 5 blocks of a line, 6 and 7 steps of the array from cell to cell and from line to line, 8 and 9 those
// of the extrema from block to block, 10 and 11 those of the places.
constexpr const char* kPlaces = R"(
// Whether `a`, at place `i`, comes before `b` at `j`; -1: it is none.
static __device__ __forceinline__ bool comes_first(Cell a, int i, Cell b, int j) {
  if (i < 0 || j < 0) return j < 0;
  if (BETTER(a, b)) return true;
  if (BETTER(b, a)) return false;
  const bool lost_a = a != a, lost_b = b != b;
  return lost_a != lost_b ? lost_a : i < j;
}

extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell cells[kThreads];
  __shared__ int places[kThreads];
  const int thread = threadIdx.x;
  const unsigned long long blocks = words.word[5];
  const long long line = blockIdx.x / blocks, number = blockIdx.x % blocks;
  const long long left = (long long)words.word[3] - number * kBlock, step = (long long)words.word[6];
  const int count = left < kBlock ? (int)left : kBlock;
  const Cell* const from =
      (const Cell*)words.word[0] + line * (long long)words.word[7] + number * kBlock * step;
  Cell best{};
  int at = -1;
  for (int first = 0; first < count; first += kThreads * kItems) {
    Cell own[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int i = first + k * kThreads + thread;
      if (i < count) own[k] = from[i * step];
    }
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const int i = first + k * kThreads + thread;
      if (i < count && (at < 0 || BETTER(own[k], best) || (own[k] != own[k] && best == best))) best = own[k], at = i;
    }
  }
  cells[thread] = best;
  places[thread] = at;
  __syncthreads();
  for (int half = kThreads / 2; half; half /= 2) {
    if (thread < half && comes_first(cells[thread + half], places[thread + half], cells[thread], places[thread])) {
      cells[thread] = cells[thread + half];
      places[thread] = places[thread + half];
    }
    __syncthreads();
  }
  if (thread != 0) return;
  ((Cell*)words.word[1])[line * (long long)words.word[9] + number * (long long)words.word[8]] = cells[0];
  ((long long*)words.word[2])[line * (long long)words.word[11] + number * (long long)words.word[10]] =
      ((long long)words.word[4] + number) * kBlock + places[0];
}
)";

}  // namespace

LibraryBody::Form place_form(Fold fold, DType dtype) {
  return {static_cast<std::int64_t>(fold), static_cast<std::int64_t>(dtype)};
}

void find_places(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_real_dtype(static_cast<DType>(form[1]), [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, half>) {
      using Cell = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      static_cast<Fold>(form[0]) == Fold::Maximum ? find_places_of<true, Cell>(call)
                                                  : find_places_of<false, Cell>(call);
    }
  });
}

const std::string& place_text(Fold fold, DType dtype) {
  thread_local std::map<std::pair<Fold, DType>, std::string> written;
  std::string& text = written[{fold, dtype}];
  if (!text.empty()) return text;
  return text = words_text(dtype, 12) + "constexpr int kThreads = " + std::to_string(kScanThreads) +
                ", kItems = 8, kBlock = " + std::to_string(kPlaceBlock) + ";\n#define BETTER(a, b) ((a) " +
                (fold == Fold::Maximum ? ">" : "<") + " (b))\n" + kPlaces;
}

void issue_places(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const BoundStore &bests = call.stores[0], &places = call.stores[1], &array = call.stores[2];
  const int rank = call.piece.rank(), last = rank - 1;
  if (call.piece.size() == 0) return;
  const auto& image = where.jit.get(place_text(static_cast<Fold>(form[0]), static_cast<DType>(form[1])))->image();
  const auto size = static_cast<std::int64_t>(itemsize(static_cast<DType>(form[1])));
  const auto word = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  const auto address = [&](const BoundStore& store, const Piece::Bounds& point, std::int64_t itemsize) {
    return reinterpret_cast<std::uint64_t>(store.first) + word(cells_to(store, point, rank) * itemsize);
  };
  const auto line_step = [&](const BoundStore& store) { return last > 0 ? word(store.stride[u(last - 1)]) : 0; };
  const std::int64_t blocks = call.piece.extent(last), first_block = call.piece.lo(last);
  for_each_run_of_lines(call.piece, last, {&bests, &places, &array},
                        [&](const Piece::Bounds& point, std::int64_t lines) {
                          Piece::Bounds first = point;
                          first[u(last)] = first_block * kPlaceBlock;
                          const std::array<std::uint64_t, 12> words{address(array, first, size),
                                                                    address(bests, point, size),
                                                                    address(places, point, sizeof(std::int64_t)),
                                                                    word(array.hi[u(last)] - first[u(last)]),
                                                                    word(first_block),
                                                                    word(blocks),
                                                                    word(array.stride[u(last)]),
                                                                    line_step(array),
                                                                    word(bests.stride[u(last)]),
                                                                    line_step(bests),
                                                                    word(places.stride[u(last)]),
                                                                    line_step(places)};
                          where.launch({image,
                                        {static_cast<std::uint32_t>(lines * blocks), 1, 1},
                                        {static_cast<std::uint32_t>(kScanThreads), 1, 1},
                                        words});
                        });
}

}  // namespace pilum::numeric
