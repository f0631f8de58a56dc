// Fourier transforms as calls of GPUs, on emulated ones, against sums of the definition. They need no FFTW.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "numeric/fftw.h"
#include "numeric/gpu_fft.h"
#include "numeric/gpu_line_copy.h"
#include "pilum/pilum.h"
#include "tests/numeric/complex_lines.h"
#include "tests/numeric/emulated_gpus.h"
#include "tests/numeric/gpu_session.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::all;
using np::Array;
using np::slice;
using Complex = std::complex<double>;
using Count = std::optional<std::int64_t>;

Array numbers_of(const Shape& shape, DType dtype = DType::Float64) {
  const Array real = (np::arange(shape.elements()) * 7 % 11 - 4).reshape(shape);
  if (!is_complex(dtype)) return real.astype(dtype);
  return (real + (np::arange(shape.elements()) * 5 % 13 - 5).reshape(shape) * Complex(0, 1)).astype(dtype);
}

Complexes sums_of(const Complexes& cells, double sign, double factor) {
  Complexes sums;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    Complex sum;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto turn = static_cast<double>(i * k % cells.size()) / static_cast<double>(cells.size());
      sum += cells[i] * Complex(std::cos(2 * std::numbers::pi * turn), sign * std::sin(2 * std::numbers::pi * turn));
    }
    sums.push_back(sum * factor);
  }
  return sums;
}

// All n numbers of which the first half is known, as NumPy takes it.
Complexes whole_line(Complexes half, std::size_t n) {
  half.resize(n / 2 + 1);
  half.front() = half.front().real();
  if (n % 2 == 0) half.back() = half.back().real();
  for (std::size_t i = half.size(); i < n; ++i) half.push_back(std::conj(half[n - i]));
  return half;
}

void expect_lines(const char* name, const Array& found, int axis, const std::vector<Complexes>& wanted) {
  const bool is_single = found.dtype() == DType::Complex64 || found.dtype() == DType::Float32;
  const std::vector<Complexes> lines = lines_of(found, axis);
  ASSERT_EQ(lines.size(), wanted.size()) << name;
  double largest = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    ASSERT_EQ(lines[line].size(), wanted[line].size()) << name;
    for (std::size_t k = 0; k < wanted[line].size(); ++k) {
      const double error = std::abs(lines[line][k] - wanted[line][k]);
      largest = std::max(largest, std::isnan(error) ? INFINITY : error);
    }
  }
  EXPECT_LT(largest, is_single ? 1e-3 : 1e-11) << name;
}

// fft, ifft, irfft of complex numbers, rfft of real ones.
void check_transforms(const Array& a, Count count, int axis) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " axis " << axis << " n "
                                  << count.value_or(a.shape()[axis]));
  const std::vector<Complexes> lines = lines_of(a, axis);
  std::vector<Complexes> forward, backward, halves, reals;
  for (const Complexes& line : lines) {
    Complexes cells = line;
    cells.resize(static_cast<std::size_t>(count.value_or(static_cast<std::int64_t>(line.size()))));
    const auto n = static_cast<double>(cells.size());
    forward.push_back(sums_of(cells, -1, 1));
    backward.push_back(sums_of(cells, 1, 1 / n));
    halves.push_back(sums_of(cells, -1, 1 / std::sqrt(n)));
    halves.back().resize(cells.size() / 2 + 1);
    const auto real_n = static_cast<std::size_t>(count.value_or(2 * static_cast<std::int64_t>(line.size()) - 2));
    if (real_n > 0) reals.push_back(sums_of(whole_line(line, real_n), 1, 1 / static_cast<double>(real_n)));
  }
  expect_lines("fft", np::fft::fft(a, count, axis), axis, forward);
  expect_lines("ifft", np::fft::ifft(a, count, axis), axis, backward);
  if (!is_complex(a.dtype())) expect_lines("rfft", np::fft::rfft(a, count, axis, "ortho"), axis, halves);
  if (!reals.empty()) expect_lines("irfft", np::fft::irfft(a, count, axis), axis, reals);
  EXPECT_EQ(lines_of(a, axis), lines) << "what is transformed stays what it is";
}

constexpr DType kDTypes[] = {DType::Float32, DType::Float64, DType::Complex64, DType::Complex128};

