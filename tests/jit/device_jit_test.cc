#include "runtime/jit/device_jit.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/jit/adding.h"
#include "tests/jit/other_user.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

using test::adding;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kText = R"(
struct Words { unsigned long w[2]; };
extern "C" __global__ void pilum_kernel(const Words words) {
  double* cells = (double*)words.w[0];
  const unsigned long i = (unsigned long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words.w[1]) cells[i] = cells[i] * 2 + 1;
}
)";

// Answers with the text in brackets; fails on "broken".
class FakeCompiler final : public DeviceCompiler {
 public:
  explicit FakeCompiler(std::atomic<int>& calls, std::string identity = "fake")
      : calls_(calls), identity_(std::move(identity)) {}
  const std::string& identity() const override { return identity_; }
  std::string compile(const std::string& text) override {
    ++calls_;
    if (text == "broken") throw RuntimeError("[compile kernel] this one is broken");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return '[' + text + ']';
  }

 private:
  std::atomic<int>& calls_;
  const std::string identity_;
};

class DeviceJitTest : public testing::Test {
 protected:
  std::unique_ptr<DeviceJit> make(int threads = 0, bool disk_cache = true, const std::string& identity = "fake") {
    return make_device_jit(std::make_unique<FakeCompiler>(calls_, identity), {folder_.string(), threads, disk_cache});
  }

  const test::ScratchFolder folder_;
  std::atomic<int> calls_{0};
};

TEST_F(DeviceJitTest, EqualTextsAreOneKernel) {
  const auto jit = make();
  const auto first = jit->get("a");
  EXPECT_EQ(jit->get("a"), first);
  EXPECT_NE(jit->get("b"), first);
  EXPECT_FALSE(first->ready());
  EXPECT_EQ(first->image()->bytes, "[a]");
  EXPECT_TRUE(first->ready());
  EXPECT_EQ(first->source(), "a");
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(jit->statistics().memory_hits, 1);
  EXPECT_EQ(jit->statistics().compiled, 1);
}

kernel::DeviceOptions plain_options() {
  kernel::DeviceOptions options;
  options.phase = {0, 0};
  return options;
}

TEST_F(DeviceJitTest, EqualKernelsAndOptionsAreOneKernel) {
  const auto jit = make();
  kernel::DeviceOptions wide = plain_options();
  wide.wide = true;
  const auto first = jit->get(adding(2), plain_options());
  EXPECT_EQ(jit->get(adding(2), plain_options()), first);
  EXPECT_NE(jit->get(adding(3), plain_options()), first);
  EXPECT_NE(jit->get(adding(2), wide), first);
  EXPECT_EQ(first->source(), kernel::emit_device(adding(2), plain_options()));
  EXPECT_EQ(jit->get(first->source()), first);
}

TEST_F(DeviceJitTest, ALaterOneReadsWhatAnEarlierOneCompiled) {
  EXPECT_EQ(make()->get("a")->image()->bytes, "[a]");
  EXPECT_EQ(folder_.count(), 1u);
  const auto jit = make();
  const auto kernel = jit->get("a");
  EXPECT_TRUE(kernel->ready());
  EXPECT_EQ(kernel->image()->bytes, "[a]");
  EXPECT_EQ(jit->statistics().disk_hits, 1);
  EXPECT_EQ(calls_, 1);
}

TEST_F(DeviceJitTest, AnotherCompilersImageIsNotUsed) {
  (void)make()->get("a")->image();
  EXPECT_EQ(make(0, true, "newer")->get("a")->image()->bytes, "[a]");
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(folder_.count(), 2u);
}

TEST_F(DeviceJitTest, ADamagedFileIsCompiledAgain) {
  (void)make()->get("a")->image();
  const auto file = std::filesystem::directory_iterator(folder_.path())->path();
  std::ofstream(file, std::ios::in) << "(";
  EXPECT_EQ(make()->get("a")->image()->bytes, "[a]");
  EXPECT_EQ(calls_, 2);
}

