#include "partitioner/choose_parts.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace pilum::partitioner {
namespace {

std::vector<int> choose(std::initializer_list<std::int64_t> extents, std::initializer_list<std::int64_t> halo,
                        int processors) {
  std::array<std::int64_t, kMaxAxes> widths{};
  std::copy(halo.begin(), halo.end(), widths.begin());
  machine::Machine machine;
  machine.ranks = processors;
  machine.split_bytes = 64;
  const auto parts = choose_parts(Rect::of(Shape(extents)), 8, widths, machine);
  return {parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(extents.size())};
}

TEST(ChooseParts, OneProcessorCutsNothing) {
  EXPECT_EQ(choose({100, 100}, {1, 1}, 1), (std::vector{1, 1}));
}

TEST(ChooseParts, WithoutHalosTheOuterAxisIsCut) {
  EXPECT_EQ(choose({16384, 16384}, {0, 0}, 64), (std::vector{64, 1}));
}

TEST(ChooseParts, FewProcessorsGetSlabsForTheySendFewerMessages) {
  EXPECT_EQ(choose({1000, 1000}, {1, 1}, 4), (std::vector{4, 1}));
}

TEST(ChooseParts, ManyProcessorsGetSquares) {
  EXPECT_EQ(choose({16384, 16384}, {1, 1}, 64), (std::vector{8, 8}));
}

TEST(ChooseParts, AnAxisWithoutNeighboursIsCutInsteadOfOneWith) {
  EXPECT_EQ(choose({100000, 100000}, {1, 0}, 4), (std::vector{1, 4}));
}

TEST(ChooseParts, PrimesAreCutAlongOneAxis) {
  EXPECT_EQ(choose({1000, 1000}, {0, 0}, 7), (std::vector{7, 1}));
  EXPECT_EQ(choose({3, 1000000}, {1, 1}, 7), (std::vector{1, 7}));
}

TEST(ChooseParts, FewerTakePartWhereThereAreTooFewCells) {
  EXPECT_EQ(choose({5}, {0}, 7), (std::vector{5}));
  EXPECT_EQ(choose({2, 3}, {0, 0}, 7), (std::vector{2, 3}));
}

TEST(ChooseParts, AllProcessorsTakePartWhereTheyFit) {
  for (int processors = 1; processors <= 128; ++processors) {
    int product = 1;
    for (const int parts : choose({1000, 1000, 4}, {1, 1, 1}, processors)) product *= parts;
    EXPECT_EQ(product, processors);
  }
}

}  // namespace
}  // namespace pilum::partitioner
