#include "numeric/picked_shares.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "numeric/dtype_rules.h"
#include "numeric/gpu_scatter.h"
#include "numeric/library_task.h"
#include "numeric/picked_body.h"
#include "numeric/record.h"
#include "numeric/reductions.h"
#include "pilum/creation.h"
#include "pilum/dtype_info.h"
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

// Form {points of a share, bytes of a cell, arrays of indices, axes, those of PickedForm}: calls `write` with the cells
// of each share of the call, and its points.
template <class Write>
void for_each_share(std::span<const std::int64_t> form, const BodyCall& call, const Write& write) {
  const std::int64_t share = form[0], size = form[1];
  const auto arrays = static_cast<std::size_t>(2 + form[2]);
  const std::size_t axes = u(static_cast<int>(form[3]));
  const BoundStore& shares = call.stores[0];
  std::vector<BoundStore> stores(call.stores, call.stores + arrays);
  for (std::int64_t p = shares.lo[0]; p < shares.hi[0]; ++p) {
    stores[0].first = static_cast<std::byte*>(shares.first) + (p - shares.lo[0]) * shares.stride[0] * size;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      stores[0].lo[axis] = shares.lo[axis + 1];
      stores[0].hi[axis] = shares.hi[axis + 1];
      stores[0].stride[axis] = shares.stride[axis + 1];
    }
    for (std::size_t k = 1; k < arrays; ++k) {
      const BoundStore& all = call.stores[k];
      const std::int64_t cell = k == 1 ? size : static_cast<std::int64_t>(sizeof(std::int64_t));
      stores[k].lo[0] = std::max(all.lo[0], p * share);
      stores[k].hi[0] = std::min(all.hi[0], (p + 1) * share);
      stores[k].first = static_cast<std::byte*>(all.first) + (stores[k].lo[0] - all.lo[0]) * all.stride[0] * cell;
    }
    write(form.subspan(4), BodyCall{call.piece, stores.data(), call.scalars});
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
  return scatter_scratch(form.subspan(4), launch, cells);
}

// What changes no cell.
Operand neutral(const Call& call, DType dtype, PickedWrite write) {
  if (write == PickedWrite::Add) return Operand(0, call.where);
  const auto limits = iinfo(dtype, call.where);
  if (write == PickedWrite::Maximum) return Operand(limits.min, call.where);
  return Operand(limits.max, call.where);
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

void write_in_shares(const Call& call, const PickedCells& picked, PickedWrite write, const Array& values) {
  const Array& array = picked.array;
  const std::int64_t count = recorder_of(call).processors().count, points = picked.shape.elements();
  const std::int64_t share = (points + count - 1) / count;
  Shape shape{(points + share - 1) / share};
  for (const std::int64_t extent : array.shape()) shape.push_back(extent);
  const Array shares = full(shape, neutral(call, array.dtype(), write), array.dtype());
  ArrayAccess::state(shares)->store().split_axes = 1;

  const LibraryBody::Form of_share = pack_form(picked, write);
  LibraryBody body{scatter_shares,
                   {share, static_cast<std::int64_t>(itemsize(array.dtype())),
                    static_cast<std::int64_t>(picked.indices.size()), array.ndim()}};
  body.form.insert(body.form.end(), of_share.begin(), of_share.end());
  std::vector<StoreArgument> arguments{{shares, BodyAccess::ReadWrite, {}, Fold::Sum}};
  body.parameters.push_back(array_parameter(shares, BodyAccess::ReadWrite));
  Projection of_points(Projection::Kind::Affine);
  of_points.axes = {AxisCells{0, share, 0, share}};
  const auto add_points = [&](const Array& given) {
    const Array cells = broadcast_to(given, picked.shape, call.where);
    body.parameters.push_back(array_parameter(cells, BodyAccess::Read));
    arguments.push_back({cells, BodyAccess::Read, of_points, Fold::Sum});
  };
  add_points(values);
  for (const Array& index : picked.indices)
    add_points(index.dtype() == DType::Int64 ? index : index.astype(DType::Int64, call.where));
  std::vector<std::uint64_t> extents;
  for (const std::int64_t extent : array.shape()) {
    body.parameters.push_back(integer_parameter());
    extents.push_back(static_cast<std::uint64_t>(extent));
  }
  body.is_cut = true;
  if (recorder_of(call).processors().are_gpus) {
    body.issue = issue_shares;
    body.scratch = scratch_of_shares;
  }
  launch(call, body, shares.shape(), arguments, extents);

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
