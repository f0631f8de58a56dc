// Turns a kernel into C++ text without headers.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// Which rows are walked by turns, for a core's prefetchers follow a page at a time: of what lies in memory, not in the
// caches.
enum class Walk : std::uint8_t {
  Rows,     // one row after the other
  Strands,  // a block of each of several rows, of parts of one, or of several calls
  Planes,   // a row of each of several planes
};

// What of the text does not follow from the kernel.
struct EmitOptions {
  bool streaming = false;  // write with non-temporal stores: outputs larger than the cache
  Walk walk = Walk::Rows;
  bool scalar = false;  // plain scalar loops, for sanitizers
  bool padded =
      false;  // one loop body where it can be, on padded copies at a row's ends: shorter, slower in short rows
  bool operator==(const EmitOptions&) const = default;
};

// How many calls a kernel with strands takes at a time, one by one or all: several where each folds all of its points.
int calls_together(const Kernel& kernel);
// Cells of a row from which on strands pay: of rows, and of calls.
std::int64_t least_row_of_strands(const Kernel& kernel);
std::int64_t least_row_of_calls(const Kernel& kernel);
// Whether a kernel has planes to walk by turns, and how many go together: of eight it took as long as of one.
bool has_planes(const Kernel& kernel);
inline constexpr int kPlanesTogether = 4;

// One function `extern "C" void pilum_kernel(const KernelCall*)`; compiles with clang >= 16 and g++ >= 12.
std::string emit_host(const Kernel& kernel, const EmitOptions& options);

}  // namespace pilum::kernel
