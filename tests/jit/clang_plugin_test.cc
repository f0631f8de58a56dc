// The plug-in by itself: what it keeps from one kernel to the next must not show.
#include "runtime/jit/clang_plugin.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/kernel/host/emit.h"
#include "runtime/kernel/ir/builder.h"

namespace pilum::jit {
namespace {

using kernel::Access;
using kernel::Builder;
using kernel::Inner;
using kernel::Op;

ClangCompile plugin() {
  static void* const library = dlopen(PILUM_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<ClangCompile>(dlsym(library, kClangCompileSymbol)) : nullptr;
}

// The object; empty if it was refused.
std::string compile(const std::string& text, std::string* message = nullptr, bool baseline = false) {
  std::string object, said;
  if (!plugin()({&text, "", baseline}, object, said)) object.clear();
  if (message) *message = said;
  return object;
}

// Texts of several kinds, all different: z = op(x) + number, of both float dtypes, and folds of it.
std::vector<std::string> texts(int count, double first = 0.5) {
  std::vector<std::string> made;
  constexpr Op kOps[] = {Op::Exp, Op::Sqrt, Op::Negate, Op::Absolute, Op::Log};
  for (int i = 0; i < count; ++i) {
    const bool fold = i % 3 == 2;
    const DType dtype = i % 2 ? DType::Float32 : DType::Float64;
    Builder builder(1);
    const int x = builder.add_array({dtype, Access::Read, Inner::Contiguous, 1});
    const int z = builder.add_array(
        {dtype, fold ? Access::Reduce : Access::Write, fold ? Inner::Broadcast : Inner::Contiguous, 1});
    const auto number = builder.cast(builder.constant(Scalar::of(first + i)), dtype);
    const auto value = builder.binary(Op::Add, builder.unary(kOps[i % 5], builder.load(x)), number);
    fold ? builder.accumulate(z, value, kernel::Fold::Sum, 1) : builder.store(z, value);
    made.push_back(kernel::emit_host(builder.finish(), {}));
  }
  return made;
}

TEST(ClangPlugin, AKernelsObjectDoesNotDependOnWhatWasCompiledBefore) {
  ASSERT_NE(plugin(), nullptr) << dlerror();
  const std::vector<std::string> kernels = texts(12);
  std::vector<std::string> first;
  for (const std::string& text : kernels) first.push_back(compile(text));
  EXPECT_THAT(first, testing::Each(testing::Not(testing::IsEmpty())));
  // More than one unit holds.
  for (const std::string& text : texts(150, 100.5)) EXPECT_FALSE(compile(text).empty());
  for (std::size_t i = 0; i < kernels.size(); ++i) EXPECT_TRUE(compile(kernels[i]) == first[i]) << kernels[i];
}

TEST(ClangPlugin, ManyThreadsGetTheSameObjectsAsOne) {
  constexpr int kThreads = 4;
  const std::vector<std::string> kernels = texts(24);
  std::vector<std::string> alone;
  for (const std::string& text : kernels) alone.push_back(compile(text));
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        const std::size_t k = (i + 7 * static_cast<std::size_t>(t)) % kernels.size();
        wrong[static_cast<std::size_t>(t)] += compile(kernels[k]) != alone[k];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

TEST(ClangPlugin, ARefusedTextSaysWhereAndHarmsNoOther) {
  const std::string good = texts(1).front();
  const std::string before = compile(good);
  for (int i = 0; i < 3; ++i) {
    std::string message;
    EXPECT_TRUE(compile("// one line\nextern \"C\" void pilum_kernel() { no_such_thing(); }\n", &message).empty());
    EXPECT_THAT(message, testing::AllOf(testing::HasSubstr("pilum_kernel.cc:2:34: error: use of undeclared identifier"),
                                        testing::Not(testing::HasSubstr("warning"))));
    EXPECT_TRUE(compile(good) == before);
  }
}

TEST(ClangPlugin, TheQuickModeIsKeptApart) {
  const std::string text = texts(1).front();
  const std::string full = compile(text);
  EXPECT_FALSE(compile(text, nullptr, /*baseline=*/true) == full);
  EXPECT_TRUE(compile(text) == full);
}

}  // namespace
}  // namespace pilum::jit
