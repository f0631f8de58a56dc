#include "numeric/mask_body.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "numeric/body_walk.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

std::uint64_t eight_at(const std::uint8_t* cells) {
  std::uint64_t eight;
  std::memcpy(&eight, cells, sizeof eight);
  return eight;
}

// Bytes that are 0 or 1, `step` apart.
std::int64_t count_true(const std::uint8_t* cells, std::int64_t step, std::int64_t length) {
  std::int64_t count = 0;
  if (step == 1) {
    constexpr std::int64_t kBlock = 255 * 8;  // of eight counters, a byte each
    for (std::int64_t at = 0; at < length; at += kBlock) {
      const std::int64_t end = std::min(at + kBlock, length);
      std::int64_t i = at;
      std::uint64_t counters = 0;
      for (; i + 8 <= end; i += 8) counters += eight_at(cells + i);
      for (int k = 0; k < 8; ++k) count += static_cast<std::int64_t>(counters >> 8 * k & 255);
      count += std::accumulate(cells + i, cells + end, std::int64_t{0});
    }
    return count;
  }
  for (std::int64_t i = 0; i < length; ++i) count += cells[i * step];
  return count;
}

// What is picked: cells side by side, cells apart, and cells' numbers.
template <class T>
struct CellsBeside {
  using Cell = T;
  const T* first;
  CellsBeside from(std::int64_t i) const { return {first + i}; }
  T operator[](std::int64_t i) const { return first[i]; }
};
template <class T>
struct CellsApart {
  using Cell = T;
  const T* first;
  std::int64_t step;
  CellsApart from(std::int64_t i) const { return {first + i * step, step}; }
  T operator[](std::int64_t i) const { return first[i * step]; }
};
struct Numbers {
  using Cell = std::int64_t;
  std::int64_t first;
  Numbers from(std::int64_t i) const { return {first + i}; }
  std::int64_t operator[](std::int64_t i) const { return first + i; }
};

// True cells that were met, and the place in the mask behind those that were looked at.
struct TrueSoFar {
  std::int64_t cells = 0, looked_at = 0;
};

// Nothing is asked of a cell before it is copied: whether the next one overwrites it is the mask's matter, which a
// processor would guess wrongly. There is room for `most` cells.
template <class From>
TrueSoFar pick_eights(const std::uint8_t* mask, std::int64_t length, const From& from, typename From::Cell* to,
                      std::int64_t most) {
  TrueSoFar done;
  for (; done.looked_at + 8 <= length && done.cells + 8 <= most; done.looked_at += 8) {
    const std::uint64_t eight = eight_at(mask + done.looked_at);
    if (eight == 0) continue;
    for (int k = 0; k < 8; ++k) {
      to[done.cells] = from[done.looked_at + k];
      done.cells += static_cast<std::int64_t>(eight >> 8 * k & 1);
    }
  }
  return done;
}

#if defined(__x86_64__)
// Eight bytes that are 0 or 1 as bits.
std::uint8_t bits_of(std::uint64_t eight) {
  return static_cast<std::uint8_t>(eight * 0x0102'0408'1020'4080u >> 56);
}

constexpr std::int64_t kAhead = 256;  // a core by itself does not read as far ahead as memory is away

[[gnu::target("avx512f,avx512vl,popcnt")]] TrueSoFar pick_with_avx512(const std::uint8_t* mask, std::int64_t length,
                                                                      const std::uint64_t* from, std::uint64_t* to,
                                                                      std::int64_t most) {
  TrueSoFar done;
  for (; done.looked_at + 8 <= length && done.cells + 8 <= most; done.looked_at += 8) {
    const std::uint8_t bits = bits_of(eight_at(mask + done.looked_at));
    __builtin_prefetch(from + done.looked_at + kAhead);
    const __m512i cells = _mm512_loadu_si512(from + done.looked_at);
    _mm512_storeu_si512(to + done.cells, _mm512_maskz_compress_epi64(bits, cells));
    done.cells += __builtin_popcount(bits);
  }
  return done;
}

[[gnu::target("avx512f,avx512vl,popcnt")]] TrueSoFar pick_with_avx512(const std::uint8_t* mask, std::int64_t length,
                                                                      const std::uint32_t* from, std::uint32_t* to,
                                                                      std::int64_t most) {
  TrueSoFar done;
  for (; done.looked_at + 8 <= length && done.cells + 8 <= most; done.looked_at += 8) {
    const std::uint8_t bits = bits_of(eight_at(mask + done.looked_at));
    if (done.looked_at % 16 == 0) __builtin_prefetch(from + done.looked_at + 2 * kAhead);
    const __m256i cells = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + done.looked_at));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + done.cells), _mm256_maskz_compress_epi32(bits, cells));
    done.cells += __builtin_popcount(bits);
  }
  return done;
}

bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  return has;
}
#endif

