// The CUDA driver's functions, found in libcuda.so.1 when first asked for: a binary that links it does not start where
// there is no driver.
#pragma once

#include <cuda.h>

#include <string>

namespace pilum::device {

// A function of the driver, and the name that errors call it by.
template <class Pointer>
struct CudaFunction;
template <class... Parameters>
struct CudaFunction<CUresult (*)(Parameters...)> {
  const char* name;
  CUresult (*address)(Parameters...) = nullptr;
  CUresult operator()(Parameters... arguments) const { return address(arguments...); }
};

// clang-format off
// With the versions that cuda.h means by the plain names since CUDA 11.
#define PILUM_CUDA_FUNCTIONS(DO)                                                                                      \
  DO(cuInit) DO(cuDriverGetVersion) DO(cuGetErrorName) DO(cuGetErrorString)                                                                  \
  DO(cuDeviceGetCount) DO(cuDeviceGet) DO(cuDeviceGetName) DO(cuDeviceGetAttribute) DO(cuDeviceGetPCIBusId)           \
  DO(cuDeviceTotalMem_v2) DO(cuDeviceCanAccessPeer) DO(cuDevicePrimaryCtxRetain) DO(cuDevicePrimaryCtxRelease_v2)     \
  DO(cuCtxSetCurrent) DO(cuCtxGetStreamPriorityRange) DO(cuCtxEnablePeerAccess)                                       \
  DO(cuMemAlloc_v2) DO(cuMemFree_v2) DO(cuMemHostAlloc) DO(cuMemFreeHost) DO(cuMemGetInfo_v2)                         \
  DO(cuIpcGetMemHandle) DO(cuIpcOpenMemHandle_v2) DO(cuIpcCloseMemHandle)                                             \
  DO(cuMemcpyAsync) DO(cuMemcpy2DAsync_v2) DO(cuMemsetD8_v2) DO(cuPointerGetAttribute)                                \
  DO(cuStreamCreateWithPriority) DO(cuStreamDestroy_v2) DO(cuStreamSynchronize) DO(cuStreamWaitEvent)                 \
  DO(cuEventCreate) DO(cuEventDestroy_v2) DO(cuEventRecord) DO(cuEventQuery) DO(cuEventElapsedTime)                   \
  DO(cuModuleLoadDataEx) DO(cuModuleUnload) DO(cuModuleGetFunction) DO(cuLaunchKernel)                         \
  DO(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                                     \
  DO(cuGraphCreate) DO(cuGraphDestroy) DO(cuGraphAddKernelNode_v2) DO(cuGraphAddMemcpyNode)                           \
  DO(cuGraphKernelNodeSetAttribute)                                                                                   \
  DO(cuGraphInstantiateWithFlags) DO(cuGraphExecDestroy) DO(cuGraphExecKernelNodeSetParams_v2)                        \
  DO(cuGraphExecMemcpyNodeSetParams) DO(cuGraphLaunch)                                                                \
  DO(cuStreamBeginCapture_v2) DO(cuStreamEndCapture) DO(cuGraphAddChildGraphNode) DO(cuGraphExecChildGraphNodeSetParams)
// clang-format on

struct CudaDriver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): it is a name
#define PILUM_CUDA_MEMBER(function) CudaFunction<decltype(&::function)> function{#function};
  PILUM_CUDA_FUNCTIONS(PILUM_CUDA_MEMBER)
#undef PILUM_CUDA_MEMBER
};

struct CudaLoaded {
  const CudaDriver* driver = nullptr;  // initialised; lives as long as the process
  std::string trouble;                 // why there is none, in plain words
};

// Loads and initialises the driver at the first call. Thread-safe.
[[nodiscard]] const CudaLoaded& load_cuda();

// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
[[nodiscard]] std::string describe(const CudaDriver& driver, CUresult result);

[[noreturn]] void throw_cuda_error(const CudaDriver& driver, const std::string& who, const char* call, CUresult result);

// The one way to the driver: calls on behalf of a GPU, in whose name what fails is thrown as pilum::RuntimeError.
struct CudaCalls {
  const CudaDriver& driver;
  std::string who;  // "GPU 0 (NVIDIA H200, 0000:1b:00.0)"

  template <class Function, class... Arguments>
  [[nodiscard]] CUresult attempt(Function CudaDriver::* function, Arguments... arguments) const {
    return (driver.*function)(arguments...);
  }
  template <class Function, class... Arguments>
  void call(Function CudaDriver::* function, Arguments... arguments) const {
    const CUresult result = attempt(function, arguments...);
    if (result != CUDA_SUCCESS) [[unlikely]]
      fail(function, result);
  }
  template <class Function>
  [[noreturn]] void fail(Function CudaDriver::* function, CUresult result) const {
    throw_cuda_error(driver, who, (driver.*function).name, result);
  }
};

}  // namespace pilum::device
