// A GPU as plain calls: memory, a few in-order streams, events between them. CUDA stands behind it (cuda_gpu.cc), or a
// test's emulation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pilum/dtype.h"
#include "pilum/error.h"
#include "runtime/device/gpu_lapack.h"
#include "runtime/device/gpu_skill.h"
#include "runtime/device/gpu_transform.h"

namespace pilum::device {

struct GpuInfo {
  int ordinal = 0;           // among the visible ones
  std::string name;          // "NVIDIA H200"
  std::string architecture;  // "sm_90"
  std::string bus;           // "0000:1b:00.0": the same GPU in every process of the node
  std::int64_t memory_bytes = 0;
  std::int64_t cache_bytes = 0;  // L2
  int multiprocessors = 0;
  double memory_bandwidth = 0;  // bytes/s, as the device states it; 0: it does not
};

struct GpuList {
  std::vector<GpuInfo> gpus;
  std::string trouble;  // why there are none: no driver, a driver that fails, a build without CUDA
};

// The visible GPUs (CUDA_VISIBLE_DEVICES is respected). Loads the driver's library at the first call; where there is
// none this takes some microseconds. Never throws.
[[nodiscard]] GpuList list_gpus();

// The streams of a GPU. Edges and copies go before computing where both could run.
enum class Stream : std::uint8_t { Compute, Boundaries, Copies };
inline constexpr std::array kStreams{Stream::Compute, Stream::Boundaries, Stream::Copies};

// A point of a stream: what was issued to it before. Numbers of one stream grow.
struct Event {
  Stream stream = Stream::Compute;
  std::int64_t number = 0;
  bool operator==(const Event&) const = default;
};

// A compiled program with one entry "pilum_kernel" that takes an array of 64-bit words by value.
struct GpuImage {
  std::string bytes;
};

struct GpuLaunch {
  std::shared_ptr<const GpuImage> image;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::span<const std::uint64_t> words;  // the argument, copied by the call
};

// Rows of bytes between any two of: this GPU's memory, a peer's, pinned memory. Pitches in bytes.
struct GpuCopy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t width = 0, rows = 1;
  std::size_t to_pitch = 0, from_pitch = 0;
};

// A matrix in a GPU's memory, or as many as a product has, batch_step cells apart. Its rows lie side by side, `pitch`
// cells from one to the next; transposed: its columns do.
struct GpuMatrix {
  std::byte* first = nullptr;
  std::int64_t pitch = 0;
  bool transposed = false;
  std::int64_t batch_step = 0;
};

// c = a b, or c += a b, of each of a batch: a is rows x depth, b depth x columns, c rows x columns and not transposed.
// Extents are above 0.
struct GpuProduct {
  DType dtype = DType::Float64;  // Float32, Float64, Complex64 or Complex128, computed as such
  std::int64_t rows = 0, columns = 0, depth = 0, batches = 1;
  GpuMatrix a, b, c;
  bool adds = false;
};

// A flag of 32 bits in GPUs' memory, by which GPUs of several processes tell each other how far they are: one raises
// it, one waits until it is raised, and lowers it; in turn. What was written before it was raised is seen by who
// waited.
struct GpuFlag {
  std::byte* flag = nullptr;
  bool waits = false;  // false: it is raised
};
inline constexpr std::size_t kFlagBytes = 32;  // a sector of the cache each

// Device memory as another process of this node knows it.
struct GpuShare {
  std::array<std::byte, 64> bytes{};
  bool operator==(const GpuShare&) const = default;
};

inline constexpr std::size_t kShareBytes = std::size_t{2} << 20;

// What a library does for a GPU: Gpu::multiply(), Gpu::transform() with its places.
struct GpuTransformCall {
  GpuTransform transform;
  std::byte *from = nullptr, *to = nullptr, *work = nullptr;
};
using GpuLibraryCall = std::variant<GpuProduct, GpuTransformCall>;

// The driver does not take a library's call into a graph. Nothing of the graph was issued.
class GraphRefused : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

class Gpu;

// Launches, copies and libraries' calls of GPUs of this process, with what each comes after, issued as one by
// Gpu::launch(). What is added gets a number: 0, 1, …; `after` are earlier ones. A change is of the next time that it
// is issued: of the arguments, not of what kernel it is and on which GPU.
class GpuGraph {
 public:
  virtual ~GpuGraph() = default;
  virtual int add(Gpu& gpu, Stream stream, const GpuLaunch& launch, std::span<const int> after) = 0;
  virtual int add(Gpu& gpu, Stream stream, const GpuCopy& copy, std::span<const int> after) = 0;
  // A flag stays the same.
  virtual int add(Gpu& gpu, Stream stream, const GpuFlag& flag, std::span<const int> after) = 0;
  // A GPU makes such calls one after the other.
  virtual int add(Gpu& gpu, Stream stream, const GpuLibraryCall& call, std::span<const int> after) = 0;
  virtual void change(int number, const GpuLaunch& launch) = 0;
  virtual void change(int number, const GpuCopy& copy) = 0;
  virtual void change(int number, const GpuLibraryCall& call) = 0;
};

