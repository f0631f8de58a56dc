// Users' bodies for GPUs: emitted, compiled for the host and run there, against plain loops; and by NVRTC.
#include "runtime/kernel/body/device_body.h"

#include <cstring>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/jit/device_compiler.h"
#include "tests/fakes/emulated_gpu.h"

namespace pilum::kernel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr BodyParameter kIn{.access = Access::Read, .rank = 1}, kOut{.access = Access::Write, .rank = 1};
constexpr BodyParameter kTotal{.access = Access::Reduce, .rank = 1};
constexpr BodyParameter kNumber{.kind = BodyParameter::Kind::Floating, .bytes = 8};

BodyForm::Array own(int axes, bool contiguous = true) {
  BodyForm::Array array{.contiguous = contiguous};
  for (int axis = 0; axis < axes; ++axis) array.axes.push_back({BodyAxis::Kind::Own, static_cast<std::int8_t>(axis)});
  return array;
}
BodyForm::Array window() {
  return {{{BodyAxis::Kind::Window, 0}}, true, Fold::Sum};
}
BodyForm::Array fixed(int axes, Fold fold = Fold::Sum) {
  return {std::vector<BodyAxis>(static_cast<std::size_t>(axes)), true, fold};
}

// One-dimensional arrays of float64, or what `strides` says.
struct Launch {
  BodySource body;
  BodyForm form;
  std::vector<std::int64_t> lo, extent;
  std::vector<BodyPlace> places;
  std::vector<std::uint64_t> scalars;
  std::int64_t parts = 0;
  int threads = 256;
  OutOfBoundsReport report;

  void run() {
    DeviceBodyCall call{body, form, lo, extent, parts, places, scalars, &report, "smooth", "app.cc", 31, threads};
    std::vector<std::uint64_t> words;
    pack_body_call(call, words);
    const DeviceShape shape = shape_of(call);
    const auto image =
        std::make_shared<device::GpuImage>(fakes::make_emulated_compiler()->compile(emit_device_body(body, form)));
    const auto gpu = fakes::make_emulated_gpu({});
    gpu->launch(device::Stream::Compute, {image, shape.grid, shape.block, words});
    gpu->finish();
  }
};

BoundArray at(const double* cells, std::initializer_list<std::int64_t> strides = {1}) {
  BoundArray array{};
  array.base = reinterpret_cast<char*>(const_cast<double*>(cells));
  std::size_t axis = 0;
  for (const std::int64_t stride : strides) array.stride[axis++] = stride * static_cast<std::int64_t>(sizeof(double));
  return array;
}

std::uint64_t bits(double value) {
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

constexpr const char* kSmooth = R"(
double middle(double a, double b) { return (a + b) / 2; }
void body(pilum::Point<1> x, const pilum::Read<const double, 1>& in, pilum::Write<double, 1> out, const double plus) {
  out(x) = middle(in(in.lo(0)), in(in.hi(0) - 1)) + plus * x;
}
)";

Launch smooth_launch(const std::vector<double>& in, std::vector<double>& out, const std::vector<BodyRange>& ranges) {
  Launch launch{{"smooth", kSmooth, {kIn, kOut, kNumber}, false},
                {1, {window(), own(1)}},
                {0},
                {static_cast<std::int64_t>(in.size())}};
  launch.places = {{at(in.data()), 0, ranges}, {at(out.data()), 0, ranges}};
  launch.scalars = {bits(10)};
  return launch;
}

TEST(DeviceBody, IsCalledForEachPointWithItsCellsClippedAtTheEnds) {
  std::vector<double> in{1, 2, 4, 8, 16}, out(5, -1);
  const std::vector<BodyRange> ranges{{.scale = 1, .offset = -1, .extent = 3, .size = 5}};
  smooth_launch(in, out, ranges).run();
  EXPECT_THAT(out, ElementsAre(1.5, 12.5, 25, 40, 52));
}

TEST(DeviceBody, RunsThePointsOfItsBoxAlone) {
  std::vector<double> in{1, 2, 4, 8, 16}, out(5, -1);
  const std::vector<BodyRange> ranges{{.scale = 1, .offset = -1, .extent = 3, .size = 5}};
  Launch launch = smooth_launch(in, out, ranges);
  launch.lo = {1};
  launch.extent = {3};
  launch.run();
  EXPECT_THAT(out, ElementsAre(-1, 12.5, 25, 40, -1));
}

