#include "numeric/picked_shares.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "numeric/body_walk.h"
#include "numeric/dtype_rules.h"
#include "numeric/gpu_scatter.h"
#include "numeric/library_task.h"
#include "numeric/picked_body.h"
#include "numeric/picked_form.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "pilum/creation.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using pilum::detail::StoreArgument;
using BodyAccess = pilum::detail::Access;

// Form {arrays of indices}, then PickedForm's; numbers: the array's extents, points of a share. Calls `write` with the
// cells of each share of the call, and its points.
template <class Write>
void for_each_share(std::span<const std::int64_t> form, const BodyCall& call, const Write& write) {
  const std::span<const std::int64_t> of_share = form.subspan(1);
  const PickedForm picked(of_share);
  const auto share = static_cast<std::int64_t>(call.scalars[picked.rank]);
  const auto size = static_cast<std::size_t>(picked.itemsize);
  std::vector<BoundStore> stores(static_cast<std::size_t>(2 + form[0]));
  for (std::int64_t p = call.stores[0].lo[0]; p < call.stores[0].hi[0]; ++p) {
    stores[0] = cell_of_first_axis(call.stores[0], p, picked.rank, size);
    for (std::size_t k = 1; k < stores.size(); ++k) {
      stores[k] = part_of_store(call.stores[k], 0, p * share, (p + 1) * share, k == 1 ? size : sizeof(std::int64_t));
    }
    write(of_share, BodyCall{call.piece, stores.data(), call.scalars});
  }
}

void scatter_shares(std::span<const std::int64_t> form, const BodyCall& call) {
  for_each_share(form, call, [](std::span<const std::int64_t> of_share, const BodyCall& share) {
    numeric::scatter(of_share, share);
  });
}

void issue_shares(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  for_each_share(form, call, [&where](std::span<const std::int64_t> of_share, const BodyCall& share) {
    issue_scatter(of_share, share, where);
  });
}

std::int64_t scratch_of_shares(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                               const Rect& points) {
  Rect cells = points;
  cells.rank = static_cast<std::int8_t>(points.rank - 1);
  for (int axis = 0; axis < cells.rank; ++axis) {
    cells.lo[u(axis)] = points.lo[u(axis + 1)];
    cells.hi[u(axis)] = points.hi[u(axis + 1)];
  }
  return scatter_scratch(form.subspan(1), launch, cells);
}

// What changes no cell.
Operand neutral(const Call& call, DType dtype, PickedWrite write) {
  if (write == PickedWrite::Add) return Operand(0, call.where);
  const IntegerRange range = range_of(dtype);
  return write == PickedWrite::Maximum ? Operand(range.lowest, call.where) : Operand(range.highest, call.where);
}

}  // namespace

bool is_written_in_shares(const Call& call, const PickedCells& picked, PickedWrite write) {
  constexpr std::int64_t kFewPoints = 32768;
  const auto processors = recorder_of(call).processors();
  const std::int64_t points = picked.shape.elements(), cells = picked.array.size();
  const bool any_order = write == PickedWrite::Add || write == PickedWrite::Minimum || write == PickedWrite::Maximum;
  return processors.count > 1 && any_order && is_integer(picked.array.dtype()) && points >= kFewPoints &&
         cells <= points && cells * processors.count <= 2 * points && picked.shape.rank() == 1 &&
         picked.array.ndim() < kMaxAxes &&
         std::ranges::all_of(
             picked.follows, [](int follows) { return follows < 0; }) &&
         (!picked.follows.empty() || picked.array.ndim() == 1) &&
         (!processors.are_gpus || scatters_on_gpu(picked.array.dtype(), write));
}

Array updated_shares(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values,
                     const PointShares& shares) {
  const Array& array = picked.array;
  Shape shape{shares.count};
  for (const std::int64_t extent : array.shape()) shape.push_back(extent);
  const Array cells = full(shape, shares.neutral, array.dtype());
  split_along(cells, 0);

  LibraryBody body{scatter_shares, pack_form(picked, write)};
  body.form.insert(body.form.begin(), static_cast<std::int64_t>(picked.indices.size()));
  std::vector<StoreArgument> arguments{{cells, BodyAccess::ReadWrite, {}, Fold::Sum}};
  body.parameters.push_back(array_parameter(cells, BodyAccess::ReadWrite));
  Projection of_points(Projection::Kind::Affine);
  of_points.axes = {AxisCells{0, shares.points, 0, shares.points}};
  for (int axis = 1; axis < picked.shape.rank(); ++axis) {
    const auto follower = std::ranges::find(picked.follows, axis);
    of_points.axes.push_back(follower == picked.follows.end()
                                 ? AxisCells{-1, 1, 0, picked.shape[axis]}
                                 : AxisCells{1 + static_cast<int>(follower - picked.follows.begin()), 1, 0, 1});
  }
  const auto add_points = [&](const Array& given) {
    const Array points = broadcast_to(given, picked.shape, call.where);
    body.parameters.push_back(array_parameter(points, BodyAccess::Read));
    arguments.push_back({points, BodyAccess::Read, of_points, Fold::Sum});
  };
  add_points(values);
  for (const Array& index : spread_indices(call, picked)) add_points(index);
  std::vector<std::uint64_t> numbers;
  for (const std::int64_t extent : array.shape()) numbers.push_back(static_cast<std::uint64_t>(extent));
  numbers.push_back(static_cast<std::uint64_t>(shares.points));
  body.parameters.resize(body.parameters.size() + numbers.size(), integer_parameter());
  body.is_cut = true;
  if (recorder_of(call).processors().are_gpus) {
    body.issue = issue_shares;
    body.scratch = scratch_of_shares;
  }
  launch(call, body, cells.shape(), arguments, numbers);
  return cells;
}

void write_in_shares(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values) {
  const Array& array = picked.array;
  const std::int64_t count = recorder_of(call).processors().count, points = picked.shape.elements();
  const std::int64_t share = (points + count - 1) / count;
  const Array shares = updated_shares(call, picked, write, values,
                                      {(points + share - 1) / share, share, neutral(call, array.dtype(), write)});
  const auto here = [&](const Array& operand) { return Operand(operand, call.where); };
  Array target = array;
  if (write == PickedWrite::Add) {
    std::move(target) = here(here(array) + here(total(call, shares, array.dtype(), Axes(0), false)));
  } else if (write == PickedWrite::Minimum) {
    std::move(target) = here(minimum(here(array), here(min(shares, 0, false, call.where))));
  } else {
    std::move(target) = here(maximum(here(array), here(max(shares, 0, false, call.where))));
  }
}

}  // namespace pilum::numeric
