#include "apps/task_bench/report.h"

#include <iomanip>
#include <sstream>

namespace metg {
namespace {

// The radix only where it means something.
std::string describe(const Options& options) {
  const Graph& graph = options.graph;
  std::ostringstream out;
  out << name_of(graph.pattern) << " of width " << graph.width;
  const bool has_radix = graph.pattern == Pattern::kNearest || graph.pattern == Pattern::kSpread ||
                         graph.pattern == Pattern::kRandomNearest;
  if (has_radix) out << ", radix " << graph.radix;
  out << ", " << options.bytes << " bytes a task";
  return out.str();
}

}  // namespace

std::string to_table(const Options& options, const Measurement& measurement) {
  std::ostringstream out;
  out << std::fixed << describe(options) << ", on " << measurement.cores
      << (measurement.cores == 1 ? " core\n" : " cores\n");
  out << "peak " << std::setprecision(2) << measurement.peak * 1e-9 << " GFLOP/s\n\n";
  out << "iterations     steps   time/ms  granularity/us  efficiency/%\n";
  for (const Sample& sample : measurement.samples) {
    out << std::setw(10) << sample.iterations << std::setw(10) << sample.steps;
    out << std::setprecision(3) << std::setw(10) << sample.seconds * 1e3 << std::setw(16) << sample.granularity * 1e6;
    out << std::setprecision(1) << std::setw(14) << 100 * measurement.efficiency(sample) << "\n";
  }
  if (measurement.metg) {
    out << "\nMETG(50%) " << std::setprecision(3) << measurement.metg->granularity * 1e6 << " us\n";
  }
  return out.str();
}

std::string to_json(const std::string& program, const Options& options, const Measurement& measurement) {
  const Graph& graph = options.graph;
  const Sample& sample = measurement.metg ? *measurement.metg : measurement.samples.back();
  std::ostringstream out;
  out << "{\"program\": \"" << program << "\", \"pattern\": \"" << name_of(graph.pattern) << "\"";
  const auto add = [&out](const char* name, auto value) { out << ", \"" << name << "\": " << value; };
  add("width", graph.width);
  add("radix", graph.radix);
  add("bytes", options.bytes);
  add("cores", measurement.cores);
  add("peak", measurement.peak);
  add("steps", sample.steps);
  add("iterations", sample.iterations);
  add("seconds", sample.seconds);
  add("granularity", sample.granularity);
  add("efficiency", measurement.efficiency(sample));
  if (measurement.metg) add("metg", measurement.metg->granularity);
  out << "}\n";
  return out.str();
}

}  // namespace metg
