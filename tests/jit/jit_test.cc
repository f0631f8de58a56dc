#include "runtime/jit/jit.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pilum/error.h"
#include "runtime/kernel/ir/builder.h"
#include "tests/jit/adding.h"
#include "tests/jit/scratch_folder.h"

namespace pilum::jit {
namespace {

using kernel::Access;
using kernel::Builder;
using kernel::Inner;
using kernel::Kernel;
using kernel::Op;
using test::adding, test::apply;

// y = exp(x) + addend
Kernel exponential(double addend) {
  Builder builder(1);
  const int x = builder.add_array({DType::Float64, Access::Read, Inner::Contiguous, 1});
  const int y = builder.add_array({DType::Float64, Access::Write, Inner::Contiguous, 1});
  builder.store(y,
                builder.binary(Op::Add, builder.unary(Op::Exp, builder.load(x)), builder.constant(Scalar::of(addend))));
  return builder.finish();
}

JitOptions options_for(const test::ScratchFolder& folder, const std::string& compiler = "", int threads = 0) {
  JitOptions options;
  options.cache_directory = folder.string();
  options.compiler = compiler;
  options.threads = threads;
#ifdef PILUM_SANITIZE
  options.sanitize = PILUM_SANITIZE;
#endif
  return options;
}

class EveryCompiler : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Jit, EveryCompiler, testing::Values("", "clang", "c++"), [](const auto& info) {
  const std::string name = info.param;
  return name.empty() ? "Default" : name == "c++" ? "System" : name;
});

TEST_P(EveryCompiler, CompilesOnceForEqualKernels) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder, GetParam()));
  const auto first = jit->get_host(adding(2), {});
  const auto second = jit->get_host(adding(2), {});
  EXPECT_EQ(first, second);
  EXPECT_EQ(apply(*first, 40), 42);
  EXPECT_EQ(apply(*second, 1), 3);
  EXPECT_EQ(jit->statistics().compiled, 1);
  EXPECT_EQ(jit->statistics().memory_hits, 1);
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_NE(first->source().find("pilum_kernel"), std::string::npos);
}

TEST_P(EveryCompiler, ALaterOneLoadsWhatAnEarlierOneCompiled) {
  const test::ScratchFolder folder;
  const auto first = make_jit(options_for(folder, GetParam()));
  EXPECT_EQ(apply(*first->get_host(adding(2), {}), 1), 3);
  const auto second = make_jit(options_for(folder, GetParam()));
  const auto loaded = second->get_host(adding(2), {});
  EXPECT_TRUE(loaded->ready());
  EXPECT_EQ(apply(*loaded, 1), 3);
  EXPECT_EQ(second->statistics().disk_hits, 1);
  EXPECT_EQ(second->statistics().compiled, 0);
}

TEST(Jit, OtherOptionsAreAnotherKernel) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder));
  EXPECT_NE(jit->get_host(adding(2), {}), jit->get_host(adding(3), {}));
  if (options_for(folder).sanitize.empty()) {
    EXPECT_NE(jit->get_host(adding(2), {}), jit->get_host(adding(2), {.streaming = true}));
  }
}

TEST(Jit, BackgroundThreadsCompileWhatManyThreadsAskFor) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder, "", /*threads=*/2));
  std::vector<std::thread> askers;
  std::vector<int> wrong(4, 0);
  for (int& mistakes : wrong) {
    askers.emplace_back([&jit, &mistakes] {
      for (int i = 0; i < 6; ++i) mistakes += apply(*jit->get_host(adding(i), {}), 1) != 1 + i;
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_THAT(wrong, testing::Each(0));
  EXPECT_EQ(jit->statistics().compiled, 6);
  EXPECT_EQ(jit->statistics().memory_hits, 18);
}

TEST(Jit, BecomesReadyByItself) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder, "", /*threads=*/1));
  const auto compiled = jit->get_host(adding(2), {});
  while (!compiled->ready()) std::this_thread::yield();
  EXPECT_EQ(apply(*compiled, 1), 3);
}

TEST(Jit, WorkLeftInTheQueueDoesNotHoldUpTheEnd) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder, "", /*threads=*/1));
  for (int i = 0; i < 200; ++i) (void)jit->get_host(adding(i), {});
}

