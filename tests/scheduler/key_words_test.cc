#include "scheduler/memo/key_words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace pilum::scheduler {
namespace {

std::vector<std::uint64_t> words_of(const KeyWords& words) {
  return {words.begin(), words.end()};
}

TEST(KeyWords, KeepWhatIsWrittenWhileTheyGrow) {
  KeyWords words;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::uint64_t* place = words.more(7);  // of which some are used
    for (std::uint64_t k = 0; k < i % 8; ++k) {
      *place++ = i * 100 + k;
      expected.push_back(i * 100 + k);
    }
    words.written_to(place);
  }
  words.push_back(5);
  expected.push_back(5);
  EXPECT_EQ(words_of(words), expected);
  EXPECT_EQ(words.size(), expected.size());
  EXPECT_EQ(words[999], expected[999]);
}

TEST(KeyWords, AreEqualWhereAllWordsAre) {
  const KeyWords one{1, 2, 3};
  EXPECT_TRUE(one == (KeyWords{1, 2, 3}));
  EXPECT_FALSE(one == (KeyWords{1, 2}));
  EXPECT_FALSE(one == (KeyWords{1, 2, 3, 4}));
  EXPECT_FALSE(one == (KeyWords{1, 2, 4}));
  EXPECT_TRUE(KeyWords() == KeyWords{});
}

TEST(KeyWords, CopiesAreTheirOwnAndWhatWasMovedIsEmpty) {
  KeyWords one{1, 2};
  KeyWords copy = one;
  copy.push_back(3);
  EXPECT_EQ(words_of(one), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(words_of(copy), (std::vector<std::uint64_t>{1, 2, 3}));
  KeyWords moved = std::move(copy);
  EXPECT_EQ(copy.size(), 0u);  // NOLINT(bugprone-use-after-move): what is claimed
  copy.push_back(9);
  EXPECT_EQ(words_of(copy), (std::vector<std::uint64_t>{9}));
  one = moved;
  EXPECT_EQ(words_of(one), (std::vector<std::uint64_t>{1, 2, 3}));
}

}  // namespace
}  // namespace pilum::scheduler
