// Bodies that have an array line by line, or plane by plane, each whole.
#pragma once

#include <span>

#include "numeric/array_state.h"
#include "numeric/library_task.h"

namespace pilum::numeric {

// A new array of `extent` cells along `axis` for each line of `a` along it, both of which are the last axes of what the
// body gets: stores are the result, the array; `numbers` are scalars. Other axes may be cut; of none, one processor has
// the line. `gpu`, a text, is for arrays that have others. Neither `a` nor the result is empty.
Array launch_lines(const Call& call, LibraryBody&& body, const Array& a, int axis, std::int64_t extent, DType dtype,
                   std::span<const std::uint64_t> numbers = {});

// The same of the planes along two axes, of which there are several: `row` and `axis` come last, and the result has
// `extent` cells along the latter.
Array launch_planes(const Call& call, const LibraryBody& body, const Array& a, int row, int axis, std::int64_t extent,
                    DType dtype);

}  // namespace pilum::numeric
