// Launches of users' bodies: chunks, what each may touch, partial results, staging.
#include "scheduler/plan/body_launches.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pilum/pilum.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::slice;
using Texts = std::vector<std::string>;

// Bodies are never called here.
const auto kBlend = [](Piece, Read<const double, 1>, Write<double, 1>, double) {};
const auto kChange = [](Piece, ReadWrite<double, 1>) {};
const auto kTotal = [](Piece, Read<const double, 1>, Reduce<double, 1>) {};

// Two arrays of 60 cells, cut alike and written before.
struct Two {
  explicit Two(PlannedRank& planned, std::int64_t cells = 60) : x(np::ones({cells})), y(np::zeros({cells})) {
    y += x;
    (void)planned.plan();
  }
  np::Array x, y;
};

TEST(UserTask, ItsInteriorAndEachHaloAreLaunchesOfTheirOwn) {
  PlannedRank planned({.ranks = 3}, 1);
  Two two(planned);
  task("blend", kBlend)({60}, read(two.x, halo(2, 1)), write(two.y), 0.5);
  const Plan plan = planned.plan();
  std::vector<std::pair<std::string, bool>> launches;
  for (const Launch* launch : plan.all<Launch>()) launches.emplace_back(to_string(launch->points), launch->boundary);
  EXPECT_EQ(launches,
            (std::vector<std::pair<std::string, bool>>{{"[22:39]", false}, {"[20:22]", true}, {"[39:40]", true}}));
  std::map<int, std::size_t> awaited;
  for (const Receive* receive : plan.all<Receive>()) awaited[receive->from] += receive->bytes;
  EXPECT_EQ(awaited, (std::map<int, std::size_t>{{0, 16}, {2, 8}}));
  EXPECT_EQ(find_conflicts(plan).races, Texts());
}

// Of a launch: the points of its chunks, which cover its own once.
std::vector<std::string> pieces_of(const Launch& launch) {
  std::vector<std::string> pieces;
  std::int64_t points = 0;
  for (const HostBody::Chunk& chunk : launch.body<HostBody>()->chunks) {
    points += chunk.piece.size();
    pieces.push_back(to_string(Rect{chunk.piece.rank(), chunk.piece.lo(), chunk.piece.hi()}));
  }
  EXPECT_EQ(points, launch.points.cells());
  EXPECT_EQ(std::set<std::string>(pieces.begin(), pieces.end()).size(), pieces.size());
  return pieces;
}

TEST(UserTask, ChunksAreFourAWorkerAndOneWhereThereIsOne) {
  for (const auto& [workers, chunks] : {std::pair{1, 1u}, {2, 8u}, {3, 12u}, {15, 60u}, {64, 60u}}) {
    PlannedRank planned({.workers = workers});
    Two two(planned);
    task("blend", kBlend)({60}, read(two.x), write(two.y), 0.5);
    const Plan plan = planned.plan();
    ASSERT_EQ(plan.count<Launch>(), 1u);
    EXPECT_EQ(pieces_of(*plan.all<Launch>()[0]).size(), chunks) << workers << " workers";
  }
}

TEST(UserTask, AChunkMayTouchWhatItsProjectionsSayOfItsPointsAndFindsThemThere) {
  PlannedRank planned({.workers = 2});
  Two two(planned);
  task("blend", kBlend)({60}, read(two.x, halo(2, 1)), write(two.y), 0.5);
  const Plan plan = planned.plan();
  const Launch& launch = *plan.all<Launch>().at(0);
  const auto chunks = launch.body<HostBody>()->chunks;
  ASSERT_EQ(chunks.size(), 8u);
  for (const HostBody::Chunk& chunk : chunks) {
    const detail::BoundStore &in = chunk.stores[0], &out = chunk.stores[1];
    const std::int64_t lo = chunk.piece.lo(0), hi = chunk.piece.hi(0);
    EXPECT_EQ((std::pair{in.lo[0], in.hi[0]}),
              (std::pair{std::max<std::int64_t>(lo - 2, 0), std::min<std::int64_t>(hi + 1, 60)}));
    EXPECT_EQ((std::pair{out.lo[0], out.hi[0]}), (std::pair{lo, hi}));
    // `first` counts bytes from where the array's cell 0 lies.
    EXPECT_EQ(reinterpret_cast<std::intptr_t>(in.first), in.lo[0] * 8);
    EXPECT_EQ(reinterpret_cast<std::intptr_t>(out.first), out.lo[0] * 8);
    EXPECT_EQ(in.stride[0], 1);
  }
  EXPECT_EQ(launch.arrays[0].base, reinterpret_cast<char*>(PlannedRank::local(two.x).instances[0]->address({})));
}

