#include "numeric/picked_cells.h"

#include <algorithm>
#include <string>

#include "numeric/field_order.h"
#include "numeric/gpu_scatter.h"
#include "numeric/library_task.h"
#include "numeric/picked_body.h"
#include "numeric/picked_parts.h"
#include "numeric/picked_shares.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

// One thread a point.
std::string gather_on_gpu(const PickedCells& picked) {
  const int rank = picked.shape.rank();
  const auto coordinate = [rank](int axis) { return rank == 1 ? "x" : "x[" + std::to_string(axis) + "]"; };
  const std::string type = cell_type(picked.array.dtype());
  std::string text = "void body(pilum::Point<" + std::to_string(rank) + "> x, pilum::Write<" + type + ", " +
                     std::to_string(rank) + "> out, pilum::Read<" + type + ", " + std::to_string(picked.array.ndim()) +
                     "> array";
  for (std::size_t k = 0; k < picked.indices.size(); ++k)
    text += ", pilum::Read<std::int64_t, " + std::to_string(rank) + "> index" + std::to_string(k);
  text += ") {\n";
  std::string cell;
  const auto add_place = [&](const std::string& number, int axis, const std::string& extent) {
    const std::string place = "place" + number;
    text += "  std::int64_t " + place + " = index" + number + "(x);\n";
    if (picked.mode == IndexMode::Clip) {
      text += "  " + place + " = " + place + " < 0 ? 0 : " + place + " >= " + extent + " ? " + extent +
              " - 1 : " + place + ";\n";
      return place;
    }
    if (picked.mode == IndexMode::Wrap) text += "  " + place + " %= " + extent + ";\n";
    text += "  if (" + place + " < 0) " + place + " += " + extent + ";\n";
    if (picked.mode == IndexMode::Raise) {
      text += "  if (" + place + " < 0 || " + place + " >= " + extent + ") {\n    array.refuse_index(index" + number +
              "(x), " + std::to_string(axis) + ", " + extent + ");\n    " + place + " = 0;\n  }\n";
    }
    return place;
  };
  if (picked.follows.empty()) {
    const auto extent = [](int axis) { return "array.hi(" + std::to_string(axis) + ")"; };
    std::string cells = extent(0);
    for (int axis = 1; axis < picked.array.ndim(); ++axis) cells += " * " + extent(axis);
    const std::string place = add_place("0", scheduler::kNumberedCell, "(" + cells + ")");
    for (int axis = picked.array.ndim() - 1; axis > 0; --axis) {
      text += "  const std::int64_t at" + std::to_string(axis) + " = " + place + " % " + extent(axis) + ";\n  " +
              place + " /= " + extent(axis) + ";\n";
      cell = ", at" + std::to_string(axis) + cell;
    }
    cell = place + cell;
  }
  for (std::size_t axis = 0; axis < picked.follows.size(); ++axis) {
    const int follows = picked.follows[axis];
    if (axis > 0) cell += ", ";
    cell += follows >= 0 ? coordinate(follows)
                         : add_place(std::to_string(-1 - follows), static_cast<int>(axis),
                                     "array.hi(" + std::to_string(axis) + ")");
  }
  return text + "  out(x) = array(" + cell + ");\n}\n";
}

pilum::detail::StoreArgument argument(const Array& array, pilum::detail::Access access,
                                      std::vector<AxisCells> axes = {}) {
  Projection projection;
  if (!axes.empty()) {
    projection = Projection(Projection::Kind::Affine);
    projection.axes = std::move(axes);
  }
  return {array, access, std::move(projection), Fold::Sum};
}

AxisCells whole_axis(std::int64_t extent) {
  return {.axis = -1, .scale = 1, .offset = 0, .extent = extent};
}

// No task writes through such a view.
bool has_steps(const ArrayState& state) {
  for (int axis = 0; axis < state.shape.rank(); ++axis) {
    const int k = state.map.store_axis_of(axis);
    if (k < 0 || state.map[k].scale != 1) return true;
  }
  return false;
}

}  // namespace

std::vector<Array> spread_indices(const Call& call, const PickedCells& picked) {
  std::vector<Array> indices;
  for (const Array& index : picked.indices) {
    const Array numbers = index.dtype() == DType::Int64 ? index : index.astype(DType::Int64, call.where);
    Array spread = broadcast_to(numbers, picked.points, call.where);
    for (int k = 0; k < picked.behind; ++k) spread = spread(ellipsis, newaxis);
    indices.push_back(broadcast_to(spread, picked.shape, call.where));
  }
  return indices;
}

