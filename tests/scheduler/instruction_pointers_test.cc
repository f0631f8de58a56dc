#include "scheduler/record/instruction_pointers.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/scheduler/instruction_of.h"

namespace pilum::scheduler {
namespace {

template <class Pointer>
Pointer at(std::uintptr_t address) {
  return reinterpret_cast<Pointer>(address);
}

struct Seen {
  std::uintptr_t address;
  std::size_t touch;
  bool operator==(const Seen&) const = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << seen.address << " of touch " << seen.touch;
}

std::vector<Seen> pointers_of(Instruction instruction, std::size_t touches) {
  std::vector<Seen> seen;
  for_each_pointer(instruction, touches, [&](auto& pointer, std::size_t touch) {
    seen.push_back({reinterpret_cast<std::uintptr_t>(pointer), touch});
  });
  return seen;
}

FoldParts fold_of(std::int64_t parts) {
  FoldParts fold;
  fold.parts = at<const std::byte*>(100);
  fold.part_count = parts;
  fold.to.data = at<std::byte*>(200);
  return fold;
}

TEST(ForEachPointer, NamesTheTouchWhoseBlockItPointsInto) {
  Launch launch;
  for (const std::uintptr_t address : {100u, 200u, 300u}) launch.arrays.push_back({at<char*>(address), {}, {}});
  EXPECT_EQ(pointers_of(of(launch), 3), (std::vector<Seen>{{100, 0}, {200, 1}, {300, 2}}));
  Copy copy;
  copy.from.data = at<std::byte*>(100);
  copy.to.data = at<std::byte*>(200);
  EXPECT_EQ(pointers_of(of(copy), 2), (std::vector<Seen>{{100, 0}, {200, 1}}));
  Reshape reshape;
  reshape.from.data = at<std::byte*>(100);
  reshape.to.data = at<std::byte*>(200);
  EXPECT_EQ(pointers_of(of(reshape), 2), (std::vector<Seen>{{100, 0}, {200, 1}}));
  Send send;
  send.data = at<const std::byte*>(100);
  EXPECT_EQ(pointers_of(of(send), 1), (std::vector<Seen>{{100, 0}}));
  Receive receive;
  receive.data = at<std::byte*>(100);
  EXPECT_EQ(pointers_of(of(receive), 1), (std::vector<Seen>{{100, 0}}));
  send.items = receive.items = {at<const std::int64_t*>(200), 8};
  EXPECT_EQ(pointers_of(of(send), 2), (std::vector<Seen>{{100, 0}, {200, 1}}));
  EXPECT_EQ(pointers_of(of(receive), 2), (std::vector<Seen>{{100, 0}, {200, 1}}));
  send.items.range = nullptr;  // a range at its block's start, relative to that
  EXPECT_EQ(pointers_of(of(send), 2), (std::vector<Seen>{{100, 0}, {0, 1}}));
}

TEST(ForEachPointer, OfAFoldHasTheResultLastAndPartsOnlyWhereThereAreSome) {
  EXPECT_EQ(pointers_of(of(fold_of(4)), 2), (std::vector<Seen>{{100, 0}, {200, 1}}));
  EXPECT_EQ(pointers_of(of(fold_of(0)), 1), (std::vector<Seen>{{200, 0}})) << "it only starts the cells";
}

TEST(ForEachPointer, OfWhatTouchesNoMemoryHasNone) {
  for (const Instruction& instruction : {of(Allocate{}), of(Free{}), of(HostCall{}), of(ReplayedPlan{}), of(Launch{})})
    EXPECT_TRUE(pointers_of(instruction, 0).empty());
}

TEST(ForEachPointer, MovesAnInstructionToOtherBlocksAndBack) {
  Instruction fold = of(fold_of(3));
  const auto move = [&](std::int64_t bytes) {
    for_each_pointer(fold, 2, [&](auto& pointer, std::size_t touch) {
      add_bytes(pointer, static_cast<std::uintptr_t>(bytes * static_cast<std::int64_t>(touch + 1)));
    });
  };
  move(1000);
  EXPECT_EQ(pointers_of(fold, 2), (std::vector<Seen>{{1100, 0}, {2200, 1}}));
  move(-1000);
  EXPECT_EQ(pointers_of(fold, 2), (std::vector<Seen>{{100, 0}, {200, 1}}));
}

TEST(StoreOf, CopiesAndMessagesNameAStoreAndOthersNone) {
  Copy copy;
  copy.store = StoreId{3};
  Instruction instruction = of(copy);
  ASSERT_NE(store_of(instruction), nullptr);
  EXPECT_EQ(*store_of(instruction), StoreId{3});
  *store_of(instruction) = StoreId{5};
  EXPECT_EQ(std::get<Copy>(instruction.what).store, StoreId{5});
  Instruction send = of(Send{.store = StoreId{7}}), receive = of(Receive{.store = StoreId{8}});
  EXPECT_EQ(*store_of(send), StoreId{7});
  EXPECT_EQ(*store_of(receive), StoreId{8});
  for (Instruction other : {of(Launch{}), of(FoldParts{}), of(Reshape{}), of(HostCall{}), of(Free{})})
    EXPECT_EQ(store_of(other), nullptr);
}

}  // namespace
}  // namespace pilum::scheduler
