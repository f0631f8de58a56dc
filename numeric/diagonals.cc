// Diagonals that are read, and matrices of them.
#include <algorithm>
#include <string>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/body_walk.h"
#include "numeric/library_task.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/projection.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;

// The form: the cell's size. Stores: the result, and the array, whose rows and columns are its last two axes. Scalars:
// the row and the column of the first cell.
void copy_diagonal(std::span<const std::int64_t> form, const BodyCall& call) {
  visit_size(form[0], [&]<class T>(T) {
    const pilum::detail::BoundStore &out = call.stores[0], &array = call.stores[1];
    const int rank = call.piece.rank(), last = rank - 1;
    const auto row = static_cast<std::int64_t>(call.scalars[0]), column = static_cast<std::int64_t>(call.scalars[1]);
    const std::int64_t by = array.stride[u(last)] + array.stride[u(rank)];
    for_each_point(call.piece, last, [&](const Piece::Bounds& point) {
      Piece::Bounds from = point;
      from[u(last)] += row;
      from[u(rank)] = point[u(last)] + column;
      T* const to = static_cast<T*>(out.first) + cells_to(out, point, rank);
      const T* const cells = static_cast<const T*>(array.first) + cells_to(array, from, rank + 1);
      for (std::int64_t i = 0; i < call.piece.extent(last); ++i) to[i * out.stride[u(last)]] = cells[i * by];
    });
  });
}

std::string diagonal_on_gpu(DType dtype, int rank) {
  const std::string type = cell_type(dtype), axes = std::to_string(rank);
  std::string place;
  for (int axis = 0; axis < rank - 1; ++axis) place += "x[" + std::to_string(axis) + "], ";
  const std::string last = rank == 1 ? "x" : "x[" + std::to_string(rank - 1) + "]";
  return "void body(pilum::Point<" + axes + "> x, pilum::Write<" + type + ", " + axes + "> out, pilum::Read<" + type +
         ", " + std::to_string(rank + 1) + "> array, std::int64_t row, std::int64_t column) {\n  out(x) = array(" +
         place + last + " + row, " + last + " + column);\n}\n";
}

}  // namespace

Array diagonal(const Array& a, std::int64_t offset, Axis axis1, Axis axis2, std::source_location where) {
  const Call call{"diagonal", where};
  const Shape& shape = checked_state(call, a).shape;
  const int rank = shape.rank();
  if (rank < 2) fail<ShapeError>(call, "shape ", shape, " has no diagonal: give an array of two axes or more");
  const int first = checked_axis(call, axis1, rank), second = checked_axis(call, axis2, rank);
  if (first == second) fail<ValueError>(call, "axis ", int{axis1}, " is named twice: a diagonal is of two axes");
  std::vector<int> order;
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis == first || axis == second) continue;
    order.push_back(axis);
    result.push_back(shape[axis]);
  }
  order.insert(order.end(), {first, second});
  const std::int64_t row = -std::clamp<std::int64_t>(offset, -shape[first], 0);
  const std::int64_t column = std::clamp<std::int64_t>(offset, 0, shape[second]);
  result.push_back(std::min(shape[first] - row, shape[second] - column));
  const Array out = empty(result, a.dtype(), where);
  if (out.size() == 0) return out;
  using pilum::detail::Access;
  const Array array = a.transpose(Axes(std::span<const int>(order)), where);
  Projection cells(Projection::Kind::Affine);
  for (int axis = 0; axis < rank - 2; ++axis) cells.axes.push_back({axis, 1, 0, 1});
  cells.axes.push_back({rank - 2, 1, row, 1});
  cells.axes.push_back({rank - 2, 1, column, 1});
  LibraryBody body{copy_diagonal, {static_cast<std::int64_t>(itemsize(a.dtype()))}};
  body.parameters = {array_parameter(out, Access::Write), array_parameter(array, Access::Read), integer_parameter(),
                     integer_parameter()};
  body.gpu = diagonal_on_gpu(a.dtype(), rank - 1);
  const pilum::detail::StoreArgument arguments[] = {{out, Access::Write, {}, Fold::Sum},
                                                    {array, Access::Read, cells, Fold::Sum}};
  const std::uint64_t numbers[] = {static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column)};
  launch(call, body, result, arguments, numbers);
  return out;
}

Array diag(const Array& a, std::int64_t k, std::source_location where) {
  const Call call{"diag", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() == 1) return diagflat(a, k, where);
  if (shape.rank() == 2) return diagonal(a, k, 0, 1, where);
  fail<ShapeError>(call, "shape ", shape, " is neither a vector nor a matrix: diagonal() takes more axes");
}

}  // namespace pilum::numeric