void check_not_empty(const Call& call, const PickedCells& picked) {
  if (picked.shape.elements() == 0) return;
  for (int axis = 0; axis < picked.array.ndim(); ++axis) {
    if ((picked.follows.empty() || picked.follows[u(axis)] < 0) && picked.array.shape()[axis] == 0) {
      fail<IndexError>(call, "cells are named of axis ", axis, " of shape ", picked.array.shape(),
                       ", which has none: index another array");
    }
  }
}

void check_indices(const Call& call, const Array& indices) {
  const ArrayState& state = checked_state(call, indices);
  if (state.dtype() == DType::Bool) {
    fail<IndexError>(call, "the indices are bools, of shape ", state.shape,
                     ": name[mask] takes a mask, and mask.astype(np::int64) makes numbers of it");
  }
  if (is_inexact(state.dtype())) {
    fail<IndexError>(call, "the indices are ", state.dtype(),
                     ": indices are integers; astype(np::int64) makes them so");
  }
}

Array read_picked(const Call& call, const PickedCells& picked) {
  check_shape(call, picked.shape, picked.array.dtype());
  check_not_empty(call, picked);
  Array out = make_new(recorder_of(call), call, picked.shape, picked.array.dtype());
  if (picked.shape.elements() == 0) return out;
  using pilum::detail::Access;
  LibraryBody body{gather, pack_form(picked, PickedWrite::Assign)};
  std::vector<pilum::detail::StoreArgument> arguments;
  const auto add = [&](const Array& array, Access access, std::vector<AxisCells> axes) {
    body.parameters.push_back(array_parameter(array, access));
    arguments.push_back(argument(array, access, std::move(axes)));
  };
  add(out, Access::Write, {});
  std::vector<AxisCells> axes;
  for (int axis = 0; axis < picked.array.ndim(); ++axis) {
    const int follows = picked.follows.empty() ? -1 : picked.follows[u(axis)];
    axes.push_back(follows < 0 ? whole_axis(picked.array.shape()[axis]) : AxisCells{follows, 1, 0, 1});
  }
  add(picked.array, Access::Read, std::move(axes));
  for (const Array& index : spread_indices(call, picked)) add(index, Access::Read, {});
  body.gpu = gather_on_gpu(picked);
  body.locate = locate;
  launch(call, body, picked.shape, arguments);
  return out;
}

void write_picked(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values) {
  check_writable(call, *ArrayAccess::state(picked.array));
  if (picked.shape.elements() == 0) return;
  check_not_empty(call, picked);
  if (has_steps(*ArrayAccess::state(picked.array))) {
    PickedCells copied = picked;
    copied.array = picked.array.copy(call.where);
    write_picked(call, copied, write, values);
    Array target = picked.array;
    std::move(target) = Operand(copied.array, call.where);
    return;
  }
  if (is_written_in_shares(call, picked, write)) return write_in_shares(call, picked, write, values);
  if (is_written_in_parts(picked, write)) return write_in_parts(call, picked, write, values);
  write_picked_in_order(call, picked, write, values);
}

void write_picked_in_order(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values,
                           bool is_cut) {
  using pilum::detail::Access;
  LibraryBody body{scatter, pack_form(picked, write)};
  std::vector<pilum::detail::StoreArgument> arguments;
  body.parameters.push_back(array_parameter(picked.array, Access::ReadWrite));
  arguments.push_back(argument(picked.array, Access::ReadWrite));
  // Who has a cell looks at all points that may name it.
  std::vector<AxisCells> axes;
  for (int axis = 0; axis < picked.shape.rank(); ++axis) {
    const auto follower = std::ranges::find(picked.follows, axis);
    axes.push_back(follower == picked.follows.end()
                       ? whole_axis(picked.shape[axis])
                       : AxisCells{static_cast<int>(follower - picked.follows.begin()), 1, 0, 1});
  }
  const auto add_points = [&](const Array& array) {
    const Array points = broadcast_to(array, picked.shape, call.where);
    body.parameters.push_back(array_parameter(points, Access::Read));
    arguments.push_back(argument(points, Access::Read, axes));
  };
  add_points(values);
  for (const Array& index : spread_indices(call, picked)) add_points(index);
  std::vector<std::uint64_t> extents;
  for (const std::int64_t extent : picked.array.shape()) {
    body.parameters.push_back(integer_parameter());
    extents.push_back(static_cast<std::uint64_t>(extent));
  }
  body.locate = locate;
  body.combine = combine_of(body.form);
  if (scatters_on_gpu(picked.array.dtype(), write)) {
    body.issue = issue_scatter;
    body.scratch = scatter_scratch;
  }
  body.is_cut = is_cut;
  launch(call, body, picked.array.shape(), arguments, extents);
}

}  // namespace pilum::numeric
