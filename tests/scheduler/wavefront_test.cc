// Strips of launches: every point once, and whatever touches the same bytes in the plan's order.
#include "scheduler/memo/wavefront.h"

#include <map>
#include <random>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "scheduler/record/instruction_facts.h"
#include "tests/scheduler/random_seeds.h"

namespace pilum::scheduler {
namespace {

constexpr std::int64_t kRow = 10;  // cells of a row of the arrays here
constexpr std::int64_t kCell = 8;

struct Access {
  int slot = 0;
  std::int64_t first = 0;             // cell of the first point
  std::int64_t stride = kRow;         // cells from a row to the next
  std::vector<std::int64_t> offsets;  // rows, of what is read; empty: it is written
};

// Instructions, and where they touch.
struct Items {
  std::vector<Instruction> instructions;
  std::vector<std::vector<int>> slots;

  // `rows` of so many columns.
  void launch(std::int64_t rows, std::int64_t columns, const std::vector<Access>& accesses, bool streaming = false) {
    auto kernel = std::make_shared<kernel::Kernel>();
    kernel->rank = 2;
    Launch launch;
    launch.rank = 2;
    launch.extent[0] = rows;
    launch.extent[1] = columns;
    launch.chunk = launch.extent;
    std::vector<int>& of_slots = slots.emplace_back();
    for (const Access& access : accesses) {
      kernel::BoundArray array{};
      array.base = reinterpret_cast<char*>(static_cast<std::uintptr_t>(access.first * kCell));
      array.stride[0] = access.stride * kCell;
      array.stride[1] = array.pitch[1] = kCell;
      array.pitch[0] = kRow * kCell;
      const auto argument = static_cast<std::int16_t>(launch.arrays.size());
      launch.arrays.push_back(array);
      kernel->arrays.push_back({.access = access.offsets.empty() ? kernel::Access::Write : kernel::Access::Read});
      for (const std::int64_t offset : access.offsets) {
        kernel::Node node{.op = kernel::Op::Load, .argument = argument};
        node.offset[0] = static_cast<std::int8_t>(offset);
        kernel->nodes.push_back(node);
      }
      of_slots.push_back(access.slot);
    }
    launch.code = KernelCode{.kernel = kernel, .streaming = streaming};
    instructions.push_back({std::move(launch)});
  }
  void copy(int from_slot, std::int64_t from, int to_slot, std::int64_t to, std::int64_t rows) {
    Copy copy;
    copy.rank = 1;
    copy.extent[0] = rows;
    copy.from = {reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(from * kCell)), {kRow * kCell}};
    copy.to = {reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(to * kCell)), {kRow * kCell}};
    instructions.push_back({copy});
    slots.push_back({from_slot, to_slot});
  }
  void call() {
    instructions.push_back({HostCall{}});
    slots.emplace_back();
  }
  // A sweep of a stencil of three rows, from one slot's array of so many rows to the other's.
  void sweep(int from, int to, std::int64_t rows, bool streaming = false) {
    launch(rows - 2, kRow, {{from, kRow, kRow, {-1, 0, 1}}, {to, kRow, kRow, {}}}, streaming);
  }

  std::vector<Batch> wavefront(int threads, std::int64_t cache_bytes, KernelSource kernels = {});
};

using Cell = std::pair<int, std::int64_t>;  // slot, number
struct Touched {
  std::set<Cell> read, written;
};

