// Instructions one by one: what they touch, what they come after, which memory they get.
#include "scheduler/plan/plan_builder.h"

#include <gtest/gtest.h>

#include <map>

#include "pilum/error.h"
#include "tests/scheduler/accesses.h"
#include "tests/scheduler/planned_rank.h"

namespace pilum::scheduler {
namespace {

// A builder on a plan of its own, and a store that instances of the test's make are of.
class Building {
 public:
  explicit Building(const PlannedMachine& machine = {}, int rank = 0)
      : planned(machine, rank), plan(planned.begin_plan()), builder(planned.rank(), plan, {}) {
    store.id = StoreId{5};
    store.dtype = DType::Float64;
    store.shape = Shape({100, 100});
  }
  // Row-major, `pad` cells after each row.
  Instance instance(const Rect& rect, std::int64_t pad = 0, int processor = 0) {
    Instance made;
    made.rect = rect;
    std::int64_t bytes = 8;
    for (int axis = rect.rank - 1; axis >= 0; --axis) {
      made.pitch[static_cast<std::size_t>(axis)] = bytes;
      bytes *= rect.extent(axis) + (axis == rect.rank - 1 ? pad : 0);
    }
    made.block = builder.allocate(static_cast<std::size_t>(bytes), processor, store.id);
    made.valid = Region(rect);
    return made;
  }
  ProcessorStore holding(std::vector<Instance> instances) {
    ProcessorStore local;
    for (Instance& one : instances) local.instances.push_back(std::make_unique<Instance>(std::move(one)));
    return local;
  }
  // Texts of instructions from `first` on, but for their numbers.
  std::vector<std::string> texts(std::size_t first = 0) const {
    std::vector<std::string> all;
    for (std::size_t i = first; i < plan.instructions.size(); ++i)
      all.push_back(to_text(plan.instructions[i], InstructionId{static_cast<std::int64_t>(i)}));
    return all;
  }
  // Bytes of the block that instructions write.
  std::size_t written_in(const Block& block) const {
    Spans written;
    const auto lo = reinterpret_cast<std::uintptr_t>(block.data), hi = lo + block.bytes;
    for (const Instruction& instruction : plan.instructions) {
      const Accesses accesses = accesses_of(instruction);
      for (const Span& span : accesses.writes.all())
        if (span.lo >= lo && span.hi <= hi) written.add(span.lo, span.hi - span.lo);
    }
    written.finish();
    return written.bytes();
  }
  const Instruction& last() const { return plan.instructions.back(); }

