// Turns a kernel into C++ text without headers.
#pragma once

#include <string>

#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// What of the text does not follow from the kernel.
struct EmitOptions {
  bool streaming = false;  // write with non-temporal stores: outputs larger than the cache
  bool scalar = false;     // plain scalar loops, for sanitizers
  bool padded =
      false;  // one loop body where it can be, on padded copies at a row's ends: shorter, slower in short rows
  bool operator==(const EmitOptions&) const = default;
};

// One function `extern "C" void pilum_kernel(const KernelCall*)`; compiles with clang >= 16 and g++ >= 12.
std::string emit_host(const Kernel& kernel, const EmitOptions& options);

}  // namespace pilum::kernel
