// Arithmetic of whole arrays for the oracle: row-major cells, computed one at a time.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/random/reading.h"

namespace pilum::random_programs {

// A program that NumPy would refuse, whose result NumPy leaves open, or that costs more than a test should.
class Invalid : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Dense {
  DType dtype = DType::Float64;
  Extents shape;
  std::vector<Cell> cells;
  std::vector<double> tolerance;     // as Reading's
  std::optional<Number::Kind> weak;  // a number of the source, not yet of a dtype
};

std::int64_t count_of(const Extents& shape);
Extents broadcast(const Extents& a, const Extents& b);
// For every cell of `to`, row-major, the place in `from` of the cell that it repeats.
std::vector<std::size_t> broadcast_places(const Extents& from, const Extents& to);

Dense dense(const Number& number);
Cell cast(Cell cell, DType from, DType to);
Dense cast(const Dense& value, DType to);
bool is_true(Cell cell, DType dtype);
double epsilon_of(DType dtype);  // of float32, of the others float64's
// An operation of two integers, which wraps.
std::int64_t integral(Op op, std::int64_t a, std::int64_t b, DType dtype);
// Throw Invalid for a value with a tolerance, for more cells than a test needs.
void check_exact(const Dense& value);
void check_count(const Extents& shape);
// Every operation but Leaf, Number and the reductions.
Dense compute(const Expression& expression, const std::vector<Dense>& arguments);

}  // namespace pilum::random_programs
