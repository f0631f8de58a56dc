// Rows that are too short for strands, of several planes: a row of each of four planes by turns. Four planes are read
// with the two around them, which stay in the caches for the next rows; one after the other each is read on its own,
// and a core's prefetchers follow one page. Two passes of seven points over 256³ took a core 27.5 ms, plane by
// plane 34.5 (a Xeon of 2023).
#include "runtime/kernel/host/host_row.h"

namespace pilum::kernel {
namespace {

// Folds keep the order of rows.
bool can_go_in_planes(const HostPlan& plan) {
  return plan.kernel.rank >= 3 && plan.vectorised && plan.kernel.accumulations.empty() &&
         plan.kernel.arrays.size() <= kMostArraysByTurns;
}

}  // namespace

bool has_planes(const Kernel& kernel) {
  return can_go_in_planes(make_host_plan(kernel, {}));
}

bool HostRow::goes_in_planes() const {
  return plan_.options.walk == Walk::Planes && can_go_in_planes(plan_);
}

void HostRow::write_planes(SourceText& text) const {
  const int inner = plan_.inner(), row = inner - 1, plane = inner - 2;
  const std::string first = join("first", plane);
  text.open("for (i64 ", first, " = 0; ", first, " < n", plane, "; ", first, " += ", kPlanesTogether, ")");
  text.line("const i64 left = n", plane, " - ", first, ", planes = left < ", kPlanesTogether,
            " ? left : ", kPlanesTogether, ";");
  text.open("for (i64 i", row, " = 0; i", row, " < n", row, "; ++i", row, ")");
  text.open("for (i64 s = 0; s < planes; ++s)");
  text.line("const i64 i", plane, " = ", first, " + s;");
  for (std::size_t i = 0; i < plan_.kernel.arrays.size(); ++i) {
    text.line("char* a", i, "_", inner, " = a", i, "_", plane, " + i", plane, " * a", i, "_stride", plane, " + i", row,
              " * a", i, "_stride", row, ";");
  }
  write(text);
  text.close();
  text.close();
  text.close();
}

}  // namespace pilum::kernel
