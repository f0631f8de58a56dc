// Transforms by cuFFT's interface, against those of the emulated GPU. A library stands in for cuFFT that does as its
// documentation says (fake_cufft.cc): what is tested is how lines are told to it.
#include "runtime/device/cuda_fft.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "tests/fakes/emulated_transform.h"

namespace pilum::device {
namespace {

// What PILUM_TEST_CUFFT names: the stand-in, 0, or one that is too old (old_cufft.cc).
std::string wanted() {
  const char* const path = std::getenv("PILUM_TEST_CUFFT");
  return path ? path : "";
}
bool has_stand_in() {
  return wanted().find("fake_cufft") != std::string::npos;
}

alignas(16) std::array<std::byte, 4096> work;

// Numbers that repeat after 7: the imaginary parts of the ends of half lines are 0.
template <class Real>
std::vector<Real> numbers_of(const GpuTransform& transform) {
  std::vector<Real> cells(fakes::bytes_spanned_from(transform) / sizeof(Real));
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<Real>(i * 3 % 7) - 2;
  if (!transform.writes_real()) return cells;
  for (std::int64_t line = 0; line < transform.lines; ++line) {
    const auto imaginary = [&](std::int64_t cell) -> Real& {
      return cells[static_cast<std::size_t>(2 * (line * transform.from.distance + cell * transform.from.step) + 1)];
    };
    imaginary(0) = 0;
    if (transform.count % 2 == 0) imaginary(transform.count / 2) = 0;
  }
  return cells;
}

template <class Real>
void check(const GpuTransform& transform) {
  SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(transform.kind) << ", " << transform.lines
                                  << " lines of " << transform.count << ", " << sizeof(Real) << " bytes");
  std::vector<Real> from = numbers_of<Real>(transform), again = from;
  std::vector<Real> to(fakes::bytes_spanned_to(transform) / sizeof(Real), Real(9)), expected = to;
  const auto bytes = [](std::vector<Real>& cells) { return reinterpret_cast<std::byte*>(cells.data()); };
  CudaFft fft("GPU 0");
  EXPECT_EQ(fft.work_bytes(transform), work.size());
  fft.transform(nullptr, transform, bytes(from), bytes(to), work.data());
  std::vector<std::byte> room(fakes::emulated_work_bytes(transform));
  ASSERT_EQ(fakes::run_transform(transform, bytes(again), bytes(expected), room.data()), nullptr);
  for (std::size_t i = 0; i < to.size(); ++i) EXPECT_NEAR(to[i], expected[i], sizeof(Real) == 8 ? 1e-12 : 1e-4) << i;
}

TEST(CudaFft, TellsHowLinesLie) {
  if (!has_stand_in()) GTEST_SKIP() << "PILUM_TEST_CUFFT is not set";
  for (const auto kind :
       {TransformKind::Forward, TransformKind::Backward, TransformKind::ToComplex, TransformKind::ToReal}) {
    for (const std::int64_t count : {2, 5, 12}) {
      for (const std::int64_t lines : {1, 3}) {
        GpuTransform transform{kind, true, count, lines, {1, count + 2}, {lines, 1}};
        check<double>(transform);
        std::swap(transform.from, transform.to);
        check<double>(transform);
        transform.is_double = false;
        check<float>(transform);
      }
    }
  }
}

TEST(CudaFft, TellsHowPlanesLie) {
  if (!has_stand_in()) GTEST_SKIP() << "PILUM_TEST_CUFFT is not set";
  for (const auto kind : {TransformKind::Forward, TransformKind::Backward, TransformKind::ToComplex}) {
    for (const std::int64_t planes : {1, 3}) {
      // Side by side, with gaps; and cells of one plane between those of another.
      GpuTransform transform{kind, true, 6, planes, {1, 50, 8}, {planes, 1, 7 * planes}, 4};
      check<double>(transform);
      std::swap(transform.from, transform.to);
      check<double>(transform);
      transform.is_double = false;
      check<float>(transform);
    }
  }
}

TEST(CudaFft, KeepsPlansUntilTheyAreForgotten) {
  if (!has_stand_in()) GTEST_SKIP() << "PILUM_TEST_CUFFT is not set";
  CudaFft fft("GPU 0");
  std::int64_t lines = 1;
  for (; !fft.is_full() && lines < 10'000; ++lines) {
    static_cast<void>(fft.work_bytes({TransformKind::Forward, true, 4, lines, {1, 4}, {1, 4}}));
    static_cast<void>(fft.work_bytes({TransformKind::Forward, true, 4, lines, {1, 4}, {1, 4}}));
  }
  EXPECT_GT(lines, 100);
  EXPECT_LT(lines, 1000);
  fft.forget();
  EXPECT_FALSE(fft.is_full());
}

TEST(CudaFft, NamesTheGpuAndWhatWasRefused) {
  if (!has_stand_in()) GTEST_SKIP() << "PILUM_TEST_CUFFT is not set";
  CudaFft fft("GPU 3");
  EXPECT_THAT([&] { static_cast<void>(fft.work_bytes({TransformKind::Forward, true, 4, 1, {0, 4}, {1, 4}})); },
              testing::ThrowsMessage<RuntimeError>(testing::AllOf(testing::HasSubstr("GPU 3"),
                                                                  testing::HasSubstr("cufftMakePlanMany64"),
                                                                  testing::HasSubstr("CUFFT_INVALID_VALUE"))));
}

// What this machine has, or what PILUM_TEST_CUFFT says.
TEST(CudaFft, IsFoundOrSaysWhatToInstall) {
  const std::string trouble = find_fft_trouble();
  if (wanted() == "0") {
    EXPECT_THAT(trouble, testing::HasSubstr("no cuFFT"));
  }
  if (wanted().find("old_cufft") != std::string::npos) {
    EXPECT_THAT(trouble, testing::HasSubstr("is too old"));
  }
  if (has_stand_in()) {
    EXPECT_EQ(trouble, "");
  }
  if (trouble.empty()) return;
  EXPECT_THAT(trouble, testing::HasSubstr("are the host's"));
  CudaFft fft("GPU 0");
  EXPECT_THROW(static_cast<void>(fft.work_bytes({TransformKind::Forward, true, 4, 1, {1, 4}, {1, 4}})), RuntimeError);
}

}  // namespace
}  // namespace pilum::device