// Point by point, of one chunk.
Touched touched_by(const Items& items, int item, std::int64_t chunk) {
  Touched touched;
  const Instruction& instruction = items.instructions[static_cast<std::size_t>(item)];
  const std::vector<int>& slots = items.slots[static_cast<std::size_t>(item)];
  const auto cell = [](const void* base) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base)) / kCell;
  };
  if (const auto* copy = std::get_if<Copy>(&instruction.what)) {
    for (std::int64_t row = 0; row < copy->extent[0]; ++row) {
      touched.read.insert({slots[0], cell(copy->from.data) + row * kRow});
      touched.written.insert({slots[1], cell(copy->to.data) + row * kRow});
    }
  }
  if (const auto* launch = std::get_if<Launch>(&instruction.what)) {
    const std::int64_t begin = chunk * launch->chunk[0];
    for (std::int64_t row = begin; row < std::min(begin + launch->chunk[0], launch->extent[0]); ++row) {
      for (std::int64_t column = 0; column < launch->extent[1]; ++column) {
        for (std::size_t i = 0; i < launch->arrays.size(); ++i) {
          const kernel::BoundArray& array = launch->arrays[i];
          const std::int64_t point = cell(array.base) + row * array.stride[0] / kCell + column;
          if (launch->kernel()->kernel->arrays[i].access != kernel::Access::Read) {
            touched.written.insert({slots[i], point});
            continue;
          }
          for (const kernel::Node& node : launch->kernel()->kernel->nodes) {
            if (node.argument == static_cast<int>(i)) touched.read.insert({slots[i], point + node.offset[0] * kRow});
          }
        }
      }
    }
  }
  return touched;
}

bool meet(const std::set<Cell>& a, const std::set<Cell>& b) {
  return std::ranges::any_of(a, [&b](const Cell& cell) { return b.contains(cell); });
}

bool conflict(const Touched& a, const Touched& b) {
  return meet(a.written, b.written) || meet(a.written, b.read) || meet(a.read, b.written);
}

bool is_call(const Items& items, std::size_t item) {
  return std::holds_alternative<HostCall>(items.instructions[item].what);
}

std::vector<Batch> Items::wavefront(int threads, std::int64_t cache_bytes, KernelSource kernels) {
  std::vector<Touched> touched;
  for (std::size_t i = 0; i < instructions.size(); ++i) touched.push_back(touched_by(*this, static_cast<int>(i), 0));
  std::vector<std::vector<int>> after(instructions.size());
  std::vector<SlottedInstruction> slotted;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (is_call(*this, i) || is_call(*this, before) || conflict(touched[before], touched[i]))
        after[i].push_back(static_cast<int>(before));
    }
    slotted.push_back({&instructions[i], slots[i], after[i]});
  }
  return make_wavefront(slotted, {threads, cache_bytes, std::move(kernels)});
}

// What is asked of any order of batches.
void check(const Items& items, const std::vector<Batch>& batches) {
  std::map<std::pair<int, std::int64_t>, std::size_t> batch_of;
  std::vector<std::int64_t> before(batches.size(), 0);
  std::vector<std::set<std::size_t>> ancestors(batches.size());
  for (std::size_t b = 0; b < batches.size(); ++b) {
    ASSERT_EQ(batches[b].count, 1);
    for (std::int64_t chunk = 0; chunk < batches[b].chunks; ++chunk) {
      ASSERT_TRUE(batch_of.insert({{batches[b].first, batches[b].first_chunk + chunk}, b}).second)
          << "item " << batches[b].first << ", chunk " << chunk << " twice";
    }
    for (const int dependent : batches[b].dependents) {
      ASSERT_GT(dependent, static_cast<int>(b));
      const auto d = static_cast<std::size_t>(dependent);
      before[d] += batches[b].chunks;
      ancestors[d].insert(ancestors[b].begin(), ancestors[b].end());
      ancestors[d].insert(b);
    }
  }
  std::size_t chunks = 0;
  std::vector<Touched> touched(batches.size());
  for (const Instruction& instruction : items.instructions)
    chunks += static_cast<std::size_t>(count_chunks(instruction));
  EXPECT_EQ(batch_of.size(), chunks);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    EXPECT_EQ(batches[b].before, before[b]);
    touched[b] = touched_by(items, batches[b].first, batches[b].first_chunk);
  }
  const auto calls = [&](std::size_t b) { return is_call(items, static_cast<std::size_t>(batches[b].first)); };
  for (std::size_t a = 0; a < batches.size(); ++a) {
    for (std::size_t b = 0; b < batches.size(); ++b) {
      if (batches[a].first >= batches[b].first) continue;
      if (!calls(a) && !calls(b) && !conflict(touched[a], touched[b])) continue;
      ASSERT_TRUE(ancestors[b].contains(a))
          << "item " << batches[b].first << ", chunk " << batches[b].first_chunk << " need not wait for item "
          << batches[a].first << ", chunk " << batches[a].first_chunk;
    }
  }
}

