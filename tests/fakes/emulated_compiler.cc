#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "pilum/error.h"
#include "runtime/jit/digest.h"
#include "runtime/jit/host_compiler.h"
#include "runtime/jit/process.h"
#include "tests/fakes/emulated_gpu.h"

namespace pilum::fakes {
namespace {

// Stands before a kernel's text.
constexpr const char* kBefore = R"(
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __syncthreads() pilum_barrier()
#define __threadfence()
template <class T>
static T atomicAdd(T* cell, T more) {
  const T before = *cell;
  *cell += more;
  return before;
}
template <class T>
static T atomicOr(T* cell, T more) {
  const T before = *cell;
  *cell |= more;
  return before;
}
template <class T>
static T atomicMax(T* cell, T other) {
  const T before = *cell;
  if (before < other) *cell = other;
  return before;
}
struct PilumIndex { unsigned x, y, z; };
static PilumIndex gridDim, blockDim, blockIdx, threadIdx;
static void pilum_barrier();
// What each thread of the warp gives, when all have.
static const unsigned long* pilum_exchange(unsigned long value);
static unsigned pilum_lane();
static int __popc(unsigned bits) { return __builtin_popcount(bits); }
static int __clz(unsigned bits) { return bits ? __builtin_clz(bits) : 32; }
static void __syncwarp() { pilum_exchange(0); }
static unsigned __ballot_sync(unsigned, bool vote) {
  const unsigned long* votes = pilum_exchange(vote);
  unsigned all = 0;
  for (unsigned lane = 0; lane < 32; ++lane) all |= (unsigned)votes[lane] << lane;
  return all;
}
template <class T>
static unsigned long pilum_bits(T value) {
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
static T pilum_of_bits(unsigned long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
static T __shfl_sync(unsigned, T value, unsigned lane) {
  return pilum_of_bits<T>(pilum_exchange(pilum_bits(value))[lane % 32]);
}
template <class T>
static T __shfl_xor_sync(unsigned, T value, unsigned mask) {
  return pilum_of_bits<T>(pilum_exchange(pilum_bits(value))[pilum_lane() ^ mask]);
}
template <class T>
static T __shfl_up_sync(unsigned, T value, unsigned distance) {
  const unsigned long* values = pilum_exchange(pilum_bits(value));
  return pilum_lane() < distance ? value : pilum_of_bits<T>(values[pilum_lane() - distance]);
}
static float sqrt(float a) { return __builtin_sqrtf(a); }
static double sqrt(double a) { return __builtin_sqrt(a); }
static float copysign(float a, float b) { return __builtin_copysignf(a, b); }
static double copysign(double a, double b) { return __builtin_copysign(a, b); }
static double log(double a) { return __builtin_log(a); }
static double hypot(double a, double b) { return __builtin_hypot(a, b); }
#line 1 "pilum_kernel.cu"
)";

// Stand behind it: the threads of a block one after the other,
constexpr const char* kPlainThreads = R"(
static const char* pilum_run_block(const PilumLaunch& launch, unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    pilum_set_thread(launch.reversed ? threads - 1 - i : i);
    pilum_call(pilum_kernel, launch.words);
  }
  return nullptr;
}
static void pilum_barrier() {}
static const unsigned long* pilum_exchange(unsigned long) { __builtin_trap(); }  // a text without them has no warps
static unsigned pilum_lane() { return 0; }
static void pilum_end_launch() {}
)";

// or as fibers, each with a stack of its own, that take turns at __syncthreads(). They live on from block to block of a
// launch, and no longer, for there are many kernels, each with fibers of its own. They are switched by the compiler's
// own jumps: swapcontext() asks the kernel for the signal mask, ten times as long.
constexpr const char* kFibers = R"(
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
enum PilumState { PilumAtBarrier, PilumAtExchange, PilumDone };
struct PilumFiber {
  char* stack;
  void* place[5];
  PilumState state;
  unsigned exchanges;  // so far
};
static PilumFiber pilum_fibers[1024];
static PilumFiber* pilum_fiber;
static void* pilum_scheduler[5];
static const void* pilum_words;
static const unsigned long pilum_stack_bytes = 64 << 10;

// A function of its own: none may jump to a place in itself. Of all of them nothing may be known: other threads run meanwhile,
// and change what is shared.
#define PILUM_SWITCH __attribute__((noinline, noipa)) static
PILUM_SWITCH void pilum_jump(void** place) { __builtin_longjmp(place, 1); }
PILUM_SWITCH void pilum_leave(PilumState state) {
  pilum_fiber->state = state;
  if (!__builtin_setjmp(pilum_fiber->place)) pilum_jump(pilum_scheduler);
}
static void pilum_barrier() { pilum_leave(PilumAtBarrier); }
// By turns one of two rows: no thread is more than one exchange ahead of another.
static unsigned long pilum_given[32][2][32];
static unsigned pilum_number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
static unsigned pilum_lane() { return pilum_number() % 32; }
static const unsigned long* pilum_exchange(unsigned long value) {
  unsigned long* given = pilum_given[pilum_number() / 32][pilum_fiber->exchanges++ % 2];
  given[pilum_lane()] = value;
  pilum_leave(PilumAtExchange);
  return given;
}
static void pilum_fiber_main() {
  for (;;) {
    pilum_call(pilum_kernel, pilum_words);
    pilum_leave(PilumDone);
  }
}
static void pilum_start_fiber(PilumFiber& fiber) {
  fiber.stack = (char*)malloc(pilum_stack_bytes);
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = fiber.stack;
  context.uc_stack.ss_size = pilum_stack_bytes;
  context.uc_link = nullptr;
  makecontext(&context, pilum_fiber_main, 0);
  setcontext(&context);
}
PILUM_SWITCH void pilum_enter(PilumFiber& fiber) {
  pilum_fiber = &fiber;
  if (__builtin_setjmp(pilum_scheduler)) return;
  if (fiber.stack) pilum_jump(fiber.place);
  pilum_start_fiber(fiber);
}
static void pilum_forget(PilumFiber& fiber) {
  free(fiber.stack);
  fiber.stack = nullptr;
  fiber.exchanges = 0;
}
static const char* pilum_refuse(unsigned some, unsigned all, const char* what, const char* where) {
  static char text[200];
  snprintf(text, sizeof text, "%u of %u threads of %s (%u, %u, %u) wait at %s, the others are elsewhere", some, all,
           what, blockIdx.x, blockIdx.y, blockIdx.z, where);
  for (PilumFiber& fiber : pilum_fibers) pilum_forget(fiber);
  return text;
}
// Threads of one warp, until none is at an exchange: all of them come to each.
static const char* pilum_run_warp(const PilumLaunch& launch, unsigned first, unsigned end, unsigned threads, unsigned* waiting) {
  for (;;) {
    unsigned at_exchange = 0, at_barrier = 0;
    for (unsigned i = first; i < end; ++i) {
      const unsigned thread = launch.reversed ? threads - 1 - i : i;
      pilum_set_thread(thread);
      pilum_enter(pilum_fibers[thread]);
      at_exchange += pilum_fiber->state == PilumAtExchange;
      at_barrier += pilum_fiber->state == PilumAtBarrier;
    }
    if (at_exchange == 0) {
      *waiting += at_barrier;
      return nullptr;
    }
    if (at_exchange < end - first) return pilum_refuse(at_exchange, end - first, "a warp of block", "a call of all of it");
  }
}
static const char* pilum_run_block(const PilumLaunch& launch, unsigned threads) {
  pilum_words = launch.words;
  for (;;) {
    unsigned waiting = 0;
    // From the side that runs first, in warps of 32 of the threads' numbers.
    for (unsigned first = 0; first < threads;) {
      const unsigned rest = launch.reversed ? (threads - first) % 32 : 0;
      const unsigned end = first + (rest ? rest : threads - first < 32 ? threads - first : 32);
      if (const char* error = pilum_run_warp(launch, first, end, threads, &waiting)) return error;
      first = end;
    }
    if (waiting == 0) return nullptr;
    if (waiting < threads) return pilum_refuse(waiting, threads, "block", "__syncthreads");
  }
}
static void pilum_end_launch() {
  for (PilumFiber& fiber : pilum_fibers) pilum_forget(fiber);
}
)";

