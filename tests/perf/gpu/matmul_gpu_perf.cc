// Products of matrices on a GPU, against cuBLAS called directly on another copy of the same cells, and products by
// vectors beside a copy: matmul_gpu_perf [n] [rounds]. What is compared runs in turn; medians are shown. On several
// GPUs (PILUM_GPUS) the products alone are timed: run it on one and on two and divide.
#include <cublas_v2.h>
#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pilum/pilum.h"
#include "tests/perf/samples.h"

namespace pilum::perf {
namespace {

namespace np = pilum::numeric;

[[noreturn]] void give_up(const char* what) {
  std::printf("%s\n", what);
  std::exit(77);
}

// cuBLAS and the driver by hand, on the first GPU, in its default stream.
class Direct {
 public:
  Direct() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) give_up("there is no NVIDIA driver");
    void* library = nullptr;
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"}) {
      if (!library) library = dlopen(name, RTLD_NOW);
    }
    if (!library) give_up("there is no cuBLAS");
    find(driver, "cuMemAlloc_v2", allocate_);
    find(driver, "cuMemFree_v2", free_);
    find(driver, "cuMemcpyHtoD_v2", to_device_);
    find(driver, "cuMemcpyDtoH_v2", to_host_);
    find(driver, "cuCtxSynchronize", finish_);
    find(driver, "cuCtxSetCurrent", set_current_);
    decltype(&cuInit) init = nullptr;
    decltype(&cuDevicePrimaryCtxRetain) retain = nullptr;
    find(driver, "cuInit", init);
    find(driver, "cuDevicePrimaryCtxRetain", retain);
    find(library, "cublasCreate_v2", create_);
    find(library, "cublasSgemm_v2", sgemm_);
    find(library, "cublasDgemm_v2", dgemm_);
    if (init(0) != CUDA_SUCCESS || retain(&context_, 0) != CUDA_SUCCESS) give_up("there is no GPU");
    set_current_(context_);
    if (create_(&handle_) != CUBLAS_STATUS_SUCCESS) give_up("cuBLAS does not start");
  }

  template <class T>
  struct Matrices {
    CUdeviceptr a = 0, b = 0, c = 0;
  };
  template <class T>
  Matrices<T> make(const std::vector<T>& a, const std::vector<T>& b) {
    Matrices<T> made;
    const std::size_t bytes = a.size() * sizeof(T);
    set_current_(context_);
    for (CUdeviceptr* matrix : {&made.a, &made.b, &made.c}) {
      if (allocate_(matrix, bytes) != CUDA_SUCCESS) give_up("there is no memory on the GPU: set PILUM_GPU_MEMORY");
    }
    to_device_(made.a, a.data(), bytes);
    to_device_(made.b, b.data(), bytes);
    return made;
  }
  template <class T>
  void drop(const Matrices<T>& matrices) {
    for (const CUdeviceptr matrix : {matrices.a, matrices.b, matrices.c}) free_(matrix);
  }
  // c = a b, of rows side by side: columns side by side of c' = b' a'.
  template <class T>
  void multiply(const Matrices<T>& of, int n, int times) {
    set_current_(context_);
    const T one = 1, zero = 0;
    const auto cells = [](CUdeviceptr matrix) { return reinterpret_cast<T*>(matrix); };
    for (int k = 0; k < times; ++k) {
      cublasStatus_t status{};
      if constexpr (sizeof(T) == 4) {
        status = sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, cells(of.b), n, cells(of.a), n, &zero,
                        cells(of.c), n);
      } else {
        status = dgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, cells(of.b), n, cells(of.a), n, &zero,
                        cells(of.c), n);
      }
      if (status != CUBLAS_STATUS_SUCCESS) give_up("cuBLAS fails");
    }
    finish_();
  }
  template <class T>
  std::vector<T> result(const Matrices<T>& of, std::size_t cells) {
    std::vector<T> copied(cells);
    to_host_(copied.data(), of.c, cells * sizeof(T));
    return copied;
  }

 private:
  template <class Pointer>
  void find(void* library, const char* name, Pointer& function) {
    function = reinterpret_cast<Pointer>(dlsym(library, name));
    if (!function) give_up(name);
  }

  decltype(&cuMemAlloc_v2) allocate_ = nullptr;
  decltype(&cuMemFree_v2) free_ = nullptr;
  decltype(&cuMemcpyHtoD_v2) to_device_ = nullptr;
  decltype(&cuMemcpyDtoH_v2) to_host_ = nullptr;
  decltype(&cuCtxSynchronize) finish_ = nullptr;
  decltype(&cuCtxSetCurrent) set_current_ = nullptr;
  decltype(&cublasCreate_v2) create_ = nullptr;
  decltype(&cublasSgemm_v2) sgemm_ = nullptr;
  decltype(&cublasDgemm_v2) dgemm_ = nullptr;
  CUcontext context_ = nullptr;
  cublasHandle_t handle_ = nullptr;
};

double time_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