TEST(GpuFft, IsTheSumOfItsDefinition) {
  on_emulated_gpus(3, [] {
    for (const DType dtype : kDTypes) {
      for (const std::int64_t n : {1, 2, 3, 8, 13}) check_transforms(numbers_of({7, n}, dtype), {}, 1);
      check_transforms(numbers_of({12}, dtype), {}, 0);
    }
  });
}

TEST(GpuFft, GoesAlongAnyAxis) {
  on_emulated_gpus(2, [] {
    for (const DType dtype : {DType::Float32, DType::Complex128}) {
      for (const int axis : {0, 1, 2}) {
        check_transforms(numbers_of({5, 6, 3}, dtype), {}, axis);
        check_transforms(numbers_of({20, 5, 3}, dtype), {}, axis);  // more batches than are a call each
      }
    }
    check_transforms(numbers_of({11, 3, 4, 5}), {}, 2);
  });
}

TEST(GpuFft, PadsAndCutsLines) {
  on_emulated_gpus(3, [] {
    for (const DType dtype : kDTypes) {
      for (const std::int64_t n : {1, 2, 5, 9, 14}) {
        check_transforms(numbers_of({4, 9}, dtype), n, 1);
        check_transforms(numbers_of({9, 3}, dtype), n, 0);
      }
    }
  });
}

TEST(GpuFft, TakesAnyView) {
  on_emulated_gpus(2, [] {
    for (const DType dtype : {DType::Float32, DType::Float64, DType::Complex64}) {
      const Array a = numbers_of({9, 10, 5}, dtype);
      check_transforms(a(all, slice({}, {}, 2), all), {}, 1);
      check_transforms(a(slice(1, {}), slice(1, {}), slice(1, {})), {}, 2);  // rows begin where no complex number could
      check_transforms(a(slice({}, {}, -1), all, slice({}, {}, -1)), {}, 2);
      check_transforms(np::transpose(a), {}, 0);
      check_transforms(np::broadcast_to(numbers_of({6}, dtype), {5, 6}), {}, 1);
      check_transforms(np::broadcast_to(numbers_of({5, 1}, dtype), {5, 6}), {}, 1);
    }
  });
}

TEST(GpuFft, HasOneFactorForAllAxes) {
  on_emulated_gpus(2, [] {
    const Array a = numbers_of({6, 5, 4}), z = numbers_of({6, 5, 4}, DType::Complex128);
    const auto distance = [](const Array& x, const Array& y) { return np::max(np::abs(x - y)).item<double>(); };
    for (const char* norm : {"backward", "ortho", "forward"}) {
      SCOPED_TRACE(norm);
      EXPECT_LT(distance(np::fft::ifftn(np::fft::fftn(z, {}, {}, norm), {}, {}, norm), z), 1e-12);
      EXPECT_LT(distance(np::fft::irfftn(np::fft::rfftn(a, {}, {}, norm), {}, {}, norm), a), 1e-12);
      EXPECT_LT(distance(np::fft::irfftn(np::fft::rfftn(a, {}, {}, norm), {6, 5, 1}, {}, norm),
                         np::fft::irfft(np::fft::ifft2(np::fft::rfftn(a, {}, {}, norm), {}, {0, 1}, norm), 1, 2, norm)),
                1e-12);
      EXPECT_LT(distance(np::fft::hfft(np::fft::ihfft(a, {}, 1, norm), 5, 1, norm), a), 1e-12);
    }
    EXPECT_EQ(np::fft::fft(np::zeros({0, 4})).shape(), (Shape{0, 4}));
    EXPECT_EQ(np::fft::irfft(np::zeros({4, 3, 0}), {}, 1).shape(), (Shape{4, 4, 0}));
  });
}

