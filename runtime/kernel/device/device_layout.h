// Where a device kernel finds what it is called with. Private to the emitter and the packing of calls.
#pragma once

#include <vector>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// The argument is an array of 64-bit words:
//
//   | array 0: base, stride[rank], pitch[store_rank] | array 1: … | lo[rank] | extent[rank] | chunk[rank] |
//   | chunks[rank] | chunk_step[arrays] | shift | planes | scalars |
//
// chunks: how many lie along each axis. shift: how many columns before the box the first thread's own begin. planes: a
// sweep's block takes so many in turn.
struct DeviceLayout {
  const Kernel& kernel;
  int base(int array) const {
    int word = 0;
    for (int i = 0; i < array; ++i) word += 1 + kernel.rank + kernel.arrays[static_cast<std::size_t>(i)].store_rank;
    return word;
  }
  int stride(int array, int axis) const { return base(array) + 1 + axis; }
  int pitch(int array, int axis) const { return base(array) + 1 + kernel.rank + axis; }
  int lo(int axis) const { return base(arrays()) + axis; }
  int extent(int axis) const { return lo(kernel.rank) + axis; }
  int chunk(int axis) const { return extent(kernel.rank) + axis; }
  int chunks(int axis) const { return chunk(kernel.rank) + axis; }
  int chunk_step(int array) const { return chunks(kernel.rank) + array; }
  int shift() const { return chunk_step(arrays()); }
  int planes() const { return shift() + 1; }
  int scalar(int i) const { return planes() + 1 + i; }
  int size() const { return scalar(static_cast<int>(kernel.scalars.size())); }

 private:
  int arrays() const { return static_cast<int>(kernel.arrays.size()); }
};

// The array whose vectors the threads' columns are aligned to: the first contiguous one that is written, else read; -1.
int primary_array(const Kernel& kernel);

// Some cell is read from points of several rows, or planes; of several planes.
bool reads_across_rows(const Kernel& kernel);
bool reads_across_planes(const Kernel& kernel);

// The arrays of a sweep that are read across: contiguous along the domain's last axis but one, and not along the last.
std::vector<int> crossed_arrays(const Kernel& kernel);
// Points along an edge of the square that a block of such a sweep takes; 64 are slower, for 4-byte cells too.
inline constexpr int kTile = 32;

// Threads of a block of a fold, and of a tiled sweep, a power of two: who folds what, and so the result, follows from
// it.
inline constexpr int kDeviceThreads = 256;

}  // namespace pilum::kernel