TEST_F(DeviceJitTest, AnotherUsersFileIsCompiledAgain) {
  PILUM_NEEDS_ROOT();
  (void)make()->get("a")->image();
  const auto file = std::filesystem::directory_iterator(folder_.path())->path();
  ASSERT_EQ(chown(file.c_str(), test::kNobody, test::kNobody), 0);
  EXPECT_EQ(make()->get("a")->image()->bytes, "[a]");
  EXPECT_EQ(calls_, 2);
  EXPECT_EQ(make()->get("a")->image()->bytes, "[a]");
  EXPECT_EQ(calls_, 2) << "replaced by our own";
}

TEST_F(DeviceJitTest, AFolderOfAnotherUserIsNotUsed) {
  PILUM_NEEDS_ROOT();
  (void)make()->get("a")->image();
  ASSERT_EQ(chown(folder_.string().c_str(), test::kNobody, test::kNobody), 0);
  EXPECT_EQ(make()->get("a")->image()->bytes, "[a]");
  EXPECT_EQ(make()->get("b")->image()->bytes, "[b]");
  EXPECT_EQ(calls_, 3);
  EXPECT_EQ(folder_.count(), 1u);
}

TEST_F(DeviceJitTest, WithoutADiskCacheNothingIsKept) {
  (void)make(0, false)->get("a")->image();
  EXPECT_EQ(folder_.count(), 0u);
  (void)make(0, false)->get("a")->image();
  EXPECT_EQ(calls_, 2);
}

TEST_F(DeviceJitTest, AFailureIsThrownAtEachAsk) {
  const auto jit = make();
  const auto kernel = jit->get("broken");
  for (int ask = 0; ask < 2; ++ask) {
    try {
      (void)kernel->image();
      FAIL() << "nothing was thrown";
    } catch (const RuntimeError& error) {
      EXPECT_STREQ(error.what(), "[compile kernel] this one is broken");
    }
  }
  EXPECT_EQ(calls_, 1);
}

TEST_F(DeviceJitTest, ManyThreadsAskingForOneTextCompileItOnce) {
  for (const int background : {0, 2}) {
    calls_ = 0;
    const auto jit = make(background, false);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { right += jit->get("one")->image()->bytes == "[one]"; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 8);
    EXPECT_EQ(calls_, 1) << "with " << background << " background threads";
  }
}