TEST(DeviceBody, ComesToEachPointOfEveryRankOnce) {
  for (const std::vector<std::int64_t>& extent : {std::vector<std::int64_t>{1},
                                                  {700},
                                                  {3, 5},
                                                  {300, 2},
                                                  {2, 300},
                                                  {2, 3, 5},
                                                  {4, 1, 3, 2},
                                                  {2, 1, 2, 1, 3, 1, 1, 2}}) {
    for (const int threads : {64, 256}) {
      const auto rank = extent.size();
      std::int64_t cells = 1;
      BoundArray array{};
      for (std::size_t axis = rank; axis-- > 0; cells *= extent[axis]) array.stride[axis] = 8 * cells;
      std::vector<double> out(static_cast<std::size_t>(cells), 0);
      array.base = reinterpret_cast<char*>(out.data());
      std::string number = "x[0]", point = "x[0]";
      for (std::size_t axis = 1; axis < rank; ++axis) {
        number = "(" + number + ") * " + std::to_string(extent[axis]) + " + x[" + std::to_string(axis) + "]";
        point += ", x[" + std::to_string(axis) + "]";
      }
      const std::string r = std::to_string(rank);
      Launch launch{{"number",
                     "void body(pilum::Point<" + r + "> x, pilum::ReadWrite<double, " + r + "> out) { out(" + point +
                         ") += " + number + " + 1; }",
                     {{.access = Access::ReadWrite, .rank = static_cast<int>(rank)}},
                     true},
                    {static_cast<int>(rank), {own(static_cast<int>(rank))}},
                    std::vector<std::int64_t>(rank, 0),
                    extent};
      const std::vector<BodyRange> ranges(rank);
      launch.places = {{array, 0, ranges}};
      launch.threads = threads;
      launch.run();
      for (std::size_t i = 0; i < out.size(); ++i)
        ASSERT_EQ(out[i], static_cast<double>(i + 1)) << "rank " << rank << ", cell " << i;
      EXPECT_EQ(launch.report.state, 0u);
    }
  }
}

TEST(DeviceBody, MayTakeAPieceOfOnePoint) {
  std::vector<double> in{1, 2, 4, 8}, out(4, 0);
  Launch launch{{"loop",
                 R"(void body(pilum::Piece piece, pilum::Read<double, 1> in, pilum::Write<double, 1> out) {
                   for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in(std::max<std::int64_t>(i - 1, in.lo(0))) + piece.size();
                 })",
                 {kIn, kOut},
                 true},
                {1, {window(), own(1, /*contiguous=*/false)}},
                {0},
                {4}};
  const std::vector<BodyRange> ranges{{.scale = 1, .offset = -1, .extent = 2, .size = 4}};
  launch.places = {{at(in.data()), 0, ranges}, {at(out.data() + 3, {-1}), 0, ranges}};
  launch.run();
  EXPECT_THAT(out, ElementsAre(5, 3, 2, 2));
  EXPECT_EQ(launch.report.state, 0u);
}

TEST(DeviceBody, TakesValuesOfEverySizeAndKind) {
  std::vector<double> out(1, 0);
  Launch launch{{"values",
                 R"(
struct Factors { double by; int more; char mark[20]; };
void body(pilum::Point<1> x, bool yes, Factors factors, int a, pilum::Write<double, 1> out, float b, long c, short d) {
  out(x) = yes ? factors.by * factors.more + factors.mark[19] + a + b + c + d : -1;
})",
                 {{.kind = BodyParameter::Kind::Bool, .bytes = 1},
                  {.kind = BodyParameter::Kind::Other, .bytes = 32},
                  {.kind = BodyParameter::Kind::Integer, .bytes = 4},
                  kOut,
                  {.kind = BodyParameter::Kind::Floating, .bytes = 4},
                  {.kind = BodyParameter::Kind::Integer, .bytes = 8},
                  {.kind = BodyParameter::Kind::Integer, .bytes = 2}},
                 false},
                {1, {own(1)}},
                {0},
                {1}};
  struct Factors {
    double by;
    int more;
    char mark[20];
  } factors{0.5, 4, {}};
  factors.mark[19] = 10;
  launch.scalars.resize(1 + 4 + 1 + 1 + 1 + 1);
  const auto put = [&](std::size_t word, auto value) { std::memcpy(&launch.scalars[word], &value, sizeof value); };
  put(0, true);
  put(1, factors);
  put(5, -100);
  put(6, 0.25f);
  put(7, 1000l);
  put(8, short{-7});
  const std::vector<BodyRange> ranges(1);
  launch.places = {{at(out.data()), 0, ranges}};
  launch.run();
  EXPECT_EQ(out[0], 0.5 * 4 + 10 - 100 + 0.25 + 1000 - 7);
}

