// Where memory does not do: what is refused, what is undone, and how the window goes on.
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// A program on one rank with so many bytes for arrays.
void with_memory(std::int64_t bytes, const std::function<void(Session&)>& program) {
  fakes::run_on_simulated_ranks({.memory = bytes, .interpret = true}, program);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const MemoryError& error) {
    return error.what();
  }
  return "";
}

// The array named first is the one that holds the most.
TEST(SessionMemory, AnErrorNamesWhoHoldsTheMostAndFromWhere) {
  with_memory(1 << 20, [](Session& session) {
    const np::Array small = np::ones({1000}), large = np::full({80'000}, 2.0), middle = np::ones({9000});
    session.wait();
    const std::string text = message_of([&] {
      const np::Array more = np::ones({70'000});
      session.wait();
    });
    const std::size_t first = text.find("full(80000,)"), second = text.find("ones(9000,)"),
                      third = text.find("ones(1000,)");
    EXPECT_NE(first, std::string::npos) << text;
    EXPECT_LT(first, second) << text;
    EXPECT_LT(second, third) << text;
    EXPECT_NE(text.find("session_memory_test.cc:"), std::string::npos) << text;
  });
}

// The recorded calls stay, in order, and are done when there is room.
TEST(SessionMemory, WhatFindsNoRoomIsDoneWhenSomethingIsDropped) {
  with_memory(1 << 20, [](Session& session) {
    np::Array held = np::full({80'000}, 2.0);
    np::Array x = np::full({1000}, 1.0);
    session.wait();
    np::Array large = np::full({70'000}, 5.0);
    large(slice(0, 1000)) = x;
    x += 1.0;
    EXPECT_NE(message_of([&] { session.wait(); }), "");
    EXPECT_NE(message_of([&] { session.wait(); }), "");  // still not
    EXPECT_TRUE(session.told_of_failure());
    held = np::Array();
    session.wait();
    EXPECT_FALSE(session.told_of_failure());
    EXPECT_EQ(large(0).item<double>(), 1.0);  // x as it was then
    EXPECT_EQ(large(1000).item<double>(), 5.0);
    EXPECT_EQ(x(0).item<double>(), 2.0);
  });
}

// A value that needs little of what waits is had all the same; the rest waits on.
TEST(SessionMemory, AValueThatNeedsNoneOfItIsReadMeanwhile) {
  with_memory(1 << 20, [](Session& session) {
    np::Array held = np::full({80'000}, 2.0), x = np::full({100}, 1.0);
    session.wait();
    np::Array large = np::full({70'000}, 5.0);
    x += 1.0;
    x *= 4.0;
    large(slice(0, 100)) = x;
    x += 0.5;
    EXPECT_NE(message_of([&] { session.wait(); }), "");
    // What x is now waits for the copy into `large` of what it was: that would be lost.
    np::Array y = np::full({100}, 3.0);
    y *= 2.0;
    EXPECT_EQ(y(5).item<double>(), 6.0);
    held = np::Array();
    EXPECT_EQ(x(5).item<double>(), 8.5);
    EXPECT_EQ(large(5).item<double>(), 8.0);
  });
}

TEST(SessionMemory, WhatWasWantedByDroppedArraysAloneIsForgotten) {
  with_memory(1 << 20, [](Session& session) {
    np::Array x = np::full({80'000}, 2.0);
    session.wait();
    {
      const np::Array large = x + x(slice({}, {}, -1));
      EXPECT_NE(message_of([&] { session.wait(); }), "");
    }
    x *= 2.0;
    session.wait();
    EXPECT_EQ(x(7).item<double>(), 4.0);
  });
}

// Undone as often as one likes: what is in use is what it was.
TEST(SessionMemory, AnUndonePlanLeavesTheBooksAsTheyWere) {
  with_memory(1 << 20, [](Session& session) {
    np::Array x = np::full({40'000}, 2.0), y = np::full({40'000}, 3.0);
    session.wait();
    const std::size_t in_use = session.memory().in_use();
    for (int i = 0; i < 3; ++i) {
      np::Array large = x + y(slice({}, {}, -1));
      large(slice(1, -1)) = large(slice(1, -1)) + large(slice(0, -2)) + large(slice(2, {}));
      np::Array second = large(slice({}, {}, -1)) * 2.0;
      EXPECT_NE(message_of([&] { session.wait(); }), "") << i;
      EXPECT_EQ(session.memory().in_use(), in_use);
    }
    session.wait();
    EXPECT_EQ(session.memory().in_use(), in_use);
    EXPECT_EQ(np::sum(x).item<double>() + np::sum(y).item<double>(), 200'000.0);
  });
}

TEST(SessionMemory, WhatAllRanksTogetherDoNotHaveIsRefusedByAllAtTheCall) {
  for (const int ranks : {1, 3}) {
    fakes::run_on_simulated_ranks({.ranks = ranks, .memory = 1 << 20, .interpret = true}, [&](Session& session) {
      const std::string text = message_of([&] { (void)np::zeros({ranks * (1 << 17) + 1}); });
      EXPECT_NE(text.find("[zeros] an array of shape"), std::string::npos) << text;
      EXPECT_NE(text.find(ranks == 1 ? "this rank's processors" : "3 ranks together"), std::string::npos) << text;
      // It has not happened: all go on.
      np::Array x = np::ones({60});
      EXPECT_EQ(np::sum(x).item<double>(), 60.0);
      EXPECT_FALSE(session.failed());
    });
  }
}

}  // namespace
}  // namespace pilum::scheduler