TEST(UserTask, OfManyChunksNoneIsPreparedBeforehand) {
  PlannedRank planned({.workers = 100});
  Two two(planned, 6000);
  task("blend", kBlend)({6000}, read(two.x), write(two.y), 0.5);
  const Plan plan = planned.plan();
  EXPECT_TRUE(plan.all<Launch>()[0]->body<HostBody>()->chunks.empty());
  EXPECT_EQ(plan.all<Launch>()[0]->chunk[0], 15);
}

TEST(UserTask, AViewThatRunsBackwardsIsBoundFromItsFirstIndex) {
  PlannedRank planned;
  Two two(planned);
  task("blend", kBlend)({20}, read(two.x(slice({}, {}, -3))), write(two.y(slice(0, 20))), 0.5);
  const Plan plan = planned.plan();
  const Launch& launch = *plan.all<Launch>().at(0);
  const Instance& x = *PlannedRank::local(two.x).instances[0];
  EXPECT_EQ(launch.arrays[0].base, reinterpret_cast<char*>(x.address({59})));
  EXPECT_EQ(launch.arrays[0].stride[0], -24);
  const Accesses accesses = accesses_of(plan.instructions.back());
  EXPECT_EQ(accesses.reads.bytes(), 160u);
  EXPECT_EQ(accesses.writes.bytes(), 160u);
}

TEST(UserTask, WhatIsReadAndWrittenMovesAndIsNotCopiedAside) {
  PlannedRank planned({.ranks = 3}, 1);
  Two two(planned);
  task("change", kChange)({60}, read_write(two.x));
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<Copy>() + plan.count<Send>() + plan.count<Allocate>(), 0u);
  EXPECT_EQ(plan.count<Launch>(), 1u);
}

TEST(UserTask, AHaloOfWhatItWritesIsReadAsItWasBefore) {
  PlannedRank planned;
  Two two(planned);
  task("blend", kBlend)({60}, read(two.x, halo(1, 1)), write(two.x), 0.5);
  const Plan plan = planned.plan();
  const Accesses accesses =
      accesses_of(*std::find_if(plan.instructions.begin(), plan.instructions.end(),
                                [](const Instruction& one) { return std::holds_alternative<Launch>(one.what); }));
  EXPECT_FALSE(accesses.reads.meets(accesses.writes));
  EXPECT_EQ(accesses.reads.bytes(), 480u);
  EXPECT_EQ(accesses.writes.bytes(), 480u);
}

// Sixteen parts a piece, whoever runs them.
TEST(UserTask, PartsOfAReductionAreSixteenAPieceWhateverRunsThem) {
  for (const int workers : {1, 3, 40}) {
    PlannedRank planned({.ranks = 2, .workers = workers}, 1);
    Two two(planned);
    np::Array total = np::zeros({3});
    (void)planned.plan();
    task("total", kTotal)({60}, read(two.x), reduce(total, Fold::Sum));
    const Plan plan = planned.plan();
    const Launch& launch = *plan.all<Launch>().at(0);
    EXPECT_EQ(launch.chunk[0], 2);  // of 30 points
    EXPECT_EQ(launch.chunk_step[1], 24);
    std::vector<std::int64_t> parts;
    for (const FoldParts* fold : plan.all<FoldParts>()) parts.push_back(fold->part_count);
    EXPECT_EQ(std::count(parts.begin(), parts.end(), 15), 1) << workers << " workers";
    EXPECT_EQ(find_conflicts(plan).races, Texts());
  }
}

