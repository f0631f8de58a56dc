// Values as lists of numbers, and what is done to them as plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "tests/numeric/field_programs/program.h"

namespace pilum::field_programs {

struct Inexact {};  // a number that might be rounded

struct Naive {
  std::shared_ptr<std::vector<double>> memory;
  std::vector<std::size_t> places;  // of the cells, row-major
  Extents shape;

  static Naive of(std::vector<double> cells, const Extents& shape) {
    for (const double cell : cells) {
      if (std::abs(cell) > 1e12) throw Inexact();
    }
    Naive made{std::make_shared<std::vector<double>>(std::move(cells)), {}, shape};
    made.places.resize(made.memory->size());
    std::iota(made.places.begin(), made.places.end(), std::size_t{0});
    return made;
  }
  std::vector<double> cells() const {
    std::vector<double> found(places.size());
    for (std::size_t cell = 0; cell < found.size(); ++cell) found[cell] = (*memory)[places[cell]];
    return found;
  }
  // The cells repeated to a shape.
  std::vector<double> cells(const Extents& wanted) const {
    if (wanted == shape) return cells();
    std::vector<std::size_t> steps(wanted.size(), 0);
    std::size_t step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; step *= static_cast<std::size_t>(shape[axis]))
      if (shape[axis] != 1) steps[axis + wanted.size() - shape.size()] = step;
    std::vector<double> found(static_cast<std::size_t>(count_of(wanted)));
    Extents at(wanted.size(), 0);
    for (double& cell : found) {
      std::size_t place = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) place += static_cast<std::size_t>(at[axis]) * steps[axis];
      cell = (*memory)[places[place]];
      for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
        if (++at[axis] < wanted[axis]) break;
    }
    return found;
  }
  // The view whose cell at `at` is this one's at where(at).
  template <class Where>
  Naive seen(const Extents& wanted, Where where) const {
    Naive view{memory, {}, wanted};
    view.places.resize(static_cast<std::size_t>(count_of(wanted)));
    Extents at(wanted.size(), 0), from(shape.size(), 0);
    for (std::size_t& place : view.places) {
      where(at, from);
      std::size_t cell = 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        cell = cell * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(from[axis]);
      place = places[cell];
      for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
        if (++at[axis] < wanted[axis]) break;
    }
    return view;
  }
};

inline double apply(Op op, double a, double b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Minimum: return std::min(a, b);
    case Op::Maximum: return std::max(a, b);
    case Op::Remainder: return a - b * std::floor(a / b);
  }
  return 0;
}

inline bool holds(Compare compare, double a, double b) {
  switch (compare) {
    case Compare::Greater: return a > b;
    case Compare::Equal: return a == b;
    case Compare::LessEqual: return a <= b;
  }
  return false;
}

inline Extents common(const Extents& a, const Extents& b) {
  Extents shape = a.size() < b.size() ? b : a;
  const Extents& shorter = a.size() < b.size() ? a : b;
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& extent = shape[shape.size() - shorter.size() + axis];
    extent = extent == 1 ? shorter[axis] : extent;
  }
  return shape;
}

inline Naive view_of(const Naive& a, const Picks& picks) {
  Extents shape;
  std::size_t taken = 0;
  for (const Pick& pick : picks) {
    if (pick.kind == Pick::Kind::New) shape.push_back(1);
    if (pick.kind == Pick::Kind::Range) shape.push_back(pick.count);
    if (pick.kind == Pick::Kind::All) shape.push_back(a.shape[taken]);
    taken += pick.kind != Pick::Kind::New;
  }
  shape.insert(shape.end(), a.shape.begin() + static_cast<std::ptrdiff_t>(taken), a.shape.end());
  return a.seen(shape, [&](const Extents& at, Extents& from) {
    std::size_t axis = 0, place = 0;
    for (const Pick& pick : picks) {
      switch (pick.kind) {
        case Pick::Kind::Position: from[axis++] = pick.first; break;
        case Pick::Kind::Range: from[axis++] = pick.first + at[place++] * pick.step; break;
        case Pick::Kind::All: from[axis++] = at[place++]; break;
        case Pick::Kind::New: ++place; break;
      }
    }
    for (; axis < from.size(); ++axis) from[axis] = at[place++];
  });
}

inline Naive binary(Op op, const Naive& a, const Naive& b) {
  const Extents shape = common(a.shape, b.shape);
  std::vector<double> cells = a.cells(shape);
  const std::vector<double> right = b.cells(shape);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell] = apply(op, cells[cell], right[cell]);
  return Naive::of(std::move(cells), shape);
}

