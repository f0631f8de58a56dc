// Complex cells for the oracle: products and quotients as NumPy writes them, functions by the C library in long double.
#pragma once

#include "tests/random/dense.h"

namespace pilum::random_programs {

// What the parts are; the complex dtype of such parts.
DType part_of(DType dtype);
DType complex_of(DType part);

// An operation of one or two cells of `dtype`, which is complex: complex, a real part (dtype_of_complex_result) or a
// bool. Throws Invalid for what NumPy or Pilum refuses, or NumPy leaves open.
Cell complex_cell(Op op, Cell a, Cell b, DType dtype);
DType dtype_of_complex_result(Op op, DType dtype);
bool is_inexact_of_complex(Op op);
// How far each part of a result may be off: 8 units in the last place of its size, 2 of a size or an angle.
double complex_tolerance(Op op, Cell result, DType dtype);

// The product of the cells, in any order, and how far each part may be off.
struct ComplexProduct {
  Cell value;
  double tolerance;
};
ComplexProduct complex_product(const std::vector<Cell>& cells, DType dtype);

}  // namespace pilum::random_programs