class WavefrontPrograms : public testing::TestWithParam<std::uint64_t> {};

TEST_P(WavefrontPrograms, KeepThePlansOrderWhereverBytesMeet) {
  std::mt19937_64 random(GetParam());
  const auto pick = [&random](std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  };
  int found = 0;
  for (int program = 0; program < 8; ++program) {
    SCOPED_TRACE(testing::Message() << "seed " << GetParam() << ", program " << program);
    const std::int64_t rows = 30 + pick(30);
    const auto slot = [&] { return static_cast<int>(pick(4)); };
    Items items;
    const std::int64_t count = 3 + pick(8);
    for (std::int64_t i = 0; i < count; ++i) {
      switch (pick(9)) {
        case 0: items.copy(slot(), pick(kRow), slot(), pick(rows) * kRow, 1); break;
        case 1: items.copy(slot(), pick(kRow), slot(), pick(kRow), rows); break;
        case 2:  // a column, or a few
          items.launch(rows - 2, 1 + pick(2),
                       {{slot(), kRow + pick(8), kRow, {pick(3) - 1}}, {slot(), kRow + pick(8), kRow, {}}});
          break;
        case 3: {  // backwards
          items.launch(rows, kRow, {{slot(), (rows - 1) * kRow, -kRow, {0}}, {slot(), 0, kRow, {}}});
          break;
        }
        case 4:
          if (pick(3) == 0) items.call();
          break;
        case 5: {  // half of the rows
          items.launch(rows / 2, kRow,
                       {{slot(), kRow * pick(rows / 2), kRow, {0}}, {slot(), 0, kRow, {}}, {slot(), 0, 2 * kRow, {}}});
          break;
        }
        default: items.sweep(slot(), slot(), rows); break;
      }
    }
    const std::vector<Batch> batches = items.wavefront(1 + static_cast<int>(pick(4)), 64 + pick(4096));
    if (batches.empty()) continue;
    ++found;
    check(items, batches);
    if (testing::Test::HasFatalFailure()) return;
  }
  RecordProperty("wavefronts", found);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WavefrontPrograms, testing::ValuesIn(random_seeds(10)));

// Sweeps from an array to another and back.
Items sweeps(int count, std::int64_t rows) {
  Items items;
  for (int i = 0; i < count; ++i) items.sweep(i % 2, 1 - i % 2, rows, /*streaming=*/true);
  return items;
}

std::size_t place_of(const std::vector<Batch>& batches, int item, std::int64_t chunk) {
  std::size_t place = 0;
  while (batches[place].first != item || batches[place].first_chunk != chunk) ++place;
  return place;
}

TEST(Wavefront, ASweepFollowsTheOneBeforeByAStrip) {
  constexpr int kSweeps = 6;
  for (const int threads : {1, 2}) {
    Items items = sweeps(kSweeps, 130);
    const std::vector<Batch> batches = items.wavefront(threads, 8192);
    ASSERT_FALSE(batches.empty());
    check(items, batches);
    const std::int64_t strips = count_chunks(items.instructions[0]) / threads;
    EXPECT_GT(strips, 4 * kSweeps);
    // While the last sweep is at its first strip, the first one is a few strips ahead, no more.
    const std::size_t last = place_of(batches, kSweeps - 1, 0);
    std::int64_t ahead = 0;
    for (std::size_t b = 0; b < last; ++b) ahead += batches[b].first == 0 && batches[b].owner == 0 ? 1 : 0;
    EXPECT_EQ(ahead, kSweeps) << threads << " threads";
  }
}

// Each thread has a half of the rows, and both end where these meet.
TEST(Wavefront, ThreadsHaveTracksOfTheirOwn) {
  Items items = sweeps(4, 130);
  const std::vector<Batch> batches = items.wavefront(2, 8192);
  const std::int64_t chunks = count_chunks(items.instructions[0]);
  for (const Batch& batch : batches) EXPECT_EQ(batch.owner, batch.first_chunk < chunks / 2 ? 0 : 1);
  EXPECT_LT(place_of(batches, 0, chunks - 1), place_of(batches, 0, chunks / 2));
}