TEST(GpuFft, IsOneCallOfAGpuForItsShare) {
  for (const int gpus : {1, 2, 4}) {
    GpuSession on({.processors_per_rank = gpus});
    const auto calls = [&](const auto& transform) {
      const long before = on.transforms();
      static_cast<void>(transform().template to_vector<Complex>());
      return on.transforms() - before;
    };
    EXPECT_EQ(calls([] { return np::fft::fft(numbers_of({40, 10}, DType::Complex128)); }), gpus);
    EXPECT_EQ(calls([] { return np::fft::rfft(numbers_of({40, 9})); }), gpus);
    EXPECT_EQ(calls([] { return np::fft::ifft(numbers_of({40, 10}), {}, 0); }), gpus);
    EXPECT_EQ(calls([] { return np::fft::fft(numbers_of({2, 10, 40}), {}, 1); }), 2 * gpus);
    EXPECT_EQ(calls([] { return np::fft::fft(numbers_of({60, 10, 4}), {}, 1); }), gpus);
  }
}

// Two axes in a call, where others leave planes enough, beside one axis after the other.
void check_planes(const Array& a, const std::vector<int>& axes, const std::vector<std::int64_t>& counts = {}) {
  SCOPED_TRACE(testing::Message() << a.shape() << " " << a.dtype() << " first axis " << axes[0]);
  const np::Axes along{std::span<const int>(axes)};
  const double bound = a.dtype() == DType::Float32 || a.dtype() == DType::Complex64 ? 1e-2 : 1e-10;
  const auto distance = [](const Array& x, const Array& y) {
    return np::max(np::abs(x - y)).astype(DType::Float64).item<double>();
  };
  const auto count_of = [&](std::size_t k) { return counts.empty() ? Count() : Count(counts[k]); };
  Array there = a, back = a, half = a;
  for (std::size_t k = axes.size(); k-- > 0;) {
    there = np::fft::fft(there, count_of(k), axes[k]);
    back = np::fft::ifft(back, count_of(k), axes[k]);
    if (is_complex(a.dtype())) continue;
    half = k + 1 == axes.size() ? np::fft::rfft(half, count_of(k), axes[k]) : np::fft::fft(half, count_of(k), axes[k]);
  }
  EXPECT_LT(distance(np::fft::fftn(a, counts, along), there), bound);
  EXPECT_LT(distance(np::fft::ifftn(a, counts, along), back), bound);
  if (is_complex(a.dtype())) return;
  EXPECT_LT(distance(np::fft::rfftn(a, counts, along), half), bound);
  if (counts.empty()) {
    std::vector<std::int64_t> shape;
    for (const int axis : axes) shape.push_back(a.shape()[axis]);
    EXPECT_LT(distance(np::fft::irfftn(half, shape, along), a), bound);
  }
}

TEST(GpuFft, OfPlanesAreThoseOfTheirLines) {
  for (const int gpus : {0, 1, 3}) {  // 0: by cores
    if (gpus == 0 && !np::find_fftw(true)) continue;
    fakes::SimulatedRanks machine{.ranks = 1, .processors_per_rank = std::max(gpus, 2), .gpus = gpus > 0};
    if (gpus == 1) machine.processors_per_rank = 1;
    SCOPED_TRACE(testing::Message() << gpus << " GPUs");
    fakes::run_on_simulated_ranks(machine, [gpus](scheduler::Session&) {
      for (const DType dtype : kDTypes) {
        if (gpus > 0 && (dtype == DType::Float32 || dtype == DType::Complex128)) continue;  // each compiles kernels
        const Array a = numbers_of({33, 5, 6}, dtype);
        check_planes(a, {1, 2});
        check_planes(a, {2, 1});
        check_planes(a, {0, 1, 2});
        check_planes(np::transpose(a), {0, 1});
        check_planes(np::transpose(a), {2, 0, 1});
        check_planes(a(slice({}, {}, -1), slice({}, {}, -1), slice(1, {})), {1, 2});
        check_planes(a(all, all, slice({}, {}, 2)), {1, 2});
        check_planes(a, {1, 2}, {4, 9});
        check_planes(a, {1, 2}, {7, 3});
      }
      check_planes(numbers_of({6, 6, 4, 3, 2}), {2, 3});
      check_planes(numbers_of({6, 5, 6, 7}), {0, 1, 2, 3});
      check_planes(numbers_of({33, 1, 6}), {1, 2});
      check_planes(np::broadcast_to(numbers_of({4, 5}), {32, 4, 5}), {1, 2});
      for (const char* norm : {"backward", "ortho", "forward"}) {
        const Array z = numbers_of({40, 4, 6}, DType::Complex128), x = numbers_of({40, 4, 6});
        EXPECT_LT(np::max(np::abs(np::fft::ifft2(np::fft::fft2(z, {}, {-2, -1}, norm), {}, {-2, -1}, norm) - z))
                      .item<double>(),
                  1e-12);
        EXPECT_LT(np::max(np::abs(np::fft::irfft2(np::fft::rfft2(x, {}, {-2, -1}, norm), {}, {-2, -1}, norm) - x))
                      .item<double>(),
                  1e-12);
      }
    });
  }
}

