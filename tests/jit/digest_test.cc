#include "runtime/jit/digest.h"

#include <set>

#include <gtest/gtest.h>

namespace pilum::jit {
namespace {

TEST(Digest, EveryByteAndTheLengthCount) {
  std::set<std::string> seen;
  const std::string text(100, 'x');
  seen.insert(to_string(digest(text)));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = 'y';
    seen.insert(to_string(digest(changed)));
    seen.insert(to_string(digest(std::string(i, 'x'))));
    seen.insert(to_string(digest(text + std::string(i + 1, '\0'))));
  }
  EXPECT_EQ(seen.size(), 301u);
}

TEST(Digest, IsTheSameInEveryRun) {
  EXPECT_EQ(to_string(digest("pilum")), "8ecfbe5cfc8d23934c1e21439905f6a2");
}

TEST(Digest, PrintsAs32HexadecimalDigits) {
  EXPECT_EQ(to_string(Digest{1, 0xabc}), "00000000000000010000000000000abc");
}

}  // namespace
}  // namespace pilum::jit
