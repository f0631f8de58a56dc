#include "runtime/device/cuda_delay.h"

#include <cstdlib>
#include <memory>

namespace pilum::device {
namespace {

// A thread that waits for as many nanoseconds as its word says: text that the driver compiles.
constexpr char kDelay[] =
    ".version 6.4\n.target sm_75\n.address_size 64\n"
    ".visible .entry pilum_kernel(.param .align 8 .b8 words[8]) {\n"
    "  .reg .pred %p; .reg .b64 %s, %e, %n;\n"
    "  ld.param.u64 %n, [words]; mov.u64 %s, %globaltimer;\n"
    "LOOK: mov.u64 %e, %globaltimer; sub.u64 %e, %e, %s; setp.lt.u64 %p, %e, %n; @%p bra LOOK;\n"
    "  ret;\n}\n";
constexpr int kMood = 32;  // pieces of work, about: how long a GPU stays late, or in time

}  // namespace

CudaDelay::CudaDelay(int gpu) : random_(static_cast<std::minstd_rand::result_type>(gpu + 1)) {
  if (const char* text = std::getenv("PILUM_TEST_GPU_DELAY")) longest_ = std::strtoull(text, nullptr, 10) * 1000;
}

std::optional<GpuLaunch> CudaDelay::draw() {
  if (longest_ == 0) return std::nullopt;
  if (random_() % kMood == 0) late_ = !late_;
  if (!late_) return std::nullopt;
  static const auto image = std::make_shared<const GpuImage>(GpuImage{kDelay});
  words_[0] = random_() % longest_;
  return GpuLaunch{image, {1, 1, 1}, {1, 1, 1}, words_};
}

}  // namespace pilum::device
