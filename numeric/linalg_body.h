// What LAPACK, or for small systems the library itself, computes of matrices, each by one processor; the axes before
// them are cut.
#pragma once

#include <vector>

#include "numeric/array_state.h"
#include "numeric/library_task.h"

namespace pilum::numeric {

enum class Factorization : std::uint8_t {
  Solve,             // X; A, B
  Inverse,           // X; A. The option: what is singular gives NaNs, and no error
  Determinant,       // the sign, the logarithm of the size; A
  PlainDeterminant,  // of small systems (small_systems.h) alone; A
  Cholesky,          // L; A. The option: the upper one
  Orthogonal,        // Q, R; A
  Triangular,        // R; A
  Hermitian,         // values, vectors; A. The option: of its upper triangle
  HermitianValues,
  General,  // values, vectors, complex; A
  GeneralValues,
  Singular,  // U, S, V^H; A
  SingularValues,
  ReflectionSigns,  // signs; the first rows of Q (tall_qr.h)
};

// What is made (its dtype, and its axes behind the batch's), and what is read.
struct Factor {
  DType dtype = DType::Float64;
  Shape shape;
};

// New arrays (batch…, shape…) of the factors, computed of arrays (batch…, …) of one dtype, one of LAPACK's. None is
// empty. Throws RuntimeError, at the call, where there is no OpenBLAS, but for small systems.
std::vector<Array> factorized(const Call& call, Factorization which, bool option, const Shape& batch,
                              const std::vector<Factor>& factors, const std::vector<Array>& of);
// Of a matrix or many, which may be empty: along the last axis.
Array singular_values_of(const Call& call, const Array& a);

}  // namespace pilum::numeric
