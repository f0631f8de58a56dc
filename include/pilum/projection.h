// Projections: which cells of an array belong to a point of a launch's domain.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/array.h"
#include "pilum/detail/function_identity.h"
#include "pilum/export.h"
#include "pilum/piece.h"

namespace pilum::scheduler {
struct CellFunction;
}  // namespace pilum::scheduler

namespace pilum {

namespace detail {
PILUM_API std::shared_ptr<const scheduler::CellFunction> make_function(
    const FunctionIdentity& identity, std::function<std::vector<Box>(const Piece&)> boxes);
}  // namespace detail

// How wide a halo is, along each axis or along all.
class Widths {
 public:
  Widths() = default;
  Widths(std::initializer_list<std::int64_t> widths) : Widths(std::span(widths.begin(), widths.size())) {}
  explicit Widths(std::span<const std::int64_t> widths) : count_(widths.size()) {
    for (std::size_t axis = 0; axis < count_ && axis < widths_.size(); ++axis) widths_[axis] = widths[axis];
  }
  // What was given; more than there can be axes too.
  std::size_t size() const { return count_; }
  std::int64_t front() const { return widths_.front(); }
  std::int64_t operator[](std::size_t axis) const { return widths_[axis]; }
  const std::int64_t* begin() const { return widths_.data(); }
  const std::int64_t* end() const { return widths_.data() + (count_ < widths_.size() ? count_ : widths_.size()); }

 private:
  std::size_t count_ = 0;
  std::array<std::int64_t, kMaxAxes> widths_{};
};
// Which cells of an array belong to a point of the domain.
class Projection {
 public:
  enum class Kind : std::uint8_t { Aligned, Halo, Whole, Affine, Function };

  Projection() = default;
  Projection(Kind kind) : kind_(kind) {}
  Projection(numeric::All) : kind_(Kind::Whole) {}
  // A function from a point (a Piece of one point) to a Box of the array, or a std::vector<Box>. It must be pure: every
  // rank calls it, also for points that others compute.
  template <class Function>
    requires std::invocable<const Function&, const Piece&>
  Projection(Function cells) : kind_(Kind::Function) {
    const detail::FunctionIdentity identity = detail::identify(cells);
    function = detail::make_function(identity, [cells = std::move(cells)](const Piece& point) {
      using Result = std::invoke_result_t<const Function&, const Piece&>;
      if constexpr (std::is_convertible_v<Result, Box>) {
        return std::vector<Box>{cells(point)};
      } else {
        return std::vector<Box>(cells(point));
      }
    });
  }

  Kind kind() const { return kind_; }
  Widths low, high;             // Halo: by axis of the domain, or one for all
  std::vector<AxisCells> axes;  // Affine: by axis of the array
  std::shared_ptr<const scheduler::CellFunction> function;

 private:
  Kind kind_ = Kind::Aligned;
};

// Axis k of the array goes with axis k of the domain, which has the same extent; further axes of the array are whole.
inline const Projection aligned{Projection::Kind::Aligned};
// Every point has the whole array.
inline const Projection all{Projection::Kind::Whole};
inline const Projection broadcast{Projection::Kind::Whole};

// As aligned, and `low` cells more before, `high` after, along every axis of the domain; clipped at the array's ends.
inline Projection halo(std::int64_t low, std::int64_t high) {
  Projection projection(Projection::Kind::Halo);
  projection.low = {low};
  projection.high = {high};
  return projection;
}
// The same, by axis: halo({1, 0}, {1, 0}) for rows above and below.
inline Projection halo(std::initializer_list<std::int64_t> low, std::initializer_list<std::int64_t> high) {
  Projection projection(Projection::Kind::Halo);
  projection.low = low;
  projection.high = high;
  return projection;
}
// By axis of the array: affine({{.axis = 0, .scale = 2, .extent = 3}}) reads cells 2x, 2x + 1 and 2x + 2.
inline Projection affine(std::initializer_list<AxisCells> axes) {
  Projection projection(Projection::Kind::Affine);
  projection.axes = axes;
  return projection;
}

}  // namespace pilum