inline Naive with_number(Op op, const Naive& a, double number, bool number_first) {
  std::vector<double> cells = a.cells();
  for (double& cell : cells) cell = number_first ? apply(op, number, cell) : apply(op, cell, number);
  return Naive::of(std::move(cells), a.shape);
}

inline Naive choose(Compare compare, const Naive& a, double number, const Naive& x, const Naive& y) {
  const Extents shape = common(common(a.shape, x.shape), y.shape);
  const std::vector<double> asked = a.cells(shape), no = y.cells(shape);
  std::vector<double> cells = x.cells(shape);
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    if (!holds(compare, asked[cell], number)) cells[cell] = no[cell];
  return Naive::of(std::move(cells), shape);
}

// No axes: all of them.
inline Naive folded(FoldOp fold, const Naive& a, const std::vector<int>& axes, bool keepdims) {
  std::vector<char> gone(a.shape.size(), axes.empty() ? 1 : 0);
  for (const int axis : axes) gone[static_cast<std::size_t>(axis)] = 1;
  Extents kept = a.shape, shape;
  for (std::size_t axis = 0; axis < gone.size(); ++axis) {
    if (gone[axis]) kept[axis] = 1;
    if (!gone[axis] || keepdims) shape.push_back(kept[axis]);
  }
  std::vector<double> results(static_cast<std::size_t>(count_of(kept)));
  std::vector<char> begun(results.size(), 0);
  const std::vector<double> cells = a.cells();
  Extents at(a.shape.size(), 0);
  for (const double cell : cells) {
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      place = place * static_cast<std::size_t>(kept[axis]) + static_cast<std::size_t>(gone[axis] ? 0 : at[axis]);
    double& result = results[place];
    if (!begun[place]) {
      result = cell;
    } else if (fold == FoldOp::Sum) {
      result += cell;
    } else {
      result = fold == FoldOp::Max ? std::max(result, cell) : std::min(result, cell);
    }
    begun[place] = 1;
    for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
      if (++at[axis] < a.shape[axis]) break;
  }
  return Naive::of(std::move(results), shape);
}

inline Naive rolled(const Naive& a, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  const Naive moved = a.seen(a.shape, [&](const Extents& at, Extents& from) {
    from = at;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const auto axis = static_cast<std::size_t>(axes[k]);
      const std::int64_t extent = a.shape[axis];
      from[axis] = ((from[axis] - shifts[k]) % extent + extent) % extent;
    }
  });
  return Naive::of(moved.cells(), moved.shape);
}

inline Naive concatenated(const std::vector<Naive>& parts) {
  Extents shape = parts.front().shape;
  shape.front() = 0;
  std::vector<double> cells;
  for (const Naive& part : parts) {
    shape.front() += part.shape.front();
    const std::vector<double> more = part.cells();
    cells.insert(cells.end(), more.begin(), more.end());
  }
  return Naive::of(std::move(cells), shape);
}

inline Naive stacked(const std::vector<Naive>& parts) {
  std::vector<Naive> rows;
  for (const Naive& part : parts) rows.push_back(view_of(part, {{Pick::Kind::New}}));
  return concatenated(rows);
}

inline Naive flipped(const Naive& a) {
  return a.seen(a.shape, [&](const Extents& at, Extents& from) {
    from = at;
    from[0] = a.shape[0] - 1 - at[0];
  });
}

// One axis goes to another place.
inline Naive moved(const Naive& a, int source, int destination) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
    if (axis != static_cast<std::size_t>(source)) order.push_back(axis);
  order.insert(order.begin() + destination, static_cast<std::size_t>(source));
  Extents shape;
  for (const std::size_t axis : order) shape.push_back(a.shape[axis]);
  return a.seen(shape, [&](const Extents& at, Extents& from) {
    for (std::size_t axis = 0; axis < at.size(); ++axis) from[order[axis]] = at[axis];
  });
}

// The last two axes change places.
inline Naive swapped(const Naive& a) {
  const int last = static_cast<int>(a.shape.size()) - 1;
  return moved(a, last, last - 1);
}

inline Naive copied(const Naive& a) {
  return Naive::of(a.cells(), a.shape);
}

inline void assign(const Naive& target, const Naive& value) {
  const std::vector<double> cells = value.cells(target.shape);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) (*target.memory)[target.places[cell]] = cells[cell];
}

inline void update(Op op, Naive& target, const Naive& value) {
  assign(target, binary(op, target, value));
}

}  // namespace pilum::field_programs