TEST(UserTask, PartialResultsAreFoldedAfterTheLaunchAndGivenBack) {
  PlannedRank planned;
  Two two(planned);
  np::Array total = np::zeros({3});
  (void)planned.plan();
  const std::size_t before = planned.memory().in_use();
  task("total", kTotal)({60}, read(two.x), reduce(total, Fold::Sum));
  const Plan plan = planned.plan();
  const Order order(befores_of(plan.instructions, plan.first));
  std::size_t launch = 0, folds = 0;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    if (std::holds_alternative<Launch>(plan.instructions[i].what) &&
        std::get<Launch>(plan.instructions[i].what).body<HostBody>())
      launch = i;
    const auto* fold = std::get_if<FoldParts>(&plan.instructions[i].what);
    if (!fold || fold->part_count < 2) continue;
    ++folds;
    EXPECT_TRUE(order.is_after(i, launch));
    EXPECT_EQ(fold->part_count, 15);  // of four points each
    EXPECT_EQ(fold->extent[0], 3);
    EXPECT_EQ(reinterpret_cast<const char*>(fold->parts),
              std::get<Launch>(plan.instructions[launch].what).arrays[1].base);
  }
  EXPECT_EQ(folds, 1u);
  EXPECT_EQ(planned.memory().in_use(), before);
  EXPECT_EQ(find_conflicts(plan).races, Texts());
}

// Where a GPU has no body, what it reads is brought to the host and what it writes is brought back.
struct Staging {
  const char* name;
  std::function<void(np::Array& x, np::Array& y)> launch;
  std::vector<std::int64_t> here, back;  // cells
};
void PrintTo(const Staging& staging, std::ostream* out) {
  *out << staging.name;
}
class StagedTasks : public testing::TestWithParam<Staging> {};

TEST_P(StagedTasks, BringWhatTheyReadAndTakeBackWhatTheyWrote) {
  PlannedRank planned({.gpus = true});
  Two two(planned);
  (GetParam().launch)(two.x, two.y);
  const Plan plan = planned.plan();
  std::vector<std::int64_t> here, back;
  bool launched = false;
  for (const Instruction& instruction : plan.instructions) {
    launched = launched || std::holds_alternative<Launch>(instruction.what);
    if (const auto* copy = std::get_if<Copy>(&instruction.what)) (launched ? back : here).push_back(copy->bytes() / 8);
  }
  EXPECT_EQ(here, GetParam().here);
  EXPECT_EQ(back, GetParam().back);
  EXPECT_EQ(planned.rank().staging->in_use(), 0u);
  EXPECT_EQ(find_conflicts(plan).races, Texts());
  // On the host's memory alone: the sources are GPU 0's, the lent book's, the host's.
  const Launch& launch = *plan.all<Launch>().at(0);
  EXPECT_TRUE(launch.body<HostBody>());
  for (const kernel::BoundArray& array : launch.arrays)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.base) >> 40, 2u);
}

INSTANTIATE_TEST_SUITE_P(
    OnAGpu, StagedTasks,
    testing::Values(
        Staging{"ReadAndWrite",
                [](np::Array& x, np::Array& y) { task("b", kBlend)({60}, read(x), write(y), 1.0); },
                {60},
                {60}},
        Staging{"Part",
                [](np::Array& x, np::Array& y) {
                  task("b", kBlend)({10}, read(x(slice(5, 15))), write(y(slice(30, 40))), 1.0);
                },
                {10},
                {10}},
        Staging{"WholeForAll",
                [](np::Array& x, np::Array& y) {
                  task("b", kBlend)({10}, read(x, pilum::all), write(y(slice(0, 10))), 1.0);
                },
                {60},
                {10}},
        Staging{"ReadWrite", [](np::Array& x, np::Array&) { task("c", kChange)({60}, read_write(x)); }, {60}, {60}}),
    [](const auto& one) { return std::string(one.param.name); });

constexpr const char* kScale =
    "void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, double by) { out(x) = by * "
    "in(x); }";
constexpr const char* kSum =
    "void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> out) { out(0) += in(x); }";

