#include "scheduler/record/operation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "scheduler/record/task_launch.h"

namespace pilum::scheduler {
namespace {

class ScalarsOf : public testing::TestWithParam<std::size_t> {};

// Six are kept in place, more in a vector: nobody sees which.
TEST_P(ScalarsOf, ALaunchAreItsWordsAlsoInCopiesThatOutliveThem) {
  std::vector<std::uint64_t> words(GetParam());
  std::iota(words.begin(), words.end(), std::uint64_t{1} << 63);
  LaunchScalars copy;
  {
    const LaunchScalars scalars(words, 77);
    EXPECT_EQ(std::vector<std::uint64_t>(scalars.words().begin(), scalars.words().end()), words);
    copy = scalars;
  }
  EXPECT_EQ(std::vector<std::uint64_t>(copy.words().begin(), copy.words().end()), words);
  EXPECT_EQ(copy.checked(), 77u);
  const LaunchScalars moved = std::move(copy);
  EXPECT_EQ(std::vector<std::uint64_t>(moved.words().begin(), moved.words().end()), words);
}

INSTANTIATE_TEST_SUITE_P(Counts, ScalarsOf, testing::Values(0, 1, 5, 6, 7, 64));

TEST(Whole, OfAStoreIsItsIdentityWhateverItsRank) {
  for (int rank = 0; rank <= kMaxAxes; ++rank) {
    const StoreRef store(new Store);
    for (int axis = 0; axis < rank; ++axis) store->shape.push_back(3 + axis);
    const View view = whole(store);
    EXPECT_EQ(view.store, store);
    EXPECT_EQ(view.shape, store->shape);
    EXPECT_EQ(view.map.view_rank, rank);
    EXPECT_EQ(view.map.store_rank, rank);
    EXPECT_EQ(partitioner::image(view.map, Rect::of(view.shape)), Rect::of(store->shape));
  }
}

TEST(Operand, WithoutAStoreIsANumber) {
  Operand operand;
  operand.scalar = Scalar::of(0.5);
  EXPECT_FALSE(operand.is_view());
  operand.view = whole(StoreRef(new Store));
  EXPECT_TRUE(operand.is_view());
}

// The views of an operation as "0w 1r": which store, written or read.
std::string views_of(const Operation& operation, const std::vector<StoreRef>& stores) {
  std::string text;
  for_each_view(operation, [&](const View& view, bool write) {
    const auto found = std::find(stores.begin(), stores.end(), view.store);
    text += (text.empty() ? "" : " ") + std::to_string(found - stores.begin()) + (write ? "w" : "r");
  });
  return text;
}

TEST(ForEachView, OfAnOperationIsItsOutputThenTheViewsAmongItsInputs) {
  std::vector<StoreRef> stores;
  for (int i = 0; i < 4; ++i) stores.emplace_back(new Store);
  Operation operation;
  auto& elementwise = std::get<Elementwise>(operation.what);
  elementwise.output = whole(stores[0]);
  EXPECT_EQ(views_of(operation, stores), "0w");
  elementwise.inputs.resize(3);
  elementwise.inputs[0].view = whole(stores[1]);
  elementwise.inputs[1].scalar = Scalar::of(2.0);
  elementwise.inputs[2].view = whole(stores[0]);
  EXPECT_EQ(views_of(operation, stores), "0w 1r 0r");
  elementwise.inputs.resize(2);  // what stands beyond is no input
  EXPECT_EQ(views_of(operation, stores), "0w 1r");
  operation.what = Reduction{whole(stores[2]), whole(stores[3])};
  EXPECT_EQ(views_of(operation, stores), "2w 3r");
  operation.what = Import{whole(stores[3]), nullptr};
  EXPECT_EQ(views_of(operation, stores), "3w");
  operation.what = ReshapedCopy{whole(stores[1]), whole(stores[2])};
  EXPECT_EQ(views_of(operation, stores), "1w 2r");
}

TEST(ForEachInput, TellsThePlaceOfEachViewAndItMayBeChanged) {
  Operation operation;
  auto& elementwise = std::get<Elementwise>(operation.what);
  elementwise.inputs.resize(3);
  elementwise.inputs[2].view = whole(StoreRef(new Store));
  std::vector<std::size_t> places;
  for_each_input(operation, [&](std::size_t place, View& view) {
    places.push_back(place);
    view.shape = Shape({7});
  });
  EXPECT_EQ(places, std::vector<std::size_t>{2});
  EXPECT_EQ(elementwise.inputs[2].view.shape, Shape({7}));
}

TEST(Operation, OfATaskHasNoOutputAndEveryOtherHasOne) {
  EXPECT_TRUE(Operation().output());
  EXPECT_TRUE((Operation{"", {}, Reduction()}).output());
  EXPECT_TRUE((Operation{"", {}, Import()}).output());
  EXPECT_TRUE((Operation{"", {}, ReshapedCopy()}).output());
  const Operation task{"", {}, TaskCall{std::make_shared<TaskLaunch>(), {}}};
  EXPECT_FALSE(task.output());
  EXPECT_TRUE(task.launch());
  EXPECT_FALSE(Operation().launch());
}

TEST(PackKind, DiffersWithEachMemberThatIsNoViewAndNoNumber) {
  const auto elementwise = [](kernel::Op op, DType compute, std::int8_t axis, std::size_t inputs) {
    Operation operation;
    auto& what = std::get<Elementwise>(operation.what);
    what.op = op;
    what.compute = compute;
    what.axis = axis;
    what.inputs.resize(inputs);
    return pack_kind(operation);
  };
  const auto reduction = [](kernel::Fold fold, std::uint8_t axes) {
    return pack_kind({"", {}, Reduction{{}, {}, fold, axes}});
  };
  const std::set<std::uint64_t> words{elementwise(kernel::Op::Cast, DType::Float64, 0, 1),
                                      elementwise(kernel::Op::Add, DType::Float64, 0, 1),
                                      elementwise(kernel::Op::Cast, DType::Int32, 0, 1),
                                      elementwise(kernel::Op::Cast, DType::Float64, 1, 1),
                                      elementwise(kernel::Op::Cast, DType::Float64, 0, 2),
                                      reduction(kernel::Fold::Sum, 1),
                                      reduction(kernel::Fold::Maximum, 1),
                                      reduction(kernel::Fold::Sum, 2),
                                      pack_kind({"", {}, Import()}),
                                      pack_kind({"", {}, ReshapedCopy()}),
                                      pack_kind({"", {}, TaskCall()})};
  EXPECT_EQ(words.size(), 11u);
}

TEST(ForEachView, OfATaskIsItsArgumentsInOrderAndAFoldWrites) {
  std::vector<StoreRef> stores;
  auto launch = std::make_shared<TaskLaunch>();
  const kernel::Access accesses[] = {kernel::Access::Read, kernel::Access::Write, kernel::Access::ReadWrite,
                                     kernel::Access::Reduce};
  for (const kernel::Access access : accesses) {
    stores.emplace_back(new Store);
    Argument argument;
    argument.view = whole(stores.back());
    argument.footprint.access = access;
    launch->arguments.push_back(argument);
  }
  EXPECT_EQ(views_of({"", {}, TaskCall{launch, {}}}, stores), "0r 1w 2w 3w");
}

}  // namespace
}  // namespace pilum::scheduler
