// Factors of a matrix in a GPU's memory.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "pilum/dtype.h"

namespace pilum::device {

// By LAPACK's names, without the letter of the numbers' type: a matrix into triangles (with pivots, 64-bit integers),
// and what such ones solve; a triangle of a positive definite one; reflections, and the orthonormal columns that they
// make; eigenvalues and vectors of a symmetric or Hermitian one; singular values and vectors.
enum class LapackCall : std::uint8_t { Getrf, Getrs, Potrf, Geqrf, Orgqr, Heevd, Gesvd };

struct GpuLapack {
  LapackCall call = LapackCall::Getrf;
  DType dtype = DType::Float64;        // float32, float64, complex64 or complex128
  std::int64_t rows = 0, columns = 0;  // of the matrix: 1 or more; of Gesvd's no more columns than rows
  // Getrs: columns of the right sides. Orgqr: reflections. Heevd: 1 for vectors, else 0. Gesvd: the columns of U, all
  // or as many as the matrix has, or 0 for values alone.
  std::int64_t count = 0;
  bool upper = false;  // Potrf, Heevd: which triangle is read
  auto operator<=>(const GpuLapack&) const = default;
};

// Addresses of a GPU's memory. Matrices lie column by column without gaps.
struct GpuLapackCells {
  std::byte* a = nullptr;     // the matrix, overwritten as LAPACK does: Gesvd leaves anything in it
  std::byte* b = nullptr;     // Getrf, Getrs: pivots. Geqrf, Orgqr: the reflections' factors. Else values, real numbers
  std::byte* c = nullptr;     // Getrs: right sides, then solutions. Gesvd: U
  std::byte* d = nullptr;     // Gesvd: the conjugate of V, transposed
  std::byte* info = nullptr;  // an int, written by all but Getrs: 0, or else there is no such factor
  std::byte* work = nullptr;  // so many bytes as Gpu::lapack_bytes() says
};

}  // namespace pilum::device
