// Reshaped copies on the host against a walk cell by cell.
#include "scheduler/execute/reshape_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "scheduler/record/instruction_facts.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

using Numbers = std::vector<std::int64_t>;

// So many cells as a shape of one to four axes.
Numbers random_shape(std::mt19937_64& random, std::int64_t cells) {
  Numbers shape;
  for (int axes = static_cast<int>(random() % 4); axes > 0; --axes) {
    Numbers factors;
    for (std::int64_t factor = 1; factor <= cells; ++factor) {
      if (cells % factor == 0) factors.push_back(factor);
    }
    shape.push_back(factors[random() % factors.size()]);
    cells /= shape.back();
  }
  shape.push_back(cells);
  return shape;
}

// Bytes from cell to cell by axis: without gaps or with some, axes in another order at times; of a source that repeats
// cells some are 0.
Numbers random_pitches(std::mt19937_64& random, const Numbers& shape, std::int64_t size, bool repeats) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0u);
  if (random() % 3 == 0) std::shuffle(order.begin(), order.end(), random);
  Numbers pitch(shape.size());
  std::int64_t bytes = size;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t axis = order[i];
    if (random() % 4 == 0) bytes += size * static_cast<std::int64_t>(random() % 3);
    pitch[axis] = bytes;
    bytes *= shape[axis];
    if (repeats && random() % 3 == 0) pitch[axis] = 0;
  }
  return pitch;
}

std::int64_t span_of(const Numbers& shape, const Numbers& pitch, std::int64_t size) {
  std::int64_t span = size;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) span += (shape[axis] - 1) * pitch[axis];
  return span;
}

// Bytes from the first cell to the cell of this number, row-major.
std::int64_t offset_of(std::int64_t number, const Numbers& shape, const Numbers& pitch) {
  std::int64_t offset = 0;
  for (std::size_t axis = shape.size(); axis-- > 0; number /= shape[axis]) offset += number % shape[axis] * pitch[axis];
  return offset;
}

TEST(ReshapeRun, RandomBoxesGetTheCellsOfTheirNumbers) {
  int in_chunks = 0, programs = 0;
  for_each_seed(600, [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    constexpr std::int64_t kSizes[] = {1, 2, 4, 8, 16};
    const std::int64_t size = kSizes[random() % std::size(kSizes)];
    const bool is_large = programs++ % 50 == 0;
    const std::int64_t cells = is_large ? 400000 : std::int64_t{1} << random() % 9;
    const std::int64_t all = cells * (random() % 2 ? 3 : 5);
    const Numbers from = random_shape(random, all), to = random_shape(random, all);
    const Numbers from_pitch = random_pitches(random, from, size, true),
                  to_pitch = random_pitches(random, to, size, false);
    std::vector<std::byte> source(static_cast<std::size_t>(span_of(from, from_pitch, size)));
    for (std::byte& byte : source) byte = static_cast<std::byte>(random());
    const std::vector<std::byte> before(static_cast<std::size_t>(span_of(to, to_pitch, size)), std::byte{0x5a});
    std::vector<std::byte> target = before, expected = before;

    Reshape reshape;
    reshape.itemsize = static_cast<std::size_t>(size);
    reshape.from_rank = static_cast<int>(from.size());
    reshape.to_rank = static_cast<int>(to.size());
    reshape.from.data = source.data();
    reshape.to.data = target.data();
    for (std::size_t a = 0; a < from.size(); ++a)
      reshape.from_extent[a] = from[a], reshape.from.pitch[a] = from_pitch[a];
    for (std::size_t a = 0; a < to.size(); ++a) {
      reshape.to_extent[a] = to[a], reshape.to.pitch[a] = to_pitch[a];
      const bool is_whole = random() % 2;
      reshape.lo[a] = is_whole ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to[a]));
      reshape.hi[a] = is_whole
                          ? to[a]
                          : reshape.lo[a] + 1 +
                                static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(to[a] - reshape.lo[a]));
    }
    const std::int64_t chunks = count_chunks(reshape);
    in_chunks += chunks > 1;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) run_reshape(reshape, chunk);

    for (std::int64_t number = 0; number < all; ++number) {
      bool is_inside = true;
      std::int64_t left = number;
      for (std::size_t a = to.size(); a-- > 0; left /= to[a])
        is_inside = is_inside && left % to[a] >= reshape.lo[a] && left % to[a] < reshape.hi[a];
      if (is_inside) {
        std::memcpy(expected.data() + offset_of(number, to, to_pitch),
                    source.data() + offset_of(number, from, from_pitch), static_cast<std::size_t>(size));
      }
    }
    ASSERT_TRUE(target == expected) << "of " << all << " cells of " << size << " bytes";
  });
  EXPECT_GT(in_chunks, 0);
}

}  // namespace
}  // namespace pilum::scheduler
