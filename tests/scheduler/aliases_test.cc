#include "scheduler/record/aliases.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pilum/error.h"

namespace pilum::scheduler {
namespace {

// Writes down which store is copied to which, by name.
class Copies final : public Recorder {
 public:
  StoreRef make_store(const Shape& shape, DType dtype, const char* name, std::source_location) override {
    StoreRef store(new Store);
    store->shape = shape;
    store->dtype = dtype;
    store->operation = name;
    store->recorder = this;
    return store;
  }
  void record(Operation&& operation) override {
    aliases.before(operation);
    const auto* copy = std::get_if<ReshapedCopy>(&operation.what);
    if (!copy) return;
    if (fails) throw MemoryError("no memory");
    copied.push_back(std::string(copy->input.store->operation) + copy->output.store->operation);
  }
  void drop(Store& store) noexcept override {
    dropped += store.operation;
    aliases.drop(store);
  }
  std::vector<std::byte> fetch(const View&, const char*, std::source_location) override { return {}; }
  void wait(std::source_location) override {}

  Aliases aliases{*this};
  std::vector<std::string> copied;
  std::string dropped;
  bool fails = false;
};

class AliasesTest : public testing::Test {
 protected:
  using Strings = std::vector<std::string>;
  // `name` lives as long as the process.
  Handle make(const char* name, const Shape& shape) {
    return Handle(recorder.make_store(shape, DType::Float64, name, {}));
  }
  void join(const Handle& a, const Handle& b) { recorder.aliases.join(whole(a.store()), b.store(), {}); }
  void read(const Handle& a) { recorder.record(copy_of(whole(a.store()), whole(other.store()), "read", {})); }
  void overwrite(const Handle& a) { recorder.record(copy_of(whole(other.store()), whole(a.store()), "write", {})); }
  // Its first cell.
  void write(const Handle& a) {
    View view = whole(a.store());
    view.shape[0] = 1;
    recorder.record(copy_of(whole(other.store()), view, "write", {}));
  }
  Strings copied() { return std::exchange(recorder.copied, {}); }

  Copies recorder;
  Handle other = make("other", {1});
  Handle a = make("a", {6}), b = make("b", {2, 3}), c = make("c", {3, 2}), d = make("d", {6, 1, 1});
};

TEST_F(AliasesTest, WithoutAWriteNothingIsCopied) {
  join(a, b);
  read(a), read(b), read(a);
  EXPECT_EQ(copied(), Strings());
}

TEST_F(AliasesTest, WhatIsReadAfterTheOtherWasWrittenIsCopiedOnce) {
  join(a, b);
  write(a), write(a);
  EXPECT_EQ(copied(), Strings());
  read(b), read(b), read(a);
  EXPECT_EQ(copied(), Strings({"ab"}));
  write(b);
  read(a);
  EXPECT_EQ(copied(), Strings({"ba"}));
}

TEST_F(AliasesTest, OneThatIsOldIsCopiedBeforeAPartOfItIsWrittenAndNotBeforeAllOfItIs) {
  join(a, b);
  write(a);
  write(b);
  EXPECT_EQ(copied(), Strings({"ab"}));
  overwrite(a);
  EXPECT_EQ(copied(), Strings());
  read(b);
  EXPECT_EQ(copied(), Strings({"ab"}));
}

// What was written last is more than what is overwritten.
TEST_F(AliasesTest, OverwritingAnAliasOfAPartKeepsTheRest) {
  const Handle part = make("p", {1, 3});
  View half = whole(b.store());
  half.shape[0] = 1;
  recorder.aliases.join(half, part.store(), {});
  join(b, c);
  write(c);
  overwrite(part);
  EXPECT_EQ(copied(), Strings({"cb", "bp"}));
  read(c);
  EXPECT_EQ(copied(), Strings({"pb", "bc"}));
}

TEST_F(AliasesTest, AnOperationThatReadsOneAndWritesTheOtherReadsWhatWasThere) {
  join(a, b);
  write(a);
  recorder.record(copy_of(whole(b.store()), whole(a.store()), "a = b", {}));
  EXPECT_EQ(copied(), Strings({"ab"}));
  read(b);
  EXPECT_EQ(copied(), Strings({"ab"}));
}

TEST_F(AliasesTest, AcrossSeveralEachIsCopiedOnTheWay) {
  join(a, b), join(b, c), join(a, d);
  write(c);
  read(d);
  EXPECT_EQ(copied(), Strings({"cb", "ba", "ad"}));
  read(a), read(b), read(c), read(d);
  EXPECT_EQ(copied(), Strings());
  write(d);
  read(a);
  EXPECT_EQ(copied(), Strings({"da"}));
  write(a);  // c is old still, and b: by way of a now
  read(c);
  EXPECT_EQ(copied(), Strings({"ab", "bc"}));
}

TEST_F(AliasesTest, OneThatNobodyHasGoesWhenTheOthersNeedNothingOfIt) {
  join(a, b);
  a = Handle();
  EXPECT_EQ(recorder.dropped, "a");
  EXPECT_FALSE(recorder.aliases.any());
}

TEST_F(AliasesTest, WhatWasWrittenOutlivesItsHandleUntilItIsRead) {
  join(a, b);
  write(b);
  b = Handle();
  EXPECT_EQ(recorder.dropped, "");
  read(a);
  EXPECT_EQ(copied(), Strings({"ba"}));
  EXPECT_EQ(recorder.dropped, "b");
  EXPECT_FALSE(recorder.aliases.any());
}

TEST_F(AliasesTest, WhatWasWrittenGoesWhenAllOfTheOtherIsOverwritten) {
  join(a, b);
  write(b);
  b = Handle();
  overwrite(a);
  EXPECT_EQ(copied(), Strings());
  EXPECT_EQ(recorder.dropped, "b");
}

TEST_F(AliasesTest, OneBetweenTwoStaysAsLongAsThese) {
  join(a, b), join(b, c);
  b = Handle();
  write(a);
  read(c);
  EXPECT_EQ(copied(), Strings({"ab", "bc"}));
  EXPECT_EQ(recorder.dropped, "");
  a = Handle();
  EXPECT_EQ(recorder.dropped, "ab");
  EXPECT_FALSE(recorder.aliases.any());
}

TEST_F(AliasesTest, OfWhichAllGoLeaveNothing) {
  join(a, b), join(b, c), join(a, d);
  write(d);
  a = b = c = d = Handle();
  EXPECT_FALSE(recorder.aliases.any());
  EXPECT_EQ(recorder.dropped.size(), 4u);
}

TEST_F(AliasesTest, AfterACopyThatFailedItIsStillOld) {
  join(a, b);
  write(a);
  recorder.fails = true;
  EXPECT_THROW(read(b), MemoryError);
  recorder.fails = false;
  read(b);
  EXPECT_EQ(copied(), Strings({"ab"}));
}

TEST_F(AliasesTest, OneThatWasSeparatedIsItselfAlone) {
  join(a, b);
  recorder.aliases.separate(*b.store());
  write(a);
  read(b);
  EXPECT_EQ(copied(), Strings());
}

TEST_F(AliasesTest, HandlesMayOutliveIt) {
  join(a, b), join(b, c);
  write(a);
  recorder.aliases.clear();
  EXPECT_FALSE(recorder.aliases.any());
  EXPECT_EQ(a.store()->alias, nullptr);
}

}  // namespace
}  // namespace pilum::scheduler
