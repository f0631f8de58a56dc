// Cells moved, repeated, left out: where each cell of the result comes from.
#include <algorithm>
#include <functional>
#include <numeric>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

Dense flipped(const Dense& x, std::size_t axis) {
  return rebuilt(x, x.shape, [&, axis](Extents at) {
    at[axis] = x.shape[axis] - 1 - at[axis];
    return at;
  });
}

Dense turned(const Dense& x, std::int64_t quarters) {
  if (x.shape.size() < 2) throw Invalid("a plane of one axis");
  switch (quarters % 4) {
    case 0: return x;
    case 1: return swapped(flipped(x, 1), 0, 1);
    case 2: return flipped(flipped(x, 0), 1);
    default: return flipped(swapped(x, 0, 1), 1);
  }
}

// 0 above or below a diagonal; of a vector that is each row.
Dense triangle(const Dense& x, std::int64_t k, bool is_lower) {
  if (x.shape.empty()) throw Invalid("no axes");
  Extents shape = x.shape;
  const bool is_vector = shape.size() == 1;
  if (is_vector) shape.insert(shape.begin(), shape[0]);
  return rebuilt(x, shape, [=](const Extents& at) -> std::optional<Extents> {
    const std::int64_t row = at[at.size() - 2], column = at.back();
    if (is_lower ? column > row + k : column < row + k) return {};
    return is_vector ? Extents{column} : at;
  });
}

// From here on the rows' and columns' places of a diagonal.
Dense diagonal_of(const Dense& x, std::int64_t k) {
  if (x.shape.size() < 2) throw Invalid("a diagonal of one axis");
  const std::int64_t rows = x.shape[0], columns = x.shape[1];
  Extents shape(x.shape.begin() + 2, x.shape.end());
  shape.push_back(std::max<std::int64_t>(k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns), 0));
  return rebuilt(x, shape, [=](const Extents& at) {
    Extents from{at.back() + std::max<std::int64_t>(-k, 0), at.back() + std::max<std::int64_t>(k, 0)};
    from.insert(from.end(), at.begin(), at.end() - 1);
    return from;
  });
}

Dense diagonal_matrix(const Dense& x, std::int64_t k) {
  if (x.shape.size() > 2) throw Invalid("more axes than a matrix has");
  if (x.shape.size() == 2) return diagonal_of(x, k);
  const std::int64_t n = x.shape.at(0) + std::abs(k);
  return rebuilt(x, {n, n}, [=](const Extents& at) -> std::optional<Extents> {
    if (at[1] - at[0] != k) return {};
    return Extents{std::min(at[0], at[1])};
  });
}

// The place in an axis of `extent` of what stands at `at`, which may lie beyond its ends, by walking there.
std::optional<std::int64_t> padded_place(Op mode, std::int64_t at, std::int64_t extent) {
  if (at >= 0 && at < extent) return at;
  switch (mode) {
    case Op::PadConstant: return {};
    case Op::PadEdge: return at < 0 ? 0 : extent - 1;
    case Op::PadWrap:
      while (at < 0) at += extent;
      while (at >= extent) at -= extent;
      return at;
    case Op::PadReflect:
      if (extent == 1) return 0;
      while (at < 0 || at >= extent) at = at < 0 ? -at : 2 * (extent - 1) - at;
      return at;
    default:
      while (at < 0 || at >= extent) at = at < 0 ? -1 - at : 2 * extent - 1 - at;
      return at;
  }
}

Dense padded(const WholeCall& call) {
  const Dense& x = call.x;
  const std::int64_t before = call.k % 3, after = call.k;
  if (x.shape.empty()) throw Invalid("no axes");
  Extents shape = x.shape;
  for (std::int64_t& extent : shape) {
    if (extent == 0) throw Invalid("ends of no cells");
    extent += before + after;
  }
  const Source source = [&](const Extents& at) -> std::optional<Extents> {
    Extents from;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const auto place = padded_place(call.op, at[axis] - before, x.shape[axis]);
      if (!place) return {};
      from.push_back(*place);
    }
    return from;
  };
  return rebuilt(x, shape, source, cast(Cell{.integer = 1}, DType::Int64, x.dtype));
}

