// The bodies of argmin and argmax of long lines: a line's blocks, each with its extremum and where it is.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "numeric/library_task.h"
#include "pilum/fold.h"

namespace pilum::numeric {

// Cells of a block, which is a thread block's on a GPU; the last one of a line has the rest.
constexpr std::int64_t kPlaceBlock = 8192;

// What a body is told: Minimum or Maximum, and the cells' dtype, which is real and not float16.
[[nodiscard]] LibraryBody::Form place_form(Fold fold, DType dtype);

// Each point of the domain is a block of the array's last axis; the other axes are the array's. Stores: what the
// block's extremum is, its place along the last axis (int64), the array. The first of equal cells counts, and a NaN
// before all others.
void find_places(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);
// The same on a GPU.
void issue_places(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                  const scheduler::DeviceIssue& where);
// The kernel's text, written once a thread.
[[nodiscard]] const std::string& place_text(Fold fold, DType dtype);

}  // namespace pilum::numeric
