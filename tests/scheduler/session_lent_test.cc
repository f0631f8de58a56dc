// Blocks that ranks lend: what all of them refuse alike, and which axes a store of them has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>

#include "pilum/error.h"
#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;

constexpr std::source_location kHere = std::source_location::current();

// Rows or columns of an array of 6 x 8, dealt out in runs; `change` is what one rank does otherwise.
struct Lender {
  explicit Lender(Session& session, int ranks) {
    const int rank = session.rank();
    block.rect = Rect::of({6 * rank / ranks, 0}, {6 * (rank + 1) / ranks, 8});
    block.pitch = {80, 8};  // two cells beside each row
    cells.assign(6 * 10, 0.0);
    block.data = reinterpret_cast<std::byte*>(cells.data());
  }
  std::vector<double> cells;
  LentBlock block;
  Shape shape = Shape({6, 8});
  DType dtype = DType::Float64;
};

struct RefusedBlock {
  const char* name;
  int ranks;
  std::function<void(Lender&, int rank)> change;
  const char* says;
};
void PrintTo(const RefusedBlock& refusal, std::ostream* out) {
  *out << refusal.name;
}
class RefusedBlocks : public testing::TestWithParam<RefusedBlock> {};

TEST_P(RefusedBlocks, AreRefusedByAllRanksInTheSameWords) {
  std::mutex mutex;
  std::vector<std::string> texts;
  fakes::run_on_simulated_ranks({.ranks = GetParam().ranks, .interpret = true}, [&](Session& session) {
    Lender lender(session, GetParam().ranks);
    GetParam().change(lender, session.rank());
    std::string text = "nothing was refused";
    try {
      (void)session.lend(lender.block, lender.shape, lender.dtype, "from_local", kHere);
    } catch (const ValueError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
    const np::Array x = np::ones({60});  // and all go on
    EXPECT_EQ(np::sum(x).item<double>(), 60.0);
    const std::lock_guard lock(mutex);
    texts.push_back(text);
  });
  ASSERT_EQ(texts.size(), static_cast<std::size_t>(GetParam().ranks));
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

INSTANTIATE_TEST_SUITE_P(
    Blocks, RefusedBlocks,
    testing::Values(RefusedBlock{"AnotherShape", 3,
                                 [](Lender& of, int rank) {
                                   if (rank == 2) of.shape = Shape({6, 9});
                                 },
                                 "rank 0 says (6, 8) float64 and rank 2 says (6, 9) float64"},
                    RefusedBlock{"AnotherDtype", 2,
                                 [](Lender& of, int rank) {
                                   if (rank == 1) of.dtype = DType::Int64;
                                 },
                                 "rank 1 says (6, 8) int64"},
                    RefusedBlock{"Trouble", 2,
                                 [](Lender& of, int rank) {
                                   if (rank == 1) of.block.trouble = "the pointer is null";
                                 },
                                 "rank 1: the pointer is null"},
                    RefusedBlock{"TroubleOfTheOnlyOne", 1,
                                 [](Lender& of, int) { of.block.trouble = "the pointer is null"; },
                                 "[from_local] the pointer is null"},
                    RefusedBlock{"MemoryOfAGpu", 2, [](Lender& of, int) { of.block.on_gpu = true; },
                                 "memory of a GPU, and this Runtime's arrays live in memory of the host"},
                    RefusedBlock{"NoNeighbours", 2, [](Lender& of, int) { of.block.pitch = {160, 16}; }, "stride 1"},
                    RefusedBlock{"AnotherOrderOfAxes", 2,
                                 [](Lender& of, int rank) {
                                   if (rank == 1) of.block.pitch = {8, 80};
                                 },
                                 "must lie side by side (stride 1)"}),
    [](const auto& one) { return std::string(one.param.name); });

// The store's last axis is the one whose neighbours lie side by side.
TEST(SessionLent, AStoreHasTheAxesInTheOrderOfMemory) {
  for (const bool columns : {false, true}) {
    for (const int ranks : {1, 2}) {
      fakes::run_on_simulated_ranks({.ranks = ranks, .interpret = true}, [&](Session& session) {
        Lender lender(session, ranks);
        lender.cells.assign(100, 0.0);
        lender.block.data = reinterpret_cast<std::byte*>(lender.cells.data());
        if (columns) lender.block.pitch = {8, 96};
        const Recorder::LentStore lent = session.lend(lender.block, lender.shape, lender.dtype, "from_local", kHere);
        EXPECT_EQ(lent.store->shape, columns ? Shape({8, 6}) : Shape({6, 8}));
        EXPECT_EQ(lent.order[0], columns ? 1 : 0);
        EXPECT_EQ(lent.order[1], columns ? 0 : 1);
        const Instance& instance = *lent.store->state->local[0].instances.at(0);
        EXPECT_EQ(instance.pitch[0], columns ? 96 : 80);
        EXPECT_EQ(instance.pitch[1], 8);
        EXPECT_EQ(instance.address(instance.rect.lo), lender.block.data);
        EXPECT_EQ(instance.valid, partitioner::Region(instance.rect));
      });
    }
  }
}

// With the last handle the memory goes back, at the next wait.
TEST(SessionLent, AnOwnerIsLetGoAtTheWaitAfterTheLastHandle) {
  fakes::run_on_simulated_ranks({.ranks = 1, .interpret = true}, [](Session& session) {
    Lender lender(session, 1);
    auto owner = std::make_shared<int>(1);
    lender.block.owner = owner;
    {
      const Handle handle(session.lend(lender.block, lender.shape, lender.dtype, "from_local", kHere).store);
      lender.block.owner.reset();
      session.wait();
      EXPECT_EQ(owner.use_count(), 2);
    }
    EXPECT_EQ(owner.use_count(), 2);
    session.wait();
    EXPECT_EQ(owner.use_count(), 1);
  });
}

}  // namespace
}  // namespace pilum::scheduler
