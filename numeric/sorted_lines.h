// The body that sorts lines (sort.cc), for others that have lines.
#pragma once

#include <cstdint>
#include <span>

#include "pilum/detail/task_form.h"

namespace pilum::numeric {

// Form: the dtype; what GPUs are told (gpu_sort.h), twice; how many lines a processor has at once. Stores: the lines in
// order, the lines, both of one axis more than the piece.
void sort_lines(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