class Nvrtc : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (compiler_->identity() == "none") GTEST_SKIP() << "there is no NVRTC, or Pilum was built without CUDA";
  }

  const std::unique_ptr<DeviceCompiler> compiler_ = make_nvrtc_compiler(GetParam());
};
INSTANTIATE_TEST_SUITE_P(DeviceJit, Nvrtc, testing::Values("sm_80", "sm_90"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Nvrtc, CompilesATextToAnElfImage) {
  EXPECT_THAT(compiler_->identity(), AllOf(HasSubstr("libnvrtc"), HasSubstr(GetParam()), HasSubstr("--fmad=false")));
  const std::string image = compiler_->compile(kText);
  EXPECT_EQ(image.substr(0, 4), "\177ELF");
  EXPECT_NE(image.find("pilum_kernel"), std::string::npos);
}

TEST_P(Nvrtc, CompilesWhatTheEmitterWrites) {
  const std::string image = compiler_->compile(kernel::emit_device(adding(2), plain_options()));
  EXPECT_NE(image.find("pilum_kernel"), std::string::npos);
}

// A kernel that has so many numbers in registers at a time, all of which the loop needs again.
std::string keeping(int numbers) {
  std::string text = "extern \"C\" __global__ void pilum_kernel(double* a, int n) {\n";
  for (int k = 0; k < numbers; ++k) text += "double x" + std::to_string(k) + " = a[" + std::to_string(k) + "];\n";
  text += "for (int i = 0; i < n; ++i) {\n";
  for (int k = 0; k < numbers; ++k)
    text +=
        "x" + std::to_string(k) + " = x" + std::to_string(k) + " * x" + std::to_string((k + 7) % numbers) + " + i;\n";
  text += "}\n";
  for (int k = 0; k < numbers; ++k) text += "a[" + std::to_string(k) + "] = x" + std::to_string(k) + ";\n";
  return text + "}\n";
}

TEST_P(Nvrtc, ManyRegistersAreTakenWhereAllFits) {
  const std::string marked = std::string(kernel::kManyRegisters) + "\n";
  const std::string few = keeping(8), many = keeping(90);
  const auto compile = [&](const std::string& text) { return compiler_->compile(text); };
  EXPECT_EQ(compile(marked + few).substr(0, 4), "\177ELF");
  // 90 numbers take 180 registers: with fewer, they would go to memory, so that the hint is dropped.
  EXPECT_EQ(compile(marked + many), compile(many));
}

TEST_P(Nvrtc, CompilesComplexNumbers) {
  using namespace kernel;
  for (const DType dtype : {DType::Complex64, DType::Complex128}) {
    Builder builder(2);
    const ValueId a = builder.load(builder.add_array({dtype, Access::Read, Inner::Contiguous, 2}));
    const ValueId b = builder.load(builder.add_array({dtype, Access::Read, Inner::Strided, 2}));
    const ValueId root = builder.unary(Op::Sqrt, builder.binary(Op::Divide, a, b));
    builder.store(builder.add_array({dtype, Access::Write, Inner::Contiguous, 2}), builder.unary(Op::Exp, root));
    const std::string text = emit_device(builder.finish(), plain_options());
    EXPECT_NE(compiler_->compile(text).find("pilum_kernel"), std::string::npos);
  }
}

// In words of the hardware's own.
TEST_P(Nvrtc, CompilesQuotients) {
  kernel::Builder builder(1);
  const int a = builder.add_array({DType::Float64, kernel::Access::Read, kernel::Inner::Contiguous, 1});
  const int out = builder.add_array({DType::Float64, kernel::Access::Write, kernel::Inner::Contiguous, 1});
  const auto one = builder.argument(builder.add_scalar(DType::Float64));
  builder.store(out, builder.binary(kernel::Op::Divide, one, builder.load(a)));
  const std::string image = compiler_->compile(kernel::emit_device(builder.finish(), plain_options()));
  EXPECT_NE(image.find("pilum_kernel"), std::string::npos);
}

TEST_P(Nvrtc, CompilesHalves) {
  using namespace kernel;
  Builder builder(2);
  const ValueId a = builder.load(builder.add_array({DType::Float16, Access::Read, Inner::Contiguous, 2}));
  const ValueId b = builder.load(builder.add_array({DType::Float64, Access::Read, Inner::Strided, 2}));
  const ValueId sum = builder.binary(Op::Add, a, builder.cast(b, DType::Float16));
  builder.store(builder.add_array({DType::Float16, Access::Write, Inner::Contiguous, 2}), builder.unary(Op::Exp, sum));
  const std::string text = emit_device(builder.finish(), plain_options());
  EXPECT_NE(compiler_->compile(text).find("pilum_kernel"), std::string::npos);
}

TEST_P(Nvrtc, ABrokenKernelsErrorShowsTheLine) {
  try {
    (void)compiler_->compile("extern \"C\" __global__ void pilum_kernel(long n) { n = no_such_thing; }\n");
    FAIL() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("[compile kernel] NVRTC rejected the kernel"), HasSubstr(GetParam()),
                                    HasSubstr("pilum_kernel.cu(1)"), HasSubstr("no_such_thing")));
  }
}

TEST(DeviceJit, AnArchitectureThatNvrtcDoesNotKnowIsNamed) {
  const auto compiler = make_nvrtc_compiler("sm_1");
  if (compiler->identity() == "none") GTEST_SKIP() << "there is no NVRTC, or Pilum was built without CUDA";
  try {
    (void)compiler->compile(kText);
    FAIL() << "nothing was thrown";
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("sm_1"));
  }
}

}  // namespace
}  // namespace pilum::jit
