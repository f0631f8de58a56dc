#include "tests/fakes/emulated_product.h"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>

namespace pilum::fakes {
namespace {

template <class T>
const char* multiply_cells(const device::GpuProduct& product) {
  const auto cell = [](const device::GpuMatrix& matrix, std::int64_t batch, std::int64_t i, std::int64_t j) -> T& {
    if (matrix.transposed) std::swap(i, j);
    return reinterpret_cast<T*>(matrix.first)[batch * matrix.batch_step + i * matrix.pitch + j];
  };
  for (std::int64_t batch = 0; batch < product.batches; ++batch) {
    for (std::int64_t i = 0; i < product.rows; ++i) {
      for (std::int64_t j = 0; j < product.columns; ++j) {
        T sum = product.adds ? cell(product.c, batch, i, j) : T{};
        for (std::int64_t k = 0; k < product.depth; ++k)
          sum += cell(product.a, batch, i, k) * cell(product.b, batch, k, j);
        cell(product.c, batch, i, j) = sum;
      }
    }
  }
  return nullptr;
}

}  // namespace

const char* find_product_trouble(const device::GpuProduct& product, const IsMemory& is_memory) {
  if (std::min({product.rows, product.columns, product.depth, product.batches}) < 1) return "an extent below 1";
  if (product.c.transposed) return "a result whose columns lie side by side";
  const auto fits = [&](const device::GpuMatrix& matrix, std::int64_t rows, std::int64_t columns) {
    if (matrix.transposed) std::swap(rows, columns);
    const std::int64_t cells = (rows - 1) * matrix.pitch + columns, step = matrix.batch_step * (product.batches - 1);
    if (matrix.pitch < columns || (product.batches > 1 && matrix.batch_step < 0)) return false;
    return is_memory(matrix.first, static_cast<std::size_t>(cells + step) * itemsize(product.dtype));
  };
  if (!fits(product.a, product.rows, product.depth)) return "the first operand is not in memory of a GPU's";
  if (!fits(product.b, product.depth, product.columns)) return "the second operand is not in memory of a GPU's";
  if (!fits(product.c, product.rows, product.columns)) return "the result is not in memory of a GPU's";
  const bool overlaps =
      product.batches > 1 && product.c.batch_step < (product.rows - 1) * product.c.pitch + product.columns;
  return overlaps ? "results overlap" : nullptr;
}

const char* run_product(const device::GpuProduct& product) {
  switch (product.dtype) {
    case DType::Float32: return multiply_cells<float>(product);
    case DType::Float64: return multiply_cells<double>(product);
    case DType::Complex64: return multiply_cells<std::complex<float>>(product);
    case DType::Complex128: return multiply_cells<std::complex<double>>(product);
    default: return "a product of another dtype";
  }
}

}  // namespace pilum::fakes
