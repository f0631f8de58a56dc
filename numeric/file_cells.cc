#include "numeric/file_cells.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/library_task.h"

namespace pilum::numeric {
namespace {

constexpr std::size_t kBufferBytes = 512 << 10;  // stays in a core's cache

template <class T>
T turned(T cell) {
  auto* bytes = reinterpret_cast<std::byte*>(&cell);
  std::reverse(bytes, bytes + sizeof cell);
  return cell;
}

// In the other order of bytes, each number by itself: a complex cell is two.
void swap_bytes(std::byte* bytes, std::size_t size, DType dtype) {
  visit_size(static_cast<std::int64_t>(itemsize(pilum::detail::part_of(dtype))), [&]<class T>(T) {
    for (std::size_t at = 0; at < size; at += sizeof(T)) {
      T cell;
      std::memcpy(&cell, bytes + at, sizeof cell);
      cell = turned(cell);
      std::memcpy(bytes + at, &cell, sizeof cell);
    }
  });
}

// Goes through a piece's cells row-major, some at a time.
class Cursor {
 public:
  Cursor(const Piece& piece, const pilum::detail::BoundStore& store, std::int64_t itemsize)
      : piece_(piece), store_(store), itemsize_(itemsize), point_(piece.lo()) {}

  const Piece::Bounds& point() const { return point_; }

  // Calls copy(address, step in bytes, cells) for parts of rows, `count` cells in all.
  template <class Copy>
  void go(std::int64_t count, const Copy& copy) {
    const int last = piece_.rank() - 1;
    while (count > 0) {
      const std::int64_t cells = std::min(count, piece_.hi(last) - point_[u(last)]);
      std::byte* first = static_cast<std::byte*>(store_.first) + cells_to(store_, point_, piece_.rank()) * itemsize_;
      copy(first, store_.stride[u(last)] * itemsize_, cells);
      count -= cells;
      point_[u(last)] += cells;
      for (int axis = last; axis > 0 && point_[u(axis)] == piece_.hi(axis); --axis) {
        point_[u(axis)] = piece_.lo(axis);
        ++point_[u(axis - 1)];
      }
    }
  }

 private:
  const Piece& piece_;
  const pilum::detail::BoundStore& store_;
  const std::int64_t itemsize_;
  Piece::Bounds point_;
};

// Cells of a piece that lie one after the other in the file: those of its last axes that are whole, and of one more.
std::int64_t cells_of_run(const Piece& piece, const Shape& shape) {
  std::int64_t cells = 1;
  for (int axis = piece.rank() - 1; axis >= 0; --axis) {
    cells *= piece.extent(axis);
    if (piece.extent(axis) != shape[axis]) break;
  }
  return cells;
}

std::int64_t place_in_file(const FileCells& cells, const Piece::Bounds& point) {
  std::int64_t place = 0;
  for (int axis = 0; axis < cells.shape.rank(); ++axis) place = place * cells.shape[axis] + point[u(axis)];
  return cells.begin + place * static_cast<std::int64_t>(itemsize(cells.dtype));
}

void gather_row(std::byte* to, const std::byte* from, std::int64_t step, std::int64_t cells, std::int64_t size) {
  if (step == size) {
    std::memcpy(to, from, static_cast<std::size_t>(cells * size));
    return;
  }
  visit_size(size, [&]<class T>(T) {
    for (std::int64_t i = 0; i < cells; ++i) std::memcpy(to + i * size, from + i * step, sizeof(T));
  });
}

void scatter_row(std::byte* to, std::int64_t step, const std::byte* from, std::int64_t cells, std::int64_t size) {
  if (step == size) {
    std::memcpy(to, from, static_cast<std::size_t>(cells * size));
    return;
  }
  visit_size(size, [&]<class T>(T) {
    for (std::int64_t i = 0; i < cells; ++i) std::memcpy(to + i * step, from + i * size, sizeof(T));
  });
}

// Calls move(place in the file, buffer) for parts of runs; between them and memory goes the cursor.
template <class Move>
FileTrouble for_each_part(const FileCells& cells, const Piece& piece, const Move& move) {
  if (piece.size() == 0) return {};
  const std::int64_t size = static_cast<std::int64_t>(itemsize(cells.dtype));
  const std::int64_t run = cells_of_run(piece, cells.shape), most = static_cast<std::int64_t>(kBufferBytes) / size;
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(run, most) * size));
  for (std::int64_t left = piece.size(); left > 0; left -= run) {
    for (std::int64_t done = 0; done < run; done += most) {
      const std::int64_t count = std::min(most, run - done);
      if (const FileTrouble trouble = move(count, std::span(buffer).first(static_cast<std::size_t>(count * size))))
        return trouble;
    }
  }
  return {};
}

}  // namespace

FileTrouble read_cells(const File& file, const FileCells& cells, const Piece& piece,
                       const pilum::detail::BoundStore& store) {
  const auto size = static_cast<std::int64_t>(itemsize(cells.dtype));
  Cursor cursor(piece, store, size);
  return for_each_part(cells, piece, [&](std::int64_t count, std::span<std::byte> buffer) {
    if (const FileTrouble trouble = file.read(place_in_file(cells, cursor.point()), buffer)) return trouble;
    if (cells.is_swapped) swap_bytes(buffer.data(), buffer.size(), cells.dtype);
    if (cells.dtype == DType::Bool) {
      for (std::byte& cell : buffer) cell = std::byte{cell != std::byte{0}};  // any other is no bool of C++
    }
    const std::byte* from = buffer.data();
    cursor.go(count, [&](std::byte* to, std::int64_t step, std::int64_t row) {
      scatter_row(to, step, from, row, size);
      from += row * size;
    });
    return FileTrouble();
  });
}

FileTrouble write_cells(const File& file, const FileCells& cells, const Piece& piece,
                        const pilum::detail::BoundStore& store) {
  const auto size = static_cast<std::int64_t>(itemsize(cells.dtype));
  Cursor cursor(piece, store, size);
  return for_each_part(cells, piece, [&](std::int64_t count, std::span<std::byte> buffer) {
    const std::int64_t place = place_in_file(cells, cursor.point());
    std::byte* to = buffer.data();
    cursor.go(count, [&](const std::byte* from, std::int64_t step, std::int64_t row) {
      gather_row(to, from, step, row, size);
      to += row * size;
    });
    return file.write(place, buffer);
  });
}

}  // namespace pilum::numeric
