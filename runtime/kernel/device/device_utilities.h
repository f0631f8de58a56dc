// Device kernels that no operation emits: copies of boxes, folds of partial results, reshapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pilum/shape.h"
#include "runtime/kernel/device/emit_device.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// A box of cells of `itemsize` bytes, pitches in bytes by axis.
struct DeviceBox {
  const void* data = nullptr;
  const std::int64_t* pitch = nullptr;
};

// What to launch: a text for the compiler, the shape and the words of its argument.
struct DeviceUtility {
  const std::string* text = nullptr;  // one object for each text
  DeviceShape shape;
  std::vector<std::uint64_t> words;
};

// to[x] = from[x] for the box's cells.
[[nodiscard]] DeviceUtility make_box_copy(int rank, const std::int64_t* extent, std::size_t itemsize, DeviceBox from,
                                          DeviceBox to);
// to[x] = fold(start, parts[0][x], parts[1][x], …), parts being row-major boxes one after the other; `start` is the
// fold's identity or, where `keep`, to[x].
[[nodiscard]] DeviceUtility make_part_fold(Fold fold, DType dtype, bool keep, int rank, const std::int64_t* extent,
                                           const void* parts, std::int64_t count, DeviceBox to);
// Cell number c of the box `to_extent` (row-major) gets cell number c of the box `from_extent`; of `to` only the points
// lo <= x < hi. `to` and `from` are the cells of the boxes' first points.
[[nodiscard]] DeviceUtility make_reshape(std::size_t itemsize, int to_rank, const std::int64_t* to_extent,
                                         const std::int64_t* lo, const std::int64_t* hi, DeviceBox to, int from_rank,
                                         const std::int64_t* from_extent, DeviceBox from);

}  // namespace pilum::kernel
