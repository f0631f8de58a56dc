#include "tests/fakes/emulated_image.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"
#include "tests/fakes/emulated_gpu.h"

namespace pilum::fakes {
namespace {

using device::GpuImage;
using testing::HasSubstr;

// A kernel that writes the number.
std::shared_ptr<const GpuImage> writing(const std::string& number) {
  return std::make_shared<const GpuImage>(make_emulated_compiler()->compile(R"(
    struct Words { unsigned long w[1]; };
    extern "C" __global__ void pilum_kernel(const Words words) { *(unsigned long*)words.w[0] = )" +
                                                                            number + "; }"));
}

std::uint64_t run(const EmulatedImage& image) {
  std::uint64_t written = 0;
  const std::vector<std::uint64_t> words{reinterpret_cast<std::uintptr_t>(&written)};
  const EmulatedLaunch launch{{1, 1, 1}, {1, 1, 1}, words.data(), 0};
  EXPECT_EQ(image.entry()(&launch), nullptr);
  return written;
}

TEST(EmulatedImage, RunsItsOwnKernelBesideOthers) {
  const EmulatedImage seven(writing("7")), nine(writing("9"));
  EXPECT_EQ(run(seven), 7u);
  EXPECT_EQ(run(nine), 9u);
}

// As ranks of one process load their kernels: a thread each, the files gone as soon as they are loaded.
TEST(EmulatedImage, NamesOfFilesThatAreGoneDoNotComeAgain) {
  constexpr int kThreads = 3, kNames = 50000;
  std::vector<std::vector<std::string>> made(kThreads);
  std::vector<std::thread> threads;
  for (auto& names : made) {
    threads.emplace_back([&names] {
      for (int i = 0; i < kNames; ++i) names.push_back(make_image_path());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> names;
  for (const auto& some : made) names.insert(some.begin(), some.end());
  EXPECT_EQ(names.size(), std::size_t{kThreads} * kNames);
}

// The loader gives the library that had the name, whatever the file is now: its kernel would run on this one's words.
TEST(EmulatedImage, IsRefusedUnderANameThatALoadedLibraryHas) {
  const std::string path = make_image_path();
  const EmulatedImage seven(writing("7"), path);
  const auto nine = writing("9");
  try {
    const EmulatedImage under_the_same(nine, path);
    FAIL() << "it writes " << run(under_the_same);
  } catch (const RuntimeError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another library's code"));
  }
  EXPECT_EQ(run(seven), 7u);
}

TEST(EmulatedImage, IsRefusedWhereItIsNoLibrary) {
  EXPECT_THROW(EmulatedImage(std::make_shared<const GpuImage>("no library")), RuntimeError);
}

}  // namespace
}  // namespace pilum::fakes
