#include "scheduler/watch/call_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <tuple>

#include "scheduler/record/task_launch.h"
#include "tests/scheduler/launch_arguments.h"
#include "tests/scheduler/seeds.h"

namespace pilum::scheduler {
namespace {

StoreRef store_of(std::int64_t id, const Shape& shape, DType dtype = DType::Float64) {
  StoreRef store(new Store);
  store->id = StoreId{id};
  store->shape = shape;
  store->dtype = dtype;
  store->digest = digest_of(*store);
  return store;
}

// out[1:, :] = in[:-1, ::-1] * 0.3
Elementwise multiply() {
  Elementwise multiply;
  multiply.op = kernel::Op::Multiply;
  multiply.output = whole(store_of(5, Shape({10, 20})));
  multiply.output.shape = Shape({9, 20});
  multiply.output.map[0].offset = 1;
  multiply.inputs.resize(2);
  multiply.inputs[0].view = whole(store_of(6, Shape({10, 20})));
  multiply.inputs[0].view.shape = Shape({9, 20});
  multiply.inputs[0].view.map[1] = {1, -1, 19};
  multiply.inputs[1].scalar = Scalar::of(0.3);
  return multiply;
}
Reduction sum() {
  return {whole(store_of(5, Shape({10}))), whole(store_of(6, Shape({10, 20}))), kernel::Fold::Sum, 0b10};
}
Import import() {
  return {whole(store_of(5, Shape({10}))), std::make_shared<std::vector<std::byte>>(80)};
}

template <class Kind>
CallDigest digest_of_kind(const Kind& kind, std::source_location where = {}) {
  return digest_of(Operation{"", where, kind}, false);
}

// The parts in which two digests differ.
std::set<CallPart> difference(CallDigest a, CallDigest b) {
  std::set<CallPart> parts;
  for (std::size_t part = 0; part < kCallParts; ++part) {
    if (a.parts[part] != b.parts[part]) parts.insert(static_cast<CallPart>(part));
  }
  EXPECT_EQ(parts.empty(), a.whole() == b.whole());
  return parts;
}

using CallParts = std::set<CallPart>;

TEST(CallDigest, OfTheSameCallIsTheSameWhereverItsStoresLie) {
  Elementwise other = multiply();
  EXPECT_EQ(difference(digest_of_kind(multiply()), digest_of_kind(other)), CallParts{});
  other.inputs[0].view.store->handles = 7;
  EXPECT_EQ(difference(digest_of_kind(multiply()), digest_of_kind(other)), CallParts{});
  other.inputs[2].scalar = Scalar::of(9.0);
  EXPECT_EQ(difference(digest_of_kind(multiply()), digest_of_kind(other)), CallParts{}) << "it is no input";
  EXPECT_EQ(difference(digest_of_kind(sum()), digest_of_kind(sum())), CallParts{});
  EXPECT_EQ(difference(digest_of_kind(import()), digest_of_kind(import())), CallParts{});
}

// Each change of an operation alters the digest's part, and no two of them to the same.
template <class Kind>
void expect_changes(Kind make(),
                    std::initializer_list<std::tuple<const char*, CallPart, std::function<void(Kind&)>>> changes) {
  std::set<std::uint64_t> wholes{digest_of_kind(make()).whole()};
  for (const auto& [what, part, change] : changes) {
    Kind after = make();
    change(after);
    EXPECT_EQ(difference(digest_of_kind(make()), digest_of_kind(after)), CallParts{part}) << what;
    EXPECT_TRUE(wholes.insert(digest_of_kind(after).whole()).second) << what;
  }
}

TEST(CallDigest, EachChangeOfAnElementwiseOperationShowsInThePartThatAnErrorNames) {
  using One = Elementwise&;
  const StoreRef same_shape = store_of(7, Shape({10, 20}));
  expect_changes<Elementwise>(
      multiply,
      {
          {"op", CallPart::Operation, [](One one) { one.op = kernel::Op::Add; }},
          {"computed in", CallPart::Operation, [](One one) { one.compute = DType::Float32; }},
          {"axis", CallPart::Operation, [](One one) { one.axis = 1; }},
          {"output's id", CallPart::Arrays, [&](One one) { one.output.store = same_shape; }},
          {"input's id", CallPart::Arrays, [&](One one) { one.inputs[0].view.store = same_shape; }},
          {"input's shape", CallPart::Arrays, [](One one) { one.inputs[0].view.store = store_of(6, Shape({10, 21})); }},
          {"input's dtype", CallPart::Arrays,
           [](One one) { one.inputs[0].view.store = store_of(6, Shape({10, 20}), DType::Float32); }},
          {"view's shape", CallPart::Views, [](One one) { one.output.shape = Shape({8, 20}); }},
          {"offset", CallPart::Views, [](One one) { one.output.map[0].offset = 0; }},
          {"step", CallPart::Views, [](One one) { one.output.map[0].scale = 2; }},
          {"order of axes", CallPart::Views,
           [](One one) { std::swap(one.output.map[0].axis, one.output.map[1].axis); }},
          {"dropped axis", CallPart::Views, [](One one) { one.output.map[0].axis = -1; }},
          {"number", CallPart::Numbers, [](One one) { one.inputs[1].scalar = Scalar::of(0.30000000000000004); }},
          {"sign of zero", CallPart::Numbers, [](One one) { one.inputs[1].scalar = Scalar::of(-0.0); }},
          {"number's dtype", CallPart::Numbers,
           [](One one) { one.inputs[1].scalar = {DType::Int64, one.inputs[1].scalar.bits}; }},
      });
}

TEST(CallDigest, EachChangeOfAReductionOrAnImportShowsInThePartThatAnErrorNames) {
  expect_changes<Reduction>(
      sum, {
               {"fold", CallPart::Operation, [](Reduction& one) { one.fold = kernel::Fold::Maximum; }},
               {"reduced axes", CallPart::Operation, [](Reduction& one) { one.reduced_axes = 0b1; }},
               {"input's id", CallPart::Arrays, [](Reduction& one) { one.input.store = store_of(7, Shape({10, 20})); }},
               {"input's offset", CallPart::Views, [](Reduction& one) { one.input.map[0].offset = 1; }},
           });
  expect_changes<Import>(
      import, {
                  {"cells", CallPart::Data,
                   [](Import& one) { one.cells = std::make_shared<std::vector<std::byte>>(80, std::byte{1}); }},
                  {"output's id", CallPart::Arrays, [](Import& one) { one.output.store = store_of(7, Shape({10})); }},
              });
}

TEST(CallDigest, TheKindAndTheLineAreOfTheOperation) {
  const View output = whole(store_of(5, Shape({10}))), input = whole(store_of(6, Shape({10})));
  EXPECT_EQ(difference(digest_of_kind(ReshapedCopy{output, input}), digest_of_kind(Reduction{output, input})),
            (CallParts{CallPart::Operation}));
  EXPECT_EQ(difference(digest_of_kind(sum()), digest_of_kind(sum(), std::source_location::current())),
            (CallParts{CallPart::Operation}));
}

TEST(CallDigest, InputsThatAreSwappedDiffer) {
  Elementwise a = multiply(), b = multiply();
  b.inputs[0] = a.inputs[1];
  b.inputs[1] = a.inputs[0];
  EXPECT_EQ(difference(digest_of_kind(a), digest_of_kind(b)), (CallParts{CallPart::Numbers}))
      << "the same views and numbers; which place the number has is its own";
  a.inputs[1].view = whole(store_of(8, Shape({9, 20})));
  b.inputs[0].view = a.inputs[1].view;
  EXPECT_EQ(difference(digest_of_kind(a), digest_of_kind(b)), (CallParts{CallPart::Arrays, CallPart::Views}));
}

TEST(CallDigest, NoTwoSmallSlicesAreTakenForOneAnother) {
  std::set<std::uint64_t> seen;
  std::size_t count = 0;
  Elementwise elementwise = multiply();
  for (std::int64_t offset = -8; offset < 8; ++offset) {
    for (std::int64_t scale = -8; scale < 8; ++scale) {
      for (std::int64_t extent = 1; extent < 8; ++extent, ++count) {
        elementwise.output.map[0].offset = offset;
        elementwise.output.map[0].scale = scale;
        elementwise.output.shape = Shape({extent, 20});
        seen.insert(digest_of_kind(elementwise)[CallPart::Views]);
      }
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(CallDigest, OfATaskIsOfItsLaunchItsCapturedStateAndItsScalars) {
  const auto call = [](std::uint64_t hash, std::uint64_t captured, std::uint64_t word, std::uint64_t checked,
                       std::int64_t store = 3) {
    auto launch = std::make_shared<TaskLaunch>();
    launch->hash = hash;
    launch->captured = captured;
    launch->arguments = {argument_of(kernel::Access::Read, Shape({4}), {})};
    launch->arguments[0].view = whole(store_of(store, Shape({4})));
    return digest_of_kind(TaskCall{launch, LaunchScalars(std::span(&word, 1), checked)});
  };
  const CallDigest same = call(1, 2, 3, 4);
  EXPECT_EQ(difference(call(1, 2, 3, 4), same), CallParts{});
  EXPECT_EQ(difference(call(9, 2, 3, 4), same), (CallParts{CallPart::Operation}));
  EXPECT_EQ(difference(call(1, 9, 3, 4), same), (CallParts{CallPart::Data}));
  EXPECT_EQ(difference(call(1, 2, 9, 4), same), CallParts{}) << "a word may be an address: what counts is checked()";
  EXPECT_EQ(difference(call(1, 2, 3, 9), same), (CallParts{CallPart::Numbers}));
  EXPECT_EQ(difference(call(1, 2, 3, 4, 9), same), (CallParts{CallPart::Arrays}));
}

TEST(CallDigest, OfACallThatIsNoOperationIsOfItsName) {
  EXPECT_EQ(digest_of("wait").whole(), digest_of(std::string("wait").c_str()).whole());
  EXPECT_EQ(difference(digest_of("wait"), digest_of("item")), (CallParts{CallPart::Operation}));
  EXPECT_EQ(difference(digest_of("wait"), digest_of("")), (CallParts{CallPart::Operation}));
}

// --- cells

CallDigest cells_digest(std::span<const std::byte> bytes, bool all_bytes = false) {
  return digest_of("item", DType::Int32, bytes, all_bytes);
}

TEST(CallDigest, UpToTheSampledBytesEveryCellCounts) {
  std::vector<std::byte> bytes(kSampledBytes);
  const std::uint64_t before = cells_digest(bytes).whole();
  for (std::size_t at = 0; at < bytes.size(); at += 911) {
    bytes[at] = std::byte{1};
    EXPECT_NE(cells_digest(bytes).whole(), before) << at;
    bytes[at] = {};
  }
  EXPECT_EQ(cells_digest(bytes).whole(), before);
}

TEST(CallDigest, OfMoreASampleCountsThatIsSpreadOverAllWithBothEnds) {
  for_each_seed(4, [](std::uint64_t seed) {
    Random random(seed);
    std::vector<std::byte> bytes(static_cast<std::size_t>(random.between(kSampledBytes + 1, 40 * kSampledBytes)));
    const std::uint64_t before = cells_digest(bytes).whole(), all = cells_digest(bytes, true).whole();
    for (const std::size_t at : {std::size_t{0}, std::size_t{63}, bytes.size() - 64, bytes.size() - 1}) {
      bytes[at] = std::byte{1};
      EXPECT_NE(cells_digest(bytes).whole(), before) << at << " of " << bytes.size();
      bytes[at] = {};
    }
    // No run of a 500th of the bytes is left out.
    const std::size_t run = bytes.size() / 500;
    for (std::size_t at = 0; at + run <= bytes.size(); at += bytes.size() / 13) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), run, std::byte{1});
      EXPECT_NE(cells_digest(bytes).whole(), before) << at << " of " << bytes.size();
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), run, std::byte{});
    }
    bytes[bytes.size() / 3] = std::byte{1};
    EXPECT_NE(cells_digest(bytes, true).whole(), all);
    bytes.push_back({});
    EXPECT_NE(cells_digest(bytes).whole(), before) << "their number counts";
  });
}