template <class From>
TrueSoFar pick_side_by_side(const std::uint8_t* mask, std::int64_t length, const From& from, typename From::Cell* to,
                            std::int64_t most) {
  return pick_eights(mask, length, from, to, most);
}
#if defined(__x86_64__)
template <class T>
  requires(sizeof(T) == 4 || sizeof(T) == 8)
TrueSoFar pick_side_by_side(const std::uint8_t* mask, std::int64_t length, const CellsBeside<T>& from, T* to,
                            std::int64_t most) {
  return has_avx512() ? pick_with_avx512(mask, length, from.first, to, most)
                      : pick_eights(mask, length, from, to, most);
}
#endif

// To cells that are `by` apart, at most `most`; how many there were.
template <class From>
std::int64_t pick(const std::uint8_t* mask, std::int64_t step, std::int64_t length, const From& from,
                  typename From::Cell* to, std::int64_t by, std::int64_t most) {
  TrueSoFar done;
  if (step == 1 && by == 1) done = pick_side_by_side(mask, length, from, to, most);
  for (; done.looked_at < length && done.cells < most; ++done.looked_at) {
    to[done.cells * by] = from[done.looked_at];
    done.cells += mask[done.looked_at * step];
  }
  return done.cells;
}

// A mask's rows, one after the other: all axes but the last, row-major.
class Rows {
 public:
  explicit Rows(const BoundStore& mask, int rank) : mask_(mask), rank_(rank), point_(mask.lo) {}
  std::int64_t length() const { return mask_.hi[u(rank_ - 1)] - mask_.lo[u(rank_ - 1)]; }
  const std::uint8_t* cells() const { return static_cast<const std::uint8_t*>(mask_.first) + offset(mask_); }
  std::int64_t step() const { return mask_.stride[u(rank_ - 1)]; }
  // Of another array of this shape: from its first cell to the row's.
  std::int64_t offset(const BoundStore& array) const { return cells_to(array, point_, rank_ - 1); }
  bool is_in(const Piece& piece) const {
    for (int axis = 0; axis < rank_ - 1; ++axis) {
      if (point_[u(axis)] < piece.lo(axis) || point_[u(axis)] >= piece.hi(axis)) return false;
    }
    return true;
  }
  void next() {
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      if (++point_[u(axis)] < mask_.hi[u(axis)]) return;
      point_[u(axis)] = mask_.lo[u(axis)];
    }
  }

 private:
  const BoundStore& mask_;
  const int rank_;
  Piece::Bounds point_;
};

// From a row of the first axis on.
BoundStore rows_from(BoundStore store, std::int64_t row, std::size_t itemsize) {
  const auto bytes = (row - store.lo[0]) * store.stride[0] * static_cast<std::int64_t>(itemsize);
  store.first = static_cast<std::byte*>(store.first) + bytes;
  store.lo[0] = row;
  return store;
}

// `from_row(row, number of its first cell)` is what of a row is picked.
template <class T, class FromRow>
void pick_rows(int rank, const BodyCall& call, const MaskPlace& place, const FromRow& from_row) {
  constexpr std::int64_t kBlock = 4096;  // of cells that are counted before the first one that is wanted
  const std::int64_t by = call.stores[0].stride[0], wanted = call.piece.hi(0) - call.piece.lo(0);
  T* const to = static_cast<T*>(call.stores[0].first);
  std::int64_t before = call.piece.lo(0) - place.true_before;  // true cells that are still to be passed over
  std::int64_t picked = 0;
  const BoundStore mask_rows = rows_from(call.stores[1], place.row, 1);
  Rows row(mask_rows, rank);
  for (std::int64_t first = place.number; picked < wanted; first += row.length(), row.next()) {
    const std::uint8_t* const mask = row.cells();
    const std::int64_t step = row.step(), length = row.length();
    const auto from = from_row(row, first);
    std::int64_t i = 0;
    while (before > 0 && i < length) {
      const std::int64_t block = std::min(kBlock, length - i), here = count_true(mask + i * step, step, block);
      if (here <= before) {
        before -= here;
        i += block;
        continue;
      }
      for (; before > 0; ++i) before -= mask[i * step];
    }
    picked += pick(mask + i * step, step, length - i, from.from(i), to + picked * by, by, wanted - picked);
  }
}

template <class T>
void pick_cells(int rank, const BodyCall& call, const MaskPlace& place) {
  const BoundStore array = rows_from(call.stores[2], place.row, sizeof(T));
  const auto first_of = [&array](const Rows& row) { return static_cast<const T*>(array.first) + row.offset(array); };
  const std::int64_t step = array.stride[u(rank - 1)];
  if (step == 1)
    return pick_rows<T>(rank, call, place,
                        [&](const Rows& row, std::int64_t) { return CellsBeside<T>{first_of(row)}; });
  pick_rows<T>(rank, call, place, [&](const Rows& row, std::int64_t) { return CellsApart<T>{first_of(row), step}; });
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512vl,popcnt")]] TrueSoFar spread_with_avx512(const std::uint8_t* mask, std::int64_t length,
                                                                        const std::uint64_t* values,
                                                                        std::uint64_t* to) {
  TrueSoFar done;
  for (; done.looked_at + 8 <= length; done.looked_at += 8) {
    const std::uint8_t bits = bits_of(eight_at(mask + done.looked_at));
    if (bits == 0) continue;
    const __m512i cells = _mm512_maskz_expandloadu_epi64(bits, values + done.cells);
    _mm512_mask_storeu_epi64(to + done.looked_at, bits, cells);
    done.cells += __builtin_popcount(bits);
  }
  return done;
}
#endif

