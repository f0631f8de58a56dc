#include "launcher/words.h"

#include <gtest/gtest.h>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

TEST(Words, PlainWordsStayBare) {
  EXPECT_EQ(join({"mpirun", "-n", "2", "./a.out", "x=1,2:3"}), "mpirun -n 2 ./a.out x=1,2:3");
}

TEST(Words, WhatAShellWouldChangeIsQuoted) {
  EXPECT_EQ(quote(""), "''");
  EXPECT_EQ(quote("a b"), "'a b'");
  EXPECT_EQ(quote("$HOME"), "'$HOME'");
  EXPECT_EQ(quote("it's"), "'it'\\''s'");
  EXPECT_EQ(quote("*"), "'*'");
}

TEST(Words, SplitUndoesJoin) {
  const Words words{"a", "", "b c", "d'e", "\"f\"", "g\\h", "$i", "j\nk", "*"};
  EXPECT_EQ(split(join(words)), words);
}

TEST(Words, SplitKnowsBothQuotesAndTheBackslash) {
  EXPECT_EQ(split("  --host 'a b' \"c d\" e\\ f  "), (Words{"--host", "a b", "c d", "e f"}));
  EXPECT_EQ(split("x'y'z"), (Words{"xyz"}));
  EXPECT_TRUE(split(" ").empty());
}

TEST(Words, AnOpenQuoteIsRefused) {
  EXPECT_THROW(split("a 'b"), ValueError);
}

}  // namespace
}  // namespace pilum::launcher
