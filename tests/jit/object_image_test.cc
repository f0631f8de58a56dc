#include "runtime/jit/object_image.h"

#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "pilum/error.h"
#include "runtime/jit/process.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

// What the system's compiler makes of the text.
std::string object_of(const std::string& text, const std::string& option = "-c") {
  const test::ScratchFolder folder;
  const std::string source = (folder.path() / "text.cc").string(), object = (folder.path() / "text.o").string();
  std::ofstream(source) << text;
  const ProcessResult result =
      run_process({find_program("c++"), option, "-O1", "-fPIC", "-fno-builtin", "-o", object, source});
  EXPECT_EQ(result.status, 0) << result.output;
  std::ifstream file(object, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class ObjectImageTest : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__x86_64__)
    GTEST_SKIP() << "objects are placed on x86-64 alone";
#endif
  }
};

constexpr const char* kConstantsAndCalls = R"(
extern "C" double pow(double, double);
extern "C" double fmod(double, double);
extern "C" float fmodf(float, float);
static const double table[] = {1.5, 2.5, 3.5, 4.5};
__attribute__((noinline)) static double pick(int i) { return table[i & 3] + 0.1; }
extern "C" double other(double x) { return x; }
extern "C" double entry(double x, int i) { return fmod(x, 2.0) + fmodf(x, 2.0f) + pow(x, 2.0) + pow(x, 3.0) + pick(i); }
)";

TEST_F(ObjectImageTest, RunsCodeWithConstantsAndLibraryCalls) {
  const std::string object = object_of(kConstantsAndCalls);
  ASSERT_TRUE(is_relocatable(object));
  ASSERT_TRUE(can_place(object));
  const ObjectImage image(object, "entry");
  const auto entry = reinterpret_cast<double (*)(double, int)>(image.function());
  EXPECT_EQ(entry(3.0, 2), 2 + std::pow(3.0, 2.0) + std::pow(3.0, 3.0) + (3.5 + 0.1));
  EXPECT_EQ(entry(1.5, 0), 3 + std::pow(1.5, 2.0) + std::pow(1.5, 3.0) + (1.5 + 0.1));
}

TEST_F(ObjectImageTest, TwoImagesOfAnObjectAreApart) {
  const std::string object = object_of(kConstantsAndCalls);
  auto first = std::make_unique<ObjectImage>(object, "entry");
  const ObjectImage second(object, "other");
  first.reset();
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(second.function())(2.5), 2.5);
}

TEST_F(ObjectImageTest, LeavesToALinkerWhatItDoesNotKnow) {
  EXPECT_FALSE(can_place(object_of("extern \"C\" int entry() { static int calls = 1; return calls++; }")));
  EXPECT_FALSE(can_place(object_of("extern \"C\" int other(); extern \"C\" int entry() { return other(); }")));
  EXPECT_FALSE(can_place(object_of("extern \"C\" int entry() { static thread_local int n; return ++n; }")));
  EXPECT_FALSE(can_place(object_of("struct S { S(); } s; S::S() {} extern \"C\" int entry() { return 1; }")));
}

TEST_F(ObjectImageTest, ASharedObjectIsNoObject) {
  const std::string image = object_of("extern \"C\" int entry() { return 1; }", "-shared");
  EXPECT_FALSE(is_relocatable(image));
  EXPECT_FALSE(can_place(image));
}

TEST_F(ObjectImageTest, DamageIsNoticed) {
  const std::string object = object_of(kConstantsAndCalls);
  for (std::size_t length = 0; length < object.size(); length += 7)
    (void)can_place(object.substr(0, length));  // reads nothing beyond: the address sanitizer looks on
  EXPECT_FALSE(can_place(""));
  EXPECT_FALSE(can_place("rubbish"));
  EXPECT_FALSE(can_place(object.substr(0, 100)));
  EXPECT_THROW(ObjectImage("rubbish", "entry"), RuntimeError);
  try {
    const ObjectImage image(object, "no_such_function");
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no_such_function"));
  }
}

}  // namespace
}  // namespace pilum::jit
