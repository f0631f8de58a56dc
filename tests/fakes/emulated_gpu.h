// A GPU made of plain memory and the system's C++ compiler, for tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/device/gpu.h"
#include "runtime/jit/device_compiler.h"

namespace pilum::fakes {

struct EmulatedGpuOptions {
  int ordinal = 0;
  std::uint64_t seed = 1;
  std::size_t memory_limit = std::size_t{1} << 30;
  bool run = true;    // false: a null GPU, that records calls, runs nothing and has reached every event
  bool peers = true;  // what connect() answers
  bool multiplies = true, transforms = true, factorizes = true;  // the last where there is an OpenBLAS
  bool captures = true;                                          // graphs take products and transforms
};

enum class EmulatedCall : std::uint8_t { Launch, Copy, Flag, Graph, Event, Wait, Product, Transform, Lapack };

struct EmulatedRecord {
  EmulatedCall kind{};
  device::Stream stream{};
  std::array<std::uint32_t, 3> grid{}, block{};  // of a launch
  std::size_t bytes = 0;                         // of a copy
  bool operator==(const EmulatedRecord&) const = default;
};

struct EmulatedCounts {
  long launches = 0, copies = 0, flags = 0, graphs = 0, events = 0, waits = 0, products = 0, transforms = 0,
       lapacks = 0;
  std::size_t copied_bytes = 0;
  // Products and transforms of graphs that have run are among those above.
  long graph_items = 0;  // launches, copies, flags and calls of graphs that have run
};

// Launches, copies, products, transforms, factors, events and waits are queued by stream and run only inside
// completed(), finish(), allocate(), release() and the destructor, of any emulated GPU: again and again a stream that
// need not wait is chosen by chance, and the order of a launch's blocks and threads too. So what the caller forgot to
// order shows as wrong values.
//
// A graph's launches and copies run one by one when the graph comes to run, in any order that they allow by themselves.
//
// A kernel's first launch, or the first question about it, loads it. Where a flag is waited for that fails: the driver
// waits until all is done.
//
// A flag that is waited for keeps a stream until it is raised, and of a graph all that has not run by then: nobody
// promises that what does not depend on it runs beside it. finish() and its like wait for another thread that is to
// raise it. A flag that is raised while it is raised fails.
//
// Memory is filled with 0xff bytes (NaN) when given out and again when taken back; its edges are checked when it is
// released. A copy's bytes, a product's matrices and a transform's lines must lie in memory of an emulated GPU, or in
// pinned memory, both at the call and when it runs. A kernel that fails, as one does when only some of a block's
// threads come to
// __syncthreads(), or an edge that was written makes every later call of the GPU throw, as with CUDA.
//
// As one thread at a time calls a GPU, but many GPUs of one process may be called at once, all of them run under one
// mutex.
class EmulatedGpu : public device::Gpu {
 public:
  // Since the beginning, or the last clear_records().
  virtual const EmulatedCounts& counts() const = 0;
  virtual const std::vector<EmulatedRecord>& records() const = 0;
  virtual void clear_records() = 0;
  // Device memory in use, and the most there was.
  virtual std::size_t used_bytes() const = 0;
  virtual std::size_t most_used_bytes() const = 0;
};

// A stream of the program's, in order, that wait_for_program() and make_program_wait() take: what is issued to it runs
// when the others' work does, by chance too. finish() runs all that is in it, with what that waits for.
class EmulatedProgramStream {
 public:
  virtual ~EmulatedProgramStream() = default;
  virtual void issue(std::function<void()> work) = 0;
  virtual void finish() = 0;
};
[[nodiscard]] std::unique_ptr<EmulatedProgramStream> make_emulated_program_stream(std::uint64_t seed);

[[nodiscard]] std::unique_ptr<EmulatedGpu> make_emulated_gpu(const EmulatedGpuOptions& options);
[[nodiscard]] std::unique_ptr<EmulatedGpu> make_emulated_gpu(int ordinal, std::uint64_t seed, std::size_t memory_limit);

// CUDA text to a shared object, by `c++`: one entry `extern "C" __global__ void pilum_kernel(Struct words)`,
// __shared__,
// __syncthreads(), __threadfence(), atomicAdd(), atomicOr(), __popc(), __clz(), and with barriers in the text, for all
// threads of a warp, __syncwarp(), __ballot_sync(), __shfl_sync(), __shfl_up_sync(), __shfl_xor_sync(); no other
// intrinsics;
// __CUDACC_RTC__ is not defined. An image runs on emulated GPUs only. Its blocks run one after the other: one may wait
// for what was begun before it.
[[nodiscard]] std::unique_ptr<jit::DeviceCompiler> make_emulated_compiler();

}  // namespace pilum::fakes
