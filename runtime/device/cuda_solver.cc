#include "runtime/device/cuda_solver.h"

#include <cstdint>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/device/cuda_solver_library.h"

namespace pilum::device {
namespace {

void check(const std::string& who, const char* call, cusolverStatus_t status) {
  if (status == CUSOLVER_STATUS_SUCCESS) [[likely]]
    return;
  const char* const name = status == CUSOLVER_STATUS_ALLOC_FAILED       ? "there is no memory left on the GPU"
                           : status == CUSOLVER_STATUS_NOT_INITIALIZED  ? "it is not initialized"
                           : status == CUSOLVER_STATUS_INVALID_VALUE    ? "a value is invalid"
                           : status == CUSOLVER_STATUS_EXECUTION_FAILED ? "a kernel failed"
                                                                        : "an error";
  throw RuntimeError("[" + who + "] " + call + " failed with status " + std::to_string(static_cast<int>(status)) +
                     " (" + name + ")");
}

const SolverFunctions& solver_functions(const std::string& who) {
  const SolverLibrary& library = load_solver();
  if (!library.functions) throw RuntimeError("[" + who + "] " + library.trouble);
  return *library.functions;
}

cudaDataType type_of(DType dtype) {
  switch (dtype) {
    case DType::Float32: return CUDA_R_32F;
    case DType::Float64: return CUDA_R_64F;
    case DType::Complex64: return CUDA_C_32F;
    case DType::Complex128: return CUDA_C_64F;
    default: PILUM_CHECK(false, "factors of dtype {}", static_cast<int>(dtype));
  }
}

bool is_single(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Complex64;
}

// cuSOLVER's words for a call.
struct Words {
  explicit Words(const GpuLapack& lapack)
      : rows(lapack.rows),
        columns(lapack.columns),
        count(lapack.count),
        type(type_of(lapack.dtype)),
        part(is_single(lapack.dtype) ? CUDA_R_32F : CUDA_R_64F),
        triangle(lapack.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER),
        vectors(lapack.count > 0 ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR),
        u_job(static_cast<signed char>(count == 0      ? 'N'
                                       : count == rows ? 'A'
                                                       : 'S')),
        v_job(static_cast<signed char>(count == 0 ? 'N' : 'A')) {}

  std::int64_t rows, columns, count;
  cudaDataType type, part;
  cublasFillMode_t triangle;
  cusolverEigMode_t vectors;
  signed char u_job, v_job;  // of as many columns as rows "some" vectors are all, and so are they of V
};

// Calls of orgqr, of whichever type: the older interface, of 32-bit extents.
template <class Visit>
void visit_orgqr(const SolverFunctions& solver, DType dtype, const Visit& visit) {
  switch (dtype) {
    case DType::Float32: return visit(float(), solver.cusolverDnSorgqr_bufferSize, solver.cusolverDnSorgqr);
    case DType::Float64: return visit(double(), solver.cusolverDnDorgqr_bufferSize, solver.cusolverDnDorgqr);
    case DType::Complex64: return visit(cuComplex(), solver.cusolverDnCungqr_bufferSize, solver.cusolverDnCungqr);
    default: return visit(cuDoubleComplex(), solver.cusolverDnZungqr_bufferSize, solver.cusolverDnZungqr);
  }
}

}  // namespace

class CudaSolverHandle {
 public:
  explicit CudaSolverHandle(const std::string& who) : solver_(solver_functions(who)) {
    check(who, "cusolverDnCreate", solver_.cusolverDnCreate(&dense_));
    const cusolverStatus_t status = solver_.cusolverDnCreateParams(&parameters_);
    if (status != CUSOLVER_STATUS_SUCCESS) static_cast<void>(solver_.cusolverDnDestroy(dense_));
    check(who, "cusolverDnCreateParams", status);
  }
  ~CudaSolverHandle() {
    static_cast<void>(solver_.cusolverDnDestroyParams(parameters_));
    static_cast<void>(solver_.cusolverDnDestroy(dense_));
  }
  CudaSolverHandle(const CudaSolverHandle&) = delete;
  CudaSolverHandle& operator=(const CudaSolverHandle&) = delete;

  const SolverFunctions& solver() const { return solver_; }
  cusolverDnHandle_t dense() const { return dense_; }
  cusolverDnParams_t parameters() const { return parameters_; }

