// Messages of a plan: packed, cut into pieces, numbered, and staged where their transport reaches.
#include <gtest/gtest.h>

#include <map>

#include "scheduler/plan/instances.h"
#include "scheduler/plan/plan_builder.h"
#include "tests/scheduler/building.h"

namespace pilum::scheduler {
namespace {

using Texts = std::vector<std::string>;

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
TEST(PlanBuilder, CopiesSayWhetherTheyLeaveTheirProcessorsMemory) {
  Building b({.processors = 2, .gpus = true});
  const Rect cells = Rect::of({0, 0}, {4, 4});
  const Instance here = b.instance(cells), beside = b.instance(cells), there = b.instance(cells, 0, /*processor=*/1);
  const Instance on_host = make_packed_on_host(b.builder, 0, cells, b.store);
  b.builder.copy(here, beside, cells, b.store, 0);
  b.builder.copy(there, here, cells, b.store, 0);
  b.builder.copy(here, there, cells, b.store, 1);
  b.builder.copy(here, on_host, cells, b.store, 0);
  std::vector<bool> local;
  for (const Copy* copy : b.plan.all<Copy>()) local.push_back(copy->is_local);
  EXPECT_EQ(local, (std::vector{true, false, false, false}));
}

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
    const auto in_use = [&](const MemoryBook& book) { return book.reserved() > 0; };
    EXPECT_EQ(in_use(*b.planned.rank().staging), where == 'h');
    if (machine.share) {
      EXPECT_TRUE(in_use(*b.planned.rank().shared[1]));
    }
    EXPECT_EQ(b.planned.memory(1).reserved(), where == 'g' ? 128u + 64u : 128u);
    EXPECT_EQ(b.plan.count<Copy>(), 1u);  // also of one run: it leaves the instance at once
    EXPECT_TRUE(find_conflicts(b.plan).races.empty());
  }
}

}  // namespace
}  // namespace pilum::scheduler
