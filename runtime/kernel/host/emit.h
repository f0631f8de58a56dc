// Turns a kernel into C++ text without headers.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// What of the text does not follow from the kernel.
struct EmitOptions {
  bool streaming = false;  // write with non-temporal stores: outputs larger than the cache
  bool strands = false;    // walk several rows by turns: what is read and written lies in memory, not in the caches
  bool scalar = false;     // plain scalar loops, for sanitizers
  bool padded =
      false;  // one loop body where it can be, on padded copies at a row's ends: shorter, slower in short rows
  bool operator==(const EmitOptions&) const = default;
};

// Cells of a row from which on strands pay.
std::int64_t least_row_of_strands(const Kernel& kernel);
// How many calls a kernel with strands takes at a time, one by one or all: several where each folds all of its points.
int calls_together(const Kernel& kernel);
std::int64_t least_row_of_calls(const Kernel& kernel);

// One function `extern "C" void pilum_kernel(const KernelCall*)`; compiles with clang >= 16 and g++ >= 12.
std::string emit_host(const Kernel& kernel, const EmitOptions& options);

}  // namespace pilum::kernel