Dense tiled(const Dense& x, const Extents& counts) {
  Extents shape = x.shape;
  while (shape.size() < counts.size()) shape.insert(shape.begin(), 1);
  const std::size_t added = shape.size() - x.shape.size(), front = shape.size() - counts.size();
  for (std::size_t axis = 0; axis < counts.size(); ++axis) shape[front + axis] *= counts[axis];
  return rebuilt(x, shape, [=, &x](const Extents& at) {
    Extents from(at.begin() + static_cast<std::ptrdiff_t>(added), at.end());
    for (std::size_t axis = 0; axis < from.size(); ++axis) from[axis] %= x.shape[axis];
    return from;
  });
}

Dense resized(const Dense& x, const Extents& shape) {
  const Dense flat = raveled(x);
  const auto cells = static_cast<std::int64_t>(flat.cells.size());
  return rebuilt(flat, shape, [=](const Extents& at) -> std::optional<Extents> {
    if (cells == 0) return {};
    return Extents{(at[0] * shape[1] + at[1]) % cells};
  });
}

Dense with_axis(Dense x, std::size_t axis) {
  if (axis > x.shape.size()) throw Invalid("an axis that is not there");
  x.shape.insert(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return x;
}

Dense stacked(const WholeCall& call) {
  const auto rank = static_cast<int>(call.x.shape.size());
  if (call.axis < -rank - 1 || call.axis > rank) throw Invalid("an axis that is not there");
  if (call.x.shape != call.y.shape) throw Invalid("other shapes");
  const auto axis = static_cast<std::size_t>(call.axis < 0 ? call.axis + rank + 1 : call.axis);
  const Dense x = with_axis(call.x, axis);
  return concatenated(x, with_axis(call.y, axis), AxisOf(x.shape, static_cast<int>(axis)));
}

// Of three axes at least: in front of a vector one, behind it another.
Dense of_three(Dense x) {
  if (x.shape.empty()) x = with_axis(std::move(x), 0);
  if (x.shape.size() == 1) x = with_axis(std::move(x), 0);
  return x.shape.size() == 2 ? with_axis(std::move(x), 2) : x;
}

Dense as_column(const Dense& x) {
  if (x.shape.empty()) throw Invalid("no axes");
  return x.shape.size() == 1 ? with_axis(x, 1) : x;
}

Dense beside(const Dense& a, const Dense& b, int axis) {
  return concatenated(a, b, AxisOf(a.shape, axis));
}

Dense block_of(const Dense& x, const Dense& y) {
  if (x.shape.size() < 2 || y.shape.size() < 2) throw Invalid("blocks of vectors");
  const Dense row = beside(x, y, -1);
  return beside(row, row, -2);
}

Dense greater(const Dense& x, const Dense& y) {
  return compute({.op = Op::Greater}, {x, y});
}
Dense integer(std::int64_t number) {
  return dense({Number::Kind::Integer, static_cast<double>(number)});
}

Dense extracted(const Dense& x, std::int64_t k) {
  if (x.shape.empty()) throw Invalid("no axes");
  const Dense mask = greater(x, integer(k - 4));
  Dense result{x.dtype, {0}};
  for (std::size_t cell = 0; cell < x.cells.size(); ++cell) {
    if (mask.cells[cell].integer != 0) result.cells.push_back(x.cells[cell]);
  }
  result.shape[0] = static_cast<std::int64_t>(result.cells.size());
  return result;
}

Dense without_cells(const Dense& x, const AxisOf& at, std::int64_t k) {
  if (k >= at.extent || at.extent == 0) throw Invalid("a place that is not there");
  Places kept;
  for (std::int64_t place = 1; place < at.extent; ++place) {
    if (place != k) kept.push_back(place);
  }
  return taken(x, at, kept);
}

Dense with_cells(const Dense& x, const AxisOf& at, std::int64_t k) {
  if (k > at.extent) throw Invalid("a place that is not there");
  Dense twos = taken(x, at, {});
  twos.shape[at.axis] = 1;
  twos.cells.assign(static_cast<std::size_t>(count_of(twos.shape)), cast(Cell{.integer = 2}, DType::Int64, x.dtype));
  return joined({taken(x, at, places_from(0, k)), twos, taken(x, at, places_from(k, at.extent - k))}, at);
}

// The order of each line as places.
Dense ordered_places(const Dense& x, const AxisOf& at) {
  return of_lines(x, at, DType::Int64, at.extent,
                  [&](const std::vector<Cell>& line) { return order_of(line, x.dtype); });
}

Dense taken_along(const Dense& x, const Dense& y, int axis) {
  const AxisOf at(x.shape, axis);
  if (x.shape != y.shape) throw Invalid("other shapes");
  const Dense order = ordered_places(y, at);
  return rebuilt(x, x.shape, [&](Extents where) {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < where.size(); ++k) place = place * x.shape[k] + where[k];
    where[at.axis] = order.cells[static_cast<std::size_t>(place)].integer;
    return where;
  });
}

