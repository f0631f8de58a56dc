#include "scheduler/execute/reshape_run.h"

#include <algorithm>
#include <cstring>

#include "scheduler/record/instruction_facts.h"

namespace pilum::scheduler {
namespace {

// A row-major walk, by cells that follow one another: axes that lie without gaps are one.
struct Walk {
  int rank = 0;
  Extents extent{}, pitch{};

  void add(std::int64_t cells, std::int64_t bytes) {
    if (cells == 1) return;
    if (rank > 0 && pitch[last()] == cells * bytes) {
      extent[last()] *= cells;
      pitch[last()] = bytes;
      return;
    }
    extent[static_cast<std::size_t>(rank)] = cells;
    pitch[static_cast<std::size_t>(rank)] = bytes;
    ++rank;
  }
  std::size_t last() const { return static_cast<std::size_t>(rank - 1); }
};

struct Cell2 {
  std::uint64_t a, b;
};

template <class T>
void copy_row(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step, std::int64_t cells) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  if (to_step == kSize && from_step == kSize) {
    std::memcpy(to, from, static_cast<std::size_t>(cells * kSize));
    return;
  }
  for (std::int64_t i = 0; i < cells; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(T));
}

// Cells of `walk` from the one of this number on, into a row of as many.
template <class T>
class RowFiller {
 public:
  RowFiller(const std::byte* from, const Walk& walk) : from_(from), walk_(walk) {
    if (walk_.rank == 0) walk_.extent[0] = walk_.rank = 1;
  }

  void fill(std::byte* to, std::int64_t step, std::int64_t first, std::int64_t cells) {
    seek(first);
    const std::size_t last = walk_.last();
    const std::int64_t row = walk_.extent[last], bytes = walk_.pitch[last];
    while (cells > 0) {
      std::int64_t done = std::min(cells, row - at_[last]);
      if (at_[last] == 0 && cells >= row && walk_.rank > 1) {
        const std::int64_t rows = std::min(cells / row, walk_.extent[last - 1] - at_[last - 1]);
        copy_rows(to, step, rows);
        done = rows * row;
        at_[last - 1] += rows - 1;
        place_ += (rows - 1) * walk_.pitch[last - 1] + row * bytes;
        at_[last] = row;
      } else {
        copy_row<T>(to, step, place_, bytes, done);
        place_ += done * bytes;
        at_[last] += done;
      }
      to += done * step;
      cells -= done;
      if (at_[last] == row) carry();
    }
  }

 private:
  void seek(std::int64_t number) {
    place_ = from_;
    for (std::size_t axis = walk_.last() + 1; axis-- > 0;) {
      at_[axis] = number % walk_.extent[axis];
      number /= walk_.extent[axis];
      place_ += at_[axis] * walk_.pitch[axis];
    }
  }
  // A last axis is at its end.
  void carry() {
    for (std::size_t axis = walk_.last(); axis > 0 && at_[axis] == walk_.extent[axis]; --axis) {
      place_ += walk_.pitch[axis - 1] - at_[axis] * walk_.pitch[axis];
      at_[axis] = 0;
      ++at_[axis - 1];
    }
  }
  void copy_rows(std::byte* to, std::int64_t step, std::int64_t rows) const {
    switch (walk_.extent[walk_.last()]) {
      case 2: return copy_rows_of<2>(to, step, rows);
      case 3: return copy_rows_of<3>(to, step, rows);
      case 4: return copy_rows_of<4>(to, step, rows);
      default: break;
    }
    const std::size_t last = walk_.last();
    const std::int64_t row = walk_.extent[last];
    for (std::int64_t i = 0; i < rows; ++i)
      copy_row<T>(to + i * row * step, step, place_ + i * walk_.pitch[last - 1], walk_.pitch[last], row);
  }
  template <int kRow>
  void copy_rows_of(std::byte* to, std::int64_t step, std::int64_t rows) const {
    const std::int64_t bytes = walk_.pitch[walk_.last()], pitch = walk_.pitch[walk_.last() - 1];
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::byte* const from = place_ + i * pitch;
      for (int j = 0; j < kRow; ++j) std::memcpy(to + (i * kRow + j) * step, from + j * bytes, sizeof(T));
    }
  }

  const std::byte* from_;
  Walk walk_;
  Extents at_{};
  const std::byte* place_ = nullptr;
};

// The box of the target, row by row, where axes are one that are whole and lie without gaps.
template <class T>
void run(const Reshape& reshape, const Extents& lo, const Extents& hi) {
  Walk source;
  for (std::size_t a = 0; a < static_cast<std::size_t>(reshape.from_rank); ++a)
    source.add(reshape.from_extent[a], reshape.from.pitch[a]);
  RowFiller<T> filler(reshape.from.data, source);
  int row_axis = reshape.to_rank - 1;
  std::int64_t row = 1;  // cells behind one of row_axis's
  for (; row_axis > 0; --row_axis) {
    const auto a = static_cast<std::size_t>(row_axis);
    const std::int64_t extent = reshape.to_extent[a];
    if (lo[a] != 0 || hi[a] != extent || reshape.to.pitch[a - 1] != extent * reshape.to.pitch[a]) break;
    row *= extent;
  }
  const auto r = static_cast<std::size_t>(row_axis);
  const std::int64_t step = reshape.to.pitch[static_cast<std::size_t>(reshape.to_rank - 1)];
  Extents point = lo;
  for (;;) {
    std::int64_t number = 0;
    std::byte* to = reshape.to.data;
    for (std::size_t a = 0; a <= r; ++a) {
      number = number * reshape.to_extent[a] + point[a];
      to += point[a] * reshape.to.pitch[a];
    }
    filler.fill(to, step, number * row, (hi[r] - lo[r]) * row);
    int axis = row_axis - 1;
    for (; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (++point[a] < hi[a]) break;
      point[a] = lo[a];
    }
    if (axis < 0) return;
  }
}

}  // namespace

void run_reshape(const Reshape& reshape, std::int64_t number) {
  const std::int64_t chunks = count_chunks(reshape);
  const auto a = static_cast<std::size_t>(chunk_axis(reshape));
  Extents lo = reshape.lo, hi = reshape.hi;
  const std::int64_t extent = hi[a] - lo[a], first = lo[a];
  lo[a] = first + extent * number / chunks;
  hi[a] = first + extent * (number + 1) / chunks;
  if (lo[a] == hi[a]) return;
  switch (reshape.itemsize) {
    case 1: return run<std::uint8_t>(reshape, lo, hi);
    case 2: return run<std::uint16_t>(reshape, lo, hi);
    case 4: return run<std::uint32_t>(reshape, lo, hi);
    case 8: return run<std::uint64_t>(reshape, lo, hi);
    default: return run<Cell2>(reshape, lo, hi);
  }
}

}  // namespace pilum::scheduler
