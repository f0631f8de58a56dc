#include "numeric/launch_checker.h"

#include <algorithm>

#include "scheduler/record/recorder.h"

namespace pilum::detail {
namespace {

using numeric::ArrayState;
using numeric::Call;
using numeric::fail;
using scheduler::Argument;

// The number of the parameter that array i is passed for.
int number_of(std::span<const BodyParameter> parameters, std::size_t i) {
  std::size_t number = 0;
  for (std::size_t arrays = 0; arrays <= i; ++number) arrays += parameters[number].kind == BodyParameter::Kind::Array;
  return static_cast<int>(number);
}

// "argument 2, of shape (3, 4), "
std::string argument_text(const ArrayParameter& parameter, const Shape& shape) {
  return "argument " + std::to_string(parameter.number) + ", an array of shape " + to_string(shape) + ", ";
}

AxisCells& at(scheduler::Windows& windows, int axis) {
  return windows[static_cast<std::size_t>(axis)];
}

// Of axes that the view has not they are what they were.
scheduler::Windows& windows_of(scheduler::Footprint& footprint) {
  auto* const windows = std::get_if<scheduler::Windows>(&footprint.cells);
  return windows ? *windows : footprint.cells.emplace<scheduler::Windows>();
}

}  // namespace

LaunchChecker::LaunchChecker(const Call& call, const Shape& domain) : call_(call), domain_(domain) {
  if (domain.rank() < 1 || domain.rank() > kMaxAxes) {
    fail<ShapeError>(call, "a domain of ", domain.rank(), " axes: give 1 to ", kMaxAxes, " extents");
  }
  for (int axis = 0; axis < domain.rank(); ++axis) {
    if (domain[axis] < 0) {
      fail<ShapeError>(call, "the domain ", domain, " has a negative extent: give 0 for no points");
    }
  }
}

void LaunchChecker::check_array(const ArrayParameter& parameter, const ArrayState& state) {
  if (state.dtype() != parameter.dtype) {
    fail<DTypeError>(call_, argument_text(parameter, state.shape), "is ", state.dtype(), " and the body takes ",
                     parameter.dtype, ": cast it with astype, or write the body for ", state.dtype());
  }
  if (state.shape.rank() != parameter.rank) {
    fail<ShapeError>(call_, argument_text(parameter, state.shape), "has ", state.shape.rank(),
                     " axes and the body takes ", parameter.rank, ": reshape or index it, or write the body for ",
                     state.shape.rank(), " axes");
  }
  if (state.shape.elements() == 0 && domain_.elements() != 0) {
    fail<ValueError>(call_, argument_text(parameter, state.shape), "has no cells: skip the launch, or give it some");
  }
  if (parameter.access == Access::Read) return;
  if (parameter.access == Access::Reduce && parameter.dtype == DType::Bool) {
    fail<DTypeError>(call_, argument_text(parameter, state.shape),
                     "is bool, and folds are of numbers: fold into an int32");
  }
  if (parameter.access == Access::Reduce && parameter.dtype == DType::Float16) {
    fail<DTypeError>(call_, argument_text(parameter, state.shape),
                     "is float16, which is folded in float32: fold into one, then astype(float16)");
  }
  for (int axis = 0; axis < state.shape.rank(); ++axis) {
    const int k = state.map.store_axis_of(axis);
    if (parameter.access != Access::Reduce && (k < 0 || state.map[k].scale != 1)) {
      fail<ValueError>(call_, argument_text(parameter, state.shape), "is a view that ",
                       k < 0 ? "repeats its cells" : "has steps", " along axis ", axis,
                       " and cannot be written by a task: write a new array, and assign it to the view");
    }
  }
}

void LaunchChecker::set_windows(const ArrayParameter& parameter, const Projection& projection, Argument& argument) {
  const Shape& shape = argument.view.shape;
  scheduler::Windows& windows = windows_of(argument.footprint);
  const bool point_by_point = parameter.access == Access::Write || parameter.access == Access::ReadWrite;
  if (point_by_point && projection.kind() != Projection::Kind::Aligned) {
    fail<ValueError>(call_, argument_text(parameter, shape),
                     "is written through a projection: tasks write aligned, each point its own cells. Launch over the "
                     "array's own extents and read through the projection instead, or fold with reduce");
  }
  for (int axis = 0; axis < shape.rank(); ++axis) at(windows, axis) = AxisCells{-1, 0, 0, shape[axis]};
  switch (projection.kind()) {
    case Projection::Kind::Whole: return;
    case Projection::Kind::Function:
      argument.footprint.cells = scheduler::AskedCells{projection.function, nullptr};
      return check_function(parameter, *projection.function, shape);
    case Projection::Kind::Affine: return set_affine(parameter, projection, windows, shape);
    default: break;
  }
  if (shape.rank() < domain_.rank()) {
    fail<ShapeError>(call_, argument_text(parameter, shape), "has fewer axes than the domain ", domain_,
                     " that it is aligned with: pass it with all or with an affine map");
  }
  for (int axis = 0; axis < domain_.rank(); ++axis) {
    if (shape[axis] != domain_[axis]) {
      fail<ShapeError>(
          call_, argument_text(parameter, shape), "is aligned with the domain ", domain_, ", and axis ", axis,
          " differs: launch over its extents, pass a view that has the domain's, or read with an affine map");
    }
    at(windows, axis) = AxisCells{axis, 1, 0, 1};
  }
  if (projection.kind() == Projection::Kind::Halo) add_halo(parameter, projection, windows, shape);
}

// Of the first point: of others it is found out when the launch is planned.
void LaunchChecker::check_function(const ArrayParameter& parameter, const scheduler::CellFunction& function,
                                   const Shape& shape) {
  if (domain_.elements() == 0) return;
  Piece::Bounds lo{}, hi{};
  std::fill_n(hi.begin(), domain_.rank(), 1);
  const scheduler::NoRecording none("a function that says which cells a task touches");
  for (const Box& box : function.boxes(Piece(domain_.rank(), lo, hi))) {
    if (box.rank() == shape.rank()) continue;
    fail<ShapeError>(call_, argument_text(parameter, shape), "is read through a function that gives a box of ",
                     box.rank(), " axes: give lo and hi for each of the array's");
  }
}

void LaunchChecker::add_halo(const ArrayParameter& parameter, const Projection& projection, scheduler::Windows& windows,
                             const Shape& shape) {
  const auto check = [&](const Widths& widths) {
    if (widths.size() != 1 && widths.size() != static_cast<std::size_t>(domain_.rank())) {
      fail<ShapeError>(call_, argument_text(parameter, shape), "has a halo of ", widths.size(),
                       " widths and the domain ", domain_, " has ", domain_.rank(),
                       " axes: give one for each, or one for all");
    }
    for (const std::int64_t width : widths) {
      if (width < 0)
        fail<ValueError>(call_, argument_text(parameter, shape), "has a halo of ", width, " cells: give 0 or more");
    }
  };
  check(projection.low);
  check(projection.high);
  for (int axis = 0; axis < domain_.rank(); ++axis) {
    const auto width = [axis](const Widths& widths) {
      return widths.size() == 1 ? widths.front() : widths[static_cast<std::size_t>(axis)];
    };
    const std::int64_t low = std::min(width(projection.low), shape[axis]);
    const std::int64_t high = std::min(width(projection.high), shape[axis]);
    at(windows, axis).offset = -low;
    at(windows, axis).extent = low + high + 1;
  }
}

void LaunchChecker::set_affine(const ArrayParameter& parameter, const Projection& projection,
                               scheduler::Windows& windows, const Shape& shape) {
  if (projection.axes.size() != static_cast<std::size_t>(shape.rank())) {
    fail<ShapeError>(call_, argument_text(parameter, shape), "has an affine map of ", projection.axes.size(),
                     " axes: give one for each of the array's");
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const AxisCells& cells = projection.axes[static_cast<std::size_t>(axis)];
    if (cells.axis >= domain_.rank() || cells.axis < -1) {
      fail<IndexError>(call_, argument_text(parameter, shape), "follows axis ", cells.axis, " of the domain ", domain_,
                       ": give one of its axes, or -1 for none");
    }
    if (cells.extent < 1 || (cells.axis >= 0 && cells.scale == 0)) {
      fail<ValueError>(call_, argument_text(parameter, shape), "has an affine map of extent ", cells.extent,
                       " and scale ", cells.scale, " along axis ", axis,
                       ": extents are 1 or more, scales not 0; an axis of -1 is for "
                       "cells that are the same for all points");
    }
    at(windows, axis) = AxisCells{cells.axis, cells.axis < 0 ? 0 : cells.scale, cells.offset, cells.extent};
  }
}

void check_written_once(const Call& call, std::span<const BodyParameter> parameters,
                        const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].footprint.writes()) continue;
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (j == i || !(arguments[i].view.store == arguments[j].view.store)) continue;
      if (!arguments[j].footprint.writes()) continue;
      fail<ValueError>(call, "arguments ", number_of(parameters, std::min(i, j)), " and ",
                       number_of(parameters, std::max(i, j)), " write the same array: write one of them, or a copy");
    }
  }
}

}  // namespace pilum::detail
