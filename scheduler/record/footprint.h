// What a point of a domain touches of an array, and so what a piece of it touches: of kernels and of users' bodies.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "partitioner/region.h"
#include "pilum/detail/task_form.h"
#include "pilum/piece.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::scheduler {

// Cells of the store, at fixed distances from the one that the view gives to the point: what kernels load and store.
struct Offsets {
  std::vector<Point> at;  // at least one
  Point low, high;        // their hull
  static Offsets none(int store_rank) { return {{Point{store_rank}}, Point{store_rank}, Point{store_rank}}; }
  void add(const Point& offset);
  bool operator==(const Offsets&) const = default;
};

// A box of the view that moves with the point, by axis of the view; clipped at the view's ends. An axis that follows
// none of the domain's has scale 0.
using Windows = std::array<AxisCells, kMaxAxes>;

// The cells of a view that a point touches, as the user says. Pure.
struct CellFunction {
  detail::FunctionIdentity identity;
  std::function<std::vector<Box>(const Piece&)> boxes;
  bool takes_pieces = false;  // any piece, not points alone: it is asked once
};

// Boxes of the view that a function of the user's gives.
struct AskedCells {
  std::shared_ptr<const CellFunction> function;
  // The store's cells that it gave, by piece: it is asked for the same ones again and again. Null: nothing is kept.
  std::shared_ptr<std::map<Rect, partitioner::Region>> known;
};

struct Footprint {
  kernel::Access access = kernel::Access::Read;
  kernel::Fold fold = kernel::Fold::Sum;  // Reduce
  DType dtype = DType::Float64;
  std::int8_t domain_rank = 1;
  Shape shape;  // of the view; a kernel's view is its domain, and has none
  std::variant<Offsets, Windows, AskedCells> cells;

  bool writes() const { return access != kernel::Access::Read; }
  // Null: it is no kernel's.
  const Offsets* offsets() const { return std::get_if<Offsets>(&cells); }
  // Null: no function of the user's is asked.
  const CellFunction* function() const {
    const auto* asked = std::get_if<AskedCells>(&cells);
    return asked ? asked->function.get() : nullptr;
  }
  // Of a body, along an axis of the view; where a function is asked, all of it.
  AxisCells window(int axis) const {
    const auto* windows = std::get_if<Windows>(&cells);
    return windows ? (*windows)[static_cast<std::size_t>(axis)] : AxisCells{-1, 0, 0, shape[axis]};
  }

  // What a piece touches of the view, in the view's indices: by a body's windows; may be empty.
  Rect box(const Rect& piece) const;
  // By the function: point by point, or all at once.
  partitioner::Region ask(const Rect& piece) const;
};

}  // namespace pilum::scheduler