// What both need, EmulatedLaunch among it.
constexpr const char* kCall = R"(
struct PilumLaunch {
  unsigned grid[3], block[3];
  const unsigned long* words;
  unsigned reversed;
};
template <class Words>
static void pilum_call(void (*kernel)(Words), const void* words) { kernel(*(const Words*)words); }
static void pilum_set_thread(unsigned thread) {
  threadIdx = {thread % blockDim.x, thread / blockDim.x % blockDim.y, thread / blockDim.x / blockDim.y};
}
)";

constexpr const char* kLaunch = R"(
extern "C" const char* pilum_emulated_launch(const PilumLaunch* launch) {
  gridDim = {launch->grid[0], launch->grid[1], launch->grid[2]};
  blockDim = {launch->block[0], launch->block[1], launch->block[2]};
  const unsigned long blocks = (unsigned long)gridDim.x * gridDim.y * gridDim.z;
  for (unsigned long i = 0; i < blocks; ++i) {
    const unsigned long block = launch->reversed ? blocks - 1 - i : i;
    blockIdx = {(unsigned)(block % gridDim.x), (unsigned)(block / gridDim.x % gridDim.y),
                (unsigned)(block / gridDim.x / gridDim.y)};
    if (const char* error = pilum_run_block(*launch, blockDim.x * blockDim.y * blockDim.z)) return error;
  }
  pilum_end_launch();
  return nullptr;
}
)";

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pilum-emulated-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw RuntimeError("[compile kernel] cannot make the folder " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Images made with other texts around the kernel's are not to be found on disk.
std::string shim_digest() {
  return jit::to_string(jit::digest(std::string(kBefore) + kCall + kPlainThreads + kFibers + kLaunch));
}

// Compiled without sanitizers, whatever the test is built with: they do not know fibers.
class EmulatedCompiler final : public jit::DeviceCompiler {
 public:
  const std::string& identity() const override { return identity_; }

  std::string compile(const std::string& text) override {
    if (program_.empty()) throw RuntimeError("[compile kernel] there is no compiler 'c++' in PATH");
    const TemporaryFolder folder;
    const std::string source = folder.path() / "kernel.cc", object = folder.path() / "kernel.so";
    const bool barriers = text.find("__syncthreads") != std::string::npos || text.find("_sync(") != std::string::npos;
    std::ofstream(source) << kBefore << text << '\n' << kCall << (barriers ? kFibers : kPlainThreads) << kLaunch;
    const jit::ProcessResult result = jit::run_process(
        {program_, "-std=c++20", "-O1", "-march=native", "-ffp-contract=off", "-fwrapv", "-fno-builtin",
         "-fno-math-errno", "-fno-strict-aliasing", "-fPIC", "-shared", "-w", "-o", object, source,
         // The process has the libraries: to link them again takes a fifth of the time.
         "-nostdlib", "-lgcc"});
    if (result.status != 0) throw jit::RejectedSource("[compile kernel] c++ rejected the kernel", result.output);
    std::ifstream file(object, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  const std::string program_ = jit::find_program("c++");
  const std::string identity_ = "emulated " + shim_digest() + ' ' + jit::file_identity(program_);
};

}  // namespace

std::unique_ptr<jit::DeviceCompiler> make_emulated_compiler() {
  return std::make_unique<EmulatedCompiler>();
}

}  // namespace pilum::fakes
