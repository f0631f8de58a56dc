// Cells that indices name, by vectors, against a plain loop.
#include "numeric/gathered_line.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "numeric/body_walk.h"

namespace pilum::numeric {
namespace {

bool operator==(const Bytes16& a, const Bytes16& b) {
  return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

template <class T>
T cell_of(std::uint64_t number) {
  if constexpr (std::is_same_v<T, Bytes16>) {
    return {{number, ~number}};
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
void check_lines() {
  std::mt19937_64 random(7);
  const std::int64_t extent = 1000;
  std::vector<T> from;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(extent); ++i) from.push_back(cell_of<T>(i * 31));
  for (const std::int64_t count : {0, 1, 7, 8, 9, 16, 63, 500}) {
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{0}, count / 2, count - 1}) {
      SCOPED_TRACE(testing::Message() << count << " indices, one of " << wrong << " is outside");
      std::vector<std::int64_t> indices;
      for (std::int64_t i = 0; i < count; ++i) indices.push_back(static_cast<std::int64_t>(random() % 2000) - extent);
      const bool has_wrong = wrong >= 0 && wrong < count;
      if (has_wrong) indices[static_cast<std::size_t>(wrong)] = random() % 2 == 0 ? extent : -extent - 1;
      std::vector<T> to(static_cast<std::size_t>(count) + 1, cell_of<T>(5));
      const std::int64_t done = gather_line(indices.data(), count, extent, from.data(), to.data());
      ASSERT_LE(done, has_wrong ? wrong : count);
      EXPECT_TRUE(done == 0 || done > (has_wrong ? wrong : count) - 8);
      for (std::int64_t i = 0; i < done; ++i) {
        const std::int64_t index = indices[static_cast<std::size_t>(i)], place = index < 0 ? index + extent : index;
        ASSERT_TRUE(to[static_cast<std::size_t>(i)] == from[static_cast<std::size_t>(place)]) << "cell " << i;
      }
      EXPECT_TRUE(to[static_cast<std::size_t>(count)] == cell_of<T>(5)) << "behind the end";
    }
  }
}

TEST(GatheredLine, HasTheCellsThatAreNamed) {
  check_lines<std::uint8_t>();
  check_lines<std::uint16_t>();
  check_lines<std::uint32_t>();
  check_lines<std::uint64_t>();
  check_lines<Bytes16>();
}

}  // namespace
}  // namespace pilum::numeric
