// For builds without the headers of cuSOLVER.
#include <utility>

#include "pilum/error.h"
#include "runtime/device/cuda_solver.h"

namespace pilum::device {
namespace {

constexpr const char* kTrouble =
    "built without cuSOLVER, so linear systems and factors of matrices on GPUs are the host's, with copies there and "
    "back: build with cusolverDn.h beside cuda.h";

}  // namespace

std::string find_solver_trouble() {
  return kTrouble;
}

class CudaSolverHandle {};

CudaSolver::CudaSolver(std::string who) : who_(std::move(who)) {}
CudaSolver::~CudaSolver() = default;

std::size_t CudaSolver::work_bytes(const GpuLapack&) {
  throw RuntimeError("[" + who_ + "] " + kTrouble);
}

void CudaSolver::run(CUstream, const GpuLapack&, const GpuLapackCells&) {
  throw RuntimeError("[" + who_ + "] " + kTrouble);
}

}  // namespace pilum::device
