#include "numeric/c_interface/handles.h"

#include <gtest/gtest.h>

#include <memory>

namespace pilum::c_interface {
namespace {

using Numbers = Handles<int, 1>;

TEST(Handles, NameWhatWasAdded) {
  Numbers numbers;
  const std::uint64_t one = numbers.add(10), two = numbers.add(20);
  EXPECT_NE(one, 0u);
  EXPECT_EQ(*numbers.find(one), 10);
  EXPECT_EQ(*numbers.find(two), 20);
  EXPECT_EQ(numbers.count(), 2u);
}

TEST(Handles, AreInvalidOnceRemovedThoughTheirPlaceIsTakenAgain) {
  Numbers numbers;
  const std::uint64_t old = numbers.add(10);
  EXPECT_EQ(numbers.remove(old), 10);
  EXPECT_EQ(numbers.remove(old), std::nullopt);
  const std::uint64_t next = numbers.add(20);
  EXPECT_EQ(old & 0xffffffff, next & 0xffffffff) << "the place should be used again";
  EXPECT_EQ(numbers.find(old), nullptr);
  EXPECT_EQ(*numbers.find(next), 20);
}

TEST(Handles, OfAnotherKindOrOfNothingAreRefused) {
  Numbers numbers;
  Handles<int, 2> others;
  const std::uint64_t handle = numbers.add(10);
  others.add(20);
  EXPECT_EQ(others.find(handle), nullptr);
  EXPECT_EQ(numbers.find(0), nullptr);
  EXPECT_EQ(numbers.find(handle + 8), nullptr);
  EXPECT_EQ(numbers.find(~std::uint64_t{0}), nullptr);
}

TEST(Handles, LetGoOfWhatTheyHeld) {
  Handles<std::shared_ptr<int>, 1> held;
  auto object = std::make_shared<int>(1);
  const std::uint64_t handle = held.add(object);
  held.remove(handle);
  EXPECT_EQ(object.use_count(), 1);
}

}  // namespace
}  // namespace pilum::c_interface
