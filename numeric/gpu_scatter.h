// Picked cells that are updated on a GPU, in the order of the points.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/picked_cells.h"
#include "pilum/detail/task_form.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Points are numbered by the rows that they update, and sorted by these numbers, which keeps the order of those of a
// row: a thread updates a row by its points one after the other, so sums have the bits of the host's. Nothing is sorted
// for integers that are added, in any order, and where a row's cells are its last point's. As many points at a time,
// one share after the other: that is the memory that is taken.
inline constexpr std::int64_t kScatteredAtOnce = std::int64_t{1} << 25;

[[nodiscard]] bool scatters_on_gpu(DType dtype, PickedWrite write);
// As scatter(), of its form.
void issue_scatter(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                   const scheduler::DeviceIssue& where);
[[nodiscard]] std::int64_t scatter_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                                           const Rect& points);

}  // namespace pilum::numeric
