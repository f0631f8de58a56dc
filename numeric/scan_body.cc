#include "numeric/scan_body.h"

#include <algorithm>
#include <complex>
#include <limits>
#include <type_traits>

#include "numeric/body_walk.h"
#include "numeric/gpu_scan.h"
#include "numeric/wrapping.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Folds that begin with what changes nothing, not even the sign of a zero. Integers wrap.
template <class T>
struct Adds {
  using Cell = T;
  static constexpr T kNone = pilum::detail::kIsFloating<T> ? static_cast<T>(-0.0) : T{};
  static T fold(T a, T b) { return add_wrapping(a, b); }
};
template <class T>
struct Multiplies {
  using Cell = T;
  static constexpr T kNone = static_cast<T>(1);
  static T fold(T a, T b) { return multiply_wrapping(a, b); }
};
template <class T>
struct TakesLeast {
  using Cell = T;
  static constexpr T kNone =
      pilum::detail::kIsFloating<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  static T fold(T a, T b) { return minimum_with_nan(a, b); }
};
template <class T>
struct TakesLargest {
  using Cell = T;
  static constexpr T kNone =
      pilum::detail::kIsFloating<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  static T fold(T a, T b) { return maximum_with_nan(a, b); }
};

// Calls visit(Adds<double>()), or whatever the form says.
template <class Visit>
void visit_fold(std::span<const std::int64_t> form, const Visit& visit) {
  visit_real_dtype(static_cast<DType>(form[1]), [&]<class T>(T) {
    switch (static_cast<Fold>(form[0])) {
      case Fold::Sum: return visit(Adds<T>());
      case Fold::Product: return visit(Multiplies<T>());
      case Fold::Minimum: return visit(TakesLeast<T>());
      default: return visit(TakesLargest<T>());
    }
  });
}

// Cells in a row, `step` apart.
template <class T>
struct Row {
  T* first;
  std::int64_t step;
  T& operator[](std::int64_t i) const { return first[i * step]; }
  Row from(std::int64_t i) const { return {first + i * step, step}; }
  Row moved(std::int64_t cells) const { return {first + cells, step}; }
};

constexpr int kAtOnce = 4;  // blocks that are folded side by side: in each a cell waits for the one before it

// What the cells of so many blocks come to. They are far apart: who reads ahead of one stream does not of these.
template <class F, class Cells>
void fold_side_by_side(const Cells& cells, std::int64_t block, typename F::Cell* totals) {
  constexpr std::int64_t kCacheLine = 64 / sizeof(typename F::Cell);
  typename F::Cell s0 = F::kNone, s1 = F::kNone, s2 = F::kNone, s3 = F::kNone;
  for (std::int64_t i = 0; i < block; ++i) {
    if (i % kCacheLine == 0) {
      for (int k = kAtOnce; k < 2 * kAtOnce; ++k) __builtin_prefetch(&cells[i + k * block]);
    }
    s0 = F::fold(s0, cells[i]);
    s1 = F::fold(s1, cells[i + block]);
    s2 = F::fold(s2, cells[i + 2 * block]);
    s3 = F::fold(s3, cells[i + 3 * block]);
  }
  totals[0] = s0, totals[1] = s1, totals[2] = s2, totals[3] = s3;
}

// How far a line is: what the blocks before come to, what the cells before of this block do, and how many these are.
template <class T>
struct Progress {
  T before, within;
  std::int64_t cells = 0;
};

constexpr int kReadAhead = 16;  // cells that are read before one is written: what follows does not wait for stores

template <class F, class From, class To>
void scan_part(const From& from, const To& to, std::int64_t count, Progress<typename F::Cell>& progress) {
  auto within = progress.within;
  const auto before = progress.before;
  std::int64_t i = 0;
  for (; i + kReadAhead <= count; i += kReadAhead) {
    typename F::Cell cells[kReadAhead];
    for (int k = 0; k < kReadAhead; ++k) cells[k] = from[i + k];
    for (auto& cell : cells) {
      within = F::fold(within, cell);
      cell = F::fold(before, within);
    }
    for (int k = 0; k < kReadAhead; ++k) to[i + k] = cells[k];
  }
  for (; i < count; ++i) {
    within = F::fold(within, from[i]);
    to[i] = F::fold(before, within);
  }
  progress.within = within;
  progress.cells += count;
}

template <class F, class From, class To>
void scan_line(const From& from, const To& to, std::int64_t count, std::int64_t block,
               Progress<typename F::Cell> progress) {
  for (std::int64_t at = 0; at < count;) {
    const std::int64_t part = std::min(count - at, block - progress.cells);
    scan_part<F>(from.from(at), to.from(at), part, progress);
    if (progress.cells == block) progress = {F::fold(progress.before, progress.within), F::kNone, 0};
    at += part;
  }
}

