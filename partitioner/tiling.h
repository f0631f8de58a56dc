// How a store, or a task's domain, is cut among the processors: a formula, O(1) in size.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "partitioner/affine_map.h"
#include "runtime/base/rect.h"

namespace pilum::partitioner {

// One axis cut into `parts`. Part i holds the x with cut(i) <= scale * x < cut(i + 1), where
// cut(i) = offset + floor(range * i / parts) inside, or offset + table[i], and the first and last parts are open
// outwards. The processor's part number is (processor / stride) % parts.
struct AxisTiling {
  std::int32_t parts = 1;
  std::int32_t stride = 0;  // 0 where parts is 1
  std::int64_t range = 0;
  std::int64_t offset = 0;
  std::int64_t scale = 1;
  const std::int64_t* table =
      nullptr;  // of cuts that somebody gave (block_tiling.h); of equal ones the same one, for good

  std::int64_t cut(std::int64_t i) const {  // 0 < i < parts
    if (table) return offset + table[i];
    return offset + static_cast<std::int64_t>(static_cast<__int128>(range) * i / parts);
  }
  bool operator==(const AxisTiling&) const = default;
};

// Which processors take part at all: those whose part number on a dropped axis is `index`.
struct FixedPart {
  std::int32_t parts = 1;
  std::int32_t stride = 0;
  std::int32_t index = 0;
  bool operator==(const FixedPart&) const = default;
};

// Tiles of different processors are disjoint and cover the box; or the box is replicated, and each processor has all.
// Equal formulas give equal tiles. Values; no heap memory.
class Tiling {
 public:
  // Every processor has the whole.
  static Tiling replicated(const Rect& box);
  // Axis k cut as axes[k] says (parts of 1: not); `processors` of them may have tiles.
  static Tiling cut(const Rect& box, const std::array<AxisTiling, kMaxAxes>& axes, int processors);
  // Processor 0 alone has the whole.
  static Tiling on_one(const Rect& box);
  // Cut evenly: `parts` an axis, processors numbered row-major over the grid of parts.
  static Tiling even(const Rect& box, const std::array<int, kMaxAxes>& parts);

  bool is_replicated() const { return replicated_; }
  // Processor 0 alone has all.
  bool is_on_one() const { return !replicated_ && processors_ == 1; }
  const Rect& box() const { return box_; }
  const AxisTiling& axis(int axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  // Processors 0 … count-1 may have tiles; those beyond have none.
  int processors() const { return processors_; }

  // The processor's cells; empty if it has none. O(rank).
  Rect tile(int processor) const;
  // Calls visit(processor, common part) for each tile that meets `rect`, in the order of the processors' part
  // numbers. Cost: the tiles met. Not for replicated boxes.
  void for_each_tile(const Rect& rect, const std::function<void(int, const Rect&)>& visit) const;

  // The number of the axis's part that has the cell.
  std::int64_t part_at(int axis, std::int64_t cell) const {
    return part_of(axes_[static_cast<std::size_t>(axis)], cell);
  }

  // The tiling that this one induces on a domain through `map`: x lies with the cell it maps to. Where axes are dropped
  // only processors that have their cells take part.
  Tiling pull_back(const AffineMap& map, const Rect& domain) const;
  // True where an axis of the domain follows several axes that are cut, as a diagonal does: no tiling of the domain has
  // each point with its cell.
  bool is_cut_across(const AffineMap& map) const;
  // The tiling of another box whose axis k runs along this one's axis `along[k]` (-1: none; that axis is not cut),
  // displaced: its cell c lies with this one's cell c + shift[k].
  Tiling align(const Rect& box, const std::array<int, kMaxAxes>& along,
               const std::array<std::int64_t, kMaxAxes>& shift) const;
  // The same processors take part, as far as dropped axes tell.
  bool drops_as(const Tiling& other) const { return fixed_count_ == other.fixed_count_ && fixed_ == other.fixed_; }
  bool operator==(const Tiling&) const = default;

 private:
  static AxisTiling in_one_part(const AxisTiling& axis, std::int64_t lo, std::int64_t extent);
  static std::int64_t part_of(const AxisTiling& axis, std::int64_t x);
  void part_range(const AxisTiling& axis, std::int64_t part, std::int64_t& lo, std::int64_t& hi) const;

  Rect box_;
  bool replicated_ = false;
  int processors_ = 1;
  int fixed_count_ = 0;
  std::array<AxisTiling, kMaxAxes> axes_{};
  std::array<FixedPart, kMaxAxes> fixed_{};
};

// "replicated", or parts an axis with the cuts' formula: "4x1 cut 0+8194*i/4".
std::string to_string(const Tiling& tiling);

}  // namespace pilum::partitioner
