// Several launches as one, run by the emulated GPU: each does what it does alone.
#include "runtime/kernel/device/device_bundle.h"

#include <algorithm>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/kernel/device/device_utilities.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/kernel/device_run.h"

namespace pilum::kernel::test {
namespace {

// A launch with what it is called with, and what it shall have done.
struct Beside {
  const std::string* text;
  DeviceShape shape;
  std::vector<std::uint64_t> words;
};

// y = 3 x + 1 over a box.
Kernel make_affine(int rank) {
  Builder builder(rank);
  const auto axes = static_cast<std::int8_t>(rank);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, axes});
  const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, axes});
  const ValueId three = builder.constant(Scalar::of(3.0)), one = builder.constant(Scalar::of(1.0));
  builder.store(y, builder.binary(Op::Add, builder.binary(Op::Multiply, builder.load(x), three), one));
  return builder.finish();
}

// s = sum of x over all axes.
Kernel make_sum(int rank) {
  Builder builder(rank);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, static_cast<std::int8_t>(rank)});
  const int s = builder.add_array({DType::Float64, Access::Reduce, Inner::Broadcast, 1});
  builder.accumulate(s, builder.load(x), Fold::Sum, (1u << rank) - 1);
  return builder.finish();
}

class DeviceBundle : public testing::Test {
 protected:
  double* allocate(std::int64_t cells) {
    return reinterpret_cast<double*>(gpu_->allocate(static_cast<std::size_t>(cells) * sizeof(double)));
  }
  double* make_numbers(std::int64_t cells) {
    double* numbers = allocate(cells);
    for (std::int64_t i = 0; i < cells; ++i) numbers[i] = static_cast<double>(random_() % 19) - 9;
    return numbers;
  }
  static BoundArray bind(double* cells, const std::vector<std::int64_t>& extent) {
    BoundArray array{};
    array.base = reinterpret_cast<char*>(cells);
    std::int64_t pitch = sizeof(double);
    for (std::size_t axis = extent.size(); axis-- > 0; pitch *= extent[axis])
      array.stride[axis] = array.pitch[axis] = pitch;
    return array;
  }

  void add(const Kernel& kernel, const std::vector<std::int64_t>& extent, const std::vector<BoundArray>& arrays) {
    const DeviceOptions options = choose_device_options(kernel, arrays, extent, /*streaming=*/false);
    const std::vector<std::int64_t> lo(extent.size(), 0);
    const DeviceCall call{kernel, options, lo, extent, extent, arrays, {}, {}, 256};
    Beside one{&texts_.emplace_back(emit_device(kernel, options)), shape_of(call), {}};
    pack_device_call(call, one.words);
    launches_.push_back(std::move(one));
  }
  void add(const DeviceUtility& utility) { launches_.push_back({utility.text, utility.shape, utility.words}); }

  void run() {
    std::vector<const std::string*> texts;
    std::vector<BundledLaunch> bundled;
    for (const Beside& one : launches_) {
      ASSERT_TRUE(fits_a_bundle(*one.text, one.shape)) << *one.text;
      auto place = std::find_if(texts.begin(), texts.end(), [&](const auto* text) { return *text == *one.text; });
      if (place == texts.end()) place = texts.insert(place, one.text);
      bundled.push_back({static_cast<int>(place - texts.begin()), one.shape, one.words});
    }
    std::vector<std::uint64_t> words;
    const DeviceShape shape = pack_bundle(bundled, kWords, words);
    gpu_->launch(device::Stream::Compute, {image_of(emit_bundle(texts, kWords)), shape.grid, shape.block, words});
    gpu_->finish();
  }

  static constexpr std::size_t kWords = 1024;
  std::unique_ptr<fakes::EmulatedGpu> gpu_ = fakes::make_emulated_gpu({});
  std::mt19937_64 random_{20261123};
  std::list<std::string> texts_;
  std::vector<Beside> launches_;
};

TEST_F(DeviceBundle, SweepsOfSeveralShapesAreWhatEachIsAlone) {
  const std::vector<std::vector<std::int64_t>> extents{{1},    {5000},     {3, 700},   {700, 3},
                                                       {1, 1}, {5, 6, 70}, {40, 33, 2}};
  std::vector<std::pair<double*, double*>> arrays;
  for (const std::vector<std::int64_t>& extent : extents) {
    std::int64_t cells = 1;
    for (const std::int64_t n : extent) cells *= n;
    arrays.emplace_back(make_numbers(cells), allocate(cells + 1));
    arrays.back().second[cells] = 77;
    add(make_affine(static_cast<int>(extent.size())), extent,
        {bind(arrays.back().first, extent), bind(arrays.back().second, extent)});
  }
  run();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::int64_t cells = 1;
    for (const std::int64_t n : extents[i]) cells *= n;
    const auto [x, y] = arrays[i];
    for (std::int64_t k = 0; k < cells; ++k) ASSERT_EQ(y[k], 3 * x[k] + 1) << "launch " << i << ", cell " << k;
    EXPECT_EQ(y[cells], 77) << "launch " << i << " wrote behind its box";
  }
}

TEST_F(DeviceBundle, FoldsWhoseThreadsWaitForEachOtherStandBesideSweepsAndCopies) {
  double* x = make_numbers(6000);
  double* sum = make_numbers(1);
  double* affine = allocate(100);
  double* copied = allocate(6000);
  double* parts = make_numbers(200);
  double* folded = allocate(1);
  double expected = 0;  // what is there does not count
  for (int i = 0; i < 6000; ++i) expected += x[i];
  double expected_parts = 0;
  for (int i = 0; i < 200; ++i) expected_parts += parts[i];
  add(make_affine(1), {100}, {bind(x, {100}), bind(affine, {100})});
  BoundArray total = bind(sum, {1});
  total.stride[0] = total.stride[1] = 0;
  add(make_sum(2), {60, 100}, {bind(x, {60, 100}), total});
  const std::int64_t pitch = sizeof(double), cells = 6000, one = 1;
  add(make_box_copy(1, &cells, sizeof(double), {x, &pitch}, {copied, &pitch}));
  add(make_part_fold(Fold::Sum, DType::Float64, /*keep=*/false, 1, &one, parts, 200, {folded, &pitch}));
  run();
  EXPECT_EQ(*sum, expected);
  EXPECT_EQ(*folded, expected_parts);
  for (int i = 0; i < 6000; ++i) ASSERT_EQ(copied[i], x[i]);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(affine[i], 3 * x[i] + 1);
}

TEST_F(DeviceBundle, BlocksOfOtherSizesGoAloneIfTheirThreadsWaitForEachOther) {
  const std::int64_t pitch = sizeof(double), one = 1;
  double* cell = allocate(1);
  const DeviceUtility large =
      make_part_fold(Fold::Sum, DType::Float64, false, 1, &one, cell, /*count=*/1000, {cell, &pitch});
  EXPECT_FALSE(fits_a_bundle(*large.text, large.shape));
  EXPECT_FALSE(fits_a_bundle("a text of a user's", {}));
  EXPECT_EQ(shared_cells("__shared__ double a[256];\n __shared__ int b[2][3]; __shared__ long c;"), 263u);
}

}  // namespace
}  // namespace pilum::kernel::test
