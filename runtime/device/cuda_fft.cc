#include "runtime/device/cuda_fft.h"

#include <utility>

#include "pilum/error.h"
#include "runtime/device/cuda_fft_library.h"

namespace pilum::device {
namespace {

constexpr std::size_t kMostPlans = 256;

const char* name_of(cufftResult result) {
  switch (static_cast<int>(result)) {
    case CUFFT_INVALID_PLAN: return "CUFFT_INVALID_PLAN";
    case CUFFT_ALLOC_FAILED: return "CUFFT_ALLOC_FAILED: there is no memory left on the GPU";
    case CUFFT_INVALID_TYPE: return "CUFFT_INVALID_TYPE";
    case CUFFT_INVALID_VALUE: return "CUFFT_INVALID_VALUE";
    case CUFFT_INTERNAL_ERROR: return "CUFFT_INTERNAL_ERROR";
    case CUFFT_EXEC_FAILED: return "CUFFT_EXEC_FAILED";
    case CUFFT_SETUP_FAILED: return "CUFFT_SETUP_FAILED";
    case CUFFT_INVALID_SIZE: return "CUFFT_INVALID_SIZE";
    case CUFFT_INVALID_DEVICE: return "CUFFT_INVALID_DEVICE";
    case CUFFT_NO_WORKSPACE: return "CUFFT_NO_WORKSPACE";
    case CUFFT_NOT_IMPLEMENTED: return "CUFFT_NOT_IMPLEMENTED";
    case CUFFT_NOT_SUPPORTED: return "CUFFT_NOT_SUPPORTED";
    default: return "an error";
  }
}

void check(const std::string& who, const char* call, cufftResult result) {
  if (result == CUFFT_SUCCESS) [[likely]]
    return;
  throw RuntimeError("[" + who + "] " + call + " failed with " + name_of(result) + " (" +
                     std::to_string(static_cast<int>(result)) + ")");
}

const FftFunctions& functions(const std::string& who) {
  const FftLibrary& library = load_fft();
  if (!library.functions) throw RuntimeError("[" + who + "] " + library.trouble);
  return *library.functions;
}

cufftType type_of(const GpuTransform& transform) {
  switch (transform.kind) {
    case TransformKind::ToComplex: return transform.is_double ? CUFFT_D2Z : CUFFT_R2C;
    case TransformKind::ToReal: return transform.is_double ? CUFFT_Z2D : CUFFT_C2R;
    default: return transform.is_double ? CUFFT_Z2Z : CUFFT_C2C;
  }
}

}  // namespace

// A handle of cuFFT's, and the bytes that it works in, which the caller gives each time.
class CudaFftPlan {
 public:
  CudaFftPlan(const std::string& who, const GpuTransform& transform) : cufft_(functions(who)) {
    check(who, "cufftCreate", cufft_.cufftCreate(&handle_));
    try {
      check(who, "cufftSetAutoAllocation", cufft_.cufftSetAutoAllocation(handle_, 0));
      // Of one axis the embedding extents are not looked at; given at all, they say that strides are. Of two the second
      // says how many cells there are from row to row.
      const auto &from = transform.from, &to = transform.to;
      const bool is_plane = transform.rows > 1;
      long long counts[] = {transform.rows, transform.count}, read[] = {transform.rows, transform.cells_read()},
                written[] = {transform.rows, transform.cells_written()};
      if (is_plane) read[1] = from.row / from.step, written[1] = to.row / to.step;
      const int first = is_plane ? 0 : 1;
      check(who, "cufftMakePlanMany64",
            cufft_.cufftMakePlanMany64(handle_, is_plane ? 2 : 1, counts + first, read + first, from.step,
                                       from.distance, written + first, to.step, to.distance, type_of(transform),
                                       transform.lines, &work_bytes_));
    } catch (...) {
      static_cast<void>(cufft_.cufftDestroy(handle_));
      throw;
    }
  }
  ~CudaFftPlan() { static_cast<void>(cufft_.cufftDestroy(handle_)); }
  CudaFftPlan(const CudaFftPlan&) = delete;
  CudaFftPlan& operator=(const CudaFftPlan&) = delete;

  cufftHandle handle() const { return handle_; }
  std::size_t work_bytes() const { return work_bytes_; }

 private:
  const FftFunctions& cufft_;
  cufftHandle handle_ = CUFFT_PLAN_NULL;
  std::size_t work_bytes_ = 0;
};

CudaFft::CudaFft(std::string who) : who_(std::move(who)) {}
CudaFft::~CudaFft() = default;

// Two threads may make the same one at once: the first is kept.
CudaFft::Plan CudaFft::find(const GpuTransform& transform) {
  {
    const ScopedLock lock(mutex_);
    if (const auto found = plans_.find(transform); found != plans_.end()) return found->second;
  }
  const Plan made = std::make_shared<const CudaFftPlan>(who_, transform);
  const ScopedLock lock(mutex_);
  return plans_.emplace(transform, made).first->second;
}

std::size_t CudaFft::work_bytes(const GpuTransform& transform) {
  return find(transform)->work_bytes();
}

std::shared_ptr<const void> CudaFft::hold(const GpuTransform& transform) {
  return find(transform);
}

void CudaFft::transform(CUstream stream, const GpuTransform& transform, std::byte* from, std::byte* to,
                        std::byte* work) {
  const Plan plan = find(transform);
  const FftFunctions& cufft = functions(who_);
  const cufftHandle handle = plan->handle();
  check(who_, "cufftSetStream", cufft.cufftSetStream(handle, stream));
  check(who_, "cufftSetWorkArea", cufft.cufftSetWorkArea(handle, work));
  const int direction = transform.kind == TransformKind::Backward ? CUFFT_INVERSE : CUFFT_FORWARD;
  const auto run = [&]<class From, class To>(const char* name, auto* execute, From*, To*, auto... sign) {
    check(who_, name, execute(handle, reinterpret_cast<From*>(from), reinterpret_cast<To*>(to), sign...));
  };
  cufftReal* const real = nullptr;
  cufftComplex* const complex = nullptr;
  cufftDoubleReal* const double_real = nullptr;
  cufftDoubleComplex* const double_complex = nullptr;
  switch (type_of(transform)) {
    case CUFFT_C2C: return run("cufftExecC2C", cufft.cufftExecC2C, complex, complex, direction);
    case CUFFT_Z2Z: return run("cufftExecZ2Z", cufft.cufftExecZ2Z, double_complex, double_complex, direction);
    case CUFFT_R2C: return run("cufftExecR2C", cufft.cufftExecR2C, real, complex);
    case CUFFT_D2Z: return run("cufftExecD2Z", cufft.cufftExecD2Z, double_real, double_complex);
    case CUFFT_C2R: return run("cufftExecC2R", cufft.cufftExecC2R, complex, real);
    case CUFFT_Z2D: return run("cufftExecZ2D", cufft.cufftExecZ2D, double_complex, double_real);
  }
}

bool CudaFft::is_full() {
  const ScopedLock lock(mutex_);
  return plans_.size() >= kMostPlans;
}

void CudaFft::forget() {
  std::map<GpuTransform, Plan> gone;  // ends after the lock
  const ScopedLock lock(mutex_);
  gone.swap(plans_);
}

}  // namespace pilum::device
