// Fourier transforms of lines, as the body of a task computes them.
#pragma once

#include <cstdint>
#include <span>

#include "numeric/library_task.h"
#include "runtime/device/gpu_transform.h"

namespace pilum::numeric {

using Transform = device::TransformKind;

// The form: the transform, whether it is of doubles, the line's real (or all) numbers, and the bits of a double that
// multiplies the result; the rows of a plane, or 1. Stores: the result, the array; their last axis, which the domain
// has not, is the line, their last two the plane. Throws RuntimeError where FFTW has no plan.
void transform_lines(std::span<const std::int64_t> form, const pilum::detail::BodyCall& call);

}  // namespace pilum::numeric
