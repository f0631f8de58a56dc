#include "scheduler/record/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pilum/error.h"

namespace pilum::scheduler {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Keeps nothing but the order in which stores were dropped.
class Drops final : public Recorder {
 public:
  StoreRef make_store(const Shape& shape, DType dtype, const char*, std::source_location) override {
    StoreRef store(new Store);
    store->shape = shape;
    store->dtype = dtype;
    store->recorder = this;
    store->id = StoreId{next_++};
    return store;
  }
  void record(Operation&&) override {}
  void drop(Store& store) noexcept override { dropped.push_back(store.id.value); }
  std::vector<std::byte> fetch(const View&, const char*, std::source_location) override { return {}; }
  void wait(std::source_location) override {}
  StoreRef make() { return make_store(Shape({3}), DType::Float64, "make", std::source_location::current()); }
  std::vector<std::int64_t> dropped;

 private:
  std::int64_t next_ = 0;
};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const RuntimeError& error) {
    return error.what();
  }
  return "no error";
}

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() : before_(set_current_recorder(nullptr)) {}
  ~RecorderTest() override { set_current_recorder(before_); }
  static std::source_location here() { return std::source_location::current(); }
  // "Called at …/recorder_test.cc:12"
  static std::string place(std::source_location where) { return "recorder_test.cc:" + std::to_string(where.line()); }

 private:
  Recorder* before_;
};

TEST_F(RecorderTest, WithoutARuntimeTheErrorNamesTheCallItsLineAndTheRemedy) {
  const std::source_location where = here();
  EXPECT_THAT(error_of([&] { static_cast<void>(current_recorder("zeros", where)); }),
              AllOf(StartsWith("[zeros] no pilum::Runtime is alive on this thread"), HasSubstr("make one first"),
                    EndsWith(place(where))));
}

TEST_F(RecorderTest, TheOneThatWasSetIsFoundAndTheOneBeforeComesBack) {
  Drops outer, inner;
  EXPECT_EQ(set_current_recorder(&outer), nullptr);
  EXPECT_EQ(&current_recorder("add", here()), &outer);
  EXPECT_EQ(set_current_recorder(&inner), &outer);
  EXPECT_EQ(&current_recorder("add", here()), &inner);
  EXPECT_EQ(set_current_recorder(&outer), &inner);
  EXPECT_EQ(set_current_recorder(nullptr), &outer);
}

TEST_F(RecorderTest, IsOfOneThread) {
  Drops recorder;
  set_current_recorder(&recorder);
  std::string error;
  std::thread([&] { error = error_of([] { static_cast<void>(current_recorder("add", here())); }); }).join();
  EXPECT_THAT(error, HasSubstr("on this thread"));
  EXPECT_EQ(set_current_recorder(nullptr), &recorder);
}

TEST_F(RecorderTest, InsideAFunctionThatMustNotRecordEveryCallSaysWhatItIsIn) {
  Drops recorder;
  set_current_recorder(&recorder);
  EXPECT_NO_THROW(check_may_record("add", here()));
  {
    const NoRecording body("a task's body");
    const std::source_location where = here();
    for (const bool asked : {false, true}) {
      EXPECT_THAT(
          error_of([&] { asked ? static_cast<void>(current_recorder("add", where)) : check_may_record("add", where); }),
          AllOf(StartsWith("[add] arrays and their runtime cannot be used inside a task's body, whichever thread"),
                EndsWith(place(where))));
    }
  }
  EXPECT_EQ(&current_recorder("add", here()), &recorder);
}

TEST_F(RecorderTest, OfNestedFunctionsTheInnermostIsNamedAndTheOuterOneComesBack) {
  const NoRecording outer("a task's body");
  {
    const NoRecording inner("a projection");
    EXPECT_THAT(error_of([] { check_may_record("add", here()); }), HasSubstr("inside a projection"));
  }
  EXPECT_THAT(error_of([] { check_may_record("add", here()); }), HasSubstr("inside a task's body"));
}

TEST_F(RecorderTest, WhatIsForbiddenHereIsNotForbiddenToOtherThreads) {
  const NoRecording body("a task's body");
  std::thread([] { EXPECT_NO_THROW(check_may_record("add", here())); }).join();
}

TEST_F(RecorderTest, ByDefaultNoMemoryIsLentOrShownAndTasksAreNotChecked) {
  Drops recorder;
  const StoreRef store = recorder.make();
  const std::source_location where = here();
  const std::string words = "this runtime does not expose its arrays' memory";
  EXPECT_THAT(error_of([&] { static_cast<void>(recorder.lend({}, Shape({3}), DType::Float64, "from_dlpack", where)); }),
              AllOf(StartsWith("[from_dlpack] " + words), EndsWith(place(where))));
  EXPECT_THAT(error_of([&] { static_cast<void>(recorder.lock(whole(store), {}, "local", where)); }),
              AllOf(StartsWith("[local] " + words), EndsWith(place(where))));
  EXPECT_NO_THROW(recorder.unlock(*store, {}));
}

TEST_F(RecorderTest, AHandleCountsAndTheLastOneDropsOnce) {
  Drops recorder;
  const StoreRef store = recorder.make();
  {
    std::optional<Handle> first(store);
    Handle copy = *first;
    EXPECT_EQ(store->handles, 2);
    Handle moved = std::move(copy);
    EXPECT_EQ(store->handles, 2);
    EXPECT_FALSE(copy.store());  // NOLINT(bugprone-use-after-move): it has none from then on
    first.reset();
    EXPECT_EQ(store->handles, 1);
    EXPECT_TRUE(recorder.dropped.empty());
  }
  EXPECT_EQ(recorder.dropped, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(store->handles, 0);
}

TEST_F(RecorderTest, AssignedHandlesDropWhatTheyHeldAndNothingOfThemselves) {
  Drops recorder;
  const StoreRef a = recorder.make(), b = recorder.make();
  Handle handle(a);
  const Handle& same = handle;
  handle = same;
  EXPECT_EQ(a->handles, 1);
  EXPECT_TRUE(recorder.dropped.empty());
  handle = Handle(b);
  EXPECT_EQ(recorder.dropped, (std::vector<std::int64_t>{0}));
  handle = Handle();
  EXPECT_EQ(recorder.dropped, (std::vector<std::int64_t>{0, 1}));
}

TEST_F(RecorderTest, AHandleKeepsTheStoreAndMayOutliveItsRecorder) {
  Handle handle;
  {
    Drops recorder;
    handle = Handle(recorder.make());
    handle.store()->recorder = nullptr;  // as a runtime does that ends
  }
  EXPECT_EQ(handle.store()->references, 1);
  EXPECT_EQ(handle.store()->shape, Shape({3}));
}

}  // namespace
}  // namespace pilum::scheduler
