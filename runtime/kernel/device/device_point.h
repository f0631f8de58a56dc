// The program of one point as CUDA text. Private to the emitter.
#pragma once

#include <functional>
#include <string>

#include "runtime/kernel/device/device_layout.h"
#include "runtime/kernel/device/emit_device.h"
#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {

// What the emitter of device text derives from kernel and options.
struct DevicePlan {
  DevicePlan(const Kernel& kernel, const DeviceOptions& options);
  const Kernel& kernel;
  const DeviceOptions& options;
  DeviceLayout layout;
  HostPlan scalar;  // the same kernel as scalar host text: its expressions are ours

  int inner() const { return kernel.rank - 1; }
  const ArrayArgument& array(int i) const { return kernel.arrays[static_cast<std::size_t>(i)]; }
  int arrays() const { return static_cast<int>(kernel.arrays.size()); }
  // "call.w[7]"
  static std::string word(int i) { return join("call.w[", i, "]"); }
  // " + 2 * call.w[9]" for each axis of the offset that is not zero, in bytes.
  std::string displacement(int array, const Offset& offset) const;
};

// There is a quotient for which the text wants device_division().
bool divides_at_points(const DevicePlan& plan);
// Values that are the same in the whole call: scalar arguments, constants and what follows from them.
void write_call_values(SourceText& text, const DevicePlan& plan);
// The other values of one point. `load` says what a Load is, as a value; `index` the point's coordinate on an axis.
void write_point_values(SourceText& text, const DevicePlan& plan, const std::function<std::string(const Node&)>& load,
                        const std::function<std::string(int axis)>& index);
// The value as it is kept in memory.
std::string in_memory(const DevicePlan& plan, ValueId value);
// A cell in memory as a value.
std::string as_value(DType dtype, const std::string& cell);

// How many folds of a thread are folded into in turn at most, for long rows.
int most_partial_folds(const Kernel& kernel);

// Writes the text of a kernel without accumulations, of one with arrays that lie across, and of one with accumulations.
void write_sweep(SourceText& text, const DevicePlan& plan);
void write_tiled_sweep(SourceText& text, const DevicePlan& plan);
void write_device_fold(SourceText& text, const DevicePlan& plan);

}  // namespace pilum::kernel
