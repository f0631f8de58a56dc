// Cells where masks are true, picked by GPUs, on emulated ones, against plain loops.
#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/gpu_masks.h"
#include "pilum/pilum.h"
#include "tests/fakes/thorough.h"
#include "tests/numeric/emulated_gpus.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;

// Ones at random, about one of `of`.
Array random_mask(const Shape& shape, unsigned of, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> cells(static_cast<std::size_t>(shape.elements()));
  for (double& cell : cells) cell = random() % of == 0;
  return np::array(cells).reshape(shape) > 0;
}

// a(mask), and where mask is true.
void check_mask(const Array& a, const Array& mask) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype());
  const std::vector<double> cells = a.astype<double>().to_vector<double>();
  const std::vector<double> flags = mask.astype<double>().to_vector<double>();
  std::vector<double> picked;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (flags[i] == 0) continue;
    picked.push_back(cells[i]);
    places.push_back(static_cast<std::int64_t>(i));
  }
  const Array found = a(mask);
  EXPECT_EQ(found.astype<double>().to_vector<double>(), picked);
  EXPECT_EQ(np::flatnonzero(mask).to_vector<std::int64_t>(), places);
}

Array counted(const Shape& shape, DType dtype) {
  return (np::arange(shape.elements()) % 101).reshape(shape).astype(dtype);
}

TEST(GpuMasks, PickWhatIsTrueInOrder) {
  on_emulated_gpus(3, [] {
    for (const DType dtype : {DType::Int8, DType::Int16, DType::Float32, DType::Float64, DType::Int64}) {
      for (const unsigned of : {1u, 2u, 50u}) check_mask(counted({9000}, dtype), random_mask({9000}, of, of));
    }
    for (const std::int64_t cells : {1, 2, 4095, 4096, 4097})
      check_mask(counted({cells}, DType::Int32), random_mask({cells}, 2, 5));
    const Array pairs = counted({5000}, DType::Float64) * std::complex<double>(1, 2);
    const Array mask = random_mask({5000}, 3, 6);
    EXPECT_TRUE(np::array_equal(np::real(pairs(mask)) * 2.0, np::imag(pairs(mask))));
  });
}

TEST(GpuMasks, PickFromViewsOfAnyShape) {
  on_emulated_gpus(3, [] {
    const Array a = counted({60, 90}, DType::Float64), mask = random_mask({60, 90}, 3, 1);
    check_mask(a, mask);
    check_mask(a.T(), mask.T());
    check_mask(a.T(), random_mask({90, 60}, 3, 2));
    check_mask(a(slice({}, {}, -1), slice({}, {}, 2)), random_mask({60, 45}, 3, 3));
    check_mask(np::broadcast_to(counted({90}, DType::Int32), {60, 90}), mask);
    check_mask(counted({6, 7, 8, 9}, DType::Int32)(all, slice(1, 6), slice({}, {}, -1)),
               random_mask({6, 5, 8, 9}, 4, 4));
    const auto [rows, columns] = [&] {
      const std::vector<Array> found = np::nonzero(mask);
      return std::pair(found[0].to_vector<std::int64_t>(), found[1].to_vector<std::int64_t>());
    }();
    const std::vector<double> flags = mask.astype<double>().to_vector<double>();
    std::size_t next = 0;
    for (std::int64_t i = 0; i < 60 * 90; ++i) {
      if (flags[static_cast<std::size_t>(i)] == 0) continue;
      ASSERT_EQ(rows[next], i / 90);
      ASSERT_EQ(columns[next++], i % 90);
    }
    EXPECT_EQ(next, rows.size());
  });
}

// More than 256 tiles of 4,096.
TEST(GpuMasks, CountFromGroupToGroup) {
  on_emulated_gpus(3, [] {
    constexpr std::int64_t kCells = 2 * 256 * 4096 + 777;
    const Array numbers = np::arange(kCells), mask = numbers % 3 == 1;
    EXPECT_TRUE(np::array_equal(numbers(mask), np::arange((kCells + 1) / 3) * 3 + 1));
    EXPECT_TRUE(np::array_equal(np::flatnonzero(mask), np::arange((kCells + 1) / 3) * 3 + 1));
  });
}

TEST(GpuMasks, AreRightInLoops) {
  on_emulated_gpus(3, [] {
    Array a = np::arange(6000);
    for (int round = 0; round < 8; ++round) a = np::concatenate({a(a % 2 == 0), a(a % 2 == 1)}) + 1;
    std::vector<std::int64_t> expected(6000), next;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<std::int64_t>(i);
    for (int round = 0; round < 8; ++round) {
      next.clear();
      for (const int parity : {0, 1}) {
        for (const std::int64_t cell : expected) {
          if (cell % 2 == parity) next.push_back(cell + 1);
        }
      }
      expected = next;
    }
    EXPECT_EQ(a.to_vector<std::int64_t>(), expected);
  });
}

// By NVIDIA's compiler, where there is one: it needs no GPU.
TEST(GpuMasks, HaveTextsThatNvrtcTakes) {
#ifdef PILUM_SANITIZE
  GTEST_SKIP() << "ten seconds in NVIDIA's compiler, which has no instruments; what writes the texts runs above";
#endif
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const std::int64_t size : {0, 1, 2, 4, 8, 16}) {
    for (const bool is_flat : {true, false}) {
      if (is_flat != (size % 3 == 1) && !fakes::is_thorough()) continue;
      EXPECT_GT(compiler->compile(np::mask_text(size, is_flat)).size(), 1000u);
    }
  }
}

}  // namespace
}  // namespace pilum
