// What the emitted text calls its types, and how a kernel is laid out in it. Private to the emitter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pilum/dtype.h"
#include "runtime/kernel/host/emit.h"
#include "runtime/kernel/ir/kernel.h"

namespace pilum::kernel {

// Where a value changes: once a call, once a row (the last axis of the domain), or at each point.
enum class Level : std::uint8_t { Call, Row, Point };

// Scalar text names values v0, v1, …; vector text w0, w1, …
enum class Form : std::uint8_t { Scalar, Vector };

// What the emitter derives from kernel and options before it writes a line.
//   lanes       elements a vector holds, the same for every dtype of the kernel: the widest one fills 64 bytes,
//               whatever the machine, so that the order of reductions does not depend on it
//   mask_bytes  a Bool in a vector is a signed integer of this size, 0 or -1: that of the widest dtype
//   run         the first axis of the trailing run of reduced axes; the rank where the last axis is kept
//   vectorised  whether there is a vector body
//   aligned     the array whose rows are peeled to 64 bytes, or -1
//   padded      whether a row's ends go through vectors of their own, as the options wish
struct HostPlan {
  const Kernel& kernel;
  EmitOptions options;
  int lanes = 8;
  int mask_bytes = 8;
  int run = 0;
  bool vectorised = true;
  int aligned = -1;
  bool padded = false;
  std::vector<Level> levels;  // by node

  int inner() const { return kernel.rank - 1; }
  bool folds_rows() const { return run < kernel.rank; }
  const ArrayArgument& array(int i) const { return kernel.arrays[static_cast<std::size_t>(i)]; }
  const Node& node(ValueId i) const { return kernel.nodes[static_cast<std::size_t>(i)]; }
  Level level(ValueId i) const { return levels[static_cast<std::size_t>(i)]; }
};
HostPlan make_host_plan(const Kernel& kernel, const EmitOptions& options);

// "f64": the type of a value in scalar text (Bool: "bool"; Complex128: "c128", a struct of two "f64"; Float16: "u16").
const char* value_type(DType dtype);
// The type in memory (Bool: "u8").
const char* memory_type(DType dtype);
// The type of a value in vector text: "f64v" (Bool: "maskv"; Complex128: "c128v", a struct of two "f64v").
const char* vector_type(DType dtype);
// An array that is walked by its stride: strided, or written though it does not move (then its axis has one point).
bool is_strided(const ArrayArgument& array);

}  // namespace pilum::kernel
