// What bodies that read and write picked cells are told: pack_form(), unpacked.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "numeric/library_task.h"
#include "numeric/picked_cells.h"

namespace pilum::numeric {

// A body's form: what PickedCells says but for the arrays; and the extents of the array, which are no part of it.
struct PickedForm {
  int itemsize = 0;
  DType dtype = DType::Float64;
  PickedWrite write = PickedWrite::Assign;
  IndexMode mode = IndexMode::Raise;
  int rank = 0, points_rank = 0;  // of the array, of the points
  bool numbered = false;
  int behind = 0;          // the last axes of the points, along which indices repeat
  int before = 0;          // the first axes of the array, which messages do not count
  std::int64_t cells = 1;  // of the array
  std::array<int, kMaxAxes> follows{};
  std::array<std::int64_t, kMaxAxes> extents{};

  explicit PickedForm(std::span<const std::int64_t> form)
      : itemsize(static_cast<int>(form[0])),
        dtype(static_cast<DType>(form[1])),
        write(static_cast<PickedWrite>(form[2])),
        mode(static_cast<IndexMode>(form[3])),
        rank(static_cast<int>(form[4])),
        points_rank(static_cast<int>(form[5])),
        numbered(form[6] != 0),
        behind(static_cast<int>(form[7])) {
    for (int axis = 0; axis < rank; ++axis) follows[u(axis)] = static_cast<int>(form[8 + u(axis)]);
    if (form.size() > 8 + u(rank)) before = static_cast<int>(form[8 + u(rank)]);
  }
  void set_extent(int axis, std::int64_t extent) {
    extents[u(axis)] = extent;
    cells *= extent;
  }
};

}  // namespace pilum::numeric
