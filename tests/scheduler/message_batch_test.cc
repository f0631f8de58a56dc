// Messages that set out together: which are one, and what they carry where.
#include "scheduler/plan/message_batch.h"

#include <gtest/gtest.h>

#include <list>

#include "tests/scheduler/building.h"

namespace pilum::scheduler {
namespace {

std::vector<std::size_t> bytes_sent(const Plan& plan) {
  std::vector<std::size_t> bytes;
  for (const Send* send : plan.all<Send>()) bytes.push_back(send->bytes);
  return bytes;
}
std::vector<std::size_t> bytes_received(const Plan& plan) {
  std::vector<std::size_t> bytes;
  for (const Receive* receive : plan.all<Receive>()) bytes.push_back(receive->bytes);
  return bytes;
}

class MessagesSetOut : public testing::Test {
 protected:
  MessagesSetOut() {
    other.id = StoreId{6};
    other.dtype = DType::Float32;
    other.shape = Shape({100, 100});
  }
  Building b{{.ranks = 3}};
  Store other;
  MessageBatch batch{b.builder};
};

// A row in three pieces, which are one box, and a row of another store behind it.
TEST_F(MessagesSetOut, SmallPartsAreOneMessage) {
  const ProcessorStore from = b.holding({b.instance(Rect::of({0, 0}, {6, 7}))});
  batch.send(0, 1, Rect::of({2, 0}, {3, 1}), b.store, from);
  batch.send(0, 1, Rect::of({3, 0}, {4, 3}), other, from);
  batch.send(0, 1, Rect::of({2, 6}, {3, 7}), b.store, from);
  batch.send(0, 2, Rect::of({2, 6}, {3, 7}), b.store, from);
  batch.send(0, 1, Rect::of({2, 1}, {3, 6}), b.store, from);
  batch.plan_sends();
  EXPECT_EQ(bytes_sent(b.plan), (std::vector<std::size_t>{56 + 12, 8})) << "to 1, to 2";
  EXPECT_EQ(b.plan.count<Copy>(), 2u) << "the one cell goes as it lies";
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
}

TEST_F(MessagesSetOut, EachEndCutsAlike) {
  const Instance near = b.instance(Rect::of({0, 0}, {6, 7})), far = b.instance(Rect::of({9, 0}, {10, 7}));
  batch.receive(1, 0, Rect::of({2, 0}, {3, 1}), b.store, near);
  batch.receive(1, 0, Rect::of({3, 0}, {4, 3}), other, near);
  batch.receive(1, 0, Rect::of({9, 0}, {10, 7}), b.store, far);
  batch.receive(1, 0, Rect::of({2, 1}, {3, 7}), b.store, near);
  batch.plan_receives();
  EXPECT_EQ(bytes_received(b.plan), (std::vector<std::size_t>{2 * 56 + 12}));
  const auto copies = b.plan.all<Copy>();
  ASSERT_EQ(copies.size(), 3u);
  const std::byte* packed = b.plan.all<Receive>()[0]->data;
  EXPECT_EQ(copies[0]->from.data, packed);
  EXPECT_EQ(copies[0]->to.data, near.address({2, 0}));
  EXPECT_EQ(copies[1]->from.data, packed + 56);
  EXPECT_EQ(copies[1]->to.data, far.address({9, 0}));
  EXPECT_EQ(copies[2]->from.data, packed + 112);
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
}

// Items begin where they are aligned.
TEST_F(MessagesSetOut, PartsBeginAtTheirItems) {
  const ProcessorStore from = b.holding({b.instance(Rect::of({0, 0}, {6, 7}))});
  batch.send(0, 1, Rect::of({3, 0}, {4, 3}), other, from);
  batch.send(0, 1, Rect::of({2, 0}, {3, 7}), b.store, from);
  batch.plan_sends();
  EXPECT_EQ(bytes_sent(b.plan), (std::vector<std::size_t>{16 + 56})) << "12 bytes of float32, 4 of nothing";
}

// As they lie, one by one: rows of 2,000 bytes need no packing.
TEST_F(MessagesSetOut, LargePartsGoAlone) {
  const Instance whole = b.instance(Rect::of({0, 0}, {20, 250}));
  const ProcessorStore from = b.holding({whole});
  for (const int row : {1, 5, 2}) batch.send(0, 1, Rect::of({row, 0}, {row + 1, 250}), b.store, from);
  batch.plan_sends();
  EXPECT_EQ(bytes_sent(b.plan), (std::vector<std::size_t>{4000, 2000})) << "rows 1 and 2, row 5";
  EXPECT_EQ(b.plan.count<Copy>(), 0u);
}

TEST_F(MessagesSetOut, OneIsNotLargerThanItsMost) {
  const ProcessorStore from = b.holding({b.instance(Rect::of({0, 0}, {90, 90}))});
  std::list<Store> stores;
  for (int i = 0; i < 20; ++i) {
    Store& store = stores.emplace_back();
    store.id = StoreId{10 + i};
    store.dtype = DType::Float64;
    store.shape = Shape({100, 100});
    batch.send(0, 1, Rect::of({i, 0}, {i + 1, 90}), store, from);
  }
  batch.plan_sends();
  EXPECT_EQ(bytes_sent(b.plan), (std::vector<std::size_t>{11 * 720, 9 * 720}));
}

}  // namespace
}  // namespace pilum::scheduler