 private:
  const SolverFunctions& solver_;
  cusolverDnHandle_t dense_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
};

CudaSolver::CudaSolver(std::string who) : who_(std::move(who)) {}
CudaSolver::~CudaSolver() = default;

CudaSolver::Room CudaSolver::find_room(const GpuLapack& lapack) {
  const ScopedLock lock(mutex_);
  if (const auto found = rooms_.find(lapack); found != rooms_.end()) return found->second;
  if (!asking_) asking_ = std::make_unique<CudaSolverHandle>(who_);
  const SolverFunctions& solver = asking_->solver();
  const auto dense = asking_->dense();
  const auto parameters = asking_->parameters();
  const Words w(lapack);
  Room room;
  switch (lapack.call) {
    case LapackCall::Getrf:
      check(who_, "cusolverDnXgetrf_bufferSize",
            solver.cusolverDnXgetrf_bufferSize(dense, parameters, w.rows, w.columns, w.type, nullptr, w.rows, w.type,
                                               &room.device, &room.host));
      break;
    case LapackCall::Getrs: room.device = sizeof(int); break;  // where it says that its arguments are right
    case LapackCall::Potrf:
      check(who_, "cusolverDnXpotrf_bufferSize",
            solver.cusolverDnXpotrf_bufferSize(dense, parameters, w.triangle, w.rows, w.type, nullptr, w.rows, w.type,
                                               &room.device, &room.host));
      break;
    case LapackCall::Geqrf:
      check(who_, "cusolverDnXgeqrf_bufferSize",
            solver.cusolverDnXgeqrf_bufferSize(dense, parameters, w.rows, w.columns, w.type, nullptr, w.rows, w.type,
                                               nullptr, w.type, &room.device, &room.host));
      break;
    case LapackCall::Orgqr:
      visit_orgqr(solver, lapack.dtype, [&](auto cell, auto* ask, auto*) {
        int numbers = 0;
        check(who_, "cusolverDnorgqr_bufferSize",
              ask(dense, static_cast<int>(w.rows), static_cast<int>(w.columns), static_cast<int>(w.count), nullptr,
                  static_cast<int>(w.rows), nullptr, &numbers));
        room.device = static_cast<std::size_t>(numbers) * sizeof cell;
      });
      break;
    case LapackCall::Heevd:
      check(who_, "cusolverDnXsyevd_bufferSize",
            solver.cusolverDnXsyevd_bufferSize(dense, parameters, w.vectors, w.triangle, w.rows, w.type, nullptr,
                                               w.rows, w.part, nullptr, w.type, &room.device, &room.host));
      break;
    case LapackCall::Gesvd:
      check(who_, "cusolverDnXgesvd_bufferSize",
            solver.cusolverDnXgesvd_bufferSize(dense, parameters, w.u_job, w.v_job, w.rows, w.columns, w.type, nullptr,
                                               w.rows, w.part, nullptr, w.type, nullptr, w.rows, w.type, nullptr,
                                               w.columns, w.type, &room.device, &room.host));
      break;
  }
  return rooms_.emplace(lapack, room).first->second;
}

std::size_t CudaSolver::work_bytes(const GpuLapack& lapack) {
  return find_room(lapack).device;
}

void CudaSolver::run(CUstream stream, const GpuLapack& lapack, const GpuLapackCells& cells) {
  const Room room = find_room(lapack);
  if (!running_) running_ = std::make_unique<CudaSolverHandle>(who_);
  if (host_work_.size() < room.host) host_work_.resize(room.host);
  const SolverFunctions& solver = running_->solver();
  const auto dense = running_->dense();
  const auto parameters = running_->parameters();
  check(who_, "cusolverDnSetStream", solver.cusolverDnSetStream(dense, stream));
  const Words w(lapack);
  auto* const pivots = reinterpret_cast<std::int64_t*>(cells.b);
  auto* const info = reinterpret_cast<int*>(cells.info);
  switch (lapack.call) {
    case LapackCall::Getrf:
      return check(who_, "cusolverDnXgetrf",
                   solver.cusolverDnXgetrf(dense, parameters, w.rows, w.columns, w.type, cells.a, w.rows, pivots,
                                           w.type, cells.work, room.device, host_work_.data(), room.host, info));
    case LapackCall::Getrs:
      return check(who_, "cusolverDnXgetrs",
                   solver.cusolverDnXgetrs(dense, parameters, CUBLAS_OP_N, w.rows, w.count, w.type, cells.a, w.rows,
                                           pivots, w.type, cells.c, w.rows, reinterpret_cast<int*>(cells.work)));
    case LapackCall::Potrf:
      return check(who_, "cusolverDnXpotrf",
                   solver.cusolverDnXpotrf(dense, parameters, w.triangle, w.rows, w.type, cells.a, w.rows, w.type,
                                           cells.work, room.device, host_work_.data(), room.host, info));
    case LapackCall::Geqrf:
      return check(
          who_, "cusolverDnXgeqrf",
          solver.cusolverDnXgeqrf(dense, parameters, w.rows, w.columns, w.type, cells.a, w.rows, w.type, cells.b,
                                  w.type, cells.work, room.device, host_work_.data(), room.host, info));
    case LapackCall::Orgqr:
      return visit_orgqr(solver, lapack.dtype, [&]<class Cell>(Cell, auto*, auto* make) {
        check(who_, "cusolverDnorgqr",
              make(dense, static_cast<int>(w.rows), static_cast<int>(w.columns), static_cast<int>(w.count),
                   reinterpret_cast<Cell*>(cells.a), static_cast<int>(w.rows), reinterpret_cast<const Cell*>(cells.b),
                   reinterpret_cast<Cell*>(cells.work), static_cast<int>(room.device / sizeof(Cell)), info));
      });
    case LapackCall::Heevd:
      return check(
          who_, "cusolverDnXsyevd",
          solver.cusolverDnXsyevd(dense, parameters, w.vectors, w.triangle, w.rows, w.type, cells.a, w.rows, w.part,
                                  cells.b, w.type, cells.work, room.device, host_work_.data(), room.host, info));
    case LapackCall::Gesvd:
      return check(who_, "cusolverDnXgesvd",
                   solver.cusolverDnXgesvd(dense, parameters, w.u_job, w.v_job, w.rows, w.columns, w.type, cells.a,
                                           w.rows, w.part, cells.b, w.type, cells.c, w.rows, w.type, cells.d, w.columns,
                                           w.type, cells.work, room.device, host_work_.data(), room.host, info));
  }
}

}  // namespace pilum::device