std::filesystem::path only_file(const test::ScratchFolder& folder) {
  return std::filesystem::directory_iterator(folder.path())->path();
}

TEST(Jit, DamagedFilesAreCompiledAgain) {
  const test::ScratchFolder folder;
  (void)make_jit(options_for(folder))->get_host(adding(2), {})->function();
  for (const auto& damage :
       std::vector<std::function<void()>>{[&] { std::filesystem::resize_file(only_file(folder), 100); },
                                          [&] { std::ofstream(only_file(folder)) << "rubbish"; },
                                          [&] {
                                            std::fstream file(only_file(folder));
                                            file.seekp(600);
                                            file << "X";
                                          }}) {
    damage();
    testing::internal::CaptureStderr();
    const auto jit = make_jit(options_for(folder));
    EXPECT_EQ(apply(*jit->get_host(adding(2), {}), 1), 3);
    EXPECT_EQ(jit->statistics().compiled, 1);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("is damaged"));
  }
}

TEST(Jit, ProcessesMayShareAFolder) {
  const test::ScratchFolder folder;
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = fork();
    if (pid == 0) {
      bool right = true;
      const auto jit = make_jit(options_for(folder));
      for (int i = 0; i < 5; ++i) right &= apply(*jit->get_host(adding(i), {}), 1) == 1 + i;
      _exit(right ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folder.count(), 5u);
  const auto jit = make_jit(options_for(folder));
  EXPECT_EQ(folder.entries(), 5u) << "what the children left, which did not clean up, is gone";
  EXPECT_EQ(apply(*jit->get_host(adding(3), {}), 1), 4);
  EXPECT_EQ(jit->statistics().disk_hits, 1);
}

TEST(Jit, AMissingCompilerIsNamedWithTheRemedy) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder, "no-such-compiler"));
  const auto compiled = jit->get_host(adding(2), {});
  try {
    (void)compiled->function();
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("no compiler 'no-such-compiler' in PATH"),
                                             testing::HasSubstr("install g++"), testing::HasSubstr("PILUM_COMPILER")));
  }
  EXPECT_THROW((void)compiled->function(), RuntimeError) << "the same answer when asked again";
}

TEST(Jit, ACompilersMessageReachesTheUser) {
  const test::ScratchFolder folder;
  const std::string program = (folder.path() / "broken").string();
  std::ofstream(program) << "#!/bin/sh\necho 'out of cheese' >&2\nexit 4\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const auto jit = make_jit(options_for(folder, program));
  try {
    (void)jit->get_host(adding(2), {})->function();
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("status 4"), testing::HasSubstr("out of cheese")));
  }
}

class PluginVariable {
 public:
  explicit PluginVariable(const char* path) { setenv("PILUM_JIT_PLUGIN", path, 1); }
  ~PluginVariable() { unsetenv("PILUM_JIT_PLUGIN"); }
};

TEST(Jit, WithoutThePlugInTheSystemsCompilerIsUsed) {
  const PluginVariable variable("/no/such/plugin.so");
  const test::ScratchFolder folder;
  EXPECT_EQ(apply(*make_jit(options_for(folder))->get_host(adding(2), {}), 1), 3);
  const auto only_clang = make_jit(options_for(folder, "clang"));
  const auto compiled = only_clang->get_host(adding(7), {});
  try {
    (void)compiled->function();
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no clang plug-in at /no/such/plugin.so"));
  }
}

bool loaded(const char* library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(library) != std::string::npos) return true;
  }
  return false;
}

