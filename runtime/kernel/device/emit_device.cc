#include "runtime/kernel/device/emit_device.h"

#include <algorithm>
#include <iterator>

#include "runtime/kernel/device/device_point.h"
#include "runtime/kernel/device/device_prelude.h"
#include "runtime/kernel/host/host_prelude.h"

namespace pilum::kernel {
namespace {

// Of the sweeps that were measured (docs/results/programs.md): of more cells the registers are full as it is, single
// rows lose by it.
bool reads_several_cells(const Kernel& kernel) {
  constexpr std::ptrdiff_t kLeast = 4, kMost = 12;
  const auto loads = std::ranges::count(kernel.nodes, Op::Load, &Node::op);
  return loads >= kLeast && loads + std::ssize(kernel.stores) <= kMost;
}

}  // namespace

std::string emit_device(const Kernel& kernel, const DeviceOptions& options) {
  const DevicePlan plan(kernel, options);
  const bool folds = !kernel.accumulations.empty();
  SourceText text;
  if (!folds && options.rows > 1 && reads_several_cells(kernel)) text.line(kManyRegisters);
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
  if (folds) {
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