TEST(CallDigest, OnlyFloatsHaveNaNs) {
  const auto digest = [](DType dtype, auto first, auto second) {
    const decltype(first) cells[] = {first, second};
    return digest_of("item", dtype, std::as_bytes(std::span(cells)), false).whole();
  };
  constexpr std::uint32_t kQuiet = 0x7fc00000, kOther = 0xffc12345;
  EXPECT_EQ(digest(DType::Float32, kQuiet, kQuiet), digest(DType::Float32, kOther, kQuiet));
  EXPECT_NE(digest(DType::Int32, kQuiet, kQuiet), digest(DType::Int32, kOther, kQuiet));
  EXPECT_NE(digest(DType::Float32, kQuiet, 1u), digest(DType::Float32, 1u, kQuiet));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_NE(digest(DType::Float32, kInfinity, 0.0f), digest(DType::Float32, -kInfinity, 0.0f));
  EXPECT_NE(digest(DType::Float32, kInfinity, 0.0f), digest(DType::Float32, std::bit_cast<float>(kQuiet), 0.0f));
}

TEST(StoreDigest, IsOfIdDtypeAndShape) {
  std::set<std::uint64_t> seen;
  for (const StoreRef& store :
       {store_of(1, Shape({})), store_of(2, Shape({})), store_of(1, Shape({1})), store_of(1, Shape({1, 1})),
        store_of(1, Shape({2, 3})), store_of(1, Shape({3, 2})), store_of(1, Shape({2, 3}), DType::Int64)})
    EXPECT_TRUE(seen.insert(digest_of(*store)).second) << store->shape;
  EXPECT_EQ(digest_of(*store_of(1, Shape({2, 3}))), digest_of(*store_of(1, Shape({2, 3}))));
}

