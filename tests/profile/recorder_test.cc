#include "runtime/profile/recorder.h"

#include <thread>

#include <gtest/gtest.h>

namespace pilum::profile {
namespace {

TEST(Recorder, OffKeepsNothingAndMakesNoNames) {
  Recorder recorder(/*on=*/false);
  int names = 0;
  {
    const ScopedSpan span(recorder, "kernel", 0, [&] {
      ++names;
      return "a";
    });
  }
  recorder.add({"b", "kernel", 0, 1, 2});
  EXPECT_EQ(names, 0);
  EXPECT_TRUE(recorder.spans().empty());
  EXPECT_EQ(recorder.dropped(), 0);
}

TEST(Recorder, SpansComeByStart) {
  Recorder recorder(/*on=*/true);
  recorder.add({"late", "kernel", 1, 20, 30});
  recorder.add({"early", "copy", 0, 10, 40});
  const auto spans = recorder.spans();
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].name, "early");
  EXPECT_EQ(spans[1].lane, 1);
}

TEST(Recorder, AScopedSpanCoversItsScope) {
  Recorder recorder(/*on=*/true);
  const std::int64_t before = now();
  {
    const ScopedSpan span(recorder, "analysis", 3, [] { return "window 0"; });
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const auto spans = recorder.spans();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].name, "window 0");
  EXPECT_STREQ(spans[0].category, "analysis");
  EXPECT_GE(spans[0].start, before);
  EXPECT_GE(spans[0].end - spans[0].start, 2'000'000);
}

TEST(Recorder, TheLimitBoundsSpansAndCountsTheRest) {
  Recorder recorder(/*on=*/true, /*most_spans=*/3);
  for (int i = 0; i < 10; ++i) recorder.add({"a", "kernel", 0, i, i + 1});
  EXPECT_EQ(recorder.spans().size(), 3u);
  EXPECT_EQ(recorder.dropped(), 7);
}

TEST(Recorder, ThreadsLoseNoSpans) {
  Recorder recorder(/*on=*/true);
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) recorder.add({"a", "kernel", t, i, i + 1});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recorder.spans().size(), 10000u);
}

}  // namespace
}  // namespace pilum::profile
