// How a view's coordinates become a store's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "pilum/shape.h"
#include "runtime/base/rect.h"

namespace pilum::partitioner {

// What is seen of a store behind its ends, along one axis: its cells from the other end on, its last cell again, its
// mirror image, with that cell or without it, or a number (NumPy's wrap, edge, symmetric, reflect and constant).
enum class Beyond : std::uint8_t { Around, Edge, Mirror, MirrorWithin, Number };

// One store axis: cell = offset + scale * x[axis], or the constant `offset` where axis is -1 (then scale is 0).
struct AxisMap {
  std::int8_t axis = -1;
  Beyond beyond = Beyond::Around;  // of views whose cells lie outside of their store (scheduler/analyze/beyond.h)
  std::int64_t scale = 0;          // never 0 where axis >= 0
  std::int64_t offset = 0;

  AxisMap() = default;
  AxisMap(std::int8_t axis, std::int64_t scale, std::int64_t offset) : axis(axis), scale(scale), offset(offset) {}
  bool operator==(const AxisMap&) const = default;
};

// Store coordinates as a function of a view's (or a domain's): each store axis follows one axis at most, and no two
// follow the same one. Axes that no store axis follows are broadcast. Slices, transposes, dropped and new axes are
// all of this form.
//
// Recorded operations are made of maps, most of two or three axes: a copy has the axes that the map names, and no more.
struct AffineMap {
  int store_rank = 0;
  int view_rank = 0;
  union {
    std::array<AxisMap, kMaxAxes> axes;  // by store axis
  };

  AffineMap() : axes{} {}
  AffineMap(const AffineMap& other) noexcept { *this = other; }
  AffineMap& operator=(const AffineMap& other) noexcept {
    store_rank = other.store_rank;
    view_rank = other.view_rank;
    for (std::size_t k = 0; k < static_cast<std::size_t>(store_rank); ++k) {
      // Member by member: else the compiler calls memmove for two axes.
      axes[k].axis = other.axes[k].axis;
      axes[k].beyond = other.axes[k].beyond;
      axes[k].scale = other.axes[k].scale;
      axes[k].offset = other.axes[k].offset;
    }
    return *this;
  }
  // Of no axes: to be assigned.
  static AffineMap none() { return AffineMap(None{}); }
  static AffineMap identity(int rank);
  const AxisMap& operator[](int store_axis) const { return axes[static_cast<std::size_t>(store_axis)]; }
  AxisMap& operator[](int store_axis) { return axes[static_cast<std::size_t>(store_axis)]; }
  // The store axis that follows view axis `axis`; -1: broadcast.
  int store_axis_of(int axis) const;
  bool operator==(const AffineMap& other) const {
    return store_rank == other.store_rank && view_rank == other.view_rank &&
           std::equal(axes.begin(), axes.begin() + store_rank, other.axes.begin());
  }

 private:
  struct None {};
  explicit AffineMap(None) {}
};

// The hull of the cells that `domain` reaches; empty for an empty domain.
Rect image(const AffineMap& map, const Rect& domain);
// The points of `domain` whose cell lies in `cells`.
Rect preimage(const AffineMap& map, const Rect& cells, const Rect& domain);
std::string to_string(const AffineMap& map);

}  // namespace pilum::partitioner