Dense put_along(const Dense& x, const Dense& y, int axis) {
  const AxisOf at(x.shape, axis);
  if (x.shape != y.shape) throw Invalid("other shapes");
  const Dense order = ordered_places(x, at), values = cast(y, x.dtype);
  Dense result = x;
  for (std::int64_t outer = 0; outer < at.before; ++outer) {
    for (std::int64_t along = 0; along < at.extent; ++along) {
      for (std::int64_t inner = 0; inner < at.after; ++inner) {
        const std::size_t from = at.place(outer, along, inner);
        result.cells[at.place(outer, order.cells[from].integer, inner)] = values.cells[from];
      }
    }
  }
  return result;
}

Dense selected(const Dense& x, const Dense& y, std::int64_t k) {
  const Dense second = compute({.op = Op::Where}, {compute({.op = Op::Less}, {x, integer(k)}), y, integer(7)});
  return compute({.op = Op::Where}, {greater(x, y), x, second});
}

Dense chosen(const Dense& x, const Dense& y) {
  // 0, where the condition does not hold, is the first.
  return compute({.op = Op::Where}, {greater(x, y), y, x});
}

// Each place as often as it is named.
Dense combined_at(Op op, const Dense& x, std::int64_t k, std::int64_t number) {
  Dense result = raveled(x);
  const auto count = static_cast<std::int64_t>(result.cells.size());
  if (count == 0) throw Invalid("places in nothing");
  if (x.dtype == DType::Bool) throw Invalid("numbers added to bools");
  if (is_complex(x.dtype) && op == Op::Maximum) throw Invalid("the order of complex numbers");
  for (std::int64_t place = 0; place < 3 * k; ++place) {
    Cell& cell = result.cells[static_cast<std::size_t>(place * 5 % count)];
    cell = compute({.op = op}, {Dense{x.dtype, {}, {cell}}, integer(number)}).cells[0];
  }
  return result;
}

Dense as_row(Dense x) {
  while (x.shape.size() < 2) x.shape.insert(x.shape.begin(), 1);
  return x;
}

Dense side_by_side(const Dense& x, const Dense& y) {
  const Dense left = x.shape.empty() ? raveled(x) : x, right = y.shape.empty() ? raveled(y) : y;
  return beside(left, right, left.shape.size() == 1 ? 0 : 1);
}

Dense by_pieces(const Dense& x, std::int64_t k) {
  const Dense is_low = compute({.op = Op::Less}, {x, integer(0)}), is_high = greater(x, integer(k));
  const Dense doubled = cast(compute({.op = Op::Multiply}, {x, integer(2)}), x.dtype);
  const Dense rest = compute({.op = Op::Where}, {is_low, cast(integer(3), x.dtype), cast(integer(1), x.dtype)});
  return compute({.op = Op::Where}, {is_high, doubled, rest});
}

Dense copied_to(const Dense& x, const Dense& y, std::int64_t k) {
  if (y.dtype != x.dtype || broadcast(x.shape, y.shape) != x.shape) throw Invalid("cells of another dtype or shape");
  return compute({.op = Op::Where}, {greater(x, integer(k - 4)), y, x});
}

Dense with_diagonal(Dense x) {
  if (x.shape.size() != 2) throw Invalid("a diagonal of other axes");
  for (std::int64_t row = 0; row < std::min(x.shape[0], x.shape[1]); ++row)
    x.cells[static_cast<std::size_t>(row * x.shape[1] + row)] = cast(Cell{.integer = 2}, DType::Int64, x.dtype);
  return x;
}

Dense picked_pairs(const Dense& x, std::int64_t k) {
  if (x.shape.size() < 2 || x.shape[0] == 0 || x.shape[1] == 0) throw Invalid("no rows and columns");
  Extents shape(x.shape.begin() + 1, x.shape.end());
  shape[0] = 2 * k;
  return rebuilt(x, shape, [&](const Extents& at) {
    Extents from{at[0] * 3 % x.shape[0], at[0] % x.shape[1]};
    from.insert(from.end(), at.begin() + 1, at.end());
    return from;
  });
}