template <class T>
TrueSoFar spread_side_by_side(const std::uint8_t* mask, std::int64_t length, const T* values, T* to) {
#if defined(__x86_64__)
  if constexpr (sizeof(T) == 8) {
    if (has_avx512()) return spread_with_avx512(mask, length, values, to);
  }
#endif
  TrueSoFar done;
  for (; done.looked_at + 8 <= length; done.looked_at += 8) {
    const std::uint64_t eight = eight_at(mask + done.looked_at);
    if (eight == 0) continue;
    for (int k = 0; k < 8; ++k) {
      if (eight >> 8 * k & 1) to[done.looked_at + k] = values[done.cells++];
    }
  }
  return done;
}

// Along a row; returns how many values it took.
template <class T>
std::int64_t spread_along(const std::uint8_t* mask, std::int64_t step, std::int64_t length, Line<const T> values, T* to,
                          std::int64_t by) {
  TrueSoFar done;
  if (step == 1 && by == 1 && values.step == 1) done = spread_side_by_side(mask, length, values.first, to);
  for (; done.looked_at < length; ++done.looked_at) {
    if (mask[done.looked_at * step]) to[done.looked_at * by] = values[done.cells++];
  }
  return done.cells;
}

template <class T>
void spread_rows(int rank, const BodyCall& call, const MaskPlace& place) {
  const BoundStore &array = call.stores[0], &values = call.stores[2];
  const BoundStore mask = rows_from(call.stores[1], place.row, 1);
  const int last = rank - 1;
  const std::int64_t from = call.piece.lo(last) - mask.lo[u(last)], length = call.piece.extent(last),
                     by = array.stride[u(last)];
  std::int64_t taken = place.true_before - values.lo[0];  // values of the cells before
  std::int64_t left = 1;                                  // rows of the piece
  for (int axis = 0; axis < last; ++axis) left *= call.piece.extent(axis);
  for (Rows row(mask, rank); left > 0; row.next()) {
    const std::uint8_t* const cells = row.cells();
    const std::int64_t step = row.step();
    if (!row.is_in(call.piece)) {
      taken += count_true(cells, step, row.length());
      continue;
    }
    taken += count_true(cells, step, from);
    const Line<const T> rest{static_cast<const T*>(values.first) + taken * values.stride[0], values.stride[0], 0};
    taken +=
        spread_along(cells + from * step, step, length, rest, static_cast<T*>(array.first) + row.offset(array), by);
    --left;
    if (left > 0) taken += count_true(cells + (from + length) * step, step, row.length() - from - length);
  }
}

}  // namespace

void spread_from(std::int64_t itemsize, int rank, const BodyCall& call, const MaskPlace& place) {
  visit_size(itemsize, [&]<class T>(T) { spread_rows<T>(rank, call, place); });
}

void spread_cells(std::span<const std::int64_t> form, const BodyCall& call) {
  spread_from(form[0], static_cast<int>(form[1]), call, {});
}

void compress_from(std::int64_t itemsize, int rank, const BodyCall& call, const MaskPlace& place) {
  if (itemsize == 0)
    return pick_rows<std::int64_t>(rank, call, place, [](const Rows&, std::int64_t first) { return Numbers{first}; });
  visit_size(itemsize, [&]<class T>(T) { pick_cells<T>(rank, call, place); });
}

void compress_cells(std::span<const std::int64_t> form, const BodyCall& call) {
  compress_from(form[0], static_cast<int>(form[1]), call, {});
}

void count_rows(const RowBlocks& blocks, int rank, const BodyCall& call) {
  const BoundStore& counts = call.stores[0];
  for (std::int64_t row = call.piece.lo(0); row < call.piece.hi(0);) {
    const std::int64_t block = blocks.block_of(row), end = std::min(blocks.first_row(block + 1), call.piece.hi(0));
    BoundStore part = rows_from(call.stores[1], row, 1);
    part.hi[0] = end;
    std::int64_t lines = 1, count = 0;
    for (int axis = 0; axis < rank - 1; ++axis) lines *= part.hi[u(axis)] - part.lo[u(axis)];
    for (Rows line(part, rank); lines > 0; --lines, line.next())
      count += count_true(line.cells(), line.step(), line.length());
    static_cast<std::int64_t*>(counts.first)[(block - counts.lo[0]) * counts.stride[0]] += count;
    row = end;
  }
}

}  // namespace pilum::numeric