TEST(DeviceBody, FoldsEachPartInOrderIntoCellsOfItsOwn) {
  std::vector<double> in(10), partials(3 * 2, 77);
  for (std::size_t i = 0; i < 10; ++i) in[i] = static_cast<double>(i);
  Launch launch{{"count",
                 R"(void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Reduce<double, 1> total) {
                   total(x % 2) = 10 * total(x % 2) + in(x);
                 })",
                 {kIn, kTotal},
                 true},
                {1, {own(1), fixed(1)}},
                {0},
                {10}};
  const std::vector<BodyRange> ranges(1), both{{.lo = 0, .hi = 2}};
  launch.places = {{at(in.data()), 0, ranges}, {at(partials.data()), 16, both}};
  launch.parts = 3;
  launch.run();
  EXPECT_THAT(partials, ElementsAre(6, 39, 4, 17, 28, 5));  // points 0 3 6 9, 1 4 7, 2 5 8
}

TEST(DeviceBody, FillsWithTheIdentityOfEachFold) {
  const std::pair<Fold, double> folds[] = {{Fold::Sum, 0}, {Fold::Product, 1}};
  for (const auto& [fold, start] : folds) {
    std::vector<double> partials(4, 77);
    Launch launch{{"none", "void body(pilum::Point<2>, pilum::Reduce<double, 1>) {}", {kTotal}, false},
                  {2, {fixed(1, fold)}},
                  {0, 0},
                  {1, 1}};
    const std::vector<BodyRange> two{{.lo = 0, .hi = 2}};
    launch.places = {{at(partials.data()), 16, two}};
    launch.parts = 2;
    launch.run();
    EXPECT_THAT(partials, testing::Each(start));
  }
}

TEST(DeviceBody, TellsTheFirstIndexThatIsRefusedAndTouchesNothing) {
  std::vector<double> in{1, 2, 4, 8}, out(5, -1);
  Launch launch{
      {"reach",
       "void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out) { out(x + 1) = in(x); }",
       {kIn, kOut},
       true},
      {1, {own(1), own(1)}},
      {2},
      {1}};
  const std::vector<BodyRange> ranges(1);
  launch.places = {{at(in.data()), 0, ranges}, {at(out.data()), 0, ranges}};
  launch.run();
  EXPECT_THAT(out, testing::Each(-1));
  EXPECT_EQ(launch.report.state, OutOfBoundsReport::kComplete);
  EXPECT_EQ(launch.report.argument, 2);
  EXPECT_EQ(launch.report.rank, 1);
  EXPECT_EQ(launch.report.index[0], 3);
  EXPECT_EQ(launch.report.lo[0], 2);
  EXPECT_EQ(launch.report.hi[0], 3);
  EXPECT_STREQ(launch.report.task, "smooth");
  EXPECT_STREQ(launch.report.file, "app.cc");
  EXPECT_EQ(launch.report.line, 31u);
}

TEST(DeviceBody, UncheckedTextKnowsNothingOfBounds) {
  BodySource body{"smooth", kSmooth, {kIn, kOut, kNumber}, false};
  const BodyForm form{1, {window(), own(1)}};
  EXPECT_THAT(emit_device_body(body, form), Not(HasSubstr("refuse<")));
  body.checked = true;
  EXPECT_THAT(emit_device_body(body, form), HasSubstr("refuse<"));
}

// Each compiler that is here.
std::map<std::string, std::shared_ptr<jit::DeviceCompiler>> compilers() {
  std::map<std::string, std::shared_ptr<jit::DeviceCompiler>> all{{"emulated", fakes::make_emulated_compiler()}};
  for (const char* architecture : {"sm_80", "sm_90"}) {
    std::shared_ptr<jit::DeviceCompiler> nvrtc = jit::make_nvrtc_compiler(architecture);
    if (nvrtc->identity() != "none") all[architecture] = std::move(nvrtc);
  }
  return all;
}

class EveryBodyCompiler : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto all = compilers();
    if (!all.contains(GetParam())) GTEST_SKIP() << "there is no NVRTC, or Pilum was built without CUDA";
    compiler_ = all.at(GetParam());
  }

  // "" where it compiles.
  std::string trouble(const BodySource& body, const BodyForm& form) {
    try {
      static_cast<void>(compiler_->compile(emit_device_body(body, form)));
    } catch (const jit::RejectedSource& refused) {
      return explain_refusal(body, form, refused.log());
    }
    return "";
  }
  std::string trouble(const std::string& text) {
    return trouble({"smooth", text, {kIn, kOut, kNumber}, false}, {1, {window(), own(1)}});
  }

  std::shared_ptr<jit::DeviceCompiler> compiler_;
};