template <class T>
void compare_products(Runtime& runtime, Direct* direct, const char* dtype, std::int64_t n, int times, int rounds) {
  const auto numbers = [n](double modulus) {
    return (np::arange(n * n, np::float64).reshape({n, n}) % modulus).astype<T>();
  };
  const np::Array a = numbers(17), b = numbers(13);
  np::Array c;
  const auto ours = [&] {
    for (int k = 0; k < times; ++k) c = np::matmul(a, b);
    runtime.wait();
  };
  std::optional<Direct::Matrices<T>> matrices;
  if (direct) matrices = direct->make(a.to_vector<T>(), b.to_vector<T>());
  std::vector<double> mine, other, ratios;
  for (int round = 0; round < rounds + 2; ++round) {
    const double own = time_of(ours);
    const double theirs = direct ? time_of([&] { direct->multiply(*matrices, static_cast<int>(n), times); }) : 1;
    if (round < 2) continue;  // the first ones load, compile and plan
    mine.push_back(own);
    other.push_back(theirs);
    ratios.push_back(theirs / own);
  }
  const double work = 2 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * times;
  const Spread own = spread_of(mine);
  std::printf("matmul %-8s %6ld^2 %5d times: %10.3f ms %8.2f TFLOP/s", dtype, static_cast<long>(n), times,
              own.median * 1e3, work / own.median * 1e-12);
  if (direct) {
    const Spread theirs = spread_of(other), ratio = spread_of(ratios);
    std::printf("; cuBLAS %10.3f ms %8.2f TFLOP/s; speed %.3f x (%.3f to %.3f)", theirs.median * 1e3,
                work / theirs.median * 1e-12, ratio.median, ratio.low, ratio.high);
    if (c.to_vector<T>() != direct->result(*matrices, static_cast<std::size_t>(n * n))) std::printf("  WRONG");
    direct->drop(*matrices);
  }
  std::printf("\n");
  std::fflush(stdout);
}

// What reads `bytes`.
void time_reads(Runtime& runtime, const char* what, const std::function<void()>& work, double bytes, int rounds) {
  std::vector<double> times;
  constexpr int kTimes = 20;
  for (int round = 0; round < rounds + 2; ++round) {
    const double time = time_of([&] {
      for (int k = 0; k < kTimes; ++k) work();
      runtime.wait();
    });
    if (round >= 2) times.push_back(time / kTimes);
  }
  const Spread spread = spread_of(times);
  std::printf("%-34s %10.1f us %8.1f GB/s\n", what, spread.median * 1e6, bytes / spread.median * 1e-9);
  std::fflush(stdout);
}

void time_vectors(Runtime& runtime, std::int64_t n, int rounds) {
  const np::Array a = np::arange(n * n, np::float64).reshape({n, n}) % 17.0;
  const np::Array x = np::arange(n, np::float64) % 13.0, column = x.reshape({n, 1});
  np::Array y;
  const double bytes = static_cast<double>(n) * static_cast<double>(n) * 8;
  time_reads(runtime, "copy (read and written)", [&] { y = a.copy(); }, 2 * bytes, rounds);
  time_reads(runtime, "a.sum()", [&] { y = a.sum(); }, bytes, rounds);
  time_reads(runtime, "A @ x", [&] { y = np::matmul(a, x); }, bytes, rounds);
  time_reads(runtime, "A.T @ x", [&] { y = np::matmul(a.T(), x); }, bytes, rounds);
  time_reads(runtime, "x @ A", [&] { y = np::matmul(x, a); }, bytes, rounds);
  time_reads(runtime, "A @ x, of one column", [&] { y = np::matmul(a, column); }, bytes, rounds);
  const np::Array flat = a.reshape({n * n});
  time_reads(runtime, "dot(v, v)", [&] { y = np::dot(flat, flat); }, bytes, rounds);
}

int measure(Runtime& runtime, std::int64_t n, int rounds) {
  const char* const gpus = std::getenv("PILUM_GPUS");
  const int processors = runtime.processors();
  std::printf("%d GPUs (PILUM_GPUS=%s)\n", processors, gpus ? gpus : "");
  std::optional<Direct> direct;
  if (processors == 1) direct.emplace();
  Direct* const by_hand = direct ? &*direct : nullptr;
  compare_products<double>(runtime, by_hand, "float64", n, 5, rounds);
  compare_products<float>(runtime, by_hand, "float32", n, 5, rounds);
  compare_products<double>(runtime, by_hand, "float64", n / 2, 20, rounds);
  compare_products<double>(runtime, by_hand, "float64", 1024, 100, rounds);
  if (processors > 1) return 0;
  compare_products<double>(runtime, by_hand, "float64", 64, 1000, rounds);
  compare_products<float>(runtime, by_hand, "float32", 64, 1000, rounds);
  time_vectors(runtime, 2 * n, rounds);
  return 0;
}

}  // namespace
}  // namespace pilum::perf

int main(int argc, char** argv) {
  pilum::Runtime runtime(argc, argv);
  return pilum::perf::measure(runtime, argc > 1 ? std::atol(argv[1]) : 8192, argc > 2 ? std::atoi(argv[2]) : 5);
}
