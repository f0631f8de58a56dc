// Products by cuBLAS's interface, against three loops. A library stands in for cuBLAS that does as its documentation
// says (fake_cublas.cc): what is tested is how matrices with rows side by side are told to it.
#include "runtime/device/cuda_blas.h"

#include <complex>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"

namespace pilum::device {
namespace {

// What PILUM_TEST_CUBLAS names: the stand-in, 0, or one that is too old (old_cublas.cc).
std::string wanted() {
  const char* const path = std::getenv("PILUM_TEST_CUBLAS");
  return path ? path : "";
}
bool has_stand_in() {
  return wanted().find("fake_cublas") != std::string::npos;
}

struct Layout {
  bool transposed = false;
  std::int64_t gap = 0;   // cells between rows
  std::int64_t step = 0;  // between matrices: 0: all are the same one
};

template <class T>
struct Matrices {
  std::int64_t rows, columns;
  Layout layout;
  std::vector<T> cells;

  Matrices(std::int64_t rows, std::int64_t columns, std::int64_t batches, Layout layout)
      : rows(rows), columns(columns), layout(layout) {
    cells.resize(
        static_cast<std::size_t>(of().batch_step * (batches - 1) + pitch() * (layout.transposed ? columns : rows)));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double number = static_cast<double>(i * 7 % 11) - 5;
      if constexpr (requires { cells[i].imag(); }) {
        cells[i] = T(static_cast<typename T::value_type>(number), static_cast<typename T::value_type>(i % 3));
      } else {
        cells[i] = static_cast<T>(number);
      }
    }
  }
  std::int64_t pitch() const { return (layout.transposed ? rows : columns) + layout.gap; }
  std::size_t place(std::int64_t batch, std::int64_t i, std::int64_t j) const {
    const std::int64_t in = layout.transposed ? j * pitch() + i : i * pitch() + j;
    return static_cast<std::size_t>(batch * layout.step + in);
  }
  GpuMatrix of() const {
    return {reinterpret_cast<std::byte*>(const_cast<T*>(cells.data())), pitch(), layout.transposed, layout.step};
  }
};

template <class T>
void check(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t batches, bool adds,
           bool a_transposed, bool b_transposed) {
  SCOPED_TRACE(testing::Message() << rows << "x" << columns << "x" << depth << " times " << batches << ", adds " << adds
                                  << ", transposed " << a_transposed << b_transposed);
  const Matrices<T> a(rows, depth, batches, {a_transposed, 2, (rows + 3) * (depth + 3)});
  const Matrices<T> b(depth, columns, batches, {b_transposed, 1, 0});
  Matrices<T> c(rows, columns, batches, {false, 3, rows * (columns + 3) + 5});
  std::vector<T> expected = c.cells;
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        T sum = adds ? expected[c.place(batch, i, j)] : T{};
        for (std::int64_t k = 0; k < depth; ++k) sum += a.cells[a.place(batch, i, k)] * b.cells[b.place(batch, k, j)];
        expected[c.place(batch, i, j)] = sum;
      }
    }
  }
  std::byte workspace{};
  CudaBlas blas("GPU 0", nullptr, &workspace);
  blas.multiply({dtype, rows, columns, depth, batches, a.of(), b.of(), c.of(), adds});
  EXPECT_EQ(c.cells, expected);  // small whole numbers: exact, and nothing else is written
}

TEST(CudaBlas, TellsRowsSideBySideAsTransposedColumns) {
  if (!has_stand_in()) GTEST_SKIP() << "PILUM_TEST_CUBLAS is not set";
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      for (const bool adds : {false, true}) {
        for (const std::int64_t batches : {1, 4}) {
          check<float>(DType::Float32, 3, 5, 7, batches, adds, a, b);
          check<double>(DType::Float64, 5, 3, 2, batches, adds, a, b);
          check<double>(DType::Float64, 1, 6, 4, batches, adds, a, b);
          check<double>(DType::Float64, 6, 1, 1, batches, adds, a, b);
          check<std::complex<float>>(DType::Complex64, 2, 4, 3, batches, adds, a, b);
          check<std::complex<double>>(DType::Complex128, 4, 2, 3, batches, adds, a, b);
        }
      }
    }
  }
}

TEST(CudaBlas, NamesTheGpuAndWhatWasRefused) {
  if (!has_stand_in()) GTEST_SKIP() << "PILUM_TEST_CUBLAS is not set";
  std::byte workspace{};
  CudaBlas blas("GPU 3", nullptr, &workspace);
  double cells[16] = {};
  const GpuMatrix narrow{reinterpret_cast<std::byte*>(cells), 1, false, 0};
  EXPECT_THAT(
      [&] { blas.multiply({DType::Float64, 2, 2, 2, 1, narrow, narrow, narrow, false}); },
      testing::ThrowsMessage<RuntimeError>(testing::AllOf(
          testing::HasSubstr("GPU 3"), testing::HasSubstr("cublasDgemm"), testing::HasSubstr("a wrong value"))));
}

// What this machine has, or what PILUM_TEST_CUBLAS says.
TEST(CudaBlas, IsFoundOrSaysWhatToInstall) {
  const std::string trouble = find_blas_trouble();
  if (wanted() == "0") {
    EXPECT_THAT(trouble, testing::HasSubstr("no cuBLAS"));
  }
  if (wanted().find("old_cublas") != std::string::npos) {
    EXPECT_THAT(trouble, testing::HasSubstr("is too old"));
  }
  if (has_stand_in()) {
    EXPECT_EQ(trouble, "");
  }
  if (trouble.empty()) return;
  EXPECT_THAT(trouble, testing::HasSubstr("products of matrices on GPUs are slow"));
  EXPECT_THROW(CudaBlas("GPU 0", nullptr, nullptr), RuntimeError);
}

}  // namespace
}  // namespace pilum::device
