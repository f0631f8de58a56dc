// Systems of few unknowns, and small symmetric matrices: solved in registers, a point each, on cores and GPUs alike.
#pragma once

#include <optional>

#include "numeric/linalg_body.h"

namespace pilum::numeric {

// Whether these real matrices are so small: LAPACK is not called for them.
[[nodiscard]] bool are_small_systems(const Array& matrices);
// A body of `factorized` that solves, inverts, finds the plain determinant or the eigenvalues of symmetric matrices, of
// dtype and extent like these; stores: the results, the matrices, the right sides. None: they are LAPACK's.
[[nodiscard]] std::optional<LibraryBody> small_system_body(Factorization which, bool option, const Array& matrices,
                                                           int points);

}  // namespace pilum::numeric
