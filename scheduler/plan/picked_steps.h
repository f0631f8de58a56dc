// What a read by need does between its messages (picked_read.h): functions of memory, run as bodies of launches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/record/plan.h"
#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {

// An axis as a place in bounds and pitches.
constexpr std::size_t u(int axis) {
  return static_cast<std::size_t>(axis);
}

// The store's axes along which points choose their cells, each cut into parts. Owners with the same parts make a
// group; what a point asks of a group is a place: the number, row-major, of the cell among the group's along these
// axes.
struct ChosenAxes {
  struct Axis {
    int view_axis = -1;  // of the view, whose coordinate it follows; -1: the constant `offset`
    std::int64_t scale = 0, offset = 0;
    std::vector<std::int64_t> starts;  // of the parts, ascending; behind them the end
    int parts() const { return static_cast<int>(starts.size()) - 1; }
    // Asked for each point: among few parts without branches.
    int part_of(std::int64_t cell) const {
      if (parts() > 8)
        return static_cast<int>(std::upper_bound(starts.begin() + 1, starts.end() - 1, cell) - starts.begin()) - 1;
      int part = 0;
      for (int next = 1; next < parts(); ++next) part += cell >= starts[u(next)];
      return part;
    }
  };
  std::vector<Axis> axes;
  int groups() const;
};

// Cells that belong to one choice, as they lie in some memory: a box, whose inner axes are one run where they lie so.
struct RowShape {
  int rank = 0;
  Extents extent{}, pitch{};  // pitch in bytes
  std::int64_t run = 0;       // bytes
  std::int64_t bytes = 0;     // of the whole row
  // Axes from outer to inner.
  static RowShape of(int rank, const Extents& extent, const Extents& pitch, std::int64_t itemsize);
};

// Some points of a piece, at one coordinate along the axes of its rows; they are cut into chunks.
struct PickedPoints {
  Rect points;
  std::int64_t chunks = 1;
};

// Memory: places and groups, by point, and how many points of each chunk ask each group; then the body's arrays from
// the third on, whose `first` in `stores` counts bytes from there.
struct LocateStep {
  std::shared_ptr<const TaskBody> body;
  std::shared_ptr<const ChosenAxes> chosen;
  PickedPoints points;
  int view_rank = 1;
  std::vector<detail::BoundStore> stores;
  void run(const detail::BodyCall& call) const;
};

// Memory: the counts by chunk and group, which become where each chunk's requests begin; the groups' ranges (first and
// count) of all requests.
struct NumberStep {
  std::int64_t chunks = 1;
  int groups = 1;
  void run(const detail::BodyCall& call) const;
};

// Memory: places, groups, by point; the beginnings by chunk and group. Groups become the requests' numbers, and the
// requests, which come last, get the places: of a group in the order of the points. None of `own`, whose numbers are
// -1.
struct RequestStep {
  PickedPoints points;
  int groups = 1;
  std::int64_t place_bytes = 8;  // of a request: 8, or 4 where all places fit
  int own = -1;
  void run(const detail::BodyCall& call) const;
};

// Memory: the requests' range, all requests, the owner's first cell, the rows. Each request's row is put at its number.
struct AnswerStep {
  std::int64_t chunks = 1;
  std::int64_t place_bytes = 8;
  int axes = 0;               // chosen ones
  Extents extent{}, pitch{};  // of the owner's cells along them
  RowShape row;
  void run(const detail::BodyCall& call) const;
};

// The rows of points in an array, or what one owner of a group has of them.
struct PointRows {
  RowShape row;           // in the array
  std::int64_t from = 0;  // bytes: of the first row in the rows' memory
  std::int64_t at = 0;    // bytes from the array's cell of a point
};

// Memory: the requests' numbers by point, the rows, the result's cell of the first point.
struct PlaceStep {
  PickedPoints points;
  Extents pitch{};  // of the result, by axis of the points
  std::vector<PointRows> parts;
  void run(const detail::BodyCall& call) const;
};

// The other way: from the values to the rows. Memory: the requests' numbers by point (-1: none), the rows, the values'
// cell of the first point.
struct CollectStep {
  PickedPoints points;
  Extents pitch{};  // of the values, by axis of the points
  std::vector<PointRows> parts;
  void run(const detail::BodyCall& call) const;
};

// Memory: the requests' range, all requests, the owner's first cell, the rows. The cells of each request are updated by
// its row, in the order of the requests; each chunk has its own share of the places.
struct UpdateStep {
  std::shared_ptr<const TaskBody> body;
  std::int64_t chunks = 1;
  std::int64_t place_bytes = 8, itemsize = 8;
  int axes = 0;               // chosen ones
  Extents extent{}, pitch{};  // of the owner's cells along them
  RowShape row;
  void run(const detail::BodyCall& call) const;
};

// The same of cells that are the points' own processor's, of rows of one cell. Memory: the requests' numbers by point,
// of which these have -1, the places, the owner's first cell, the values' cell of the first point.
struct UpdateOwnStep {
  std::shared_ptr<const TaskBody> body;
  Rect points;
  std::int64_t chunks = 1;
  int axes = 0;               // chosen ones
  Extents extent{}, pitch{};  // of the owner's cells along them
  Extents value_pitch{};      // by axis of the points
  void run(const detail::BodyCall& call) const;
};

}  // namespace pilum::scheduler
