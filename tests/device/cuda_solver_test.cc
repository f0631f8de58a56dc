// Whether cuSOLVER is found, and what is said where it is not. What it computes is checked on GPUs (tests/gpu).
#include "runtime/device/cuda_solver.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pilum/error.h"

namespace pilum::device {
namespace {

// What this machine has, or what PILUM_TEST_CUSOLVER says: 0, or one that is too old (old_cusolver.cc).
TEST(CudaSolver, IsFoundOrSaysWhatToInstall) {
  const char* const path = std::getenv("PILUM_TEST_CUSOLVER");
  const std::string wanted = path ? path : "", trouble = find_solver_trouble();
  if (wanted == "0") {
    EXPECT_THAT(trouble, testing::HasSubstr("no cuSOLVER"));
  }
  if (wanted.find("old_cusolver") != std::string::npos) {
    EXPECT_THAT(trouble, testing::HasSubstr("is too old: it has no cusolverDnSetStream"));
  }
  if (trouble.empty()) return;
  EXPECT_THAT(trouble, testing::HasSubstr("are the host's"));
  CudaSolver solver("GPU 3");
  EXPECT_THAT([&] { static_cast<void>(solver.work_bytes({LapackCall::Getrf, DType::Float64, 4, 4})); },
              testing::ThrowsMessage<RuntimeError>(testing::HasSubstr("GPU 3")));
}

}  // namespace
}  // namespace pilum::device
