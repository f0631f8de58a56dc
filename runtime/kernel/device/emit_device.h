// Turns a kernel into CUDA C++ text without headers, and says how it is launched.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/kernel/ir/kernel.h"
#include "runtime/kernel/ir/kernel_call.h"

namespace pilum::kernel {

// What of the text does not follow from the kernel. A thread of a sweep does `vector` columns of `rows` rows; in array
// a the columns c of the thread's own with (c + phase[a]) % vector == 0 begin an aligned vector, in every row;
// kUnaligned: none is known to.
struct DeviceOptions {
  static constexpr std::int8_t kUnaligned = -1;
  bool streaming = false;  // write past the caches
  bool wide = false;       // 64-bit indices: an extent is beyond 31 bits
  std::int8_t vector = 1;
  std::int8_t rows = 1;
  std::vector<std::int8_t> phase;  // by array
  bool tiled = false;              // squares of points, for arrays that lie across; then one point at a time
  // Of a sweep: rows have so many points, and are packed into blocks, a column a thread; 0: they are not.
  std::int8_t packed = 0;
  // Of a fold along rows: so many threads, a power of two, lie side by side along one; short: one point each at most.
  std::int16_t team = 1;
  bool short_rows = false;
  bool alone = false;  // of such a fold: one thread has all points of a cell
  // Of a fold along rows: folds of a thread in turn, as many as it has points, where these are few; 0: as suit the
  // kernel.
  std::int8_t partials = 0;
  // Of a fold along single rows of few points: so many of a thread, all of which it has at hand, and rows of each team
  // at a time; 0: rows are not folded so.
  std::int8_t points = 0, cells = 0;
  bool operator==(const DeviceOptions&) const = default;
};

// The options that suit arrays bound so, for a box of these extents.
[[nodiscard]] DeviceOptions choose_device_options(const Kernel& kernel, std::span<const BoundArray> arrays,
                                                  std::span<const std::int64_t> extent, bool streaming);

// `extern "C" __global__ void pilum_kernel(const Words)`; the argument is what pack_device_call() fills. A kernel
// without accumulations is a sweep: a grid of points. One with accumulations is a fold: the box is cut into chunks,
// chunk_step[i] bytes apart in array i, and each kept cell of a chunk is folded by one team of threads, in an order
// that follows from the extents alone. Text with `#ifdef __CUDACC_RTC__` has a plain form for other compilers beside
// it.
[[nodiscard]] std::string emit_device(const Kernel& kernel, const DeviceOptions& options);

// The first line of some sweeps' texts: their threads may take many registers, so that more of their cells are on the
// way at a time, where all that they compute fits in them. The compiler for GPUs would use fewer, for more threads at a
// time.
inline constexpr const char* kManyRegisters = "// 128 registers";

// Of a fold along whole rows whose kernel reads cells of rows beside its own: the points of a row that a block has in
// flight, a chunk's worth, so that the rows beside it are still in the first cache; 0: of another kernel.
[[nodiscard]] std::int64_t columns_in_flight(const Kernel& kernel);

// A box to be run on a device, as plan.h's Launch says it.
struct DeviceCall {
  const Kernel& kernel;
  const DeviceOptions& options;
  std::span<const std::int64_t> lo, extent, chunk;  // by domain axis
  std::span<const BoundArray> arrays;               // bound at the box's first point
  std::span<const std::int64_t> chunk_step;         // empty: none
  std::span<const std::uint64_t> scalars;
  int threads = 256;  // of a sweep's block, a power of two from 64 on; a fold's follow from the extents
};

struct DeviceShape {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
};
[[nodiscard]] DeviceShape shape_of(const DeviceCall& call);
// Replaces the contents of `words`.
void pack_device_call(const DeviceCall& call, std::vector<std::uint64_t>& words);

}  // namespace pilum::kernel