// Run in a child: the plug-in may be loaded here already.
TEST(Jit, ADiskHitLoadsNoCompiler) {
  const test::ScratchFolder folder;
  const auto in_child = [&](auto body) {
    const pid_t pid = fork();
    if (pid == 0) {
      execl("/proc/self/exe", "jit_test", body, static_cast<char*>(nullptr));
      _exit(9);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return status;
  };
  setenv("PILUM_TEST_FOLDER", folder.string().c_str(), 1);
  EXPECT_EQ(in_child("--gtest_filter=JitChild.*"), 0);
  EXPECT_EQ(in_child("--gtest_filter=JitChild.*"), 0);
  unsetenv("PILUM_TEST_FOLDER");
}

TEST(JitChild, CompilesOrLoads) {
  const char* folder = std::getenv("PILUM_TEST_FOLDER");
  if (!folder) return;
  const bool first = std::filesystem::is_empty(folder);
  JitOptions options;
  options.cache_directory = folder;
#ifdef PILUM_SANITIZE
  options.sanitize = PILUM_SANITIZE;
#endif
  const auto jit = make_jit(options);
  EXPECT_EQ(apply(*jit->get_host(adding(2), {}), 1), 3);
  EXPECT_EQ(jit->statistics().disk_hits, first ? 0 : 1);
  if (!first) {
    EXPECT_FALSE(loaded("libLLVM"));
  }
}

TEST(Jit, TheBaselineTierGivesTheSameBits) {
  const test::ScratchFolder folder;
  JitOptions options = options_for(folder);
  options.form = CodeForm::Baseline;
  const auto baseline = make_jit(options);
  options.form = CodeForm::Optimized;
  const auto full = make_jit(options);
  EXPECT_EQ(apply(*baseline->get_host(exponential(0.1), {}), 0.2), apply(*full->get_host(exponential(0.1), {}), 0.2));
  EXPECT_EQ(full->statistics().compiled, 1) << "another key";
}

TEST(Jit, AnExponentialsBaselineTierIsReplacedWhileItIsUsed) {
  const test::ScratchFolder folder;
  JitOptions options = options_for(folder, "clang", /*threads=*/1);
  options.sanitize.clear();  // sanitized kernels have one form
  auto jit = make_jit(options);
  const auto compiled = jit->get_host(exponential(0.1), {});
  const double value = apply(*compiled, 0.2);
  const kernel::KernelFunction first = compiled->function();
  const bool baseline =
      folder.count() == 0;  // only optimized tiers are kept; almost always, or this machine is very busy
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (baseline && compiled->function() == first) {
    ASSERT_EQ(apply(*compiled, 0.2), value);
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
  }
  EXPECT_EQ(apply(*compiled, 0.2), value);
  EXPECT_EQ(jit->statistics().compiled, 1);
  jit.reset();  // after what is being compiled
  const auto later = make_jit(options);
  EXPECT_EQ(apply(*later->get_host(exponential(0.1), {}), 0.2), value);
  EXPECT_EQ(later->statistics().disk_hits, 1);
}

TEST(Jit, MayEndWhileBaselineTiersAreMade) {
  JitOptions options;
  options.disk_cache = false;
  options.threads = 3;
  for (int round = 0; round < 12; ++round) {
    const auto jit = make_jit(options);
    for (int i = 0; i < round % 4; ++i) (void)jit->get_host(exponential(100 * round + i), {});
    std::this_thread::sleep_for(std::chrono::microseconds(700 * round));  // before, in and after each form
  }
}

// LLVM's statics end with the process; threads that compile must not meet that.
TEST(JitDeathTest, AProcessMayExitWhileOptimizedTiersAreMade) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        JitOptions options;
        options.disk_cache = false;
        options.threads = 3;
        const std::shared_ptr<Jit> jit = make_jit(options);
        // As of a program that calls exit() with its runtime alive.
        [[maybe_unused]] static const auto* const kept = new std::shared_ptr<Jit>(jit);
        for (int i = 0; i < 12; ++i) (void)jit->get_host(exponential(1000 + i), {})->function();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// The compiler is a library with statics of its own, which the first compilation loads.
TEST(JitDeathTest, AProcessMayExitWhileAThreadLoadsTheCompiler) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int delay = 0; delay < 8; ++delay) {
    EXPECT_EXIT(
        {
          JitOptions options;
          options.disk_cache = false;
          options.threads = 2;
          static const auto* const kept = new std::shared_ptr<Jit>(make_jit(options));
          (void)(*kept)->get_host(exponential(0.1), {});
          std::this_thread::sleep_for(std::chrono::milliseconds(3 * delay));
          std::exit(0);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST(Jit, WithoutThreadsEveryKernelIsCompiledFully) {
  const test::ScratchFolder folder;
  const auto jit = make_jit(options_for(folder, "clang", /*threads=*/0));
  EXPECT_TRUE(jit->get_host(exponential(0.1), {})->function());
  EXPECT_EQ(folder.count(), 1u);
}

}  // namespace
}  // namespace pilum::jit
