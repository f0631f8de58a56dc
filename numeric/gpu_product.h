// One GPU's share of a matrix product, as calls of that GPU.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/array_state.h"
#include "pilum/detail/task_form.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Whether GPUs multiply cells of this dtype: else a kernel does.
[[nodiscard]] bool is_multiplied_by_gpus(DType dtype);
// Whether such a product reads the view as it is: the rows of its matrices, or their columns, lie side by side in
// memory.
[[nodiscard]] bool is_read_by_gpus(const ArrayState& state);

// As multiply_blocks(), of views that are read so: one call for all batches, where they lie evenly apart.
void issue_product(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                   const scheduler::DeviceIssue& where);

}  // namespace pilum::numeric
