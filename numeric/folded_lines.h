// What is folded as one axis, the last.
#pragma once

#include "numeric/array_state.h"

namespace pilum::numeric {

struct FoldedLines {
  Array lines;  // for one axis a view
  Shape kept;   // with the folded axes, of extent 1, where these are kept
};

// Throws as mean.
FoldedLines fold_to_lines(const Call& call, const Array& a, const Axes& axes, bool keepdims);

}  // namespace pilum::numeric
