#include "scheduler/plan/picked_steps.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace pilum::scheduler {
namespace {

using Words = std::vector<std::int64_t>;

// Runs each chunk of a step on these arrays.
template <class Step>
void run(const Step& step, std::int64_t chunks, const std::vector<void*>& memory) {
  std::vector<detail::BoundStore> stores(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) stores[i].first = memory[i];
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) step.run({Piece({chunk}, {chunk + 1}), stores.data(), nullptr});
}

TEST(RowShape, MergesInnerAxesThatLieWithoutGaps) {
  const RowShape dense = RowShape::of(2, {3, 4}, {32, 8}, 8);
  EXPECT_EQ(dense.rank, 0);
  EXPECT_EQ(dense.run, 96);
  const RowShape padded = RowShape::of(3, {2, 3, 4}, {400, 64, 8}, 8);
  EXPECT_EQ(padded.rank, 2);
  EXPECT_EQ(padded.run, 32);
  EXPECT_EQ(padded.bytes, 2 * 3 * 4 * 8);
  const RowShape reversed = RowShape::of(1, {5}, {-8}, 8);
  EXPECT_EQ(reversed.rank, 1);
  EXPECT_EQ(reversed.run, 8);
  EXPECT_EQ(RowShape::of(2, {1, 6}, {1000, 4}, 4).rank, 0);
  EXPECT_EQ(RowShape::of(0, {}, {}, 16).bytes, 16);
}

TEST(ChosenAxes, FindTheLastPartThatBeginsAtOrBeforeACell) {
  ChosenAxes::Axis axis;
  axis.starts = {0, 10, 25, 40};
  EXPECT_EQ(axis.parts(), 3);
  Words parts;
  for (const std::int64_t cell : {0, 9, 10, 24, 25, 39}) parts.push_back(axis.part_of(cell));
  EXPECT_EQ(parts, (Words{0, 0, 1, 1, 2, 2}));
}

// Points 0 … 7 name the cells 3·x + 1 of 24, which lie in groups of 10, 5 and 9 cells.
TEST(PickedSteps, RequestsOfAGroupStandInTheOrderOfThePoints) {
  auto body = std::make_shared<TaskBody>();
  body->locate = [](const detail::BodyCall& call, std::int64_t* coordinates) {
    for (std::int64_t x = call.piece.lo(0); x < call.piece.hi(0); ++x)
      *coordinates++ = static_cast<const std::int64_t*>(call.stores[2].first)[x];
  };
  auto chosen = std::make_shared<ChosenAxes>();
  chosen->axes.push_back({0, 1, 0, {0, 10, 15, 24}});
  Words index{22, 1, 10, 4, 16, 13, 7, 19};
  for (const std::int64_t chunks : {1, 3}) {
    const PickedPoints points{Rect::of({0}, {8}), chunks};
    Words places(8), numbers(8), counts(static_cast<std::size_t>(3 * chunks)), ranges(6), requests(8);
    std::vector<std::uint32_t> small(8);
    run(LocateStep{body, chosen, points, 1, std::vector<detail::BoundStore>(3)}, chunks,
        {places.data(), numbers.data(), counts.data(), index.data()});
    EXPECT_EQ(places, (Words{7, 1, 0, 4, 1, 3, 7, 4}));
    EXPECT_EQ(numbers, (Words{2, 0, 1, 0, 2, 1, 0, 2}));
    run(NumberStep{chunks, 3}, 1, {counts.data(), ranges.data()});
    EXPECT_EQ(ranges, (Words{0, 3, 3, 2, 5, 3}));
    Words groups = numbers, begins = counts;
    run(RequestStep{points, 3, 8}, chunks, {places.data(), numbers.data(), counts.data(), requests.data()});
    run(RequestStep{points, 3, 4}, chunks, {places.data(), groups.data(), begins.data(), small.data()});
    EXPECT_EQ(requests, (Words{1, 4, 7, 0, 3, 7, 1, 4}));
    EXPECT_EQ(Words(small.begin(), small.end()), requests);
    EXPECT_EQ(numbers, (Words{5, 0, 3, 1, 6, 4, 2, 7}));
  }
}

TEST(PickedSteps, AnOwnerAnswersAtTheRequestsNumbers) {
  // 4 × 3 cells, of which the last two columns are a row's; the pitch is 4 cells.
  std::vector<std::int32_t> cells(16);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int32_t>(10 * (i / 4) + i % 4);
  Words range{2, 3}, requests{-1, -1, 3, 0, 3};
  std::vector<std::int32_t> rows(10, -1);
  AnswerStep step;
  step.chunks = 2;
  step.axes = 1;
  step.extent[0] = 4;
  step.pitch[0] = 16;
  step.row = RowShape::of(1, {2}, {4}, 4);
  run(step, step.chunks, {range.data(), requests.data(), cells.data() + 1, rows.data()});
  EXPECT_EQ(rows, (std::vector<std::int32_t>{-1, -1, -1, -1, 31, 32, 1, 2, 31, 32}));
}

TEST(PickedSteps, PlacesAlongTwoAxesAreNumberedRowMajor) {
  std::vector<double> cells{0, 1, 2, 3, 4, 5};
  Words range{0, 3};
  std::vector<std::uint32_t> requests{5, 0, 2};
  std::vector<double> rows(3);
  AnswerStep step;
  step.axes = 2;
  step.place_bytes = 4;
  step.extent = {2, 3};
  step.pitch = {24, 8};
  step.row = RowShape::of(0, {}, {}, 8);
  run(step, 1, {range.data(), requests.data(), cells.data(), rows.data()});
  EXPECT_EQ(rows, (std::vector<double>{5, 0, 2}));
}

// Points 2 × 3; of each row's two halves another owner's.
TEST(PickedSteps, RowsArePutToTheirPoints) {
  Words numbers{4, 0, 5, 1, 3, 2};
  std::vector<std::int16_t> rows;
  for (const int half : {0, 1}) {
    for (int number = 0; number < 6; ++number) rows.push_back(static_cast<std::int16_t>(10 * number + half));
  }
  for (const std::int64_t chunks : {1, 2}) {
    std::vector<std::int16_t> result(12, -1);
    PlaceStep step{{Rect::of({5, 7, 0}, {7, 10, 1}), chunks}, {12, 4, 2}, {}};
    const RowShape one = RowShape::of(1, {1}, {2}, 2);
    step.parts = {{one, 0, 0}, {one, 12, 2}};
    run(step, chunks, {numbers.data(), rows.data(), result.data()});
    EXPECT_EQ(result, (std::vector<std::int16_t>{40, 41, 0, 1, 50, 51, 10, 11, 30, 31, 20, 21}));
  }
}

}  // namespace
}  // namespace pilum::scheduler
