#include "scheduler/record/number_names.h"

#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/scheduler/window_recorder.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;

class NumberNamesTest : public testing::Test {
 protected:
  // The name of the one number of what the call records.
  std::uint32_t name_of(auto call) {
    recorder_.begin_window();
    call();
    Operation& operation = recorder_.operations.at(0);
    names_.give(operation);
    for (const Operand& input : operation.elementwise()->inputs) {
      if (!input.is_view()) return input.name;
      EXPECT_EQ(input.name, 0u);
    }
    ADD_FAILURE() << "no number";
    return 0;
  }
  // All on one line.
  std::uint32_t of_product(double by) {
    return name_of([&] { (void)(x_ * by); });
  }

  WindowRecorder recorder_;
  np::Array x_ = np::ones({8});
  NumberNames names_;
};

TEST_F(NumberNamesTest, OfANumberThatALineAlwaysPassesIsOne) {
  const std::uint32_t two = of_product(2.0);
  EXPECT_NE(two, 0u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(of_product(2.0), two);
}

TEST_F(NumberNamesTest, OfAPlaceWhoseNumberHasChangedIsNoneForGood) {
  (void)of_product(0.0);
  EXPECT_EQ(of_product(-0.0), 0u) << "bits count";
  EXPECT_EQ(of_product(0.0), 0u);
  EXPECT_EQ(of_product(0.0), 0u);
}

TEST_F(NumberNamesTest, OtherLinesAndPlacesHaveOthers) {
  const std::uint32_t two = of_product(2.0);
  EXPECT_NE(name_of([&] { (void)(x_ * 2.0); }), two);
  std::uint32_t names[2] = {};
  for (const bool left : {true, false}) names[left] = name_of([&] { left ? (void)(2.0 * x_) : (void)(x_ * 2.0); });
  EXPECT_NE(names[0], names[1]);
}

TEST_F(NumberNamesTest, BeyondTheMostThereAreNone) {
  recorder_.begin_window();
  (void)(x_ * 2.0);
  Operation operation = recorder_.operations.at(0);
  std::vector<char> others(NumberNames::kMost + 1);  // the names of as many operations
  for (const char& other : others) {
    operation.name = &other;
    names_.give(operation);
    EXPECT_EQ(operation.elementwise()->inputs[1].name == 0, &other == &others.back());
  }
  operation.name = others.data();
  names_.give(operation);
  EXPECT_EQ(operation.elementwise()->inputs[1].name, 1u);
}

}  // namespace
}  // namespace pilum::scheduler