// Cells side by side: the compiler knows their step.
template <class T>
struct Side {
  T* first;
  T& operator[](std::int64_t i) const { return first[i]; }
  Side from(std::int64_t i) const { return {first + i}; }
  Side moved(std::int64_t cells) const { return {first + cells}; }
};

template <class F, class T = typename F::Cell>
void scan_any_line(const T* from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t count,
                   std::int64_t block, const Progress<T>& progress) {
  if (from_step == 1 && to_step == 1) return scan_line<F>(Side<const T>{from}, Side<T>{to}, count, block, progress);
  scan_line<F>(Row<const T>{from, from_step}, Row<T>{to, to_step}, count, block, progress);
}

constexpr std::int64_t kLinesAtOnce = 2048;  // lines that are scanned together where their cells lie side by side

// Of each line the next `kCells` cells, which are a step apart: what a line has so far is loaded and stored once.
template <class F, int kCells, class From, class T = typename F::Cell>
void scan_some(const From& from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t lines,
               const T* before, T* within) {
  for (std::int64_t j = 0; j < lines; ++j) {
    T so_far = within[j];
    const T start = before[j];
    for (int k = 0; k < kCells; ++k) {
      so_far = F::fold(so_far, from.moved(k * from_step)[j]);
      to[k * to_step + j] = F::fold(start, so_far);
    }
    within[j] = so_far;
  }
}

// Lines 0 … lines - 1, side by side in the result, whose cells are a step apart.
template <class F, class From, class T = typename F::Cell>
void scan_side_by_side(From from, std::int64_t from_step, T* to, std::int64_t to_step, std::int64_t lines,
                       std::int64_t count, std::int64_t block) {
  constexpr int kTogether = 4;
  T before[kLinesAtOnce], within[kLinesAtOnce];
  std::fill_n(before, lines, F::kNone);
  while (count > 0) {
    std::fill_n(within, lines, F::kNone);
    std::int64_t left = std::min(count, block);
    count -= left;
    while (left > 0) {
      const int cells = left >= kTogether ? kTogether : 1;
      if (cells == kTogether) {
        scan_some<F, kTogether>(from, from_step, to, to_step, lines, before, within);
      } else {
        scan_some<F, 1>(from, from_step, to, to_step, lines, before, within);
      }
      from.first += cells * from_step;
      to += cells * to_step;
      left -= cells;
    }
    for (std::int64_t j = 0; j < lines; ++j) before[j] = F::fold(before[j], within[j]);
  }
}

// The axis of the piece along which the result's cells lie side by side, where its lines' do not; -1: none.
int axis_of_columns(const BoundStore& out, const Piece& piece) {
  if (out.stride[u(piece.rank())] == 1) return -1;
  for (int axis = 0; axis < piece.rank(); ++axis) {
    if (out.stride[u(axis)] == 1 && piece.extent(axis) > 1) return axis;
  }
  return -1;
}

template <class F>
void scan_lines_of(std::int64_t block, const BodyCall& call) {
  using T = typename F::Cell;
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const std::int64_t count = out.hi[u(rank)] - out.lo[u(rank)];
  const std::int64_t from_step = array.stride[u(rank)], to_step = out.stride[u(rank)];
  const int columns = axis_of_columns(out, call.piece);
  for_each_point(call.piece, columns, [&](const Piece::Bounds& point) {
    const T* const from = static_cast<const T*>(array.first) + cells_to(array, point, rank);
    T* const to = static_cast<T*>(out.first) + cells_to(out, point, rank);
    if (columns < 0) return scan_any_line<F>(from, from_step, to, to_step, count, block, {F::kNone, F::kNone, 0});
    const std::int64_t all = call.piece.extent(columns), beside = array.stride[u(columns)];
    for (std::int64_t j = 0; j < all; j += kLinesAtOnce) {
      const std::int64_t lines = std::min(kLinesAtOnce, all - j);
      if (beside == 1) {
        scan_side_by_side<F>(Side<const T>{from + j}, from_step, to + j, to_step, lines, count, block);
      } else {
        scan_side_by_side<F>(Row<const T>{from + j * beside, beside}, from_step, to + j, to_step, lines, count, block);
      }
    }
  });
}

