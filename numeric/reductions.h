// Folds in another function's name, for functions that are made of them.
#pragma once

#include <cstdint>
#include <optional>

#include "numeric/errors.h"
#include "pilum/array.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::numeric {

// Bit a: axis a is folded. Throws as a fold over these axes of so many would.
std::uint8_t folded_axes(const Call& call, const Axes& axes, int rank);
void check_axes(const Call& call, const Axes& axes, int rank);
// The sum in `dtype`, in the name of `call`. Throws as sum.
Array total(const Call& call, const Array& a, DType dtype, const Axes& axes, bool keepdims);
// Throws as mean.
Array mean_of_all(const Call& call, const Array& a, const Axes& axes, bool keepdims);
// The mean of the squares of the distances to the mean, in float32 for float16.
Array variance(const Call& call, const Array& a, const Axes& axes, int ddof, bool keepdims);
// The least or the largest cell.
Array extremum(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes, bool keepdims);
// The place of the first extremum or NaN, along an axis or through the whole array. Throws as argmin.
Array first_place(const Call& call, kernel::Fold fold, const Array& a, std::optional<int> axis, bool keepdims,
                  bool is_temporary = false);
// Of complex numbers, in NumPy's order: the first cell with a NaN, or the first one of all that have none (of NaNs
// alone the first).
Array complex_extremum(const Call& call, kernel::Fold fold, const Array& a, const Axes& axes, bool keepdims,
                       bool skips_nans);

}  // namespace pilum::numeric
