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

void write_nest(SourceText& text, const HostPlan& plan, const HostRow& row, int axis) {
  const bool folds_here = axis == plan.run && plan.folds_rows() && !row.goes_in_strands();
  if (folds_here) write_partials(text, plan);
  if (row.goes_in_strands() && axis == std::max(plan.inner() - 1, 0)) {
    row.write_strands(text);
  } else if (row.goes_in_planes() && axis == plan.inner() - 2) {
    row.write_planes(text);
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
  row.write_shared_bindings(text);
  row.write_call_values(text);
  if (row.goes_in_calls()) {
    row.write_calls(text);
  } else if (options.walk == Walk::Strands && calls_together(kernel) > 1) {  // whose scalar form goes one by one
    text.line("const KernelCall* const calls = call;");
    text.open("for (i64 s = 0; s <= calls->more; ++s)");
    text.line("const KernelCall* const call = calls + s;");
    row.write_bindings(text);
    write_starts(text, plan);
    write_nest(text, plan, row, 0);
    text.close();
  } else {
    row.write_bindings(text);
    write_starts(text, plan);
    write_nest(text, plan, row, 0);
  }
  if (options.streaming && plan.vectorised) text.line("stream_end();");
  text.close();
  return text.take();
}

}  // namespace pilum::kernel
