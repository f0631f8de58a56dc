#include "scheduler/record/store.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace pilum::scheduler {
namespace {

// Says when a store goes, by the neighbour that its destructor unlinks it from.
struct Watched {
  Watched() : store(new Store) {
    head.next = store;
    store->previous = &head;
  }
  bool is_gone() const { return head.next != store; }
  Store head;
  Store* store;
};

TEST(Store, IsNewWithoutAValueAWindowOrAnybodyWhoHoldsIt) {
  const Store store;
  EXPECT_FALSE(store.id);
  EXPECT_EQ(store.handles + store.references + store.guards, 0);
  EXPECT_EQ(store.window_index, -1);
  EXPECT_EQ(store.touched, 0u);
  EXPECT_EQ(store.state, nullptr);
  EXPECT_EQ(store.resting, nullptr);
  EXPECT_FALSE(store.replicate);
  EXPECT_FALSE(std::is_copy_constructible_v<Store> || std::is_copy_assignable_v<Store>);
}

TEST(Store, LeavesTheListOfWhatLivesFromItsMiddleItsEndAndAlone) {
  Store head;
  auto* first = new Store;
  auto* middle = new Store;
  auto* last = new Store;
  Store* const all[] = {&head, first, middle, last};
  for (std::size_t i = 0; i + 1 < std::size(all); ++i) {
    all[i]->next = all[i + 1];
    all[i + 1]->previous = all[i];
  }
  delete middle;
  EXPECT_EQ(first->next, last);
  EXPECT_EQ(last->previous, first);
  delete last;
  EXPECT_EQ(first->next, nullptr);
  delete first;
  EXPECT_EQ(head.next, nullptr);
}

TEST(Store, OwnsWhatIsPackedOfIt) {  // the address sanitizer sees what is lost
  Store store;
  store.resting = new std::byte[50];
}

TEST(StoreRef, OfNothingIsFalseAndEqualToAnother) {
  const StoreRef none, other(nullptr);
  EXPECT_FALSE(none);
  EXPECT_EQ(none.get(), nullptr);
  EXPECT_EQ(none, other);
}

TEST(StoreRef, CountsEachCopyOnceAndMovesCountNothing) {
  const Watched watched;
  StoreRef first(watched.store);
  EXPECT_EQ(watched.store->references, 1);
  StoreRef copy = first;
  EXPECT_EQ(watched.store->references, 2);
  StoreRef moved = std::move(copy);
  EXPECT_EQ(watched.store->references, 2);
  EXPECT_FALSE(copy);  // NOLINT(bugprone-use-after-move): it is of nothing from then on
  EXPECT_EQ(moved, first);
  EXPECT_EQ(moved.get(), watched.store);
  EXPECT_EQ(&*moved, watched.store);
  moved = {};
  EXPECT_EQ(watched.store->references, 1);
  EXPECT_FALSE(watched.is_gone());
}

TEST(StoreRef, TheLastOneTakesTheStoreAlongAndNoneBefore) {
  const Watched watched;
  {
    std::vector<StoreRef> many(5, StoreRef(watched.store));
    EXPECT_EQ(watched.store->references, 5);
    while (many.size() > 1) {
      many.pop_back();
      ASSERT_FALSE(watched.is_gone());
    }
  }
  EXPECT_TRUE(watched.is_gone());
}

TEST(StoreRef, AssignedToItselfKeepsTheStore) {
  const Watched watched;
  StoreRef store(watched.store);
  const StoreRef& same = store;
  store = same;
  EXPECT_EQ(watched.store->references, 1);
  EXPECT_FALSE(watched.is_gone());
}

TEST(StoreRef, AssignmentLetsGoOfWhatWasThere) {
  const Watched old, fresh;
  StoreRef store(old.store);
  store = StoreRef(fresh.store);
  EXPECT_TRUE(old.is_gone());
  EXPECT_FALSE(fresh.is_gone());
  EXPECT_EQ(fresh.store->references, 1);
}

TEST(StoreRef, HandlesOfTheProgramKeepNoStruct) {
  const Watched watched;
  {
    const StoreRef store(watched.store);
    store->handles = 3;
  }
  EXPECT_TRUE(watched.is_gone());
}

}  // namespace
}  // namespace pilum::scheduler