TEST(GpuFft, OfPlanesIsOneCallForBothAxes) {
  for (const int gpus : {1, 2}) {
    GpuSession on({.processors_per_rank = gpus});
    const auto calls = [&](const auto& transform) {
      const long before = on.transforms();
      static_cast<void>(transform().template to_vector<Complex>());
      return on.transforms() - before;
    };
    EXPECT_EQ(calls([] { return np::fft::fft2(numbers_of({40, 6, 5}, DType::Complex128)); }), gpus);
    EXPECT_EQ(calls([] { return np::fft::rfft2(numbers_of({40, 6, 4})); }), gpus);
    EXPECT_EQ(calls([] { return np::fft::fftn(numbers_of({40, 6, 5}, DType::Complex128)); }), 2 * gpus);
    EXPECT_GT(calls([] { return np::fft::fft2(numbers_of({8, 6, 5}, DType::Complex128)); }), gpus);
  }
}

// What does not fit into scratch memory at once, in parts of which the last is shorter.
TEST(GpuFft, TransformsManyLinesInParts) {
  constexpr std::int64_t kLines = 5'700'001, kCount = 3;
  GpuSession on({});
  const Array a = (np::arange(kLines * kCount) % 17).reshape({kLines, kCount}).astype(DType::Float32);
  const Array half = np::fft::rfft(a);
  EXPECT_EQ(on.transforms(), 0);
  const Array first = half(all, 0), second = half(all, 1);
  EXPECT_LT(np::max(np::abs(first - np::sum(a, 1))).item<double>(), 1e-4);
  const Complex root = std::polar(1.0, -2 * std::numbers::pi / 3);
  const Array wanted = a(all, 0) + a(all, 1) * root + a(all, 2) * (root * root);
  EXPECT_LT(np::max(np::abs(second - wanted)).item<double>(), 1e-4);
  EXPECT_EQ(on.transforms(), 2);
  EXPECT_LT(np::max(np::abs(np::fft::irfft(half, kCount) - a)).item<double>(), 1e-4);
  EXPECT_EQ(on.transforms(), 4);
}

// A loop with transforms and elementwise operations, whose plans are found again.
TEST(GpuFft, IsRemembered) {
  for (const int gpus : {1, 2, 3}) {
    GpuSession on({.processors_per_rank = gpus, .seed = static_cast<std::uint64_t>(gpus)});
    const Array start = numbers_of({12, 10});
    Array u = start;
    for (int round = 0; round < 10; ++round) {
      const Array spectrum = np::fft::rfft2(u + round);
      u = np::fft::irfft2(spectrum * 2.0) / 2.0 - round;
      on.session().flush();
    }
    EXPECT_LT(np::max(np::abs(u - start)).item<double>(), 1e-11);
    EXPECT_GT(on.session().plan_cache().hits, 4);
    EXPECT_GE(on.transforms(), 40 * gpus);
  }
}