template <class F>
void fold_blocks_of(int axis, std::int64_t block, const BodyCall& call) {
  using T = typename F::Cell;
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const std::int64_t step = array.stride[u(axis)], lo = call.piece.lo(axis), hi = call.piece.hi(axis);
  for_each_point(call.piece, axis, [&](const Piece::Bounds& point) {
    Piece::Bounds first = point;
    first[u(axis)] = lo * block;
    const Row<const T> cells{static_cast<const T*>(array.first) + cells_to(array, first, call.piece.rank()), step};
    const Row<T> to{static_cast<T*>(out.first) + cells_to(out, point, call.piece.rank()), out.stride[u(axis)]};
    std::int64_t b = lo;
    for (; b + kAtOnce <= hi && (b + kAtOnce) * block <= array.hi[u(axis)]; b += kAtOnce) {
      T totals[kAtOnce];
      const Row<const T> here = cells.from((b - lo) * block);
      if (step == 1) {
        fold_side_by_side<F>(Side<const T>{here.first}, block, totals);
      } else {
        fold_side_by_side<F>(here, block, totals);
      }
      for (int k = 0; k < kAtOnce; ++k) to[b - lo + k] = totals[k];
    }
    for (; b < hi; ++b) {
      T total = F::kNone;
      const std::int64_t end = std::min((b + 1) * block, array.hi[u(axis)]);
      for (std::int64_t i = b * block; i < end; ++i) total = F::fold(total, cells[i - lo * block]);
      to[b - lo] = total;
    }
  });
}

// before(block, point): what the blocks before this one come to.
template <class F, class Before>
void scan_pieces(int axis, std::int64_t block, const BodyCall& call, const Before& before) {
  using T = typename F::Cell;
  const BoundStore &out = call.stores[0], &array = call.stores[1];
  const int rank = call.piece.rank();
  const std::int64_t lo = call.piece.lo(axis), first_block = lo / block;
  for_each_point(call.piece, axis, [&](const Piece::Bounds& point) {
    Piece::Bounds start = point;
    start[u(axis)] = first_block * block;
    const Row<const T> cells{static_cast<const T*>(array.first) + cells_to(array, start, rank), array.stride[u(axis)]};
    Progress<T> progress{before(first_block, point), F::kNone, 0};
    for (; progress.cells < lo - first_block * block; ++progress.cells)
      progress.within = F::fold(progress.within, cells[progress.cells]);
    T* const to = static_cast<T*>(out.first) + cells_to(out, point, rank);
    scan_any_line<F>(cells.from(progress.cells).first, cells.step, to, out.stride[u(axis)], call.piece.extent(axis),
                     block, progress);
  });
}

// The cell of a store along an axis, in a point's line.
template <class T>
T cell_in_line(const BoundStore& store, Piece::Bounds point, int axis, std::int64_t at, int rank) {
  point[u(axis)] = at;
  return static_cast<const T*>(store.first)[cells_to(store, point, rank)];
}

template <class F>
void scan_cells_of(int axis, std::int64_t block, const BodyCall& call) {
  using T = typename F::Cell;
  scan_pieces<F>(axis, block, call, [&](std::int64_t first, const Piece::Bounds& point) {
    return first == 0 ? F::kNone : cell_in_line<T>(call.stores[2], point, axis, first - 1, call.piece.rank());
  });
}

template <class F>
void scan_tiles_of(int axis, std::int64_t tile, const BodyCall& call) {
  using T = typename F::Cell;
  const int rank = call.piece.rank();
  scan_pieces<F>(axis, tile, call, [&](std::int64_t first, const Piece::Bounds& point) {
    const std::int64_t group = first / kScanGroup;
    T before = group == 0 ? F::kNone : cell_in_line<T>(call.stores[3], point, axis, group - 1, rank);
    for (std::int64_t at = group * kScanGroup; at < first; ++at)
      before = F::fold(before, cell_in_line<T>(call.stores[2], point, axis, at, rank));
    return before;
  });
}

}  // namespace

LibraryBody::Form scan_form(Fold fold, DType dtype, int axis, std::int64_t block) {
  return {static_cast<std::int64_t>(fold), static_cast<std::int64_t>(dtype), axis, block};
}

void scan_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_fold(form, [&]<class F>(F) { scan_lines_of<F>(form[3], call); });
}

// The first cell is what it is: 1 times an infinite one has a NaN.
void multiply_lines(std::span<const std::int64_t> form, const BodyCall& call) {
  const auto multiply = [&]<class T>(T) {
    for_each_line<T, T>(call, [](const Line<const T>& from, const Line<T>& to) {
      T product = from[0];
      to[0] = product;
      for (std::int64_t i = 1; i < from.count; ++i) {
        const T next = from[i];
        product = {product.real() * next.real() - product.imag() * next.imag(),
                   product.real() * next.imag() + product.imag() * next.real()};
        to[i] = product;
      }
    });
  };
  static_cast<DType>(form[0]) == DType::Complex64 ? multiply(std::complex<float>()) : multiply(std::complex<double>());
}

void fold_blocks(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_fold(form, [&]<class F>(F) { fold_blocks_of<F>(static_cast<int>(form[2]), form[3], call); });
}

void scan_cells(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_fold(form, [&]<class F>(F) { scan_cells_of<F>(static_cast<int>(form[2]), form[3], call); });
}

void scan_tiles(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_fold(form, [&]<class F>(F) { scan_tiles_of<F>(static_cast<int>(form[2]), form[3], call); });
}

}  // namespace pilum::numeric