// Calls issue work and return; nothing waits but finish(), allocate(), release() and what says so. One thread at a time
// calls a GPU. Failures throw pilum::RuntimeError that names the GPU and what the driver said.
class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual const GpuInfo& info() const = 0;

  // Device memory, aligned to 256 bytes; null when there is none left. release() may be called while work that uses
  // the memory is in flight: it waits for that.
  [[nodiscard]] virtual std::byte* allocate(std::size_t bytes) = 0;
  virtual void release(std::byte* data) = 0;
  // Pinned memory of the host, which every GPU of the process reaches at the same address.
  [[nodiscard]] virtual std::byte* allocate_pinned(std::size_t bytes) = 0;
  virtual void release_pinned(std::byte* data) = 0;
  // Device memory that is free now, bytes.
  [[nodiscard]] virtual std::int64_t free_bytes() = 0;

  // How many blocks of so many threads of the image's kernel a multiprocessor holds at once, as its registers and
  // shared memory allow; loads the image. Asked once for an image and a size, found again from then on.
  [[nodiscard]] virtual int occupancy(const std::shared_ptr<const GpuImage>& image, int threads) = 0;

  // Whether the image's kernel can be launched as it is. To load it may take until all is done that was issued, and
  // so until other processes have raised the flags that this waits for.
  [[nodiscard]] virtual bool has_loaded(const std::shared_ptr<const GpuImage>& image) = 0;

  virtual void launch(Stream stream, const GpuLaunch& launch) = 0;
  // Why it has not the skill, with the remedy; empty: it has. May load a library, and takes long then.
  [[nodiscard]] virtual std::string find_trouble(GpuSkill skill) = 0;
  // The bits follow from the extents, pitches and addresses' alignments alone. A stream's first product may allocate
  // memory; others do not.
  virtual void multiply(Stream stream, const GpuProduct& product) = 0;
  // Bytes that a transform works in. Makes what it needs besides, and keeps that for the next one; any thread calls it.
  [[nodiscard]] virtual std::size_t transform_bytes(const GpuTransform& transform) = 0;
  // All addresses are multiples of a complex number's bytes, and no two arrays overlap. ToReal takes the imaginary
  // parts of a line's first number, and of an even count's last, for the zeros that they are to be, and leaves anything
  // in `from`.
  virtual void transform(Stream stream, const GpuTransform& transform, std::byte* from, std::byte* to,
                         std::byte* work) = 0;
  // Bytes that such a call works in. Keeps what it found; any thread calls it.
  [[nodiscard]] virtual std::size_t lapack_bytes(const GpuLapack& lapack) = 0;
  // May wait for the stream, where part of the work is the host's.
  virtual void run(Stream stream, const GpuLapack& lapack, const GpuLapackCells& cells) = 0;
  virtual void copy(Stream stream, const GpuCopy& copy) = 0;
  // Raises it, or waits for it.
  virtual void tell(Stream stream, const GpuFlag& flag) = 0;
  // Whoever should raise the flags never will: where one is waited for in vain, now or later, this GPU fails, and does
  // nothing of what comes behind, which a peer would take for good. Any thread calls it.
  virtual void give_up_flags() = 0;
  // An empty graph; it must not outlive this GPU. It may be destroyed while what was issued of it runs.
  [[nodiscard]] virtual std::unique_ptr<GpuGraph> make_graph() = 0;
  // All of a graph of make_graph(), as one piece of this stream's work. Throws GraphRefused where a library's call has
  // no place in one.
  virtual void launch(Stream stream, GpuGraph& graph) = 0;
  // Marks what was issued to the stream until now.
  [[nodiscard]] virtual Event record_event(Stream stream) = 0;
  // What is issued to `stream` from now on runs after `event` of `other` (this GPU or another one of the process, of
  // the same kind), which has been made by other.record_event().
  virtual void wait(Stream stream, Gpu& other, Event event) = 0;
  // True once everything before the event is done. It may be asked again after that.
  [[nodiscard]] virtual bool completed(Event event) = 0;
  // For timelines: marks the moment at which the stream has come so far. Marks of a GPU have different numbers.
  [[nodiscard]] virtual std::int64_t mark_time(Stream stream) = 0;
  // When that was, in nanoseconds of the machine's steady clock, some 20 us too late at most; empty: the stream has not
  // come so far. Once it is told, the mark is forgotten.
  [[nodiscard]] virtual std::optional<std::int64_t> take_time(std::int64_t mark) = 0;
  // A stream of the program's, as the driver's interface has it (CUstream, cudaStream_t; null: its default stream).
  // What is issued to any stream of this GPU from now on runs after all that is in the program's now; or the other way
  // round. By events: nobody waits here.
  virtual void wait_for_program(void* program_stream) = 0;
  virtual void make_program_wait(void* program_stream) = 0;
  // Waits for all that was issued.
  virtual void finish() = 0;

  // True where kernels of this GPU can read the other's memory; found out (and switched on) by connect().
  virtual bool connect(Gpu& other) = 0;

  // Lets other processes of this node open what allocate() gave (of a multiple of 2 MiB, so that it is a mapping of its
  // own). It must not be released before they have closed it.
  [[nodiscard]] virtual GpuShare share(std::byte* data) = 0;
  // The address at which copies of this GPU find such memory; the same one each time, kept as long as this GPU lives.
  // Throws pilum::RuntimeError where processes cannot share memory.
  [[nodiscard]] virtual std::byte* open_share(const GpuShare& share) = 0;

  // Ranges for profilers, around calls that issue work.
  virtual void push_range(const char* name) = 0;
  virtual void pop_range() = 0;
};

// Opens a visible GPU. Throws pilum::RuntimeError when that fails.
[[nodiscard]] std::unique_ptr<Gpu> open_gpu(const GpuInfo& info);

}  // namespace pilum::device
