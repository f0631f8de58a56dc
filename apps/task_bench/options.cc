#include "apps/task_bench/options.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "apps/task_bench/payload.h"

namespace metg {
namespace {

constexpr std::int64_t kMany = 1'000'000'000;

void check_together(Options& options) {
  Graph& graph = options.graph;
  if (options.bytes % kSmallestPayload != 0) {
    throw CLI::ValidationError("--bytes", std::to_string(options.bytes) + " is not a multiple of " +
                                              std::to_string(kSmallestPayload) + ", a pair (step, point)");
  }
  if (graph.pattern != Pattern::kSpread) return;
  if (graph.radix > graph.width) {
    throw CLI::ValidationError("--radix", "spread cannot read " + std::to_string(graph.radix) +
                                              " different points of " + std::to_string(graph.width) +
                                              ": give a larger --width");
  }
  // A spoke that is turned further than the next one's place would name points twice.
  graph.period = std::min(graph.period, (graph.width + graph.radix - 1) / graph.radix);
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
  Graph& graph = options.graph;
  app.add_option_function<std::string>(
         "-p,--pattern",
         [&graph](const std::string& name) {
           try {
             graph.pattern = parse_pattern(name);
           } catch (const std::invalid_argument& error) {
             throw CLI::ValidationError("--pattern", error.what());
           }
         },
         "Who reads whom, by Task Bench's names")
      ->default_str(std::string(name_of(graph.pattern)));
  app.add_option("-w,--width", graph.width, "Points of a step")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24))
      ->capture_default_str();
  app.add_option("-s,--steps", graph.steps, "Steps; --metg chooses its own")
      ->check(CLI::Range(std::int64_t{1}, kMany))
      ->capture_default_str();
  app.add_option("-r,--radix", graph.radix, "Points that nearest, spread and random_nearest read")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24))
      ->capture_default_str();
  app.add_option("--period", graph.period, "Steps after which spread (at most width/radix) and random_nearest repeat")
      ->check(CLI::Range(std::int64_t{1}, kMany))
      ->capture_default_str();
  app.add_option("--fraction", graph.fraction, "Of the radix that random_nearest reads")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("-i,--iterations", options.iterations, "Of the kernel, in every task: 128 flops each")
      ->check(CLI::Range(std::int64_t{0}, kMany))
      ->capture_default_str();
  app.add_option("-b,--bytes", options.bytes, "That a task writes, a multiple of 16")
      ->check(CLI::Range(kSmallestPayload, std::size_t{1} << 30))
      ->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "Of every run; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--metg", options.metg, "Find the minimum effective granularity, at 50 % efficiency");
  app.add_flag("--json", options.json, "Print one line of JSON");
  app.callback([&options] { check_together(options); });
}

}  // namespace metg
