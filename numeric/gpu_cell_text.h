// What texts of kernels, which have no headers, call cells, and how they fold them.
#pragma once

#include <string>

#include "pilum/dtype.h"
#include "pilum/fold.h"

namespace pilum::numeric {

// "signed char". Not of complex numbers and halves.
[[nodiscard]] const char* plain_cell_type(DType dtype);
// Of two cells `a` and `b`, of type Cell, as the host folds them (wrapping.h): "a + b".
[[nodiscard]] std::string folded_text(Fold fold, DType dtype);

}  // namespace pilum::numeric
