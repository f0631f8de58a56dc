// Orthogonal factors of many small matrices on a GPU, a block of threads each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "pilum/detail/task_form.h"
#include "pilum/dtype.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Cells of a matrix that a block keeps in its shared memory.
inline constexpr std::int64_t kOrthogonalCells = 5888;

// Whether GPUs decompose matrices of so many rows and columns, into factors of which Q has `inner` columns.
[[nodiscard]] bool is_orthogonalized_by_gpus(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t inner);

// Householder's reflections, one column after the other, with the signs of LAPACK's geqrf. Of a form whose first number
// is the dtype: stores are Q, R and the matrices, in their last two axes; or R and the matrices.
void issue_orthogonal(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                      const scheduler::DeviceIssue& where);
void issue_triangular(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                      const scheduler::DeviceIssue& where);
[[nodiscard]] const std::string& orthogonal_text(DType dtype);

// Of such a form: stores are signs and the first rows of a matrix Q with orthonormal columns, n x n. The signs are
// those with which Q would have come of Householder's reflections (tall_qr.h).
void issue_reflection_signs(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                            const scheduler::DeviceIssue& where);
[[nodiscard]] const std::string& reflection_signs_text(DType dtype);

}  // namespace pilum::numeric