TEST(GpuTask, WithABodyOfItsOwnRunsWhereTheCellsAre) {
  PlannedRank planned({.gpus = true});
  Two two(planned);
  task("scale", kBlend, gpu_body(kScale))({60}, read(two.x), write(two.y), 0.5);
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.count<Copy>() + plan.count<Allocate>(), 0u);
  const Launch& launch = *plan.all<Launch>().at(0);
  ASSERT_TRUE(launch.body<DeviceBody>());
  EXPECT_EQ(launch.body<DeviceBody>()->parts, 0);
  EXPECT_EQ(launch.chunk[0], 60);  // its points are not cut
}

TEST(GpuTask, AReductionHasAPartForEverySixteenPoints) {
  for (const auto& [points, parts] : {std::pair{60, 3}, {16, 1}, {10, 1}, {160, 10}, {1 << 21, 1 << 16}}) {
    PlannedRank planned({.gpus = true});
    Two two(planned, points);
    np::Array total = np::zeros({1});
    (void)planned.plan();
    task("sum", kTotal, gpu_body(kSum))({points}, read(two.x), reduce(total, Fold::Sum));
    const Plan plan = planned.plan();
    const Launch& launch = *plan.all<Launch>().at(0);
    ASSERT_TRUE(launch.body<DeviceBody>());
    EXPECT_EQ(launch.body<DeviceBody>()->parts, parts) << points << " points";
    bool folded = false;
    for (const FoldParts* fold : plan.all<FoldParts>()) folded = folded || fold->part_count == parts;
    EXPECT_TRUE(folded);
  }
}

// What a function says is asked of every piece, and sent exactly.
TEST(UserTask, AFunctionsCellsAreSentExactly) {
  struct Case {
    const char* name;
    std::function<std::vector<Box>(const Piece&)> boxes;
    std::map<std::pair<int, int>, std::int64_t> cells;  // from rank to rank
  };
  const std::vector<Case> cases{
      {"mirrored",
       [](const Piece& x) { return std::vector<Box>{Box({59 - x.lo(0)}, {60 - x.lo(0)})}; },
       {{{0, 2}, 20}, {{2, 0}, 20}}},
      {"the first cell", [](const Piece&) { return std::vector<Box>{Box({0}, {1})}; }, {{{0, 1}, 1}, {{0, 2}, 1}}},
      {"two ends of a few",
       [](const Piece& x) {
         return x.lo(0) < 3 ? std::vector<Box>{Box({0}, {2}), Box({57}, {70})} : std::vector<Box>{};
       },
       {{{2, 0}, 3}}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const auto touch = [&one](const Piece& x) { return one.boxes(x); };
    const std::vector<Plan> plans = on_all_ranks({.ranks = 3}, [&](PlannedRank& planned) {
      Two two(planned);
      task("gather", kBlend)({60}, read(two.x, touch), write(two.y), 0.5);
      return planned.plan();
    });
    EXPECT_EQ(find_unmatched(plans), Texts());
    std::map<std::pair<int, int>, std::int64_t> cells;
    for (int rank = 0; rank < 3; ++rank)
      for (const Send* send : plans[static_cast<std::size_t>(rank)].all<Send>())
        cells[{rank, send->to}] += static_cast<std::int64_t>(send->bytes) / 8;
    EXPECT_EQ(cells, one.cells);
  }
}

// Windows of cells that jump: every other one of a coarse array, several of a fine one.
TEST(UserTask, AffineWindowsReadWhatTheySay) {
  PlannedRank planned;
  Two fine(planned, 120);
  np::Array coarse = np::zeros({60});
  (void)planned.plan();
  task("coarsen", kBlend)({60}, read(fine.x, affine({{.axis = 0, .scale = 2, .extent = 2}})), write(coarse), 0.5);
  const Plan down = planned.plan();
  EXPECT_EQ(accesses_of(down.instructions.back()).reads.bytes(), 960u);
  EXPECT_EQ(accesses_of(down.instructions.back()).writes.bytes(), 480u);
  task("look", kBlend)({60}, read(fine.x, affine({{.axis = -1, .offset = 7, .extent = 5}})), write(coarse), 0.5);
  const Plan look = planned.plan();
  EXPECT_EQ(accesses_of(look.instructions.back()).reads.bytes(), 40u);
}

}  // namespace
}  // namespace pilum::scheduler