TEST_P(EveryBodyCompiler, TakesWhatFits) {
  EXPECT_EQ(trouble(kSmooth), "");
  EXPECT_EQ(trouble("void body(pilum::Piece, pilum::Read<double, 1>& in, pilum::Write<double, 1>& out, double&) "
                    "noexcept { out(in.lo(0)) = *in.data(); }"),
            "");
  EXPECT_EQ(trouble("struct Eight { int a, b; }; namespace mine { int here; } int body(pilum::Point<1>, "
                    "pilum::Read<double, 1>, pilum::Write<double, 1>, Eight) { return 0; }"),
            "");
  for (const bool checked : {false, true}) {
    BodySource body{"many",
                    R"(
void body(pilum::Point<3> x, pilum::Read<bool, 0> flag, pilum::ReadWrite<std::int32_t, 3> out, pilum::Read<float, 2> in,
          pilum::Reduce<std::int64_t, 2> total, pilum::Reduce<float, 0> least) {
  if (flag()) out(x) += (int)in(x[0], x[1]) + out.stride(2) + out.extent(0);
  total(x[0] & 1, 0) += out(x[0], x[1], x[2]);
  least() = std::min(least(), in(x[0], x[1]));
})",
                    {{.access = Access::Read, .dtype = DType::Bool, .rank = 0},
                     {.access = Access::ReadWrite, .dtype = DType::Int32, .rank = 3},
                     {.access = Access::Read, .dtype = DType::Float32, .rank = 2},
                     {.access = Access::Reduce, .dtype = DType::Int64, .rank = 2},
                     {.access = Access::Reduce, .dtype = DType::Float32, .rank = 0}},
                    checked};
    const BodyForm form{3, {fixed(0), own(3), own(2, false), fixed(2, Fold::Product), fixed(0, Fold::Minimum)}};
    EXPECT_EQ(trouble(body, form), "");
  }
}

TEST_P(EveryBodyCompiler, SaysWhichParameterDiffersAndWhatBothHave) {
  const std::string wanted =
      "write it as void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::Write<double, 1>, double)";
  const auto expect = [&](const std::string& text, const std::string& part) {
    EXPECT_THAT(trouble(text), AllOf(HasSubstr(part), HasSubstr(wanted)));
  };
  expect("void body(pilum::Point<1>, pilum::Read<float, 1>, pilum::Write<double, 1>, double) {}",
         "argument 1 of the GPU body is pilum::Read<float, 1>, and of the CPU body pilum::Read<double, 1>");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::Write<double, 2>, double) {}",
         "argument 2 of the GPU body is pilum::Write<double, 2>, and of the CPU body pilum::Write<double, 1>");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::ReadWrite<double, 1>, double) {}",
         "argument 2 of the GPU body is pilum::ReadWrite<double, 1>, and of the CPU body pilum::Write<double, 1>");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, double, pilum::Write<double, 1>) {}",
         "argument 2 of the GPU body is double, and of the CPU body pilum::Write<double, 1>");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::Write<double, 1>, float) {}",
         "argument 3 of the GPU body is float, and of the CPU body double");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::Write<double, 1>, long) {}",
         "argument 3 of the GPU body is long");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::Write<double, 1>) {}",
         "the GPU body takes 3 parameters, and the CPU body 4");
  expect("void body(pilum::Point<1>, pilum::Read<double, 1>, pilum::Write<double, 1>, double, int) {}",
         "the GPU body takes 5 parameters, and the CPU body 4");
  EXPECT_THAT(trouble("void body(pilum::Point<2>, pilum::Read<double, 1>, pilum::Write<double, 1>, double) {}"),
              HasSubstr("the GPU body's first parameter is pilum::Point<2>, and the domain has 1 axis"));
}

TEST_P(EveryBodyCompiler, NamesTheTaskAndTheLineOfTheUsersText) {
  EXPECT_THAT(trouble("\n\nvoid body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, "
                      "double) {\n  out(x) = nothing(in);\n}"),
              AllOf(HasSubstr("the GPU body does not compile:\n"), HasSubstr("the GPU body of smooth"),
                    HasSubstr("nothing"), testing::ContainsRegex("smooth[:(]4[:)]")));
  for (const char* text :
       {"void body(int) {} void body(double) {}", "template <class T> void body(pilum::Point<1>, T, T, T) {}"}) {
    EXPECT_THAT(trouble(text), AllOf(HasSubstr("does not compile as a text that defines one void body("),
                                     Not(HasSubstr("pilum's call of"))));
  }
  EXPECT_THAT(
      trouble("void other() {}"),
      AllOf(HasSubstr("does not compile as a text that defines one void body(pilum::Point<1>, "), HasSubstr("body")));
  EXPECT_THAT(
      trouble(
          "void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1>, double) { in(x) = 1; }"),
      HasSubstr("does not compile"));
  EXPECT_THAT(trouble("void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, double) { "
                      "out(x) = in(x, 0); }"),
              HasSubstr("one index for each axis of the array"));
}

INSTANTIATE_TEST_SUITE_P(Compilers, EveryBodyCompiler, testing::Values("emulated", "sm_80", "sm_90"));

}  // namespace
}  // namespace pilum::kernel