// As of memory of the program's, aligned to 8 bytes, in a plan that was made for some that was aligned to 16.
TEST(GpuFft, FindsRoomToCopyLinesThatWereTakenForAlignedOnes) {
  constexpr std::int64_t kLines = 4, kCount = 6, kHalf = kCount / 2 + 1;
  constexpr std::size_t kBytes = 1024;
  const auto gpu = fakes::make_emulated_gpu(0, /*seed=*/1, std::size_t{1} << 24);
  const auto jit = jit::make_device_jit(fakes::make_emulated_compiler(), {});
  std::byte *const real = gpu->allocate(kBytes), *const sums = gpu->allocate(kBytes),
                   *const host = gpu->allocate_pinned(kBytes);
  auto* const cells = reinterpret_cast<double*>(host);
  for (std::int64_t i = 0; i < kLines * kCount; ++i) cells[i] = static_cast<double>(i);
  gpu->copy(device::Stream::Compute, {real + 8, host, kLines * kCount * 8});

  const std::int64_t form[] = {static_cast<std::int64_t>(device::TransformKind::ToComplex), 1, kCount, 0, 1};
  const Piece piece(1, {0}, {kLines});
  pilum::detail::BoundStore stores[] = {{sums, {}, {kLines, kHalf}, {kHalf, 1}},
                                        {real, {}, {kLines, kCount}, {kCount, 1}}};
  const pilum::detail::BodyCall call{piece, stores, nullptr};
  scheduler::DeviceIssue where{*gpu, device::Stream::Compute, *jit};
  where.scratch_bytes = np::transform_scratch(form, call, *gpu);
  where.scratch = gpu->allocate(static_cast<std::size_t>(where.scratch_bytes));
  const std::size_t used = gpu->used_bytes();
  stores[1].first = real + 8;
  EXPECT_GT(np::transform_scratch(form, call, *gpu), where.scratch_bytes);
  np::issue_transforms(form, call, where);
  EXPECT_EQ(gpu->used_bytes(), used);

  gpu->copy(device::Stream::Compute, {host, sums, kLines * kHalf * 16});
  gpu->finish();
  for (std::int64_t line = 0; line < kLines; ++line)
    EXPECT_NEAR(cells[2 * line * kHalf], static_cast<double>(kCount * kCount * line + 15), 1e-12) << line;
}

TEST(GpuFft, CopiesByTextsThatNvrtcTakes) {
  std::string why;
  const auto compiler = find_nvrtc_compiler(why);
  if (!compiler) GTEST_SKIP() << why;
  for (const std::size_t bytes : {4, 8, 16}) static_cast<void>(compiler->compile(np::line_copy_text(bytes)));
  for (const std::size_t bytes : {8, 16}) static_cast<void>(compiler->compile(np::half_line_copy_text(bytes)));
}

TEST(GpuFft, GoesOnWhereMemoryIsFull) {
  GpuSession on({.gpu_memory = 60'000});
  std::vector<Array> starts, spectra;
  for (int k = 0; k < 12; ++k) {
    starts.push_back(numbers_of({40, 10}) + k);
    spectra.push_back(np::fft::rfft(starts.back(), {}, k % 2));
    on.session().flush();
  }
  for (int k = 0; k < 12; ++k) {
    const Array back = np::fft::irfft(spectra[static_cast<std::size_t>(k)], k % 2 ? 10 : 40, k % 2);
    EXPECT_LT(np::max(np::abs(back - starts[static_cast<std::size_t>(k)])).item<double>(), 1e-12) << k;
  }
  EXPECT_GE(on.transforms(), 24);
}

// Ranks that have a GPU each and reach each other's memory: loops with transforms are no graphs, others among them are.
TEST(GpuFft, MeetsGraphsOfSeveralRanks) {
  for (const int ranks : {1, 2}) {
    fakes::SimulatedRanks machine{.ranks = ranks, .window = 4, .gpus = true, .share = ranks > 1};
    fakes::run_on_simulated_ranks(machine, [](scheduler::Session& session) {
      Array u = numbers_of({24, 16});
      const Array start = u;
      for (int round = 0; round < 4; ++round) {
        for (int step = 0; step < 10; ++step) {
          u = u * 2.0;
          u[all] = u / 2.0;
          session.flush();
        }
        u = np::fft::irfft(np::fft::rfft(u, {}, 0), {}, 0);
        session.flush();
      }
      EXPECT_LT(np::max(np::abs(u - start)).item<double>(), 1e-12);
    });
  }
}

TEST(GpuFft, IsTheHostsWhereGpusDoNotTransform) {
  GpuSession on({.processors_per_rank = 2, .transforms = false});
  const Array a = numbers_of({8, 6});
  if (!np::find_fftw(true)) {
    EXPECT_THAT([&] { np::fft::fft(a); }, testing::ThrowsMessage<RuntimeError>(testing::HasSubstr("libfftw3-double3")));
    return;
  }
  check_transforms(a, {}, 1);
  EXPECT_EQ(on.transforms(), 0);
}

}  // namespace
}  // namespace pilum
