#include "runtime/kernel/device/emit_device.h"

#include "runtime/kernel/device/device_point.h"
#include "runtime/kernel/device/device_prelude.h"
#include "runtime/kernel/host/host_prelude.h"

namespace pilum::kernel {

std::string emit_device(const Kernel& kernel, const DeviceOptions& options) {
  const DevicePlan plan(kernel, options);
  SourceText text;
  write_program(text, kernel);
  text.line("// ", static_cast<int>(options.rows), " rows of ", static_cast<int>(options.vector), " columns a thread",
            options.streaming ? ", written past the caches" : "");
  text.raw(device_head());
  write_prelude(text, plan.scalar);
  if (divides_at_points(plan)) text.raw(device_division());
  text.raw(device_memory_helpers());
  text.raw(device_digits());
  text.raw(device_place());
  text.line();
  text.line("struct Words { i64 w[", plan.layout.size(), "]; };");
  // Here, where the prelude's functions hide the compiler's of the same names.
  text.open("inline void run(const Words& call, const Place& my)");
  if (!kernel.accumulations.empty()) {
    write_device_fold(text, plan);
  } else {
    options.tiled ? write_tiled_sweep(text, plan) : write_sweep(text, plan);
  }
  text.close();
  text.raw("\n}  // namespace\n\n");
  text.raw(device_entry());
  return text.take();
}

}  // namespace pilum::kernel
