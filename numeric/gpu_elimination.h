// Linear systems, inverses, determinants and Cholesky's triangles of many small matrices on a GPU, or of one, a block
// of threads each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "numeric/linalg_body.h"
#include "pilum/detail/task_form.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Whether GPUs eliminate in so many matrices of so many rows and columns themselves. That follows from all of them, so
// that one has the same bits whatever GPU has it.
[[nodiscard]] bool is_eliminated_by_gpus(Factorization which, DType dtype, std::int64_t rows, std::int64_t columns,
                                         std::int64_t matrices);

// By columns, with the pivots of LAPACK's getrf. Of linalg_body.cc's form: the dtype, the factorization, its option;
// stores are as there.
[[nodiscard]] std::int64_t elimination_scratch(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                                               device::Gpu& gpu);
void issue_eliminations(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                        const scheduler::DeviceIssue& where);
// The kernel, for matrices in shared memory or in scratch memory.
[[nodiscard]] const std::string& elimination_text(DType dtype, bool is_shared);

}  // namespace pilum::numeric