// --- as text

TEST(CallSketch, SaysWhatTellsACallFromOthersOfItsLine) {
  EXPECT_EQ(to_string(sketch_of({"", {}, multiply()})), "float64 of (9, 20), number 0.3");
  EXPECT_EQ(to_string(CallSketch()), "");
  const auto of_shape = [](const Shape& shape) {
    return to_string(sketch_of({"", {}, Import{whole(store_of(1, shape, DType::Bool)), nullptr}}));
  };
  EXPECT_EQ(of_shape(Shape({})), "bool of ()");
  EXPECT_EQ(of_shape(Shape({7})), "bool of (7,)");
  EXPECT_EQ(of_shape(Shape({1, 2, 3})), "bool of (1, 2, 3)");
  EXPECT_EQ(of_shape(Shape({1, 2, 3, 4, 5})), "bool of (1, 2, 3, …)");
}

TEST(CallSketch, HasTheFirstOfSeveralNumbers) {
  Elementwise elementwise = multiply();
  elementwise.inputs.resize(3);
  elementwise.inputs[0].scalar = Scalar::of(true);
  elementwise.inputs[0].view = {};
  elementwise.inputs[2].scalar = Scalar::of(std::int64_t{4});
  EXPECT_EQ(to_string(sketch_of({"", {}, elementwise})), "float64 of (9, 20), number true");
}

TEST(CallSketch, OfATaskIsItsDomain) {
  auto launch = std::make_shared<TaskLaunch>();
  launch->domain = Rect::of({0, 0}, {30, 40});
  const Operation operation{"", {}, TaskCall{launch, {}}};
  EXPECT_EQ(to_string(sketch_of(operation)), "float64 of (30, 40)");
  launch->arguments = {argument_of(kernel::Access::Read, Shape({4}), {})};
  launch->arguments[0].footprint.dtype = DType::Int32;
  EXPECT_EQ(to_string(sketch_of(operation)), "int32 of (30, 40)");
}

TEST(NameParts, JoinsWhatDiffersInOrder) {
  using Differ = std::array<bool, kCallParts>;
  EXPECT_EQ(name_parts(Differ{}), "");
  EXPECT_EQ(name_parts(Differ{false, false, true, false, false}), "slices");
  EXPECT_EQ(name_parts(Differ{true, true, true, true, true}),
            "the operation; arrays, their shapes or dtypes; slices; numbers; imported, read or captured values");
}

}  // namespace
}  // namespace pilum::scheduler