  PlannedRank planned;
  Plan plan;
  PlanBuilder builder;
  Store store;
};

using Texts = std::vector<std::string>;
using Ids = std::vector<InstructionId>;

Ids ids(std::initializer_list<std::int64_t> values) {
  Ids all;
  for (const std::int64_t value : values) all.push_back(InstructionId{value});
  return all;
}

TEST(PlanBuilder, SaysEachAllocationAndEachFreeInThePlan) {
  Building b;
  Block* block = b.builder.allocate(640, 0, StoreId{3});
  b.builder.free(block, 0);
  EXPECT_EQ(b.texts(), (Texts{"i0 allocate a0 640 bytes for s3", "i1 free a0"}));
  EXPECT_EQ(b.planned.memory().in_use(), 0u);
}

TEST(PlanBuilder, AnInstructionComesAfterThoseWhoseCellsItWritesOrReadsAnew) {
  Building b;
  const Instance from = b.instance(Rect::of({0, 0}, {4, 4}));
  const Instance to = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(from, to, Rect::of({0, 0}, {2, 4}), b.store, 0);  // i2
  b.builder.copy(from, to, Rect::of({2, 0}, {4, 4}), b.store, 0);  // i3: other cells
  b.builder.copy(from, to, Rect::of({1, 0}, {3, 4}), b.store, 0);  // i4: cells of both
  b.builder.copy(to, from, Rect::of({0, 0}, {1, 4}), b.store, 0);  // i5: what i2 wrote, where i2 read
  EXPECT_EQ(b.plan.instructions[2].after, Ids{});
  EXPECT_EQ(b.plan.instructions[3].after, Ids{});
  EXPECT_EQ(b.plan.instructions[4].after, ids({2, 3}));
  EXPECT_EQ(b.plan.instructions[5].after, ids({2}));
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
  EXPECT_EQ(find_conflicts(b.plan).ordered, 3u);
}

TEST(PlanBuilder, WhatIsDoneIsNotComeAfter) {
  Building b;
  const Instance from = b.instance(Rect::of({0, 0}, {4, 4})), to = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(from, to, from.rect, b.store, 0);
  b.builder.copy(from, to, from.rect, b.store, 0);
  b.planned.done = InstructionId{3};
  b.builder.copy(from, to, from.rect, b.store, 0);
  EXPECT_EQ(b.plan.instructions[3].after, ids({2}));
  EXPECT_EQ(b.plan.instructions[4].after, ids({3}));
}

TEST(PlanBuilder, ACopyGoesFromCellToCellThroughPitchesOrigins) {
  Building b;
  Instance from = b.instance(Rect::of({10, 20}, {14, 26}), /*pad=*/3);
  Instance to = b.instance(Rect::of({8, 18}, {20, 30}));
  from.origin = 16;
  b.builder.copy(from, to, Rect::of({11, 21}, {13, 24}), b.store, 0);
  const auto& copy = std::get<Copy>(b.last().what);
  EXPECT_EQ(copy.from.data - from.block->data, 16 + 1 * 9 * 8 + 1 * 8);
  EXPECT_EQ(copy.to.data - to.block->data, 3 * 12 * 8 + 3 * 8);
  EXPECT_EQ((std::array{copy.extent[0], copy.extent[1]}), (std::array<std::int64_t, 2>{2, 3}));
  EXPECT_EQ((std::array{copy.from.pitch[0], copy.to.pitch[0]}), (std::array<std::int64_t, 2>{72, 96}));
  EXPECT_EQ(copy.bytes(), 48);
}

TEST(PlanBuilder, ACopyOfAScalarIsOneCell) {
  Building b;
  Instance from, to;
  from.block = b.builder.allocate(8, 0, b.store.id);
  to.block = b.builder.allocate(8, 0, b.store.id);
  b.builder.copy(from, to, Rect{}, b.store, 0);
  EXPECT_EQ(std::get<Copy>(b.last().what).bytes(), 8);
  EXPECT_EQ(std::get<Copy>(b.last().what).rank, 1);
}

// Which cells of a 6 x 8 instance with rows of 8 + pad cells go out as they lie.
struct Sent {
  const char* name;
  Rect cells;
  std::int64_t pad;
  bool direct;
};
void PrintTo(const Sent& run, std::ostream* out) {
  *out << run.name;
}
class SentCells : public testing::TestWithParam<Sent> {};

TEST_P(SentCells, GoAsTheyLieWhereTheyAreOneRun) {
  const Sent& run = GetParam();
  Building b({.ranks = 2});
  const Instance instance = b.instance(Rect::of({0, 0}, {6, 8}), run.pad);
  const std::size_t before = b.plan.instructions.size();
  b.builder.send(1, Region(run.cells), b.holding({instance}), b.store, 0);
  const auto sends = b.plan.all<Send>();
  ASSERT_EQ(sends.size(), 1u);
  EXPECT_EQ(sends[0]->bytes, static_cast<std::size_t>(run.cells.cells()) * 8);
  EXPECT_EQ(sends[0]->data == instance.address(run.cells.lo), run.direct);
  EXPECT_EQ(b.plan.count<Copy>(), run.direct ? 0u : 1u);
  EXPECT_EQ(b.plan.instructions.size() - before, run.direct ? 1u : 4u);  // else: allocate, copy, send, free
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
}

TEST_P(SentCells, ArriveWhereTheyBelongByTheSameRule) {
  const Sent& run = GetParam();
  Building b({.ranks = 2});
  const Instance instance = b.instance(Rect::of({0, 0}, {6, 8}), run.pad);
  b.builder.receive(1, Region(run.cells), instance, b.store, 0);
  const auto receives = b.plan.all<Receive>();
  ASSERT_EQ(receives.size(), 1u);
  EXPECT_EQ(receives[0]->bytes, static_cast<std::size_t>(run.cells.cells()) * 8);
  EXPECT_EQ(receives[0]->data == instance.address(run.cells.lo), run.direct);
  EXPECT_EQ(b.written_in(*instance.block), static_cast<std::size_t>(run.cells.cells()) * 8);
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
}

INSTANTIATE_TEST_SUITE_P(Boxes, SentCells,
                         testing::Values(Sent{"Rows", Rect::of({1, 0}, {4, 8}), 0, true},
                                         Sent{"RowsWithPadding", Rect::of({1, 0}, {4, 8}), 2, false},
                                         Sent{"OneRowWithPadding", Rect::of({5, 0}, {6, 8}), 2, true},
                                         Sent{"PartOfARow", Rect::of({2, 3}, {3, 7}), 0, true},
                                         Sent{"AColumn", Rect::of({0, 7}, {6, 8}), 0, false},
                                         Sent{"OneCell", Rect::of({3, 3}, {4, 4}), 5, true},
                                         Sent{"PartsOfRows", Rect::of({0, 0}, {2, 7}), 0, false}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(PlanBuilder, PacksRectangleAfterRectangleFromWhoeverHoldsThem) {
  Building b({.ranks = 2});
  const Instance left = b.instance(Rect::of({0, 0}, {4, 4})), right = b.instance(Rect::of({0, 4}, {4, 8}));
  const Region cells = Region(Rect::of({0, 2}, {2, 6})) + Region(Rect::of({3, 0}, {4, 8}));
  Block* packed = b.builder.allocate(16 * 8, 0, b.store.id);
  const std::size_t first = b.plan.instructions.size();
  b.builder.pack(b.holding({left, right}), cells, packed, b.store, 0);
  std::vector<std::pair<std::string, std::int64_t>> copies;  // which cells, to which byte
  for (std::size_t i = first; i < b.plan.instructions.size(); ++i) {
    const auto& copy = std::get<Copy>(b.plan.instructions[i].what);
    copies.emplace_back(to_string(copy.cells), copy.to.data - packed->data);
    EXPECT_EQ(copy.to.pitch[0], copy.cells.lo[0] == 3 ? 64 : 32);
  }
  EXPECT_EQ(copies, (std::vector<std::pair<std::string, std::int64_t>>{
                        {"[0:2, 2:4]", 0}, {"[0:2, 4:6]", 16}, {"[3:4, 0:4]", 64}, {"[3:4, 4:8]", 96}}));
  EXPECT_EQ(b.written_in(*packed), 128u);
}

TEST(PlanBuilder, UnpacksInTheOrderInWhichItPacks) {
  Building b({.ranks = 2});
  const Instance from = b.instance(Rect::of({0, 0}, {4, 8})), to = b.instance(Rect::of({0, 0}, {9, 9}), 1);
  const Region cells = Region(Rect::of({0, 2}, {2, 6})) + Region(Rect::of({3, 0}, {4, 8}));
  Block* packed = b.builder.allocate(16 * 8, 0, b.store.id);
  b.builder.pack(b.holding({from}), cells, packed, b.store, 0);
  b.builder.unpack(packed, cells, to, b.store, 0);
  // Cell by cell, through the packed bytes.
  std::map<std::uintptr_t, std::uintptr_t> source;
  for (const Copy* copy : b.plan.all<Copy>()) {
    for (std::int64_t i = 0; i < copy->extent[0]; ++i) {
      for (std::int64_t k = 0; k < copy->extent[1]; ++k) {
        const auto at = [&](const Strided& box) {
          return reinterpret_cast<std::uintptr_t>(box.data) +
                 static_cast<std::uintptr_t>(i * box.pitch[0] + k * box.pitch[1]);
        };
        const auto known = source.find(at(copy->from));
        source[at(copy->to)] = known == source.end() ? at(copy->from) : known->second;
      }
    }
  }
  for (const Rect& rect : cells.rects()) {
    for (std::int64_t i = rect.lo[0]; i < rect.hi[0]; ++i)
      for (std::int64_t k = rect.lo[1]; k < rect.hi[1]; ++k)
        EXPECT_EQ(source.at(reinterpret_cast<std::uintptr_t>(to.address({i, k}))),
                  reinterpret_cast<std::uintptr_t>(from.address({i, k})))
            << i << ", " << k;
  }
  EXPECT_TRUE(find_conflicts(b.plan).races.empty());
}

TEST(PlanBuilder, NumbersMessagesByPeerAndDirectionFromZero) {
  Building b({.ranks = 4}, 1);
  Block* block = b.builder.allocate(64, 0, b.store.id);
  for (const int peer : {0, 2, 0, 3, 2, 0}) b.builder.send_block(peer, block, 8, b.store.id);
  for (const int peer : {2, 2, 0}) b.builder.receive_block(peer, block, 8, b.store.id);
  std::map<int, std::vector<std::uint32_t>> sent, awaited;
  for (const Send* send : b.plan.all<Send>()) sent[send->to].push_back(send->tag.message);
  for (const Receive* receive : b.plan.all<Receive>()) awaited[receive->from].push_back(receive->tag.message);
  EXPECT_EQ(sent, (std::map<int, std::vector<std::uint32_t>>{{0, {0, 1, 2}}, {2, {0, 1}}, {3, {0}}}));
  EXPECT_EQ(awaited, (std::map<int, std::vector<std::uint32_t>>{{0, {0}}, {2, {0, 1}}}));
  for (const Send* send : b.plan.all<Send>()) EXPECT_EQ(send->tag.window, static_cast<std::uint32_t>(b.plan.window));
}

// What goes as one message: of a machine whose GPUs' messages of more than ten cells go in pieces.
TEST(CutMessage, CutsOnlyWhatGoesThroughTheHostIntoPiecesOfWholeRows) {
  const Rect box = Rect::of({0, 0}, {9, 4});
  const auto pieces = [&](const PlannedMachine& machine, const Region& cells) {
    Building b(machine);
    std::vector<std::string> texts;
    for (const Region& part : b.builder.cut_message(cells, b.store)) texts.push_back(to_string(part.hull()));
    return texts;
  };
  PlannedMachine machine{.ranks = 2, .gpus = true, .message_bytes = 80};
  EXPECT_EQ(pieces(machine, box), (Texts{"[0:2, 0:4]", "[2:4, 0:4]", "[4:6, 0:4]", "[6:8, 0:4]", "[8:9, 0:4]"}));
  EXPECT_EQ(pieces(machine, Rect::of({0, 0}, {2, 5})), (Texts{"[0:2, 0:5]"}));
  EXPECT_EQ(pieces(machine, Rect::of({3, 0}, {4, 25})), (Texts{"[3:4, 0:10]", "[3:4, 10:20]", "[3:4, 20:25]"}));
  // Small rectangles go together.
  EXPECT_EQ(pieces(machine, Region(Rect::of({0, 0}, {1, 4})) + Region(Rect::of({2, 0}, {3, 4})) +
                                Region(Rect::of({4, 0}, {5, 4}))),
            (Texts{"[0:3, 0:4]", "[4:5, 0:4]"}));
  machine.messages_from_gpus = true;
  EXPECT_EQ(pieces(machine, box), (Texts{"[0:9, 0:4]"}));
  machine.messages_from_gpus = false;
  machine.gpus = false;
  EXPECT_EQ(pieces(machine, box), (Texts{"[0:9, 0:4]"}));
  machine = {.ranks = 1, .processors = 2, .gpus = true, .message_bytes = 80};
  EXPECT_EQ(pieces(machine, box), (Texts{"[0:9, 0:4]"}));  // GPUs of one rank copy from each other
  machine.peers = false;
  EXPECT_EQ(pieces(machine, box).size(), 5u);
}

TEST(CutMessage, PiecesAreAllOfTheCellsEachOnceAndNoneIsLargerThanOneRow) {
  Building b({.ranks = 2, .gpus = true, .message_bytes = 8 * 7});
  const Region cells =
      Region(Rect::of({0, 0}, {5, 3})) + Region(Rect::of({5, 1}, {6, 30})) + Region(Rect::of({8, 8}, {20, 9}));
  Region all;
  std::int64_t sum = 0;
  for (const Region& part : b.builder.cut_message(cells, b.store)) {
    EXPECT_LE(part.cells(), 7);
    all += part;
    sum += part.cells();
  }
  EXPECT_EQ(all, cells);
  EXPECT_EQ(sum, cells.cells());
}

// Where a message of a machine's is packed, and where its data lie.
TEST(PlanBuilder, MessagesOfGpusAreStagedWhereTheirTransportReaches) {
  struct Case {
    PlannedMachine machine;
    char where;  // 'h'ost, 'g'pu, 's'hared
  };
  const PlannedMachine gpus{.ranks = 2, .processors = 2, .gpus = true};
  PlannedMachine direct = gpus, share = gpus;
  direct.messages_from_gpus = true;
  share.share = true;
  for (const auto& [machine, where] : {Case{gpus, 'h'}, Case{direct, 'g'}, Case{share, 's'}}) {
    SCOPED_TRACE(where);
    Building b(machine);
    const Instance instance = b.instance(Rect::of({0, 0}, {4, 4}), 0, /*processor=*/1);
    b.builder.send(1, Region(Rect::of({0, 0}, {1, 4})), b.holding({instance}), b.store, 1);
    const Send& send = *b.plan.all<Send>().front();
    EXPECT_EQ(send.shared, where == 's');
    const auto in_use = [&](const MemoryBook& book) { return book.held() > 0; };
    EXPECT_EQ(in_use(*b.planned.rank().staging), where == 'h');
    if (machine.share) {
      EXPECT_TRUE(in_use(*b.planned.rank().shared[1]));
    }
    EXPECT_EQ(b.planned.memory(1).held(), where == 'g' ? 128u + 64u : 128u);
    EXPECT_EQ(b.plan.count<Copy>(), 1u);  // also of one run: it leaves the instance at once
    EXPECT_TRUE(find_conflicts(b.plan).races.empty());
  }
}

TEST(PlanBuilder, WhileHeldNothingFreedIsGivenOutAgain) {
  Building b;
  Block* first = b.builder.allocate(640, 0, b.store.id);
  Block* second = nullptr;
  {
    const PlanBuilder::Hold outer(b.builder);
    b.builder.free(first, 0);
    {
      const PlanBuilder::Hold inner(b.builder);
      second = b.builder.allocate(640, 0, b.store.id);
      EXPECT_NE(second, first);
    }
    EXPECT_NE(b.builder.allocate(640, 0, b.store.id), first);
  }
  EXPECT_EQ(b.builder.allocate(640, 0, b.store.id), first);
}

TEST(PlanBuilder, WhoeverGetsABlockNextComesAfterItsLastUsers) {
  Building b;
  Instance a = b.instance(Rect::of({0, 0}, {4, 4})), c = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(a, c, a.rect, b.store, 0);  // i2
  b.builder.free(a.block, 0);                // i3
  Instance again = b.instance(Rect::of({0, 0}, {4, 4}));
  ASSERT_EQ(again.block, a.block);
  b.builder.copy(c, again, Rect::of({3, 3}, {4, 4}), b.store, 0);  // i5
  EXPECT_EQ(b.last().after, ids({2}));
}

TEST(PlanBuilder, WhatFindsNoRoomOnItsGpuLiesOnTheHost) {
  Building b({.gpus = true, .memory = 1000});
  Block* first = b.builder.allocate(800, 0, b.store.id);
  EXPECT_EQ(first->book, b.planned.rank().memories[0]);
  EXPECT_EQ(b.builder.allocate_on_processor(800, 0, b.store.id), nullptr);
  Block* second = b.builder.allocate(800, 0, b.store.id);
  EXPECT_EQ(second->book, b.planned.rank().staging);
}

TEST(PlanBuilder, WhereNothingIsLeftSaysWhatWasWantedAndWhatThereIs) {
  Building b({.memory = 1000});
  b.planned.rank().describe_stores = [] { return std::string("Everybody holds a little. "); };
  try {
    (void)b.builder.allocate(1500, 0, b.store.id);
    FAIL() << "1500 bytes of 1000";
  } catch (const MemoryError& error) {
    const std::string text = error.what();
    for (const char* part : {"an array needs 1500 bytes of memory on rank 0", "Everybody holds a little. ",
                             "Drop arrays that are not needed and go on"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

// Told by a builder, in order.
class Told final : public PlanObserver {
 public:
  void allocated(Block*, MemoryBook&, std::size_t bytes, int, StoreId) override {
    said.push_back("allocated " + std::to_string(bytes));
  }
  void freed(Block*, int) override { said.push_back("freed"); }
  void emitted(const Plan& plan, std::span<const Touch> touches, std::size_t task) override {
    said.push_back("emitted " + std::to_string(plan.instructions.size() - 1) + " of task " + std::to_string(task) +
                   ", touches " + std::to_string(touches.size()));
  }
  void held(bool begins) override { said.push_back(begins ? "holds" : "lets go"); }
  void give_up() override { said.push_back("gives up"); }
  Texts said;
};

TEST(PlanBuilder, TellsItsObserverWhatItDoesInOrder) {
  Building b({.gpus = true, .memory = 1000});
  Told told;
  b.planned.rank().observer = &told;
  Block* block = b.builder.allocate(640, 0, b.store.id);
  b.builder.begin_task(3);
  {
    const PlanBuilder::Hold hold(b.builder);
    b.builder.send_block(0, block, 8, b.store.id);
  }
  b.builder.free(block, 0);
  EXPECT_EQ(told.said, (Texts{"emitted 0 of task 0, touches 0", "allocated 640", "holds",
                              "emitted 1 of task 3, touches 1", "lets go", "emitted 2 of task 3, touches 0", "freed"}));
  told.said.clear();
  (void)b.builder.allocate(1500, 0, b.store.id);  // on the host: where it lies is no plan's to repeat
  EXPECT_EQ(told.said.front(), "gives up");
  b.planned.rank().observer = nullptr;
}

TEST(PlanBuilder, EmitsAgainWithTagsAndOrderOfThisTime) {
  Building b({.ranks = 2});
  Block* block = b.builder.allocate(64, 0, b.store.id);
  b.builder.send_block(1, block, 64, b.store.id);
  Instruction old{Send{1, comm::Tag{77, 9}, block->data, 64, b.store.id}, ids({400, 500}), 0, "sum", {}};
  const Touch touch{block, byte_range(0, 64), true};
  b.builder.emit_again(std::move(old), {&touch, 1});
  const auto& send = std::get<Send>(b.last().what);
  EXPECT_EQ(send.tag.window, static_cast<std::uint32_t>(b.plan.window));
  EXPECT_EQ(send.tag.message, 1u);
  EXPECT_EQ(b.last().after, ids({1}));
  EXPECT_STREQ(b.last().name, "sum");
}

TEST(PlanBuilder, MemoryOfAPlanMadeAgainGoesToTheHostWhereItsGpuIsFull) {
  Building b({.gpus = true, .memory = 1000});
  (void)b.builder.allocate(900, 0, b.store.id);
  EXPECT_FALSE(b.planned.planner().is_full());
  Block* block = b.builder.allocate_again(b.planned.memory(), 900, 0, b.store.id);
  EXPECT_EQ(block->book, b.planned.rank().staging);
  EXPECT_TRUE(b.planned.planner().is_full());
  Building host({.memory = 1000});
  EXPECT_THROW((void)host.builder.allocate_again(host.planned.memory(), 1500, 0, host.store.id), MemoryError);
}

TEST(PlanBuilder, RunsWhatIsPlannedAndGoesOnEmpty) {
  Building b({.gpus = true});
  const Instance from = b.instance(Rect::of({0, 0}, {4, 4})), to = b.instance(Rect::of({0, 0}, {4, 4}));
  b.builder.copy(from, to, from.rect, b.store, 0);
  b.builder.run_now();
  EXPECT_TRUE(b.plan.instructions.empty());
  EXPECT_EQ(b.plan.first, InstructionId{3});
  ASSERT_EQ(b.planned.ran.size(), 1u);
  EXPECT_EQ(b.planned.ran[0].instructions.size(), 3u);
  b.builder.copy(from, to, from.rect, b.store, 0);
  EXPECT_EQ(b.last().after, Ids{});  // that is done
}

}  // namespace
}  // namespace pilum::scheduler
