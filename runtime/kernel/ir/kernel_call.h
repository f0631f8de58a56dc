// How a compiled host kernel is called. The emitted text holds a copy of these declarations (kernel/emit_host.cc).
#pragma once

#include <cstdint>

namespace pilum::kernel {

// An array argument bound to memory.
//   base       the cell of the point `lo` of the call, at offset 0
//   stride[a]  bytes from one point to the next along domain axis a (0: broadcast, or a reduced axis)
//   pitch[k]   bytes from one cell to the next along the store's axis k, for loads at offsets
struct BoundArray {
  char* base;
  std::int64_t stride[8];
  std::int64_t pitch[8];
};

// One call: the points lo <= x < lo + extent. `lo` matters to Index nodes alone: base is already at lo.
// scalars[i] holds scalar argument i in its low bytes. `more` others stand behind it, for the same scalars and strides,
// where a kernel takes several (kernel::calls_together).
struct KernelCall {
  std::int64_t lo[8];
  std::int64_t extent[8];
  const BoundArray* arrays;
  const std::uint64_t* scalars;
  std::int64_t more;
};

inline constexpr int kMostCallsTogether = 4;

using KernelFunction = void (*)(const KernelCall*);

}  // namespace pilum::kernel