// Of a row that is named twice once.
Dense with_picked_doubled(const Dense& x, std::int64_t k) {
  if (x.shape.empty() || x.shape[0] == 0) throw Invalid("no rows");
  const Dense doubled = compute({.op = Op::Multiply}, {x, integer(2)});
  if (doubled.dtype != x.dtype) throw Invalid("in place, to a lower kind");
  Dense result = x;
  const std::size_t row_cells = x.cells.size() / static_cast<std::size_t>(x.shape[0]);
  for (std::int64_t place = 0; place < k; ++place) {
    const std::size_t first = static_cast<std::size_t>(place * 3 % x.shape[0]) * row_cells;
    for (std::size_t cell = first; cell < first + row_cells; ++cell) result.cells[cell] = doubled.cells[cell];
  }
  return result;
}

Dense with_axis_moved(const Dense& x, std::size_t to) {
  Extents shape(x.shape.begin() + 1, x.shape.end());
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(to), x.shape[0]);
  return rebuilt(x, shape, [to](Extents at) {
    const std::int64_t first = at[to];
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(to));
    at.insert(at.begin(), first);
    return at;
  });
}

}  // namespace

Dense moved_cells(const WholeCall& call) {
  const auto& [op, x, y, axis, k] = call;
  switch (op) {
    case Op::Rot90: return turned(x, k);
    case Op::Tril: return triangle(x, k - 4, true);
    case Op::Triu: return triangle(x, k - 4, false);
    case Op::Diagonal: return diagonal_of(x, k - 4);
    case Op::Diag:
      if (x.shape.empty()) throw Invalid("no axes");
      return diagonal_matrix(x, k - 4);
    case Op::Tile:
      if (x.shape.empty()) throw Invalid("no axes");
      return tiled(x, {k % 3, 2});
    case Op::PadConstant:
    case Op::PadEdge:
    case Op::PadWrap:
    case Op::PadReflect:
    case Op::PadSymmetric: return padded(call);
    case Op::Resize: return resized(x, {k, 7});
    case Op::Stack: return stacked(call);
    case Op::Dstack: return beside(of_three(x), of_three(y), 2);
    case Op::ColumnStack: return beside(as_column(x), as_column(y), 1);
    case Op::Block: return block_of(x, y);
    case Op::Flatten: return raveled(x);
    case Op::Extract: return extracted(x, k);
    case Op::TakeAlong: return taken_along(x, y, axis);
    case Op::PutAlong: return put_along(x, y, axis);
    case Op::Choose: return chosen(x, y);
    case Op::Select: return selected(x, y, k);
    case Op::AddAt: return combined_at(Op::Add, x, k, 1);
    case Op::MultiplyAt: return combined_at(Op::Multiply, x, k, 2);
    case Op::MaximumAt: return combined_at(Op::Maximum, x, k, k);
    case Op::Vstack: return beside(as_row(x), as_row(y), 0);
    case Op::Hstack: return side_by_side(x, y);
    case Op::Piecewise: return by_pieces(x, k);
    case Op::Copyto: return copied_to(x, y, k);
    case Op::FillDiagonal: return with_diagonal(x);
    case Op::PickPairs: return picked_pairs(x, k);
    case Op::DoublePicked: return with_picked_doubled(x, k);
    default: break;
  }
  const AxisOf at(x.shape, axis);
  Places places;
  switch (op) {
    case Op::Flip: return flipped(x, at.axis);
    case Op::Swapaxes: return swapped(x, 0, at.axis);
    case Op::Moveaxis: return with_axis_moved(x, at.axis);
    case Op::ArraySplit: {
      const std::int64_t part = k % 3, size = at.extent / 3, longer = at.extent % 3;
      return taken(x, at, places_from(part * size + std::min(part, longer), size + (part < longer)));
    }
    case Op::TakeClipped:
      if (at.extent == 0) throw Invalid("places in nothing");
      for (std::int64_t place = 0; place < k; ++place)
        places.push_back(std::clamp<std::int64_t>(3 * place - 5, 0, at.extent - 1));
      return taken(x, at, places);
    case Op::Insert: return with_cells(x, at, k);
    case Op::DeleteAt: return without_cells(x, at, k);
    case Op::Append: return beside(x, y, axis);
    case Op::Repeat:
      for (std::int64_t place = 0; place < at.extent; ++place)
        places.insert(places.end(), static_cast<std::size_t>(k % 4), place);
      return taken(x, at, places);
    default:
      for (std::int64_t place = 0; place < at.extent; place += k + 1) places.push_back(place);
      return taken(x, at, places);
  }
}

}  // namespace pilum::random_programs
