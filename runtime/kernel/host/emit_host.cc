// The loops around the rows:
//
//   prelude (types, helpers)
//   pilum_kernel(call):
//     extents, bases, strides, pitches, scalars
//     accumulated cells = what the fold starts from
//     for each outer axis, arrays stepping by their strides:
//       [partial folds, outside the trailing run of reduced axes]
//         the row
//       [their totals into the cells]
#include "runtime/kernel/host/emit.h"

#include <algorithm>

#include "runtime/kernel/host/host_fold.h"
#include "runtime/kernel/host/host_prelude.h"
#include "runtime/kernel/host/host_row.h"

namespace pilum::kernel {
namespace {

void write_heading(SourceText& text, const HostPlan& plan) {
  write_program(text, plan.kernel);
  if (plan.options.streaming) text.line("// written past the caches");
}

// Locals for what the loops use of the call: stores could change the call itself, as far as a compiler knows.
void write_bindings(SourceText& text, const HostPlan& plan, const HostRow& row) {
  const int rank = plan.kernel.rank;
  for (int axis = 0; axis < rank; ++axis) text.line("const i64 n", axis, " = call->extent[", axis, "];");
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const Node& node = plan.kernel.nodes[i];
    if (node.op != Op::Index || plan.levels[i] != Level::Point) continue;
    text.line("const i64 lo", plan.inner(), " = call->lo[", plan.inner(), "];");
    if (!plan.vectorised) continue;
    std::string steps;
    for (int lane = 0; lane < plan.lanes; ++lane) steps += join(lane ? ", " : "", lane);
    text.line("const i64v steps = {", steps, "};");
  }
  for (std::size_t i = 0; i < plan.kernel.arrays.size(); ++i) {
    const ArrayArgument& array = plan.kernel.arrays[i];
    text.line("char* a", i, "_0 = call->arrays[", i, "].base;");
    const int strides = is_strided(array) || array.access == Access::Reduce ? rank : rank - 1;
    for (int axis = 0; axis < strides; ++axis) {
      text.line("const i64 a", i, "_stride", axis, " = call->arrays[", i, "].stride[", axis, "];");
    }
    for (int axis = 0; axis < array.store_rank; ++axis) {
      const auto moves = [&](const RowPointer& pointer) {
        return pointer.argument == static_cast<int>(i) && pointer.offset[static_cast<std::size_t>(axis)] != 0;
      };
      bool used = false;
      for (const RowPointer& pointer : row.pointers()) used |= moves(pointer);
      if (used) text.line("const i64 a", i, "_pitch", axis, " = call->arrays[", i, "].pitch[", axis, "];");
    }
  }
}

void write_nest(SourceText& text, const HostPlan& plan, const HostRow& row, int axis) {
  const bool folds_here = axis == plan.run && plan.folds_rows() && !row.goes_in_strands();
  if (folds_here) write_partials(text, plan);
  if (row.goes_in_strands() && axis == std::max(plan.inner() - 1, 0)) {
    row.write_strands(text);
  } else if (axis == plan.inner()) {
    row.write(text);
  } else {
    std::string steps;
    for (std::size_t i = 0; i < plan.kernel.arrays.size(); ++i)
      steps += join(", a", i, "_", axis, " += a", i, "_stride", axis);
    text.open("for (i64 i", axis, " = 0; i", axis, " < n", axis, "; ++i", axis, steps, ")");
    for (std::size_t i = 0; i < plan.kernel.arrays.size(); ++i)
      text.line("char* a", i, "_", axis + 1, " = a", i, "_", axis, ";");
    write_nest(text, plan, row, axis + 1);
    text.close();
  }
  if (folds_here) write_totals(text, plan, axis);
}

}  // namespace

std::string emit_host(const Kernel& kernel, const EmitOptions& options) {
  const HostPlan plan = make_host_plan(kernel, options);
  const HostRow row(plan);
  SourceText text;
  write_heading(text, plan);
  write_prelude(text, plan);
  write_partial_types(text, plan);
  text.raw("\n}  // namespace\n\n");
  text.open("extern \"C\" void pilum_kernel(const KernelCall* call)");
  write_bindings(text, plan, row);
  row.write_call_values(text);
  write_starts(text, plan);
  write_nest(text, plan, row, 0);
  if (options.streaming && plan.vectorised) text.line("stream_end();");
  text.close();
  return text.take();
}

}  // namespace pilum::kernel
