// The cells of an array where a mask is true, on a GPU: one kernel that reads the mask once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "pilum/detail/task_form.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// The kernel's text, for cells of so many bytes (0: their numbers are wanted); `is_flat`: along one axis, as most masks
// are whose axes are told as one. Written once a thread.
[[nodiscard]] const std::string& mask_text(std::int64_t itemsize, bool is_flat);

// Of the form { bytes of a cell or 0, the mask's rank }: the true cells whose numbers among the true ones are the
// piece's. Stores: the result, the mask, the array. Tiles of the mask are counted as scans are (gpu_scan.h).
void issue_masked(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                  const scheduler::DeviceIssue& where);
[[nodiscard]] std::int64_t masked_scratch(std::span<const std::int64_t> form, const scheduler::TaskLaunch& launch,
                                          const Rect& points);

}  // namespace pilum::numeric
