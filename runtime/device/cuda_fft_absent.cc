// For builds without the headers of cuFFT.
#include <utility>

#include "pilum/error.h"
#include "runtime/device/cuda_fft.h"

namespace pilum::device {
namespace {

constexpr const char* kTrouble =
    "built without cuFFT, so Fourier transforms of arrays on GPUs are the host's, with copies there and back: build "
    "with cufft.h beside cuda.h";

}  // namespace

class CudaFftPlan {};

std::string find_fft_trouble() {
  return kTrouble;
}

CudaFft::CudaFft(std::string who) : who_(std::move(who)) {}
CudaFft::~CudaFft() = default;

std::size_t CudaFft::work_bytes(const GpuTransform&) {
  throw RuntimeError("[" + who_ + "] " + kTrouble);
}

void CudaFft::transform(CUstream, const GpuTransform&, std::byte*, std::byte*, std::byte*) {
  throw RuntimeError("[" + who_ + "] " + kTrouble);
}

bool CudaFft::is_full() {
  return false;
}

void CudaFft::forget() {}

}  // namespace pilum::device
