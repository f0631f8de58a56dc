// Products of many matrices by one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pilum/detail/task_form.h"

namespace pilum::numeric {

// Many matrices of a and c by one of b: where the rows of the next ones follow those of the one before at the same
// distance, and no two overlap, they are one matrix of more rows.
inline void join_rows(pilum::detail::BoundStore& c, pilum::detail::BoundStore& a, const pilum::detail::BoundStore& b,
                      int rank) {
  const auto row = static_cast<std::size_t>(rank - 2), column = row + 1;
  for (std::size_t axis = row; axis-- > 0;) {
    const std::int64_t rows = c.hi[row] - c.lo[row], count = c.hi[axis] - c.lo[axis];
    if (count == 1) continue;
    const auto follow = [&](const pilum::detail::BoundStore& store) {
      if (rows > 1) return store.stride[axis] == rows * store.stride[row];
      return store.stride[column] > 0 &&
             store.stride[axis] >= (store.hi[column] - store.lo[column]) * store.stride[column];
    };
    if (count <= 0 || b.stride[axis] != 0 || !follow(a) || !follow(c)) return;
    for (pilum::detail::BoundStore* store : {&c, &a}) {
      if (rows == 1) store->stride[row] = store->stride[axis];
      store->hi[row] = store->lo[row] + rows * count;
      store->hi[axis] = store->lo[axis] + 1;
    }
  }
}

}  // namespace pilum::numeric
