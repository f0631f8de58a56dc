#include "launcher/escape.h"

#include <gtest/gtest.h>

namespace pilum::launcher {
namespace {

TEST(Escape, PlainTextStays) {
  for (const char* text : {"", "a line\n", "\tindented\r\n", "grün 漢字 🙂\n"}) EXPECT_EQ(escape_controls(text), text);
}

TEST(Escape, WhatATerminalTakesAsACommandIsSpelledOut) {
  EXPECT_EQ(escape_controls("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(escape_controls("over\rwritten"), "over\\x0dwritten");
  EXPECT_EQ(escape_controls(std::string_view("\0\b\x7f", 3)), "\\x00\\x08\\x7f");
}

TEST(Escape, SingleBytesAndUnicodeCommandsToo) {
  EXPECT_EQ(escape_controls("\x9b"
                            "2J"),
            "\\x9b2J");  // CSI in one byte
  EXPECT_EQ(escape_controls("\xc2\x9b"
                            "2J"),
            "\\xc2\\x9b2J");  // the same as UTF-8
  // NOLINTNEXTLINE(misc-misleading-bidirectional): what turns the direction is escaped
  EXPECT_EQ(escape_controls("\xe2\x80\xae"
                            "txt"),
            "\\xe2\\x80\\xaetxt");
  EXPECT_EQ(escape_controls("\xf0\x9f"), "\\xf0\\x9f");  // not a whole character
  EXPECT_EQ(escape_controls("\xc0\x9b"), "\\xc0\\x9b");  // longer than needed
}

TEST(Escape, ACharacterThatIsNotWholeYetIsNoticed) {
  EXPECT_EQ(unfinished_bytes("abc"), 0u);
  EXPECT_EQ(unfinished_bytes("ab\xc3"), 1u);
  EXPECT_EQ(unfinished_bytes("ab\xf0\x9f\x99"), 3u);
  EXPECT_EQ(unfinished_bytes("grün"), 0u);
}

}  // namespace
}  // namespace pilum::launcher