// The row before the first one is the last one's copy, and the other way round.
TEST(Wavefront, PeriodicBordersComeFirst) {
  constexpr std::int64_t kRows = 130;
  for (const int threads : {1, 2, 3}) {
    Items items;
    for (int step = 0; step < 5; ++step) {
      const int from = step % 2, to = 1 - from;
      items.launch(1, kRow, {{from, (kRows - 2) * kRow, kRow, {0}}, {from, 0, kRow, {}}});
      items.launch(1, kRow, {{from, kRow, kRow, {0}}, {from, (kRows - 1) * kRow, kRow, {}}});
      items.sweep(from, to, kRows);
    }
    const std::vector<Batch> batches = items.wavefront(threads, 8192);
    ASSERT_FALSE(batches.empty()) << threads << " threads";
    check(items, batches);
    EXPECT_LT(place_of(batches, 14, 0), batches.size() / 2);
  }
}

TEST(Wavefront, IsNoneWhereThereIsNothingToGain) {
  EXPECT_FALSE(sweeps(4, 130).wavefront(1, 8192).empty());
  EXPECT_TRUE(sweeps(4, 130).wavefront(1, 1 << 20).empty()) << "both arrays stay in the cache";
  EXPECT_TRUE(sweeps(1, 130).wavefront(1, 8192).empty()) << "one sweep";
  {
    Items items;
    for (int step = 0; step < 4; ++step) {
      items.sweep(step % 2, 1 - step % 2, 130);
      items.call();
    }
    const Extents before = std::get<Launch>(items.instructions[0].what).chunk;
    EXPECT_TRUE(items.wavefront(1, 8192).empty()) << "whole sweeps are waited for";
    EXPECT_EQ(std::get<Launch>(items.instructions[0].what).chunk, before);
  }
  {
    Items items;
    for (int slot = 0; slot < 6; slot += 2) items.sweep(slot, slot + 1, 130);
    EXPECT_TRUE(items.wavefront(1, 8192).empty()) << "no sweep has anything of another";
  }
}

// Writes past the caches are for what nobody reads there.
TEST(Wavefront, WhatOthersReadStaysInTheCaches) {
  Items items = sweeps(3, 130);
  items.sweep(0, 7, 130, /*streaming=*/true);
  int compiled = 0;
  const auto kernels = [&compiled](const kernel::Kernel&, const kernel::EmitOptions& options) {
    EXPECT_FALSE(options.streaming);
    ++compiled;
    return nullptr;
  };
  ASSERT_FALSE(items.wavefront(1, 8192, kernels).empty());
  EXPECT_EQ(compiled, 3);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::get<Launch>(items.instructions[i].what).kernel()->streaming, i == 3) << i;
}

// Rows are planes here, four of which go by turns: strips of fewer would part them. Strands are quicker than strips;
// but where one of the passes has none, all go in strips.
TEST(Wavefront, LeavesWhatGoesByTurns) {
  using kernel::Walk;
  const auto has_strips = [](std::int64_t rows_of_strip, Walk walk, Walk last) {
    Items items;
    for (int i = 0; i < 4; ++i) items.sweep(i % 2, 1 - i % 2, 242);
    for (Instruction& instruction : items.instructions)
      std::get<KernelCode>(std::get<Launch>(instruction.what).code).walk = walk;
    std::get<KernelCode>(std::get<Launch>(items.instructions.back().what).code).walk = last;
    // Two arrays are touched by each of four sweeps, by one thread.
    const std::int64_t cache_bytes = rows_of_strip * 2 * kRow * kCell * 2 * (4 + 1);
    return !items.wavefront(1, cache_bytes).empty();
  };
  for (const std::int64_t rows : {2, 3, 4, 6}) {
    EXPECT_TRUE(has_strips(rows, Walk::Rows, Walk::Rows)) << rows;
    EXPECT_EQ(has_strips(rows, Walk::Planes, Walk::Planes), rows >= kernel::kPlanesTogether) << rows;
    EXPECT_FALSE(has_strips(rows, Walk::Strands, Walk::Strands)) << rows;
    EXPECT_TRUE(has_strips(rows, Walk::Strands, Walk::Rows)) << rows;
  }
}

}  // namespace
}  // namespace pilum::scheduler
