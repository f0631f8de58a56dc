// Factors of large matrices on a GPU, by its LAPACK (cuSOLVER).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "numeric/linalg_body.h"
#include "pilum/detail/task_form.h"
#include "scheduler/record/device_call.h"

namespace pilum::numeric {

// Whether GPUs that have the skill are asked for it: smaller ones are the host's.
[[nodiscard]] bool is_factored_by_gpus(Factorization which, std::int64_t rows, std::int64_t columns);

// Of linalg_body.cc's form: the dtype that is read, the factorization, its option. Stores are as there.
[[nodiscard]] std::int64_t factor_scratch(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                                          device::Gpu& gpu);
void issue_factors(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call,
                   const scheduler::DeviceIssue& where);

// Kernels: one that says that there is no such factor, and one that makes a determinant of triangles.
[[nodiscard]] const std::string& refusal_kernel_text();
[[nodiscard]] const std::string& determinant_text(DType dtype);

}  // namespace pilum::numeric
