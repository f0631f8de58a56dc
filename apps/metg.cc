// Task Bench's dependence patterns as tasks of the runtime: granularity and efficiency (Slaughter et al., SC20).
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <pilum/pilum.h>
#include <CLI/CLI.hpp>

#include "apps/task_bench/compute.h"
#include "apps/task_bench/measure.h"
#include "apps/task_bench/options.h"
#include "apps/task_bench/pattern.h"
#include "apps/task_bench/payload.h"
#include "apps/task_bench/report.h"

namespace np = pilum::numeric;
using metg::Graph;
using metg::Intervals;
using metg::Pattern;

// Who reads whom in one step, by point; no intervals at all for points that the step does not have.
struct Step {
  metg::Interval active;
  std::vector<Intervals> inputs;
  bool operator==(const Step&) const = default;
};

// A graph's steps, of which few are different, and how each reads the step before.
class Schedule {
 public:
  explicit Schedule(const Graph& graph) {
    for (std::int64_t number = 0; number < graph.steps; ++number) {
      Step step{graph.active(number), {}};
      for (std::int64_t point = 0; point < graph.width; ++point)
        step.inputs.push_back(number > 0 && step.active.contains(point) ? graph.inputs(number, point) : Intervals());
      const auto known =
          std::find_if(different_.begin(), different_.end(), [&](const auto& one) { return *one == step; });
      order_.push_back(static_cast<std::size_t>(known - different_.begin()));
      if (known != different_.end()) continue;
      different_.push_back(std::make_unique<Step>(std::move(step)));
      projections_.push_back(project(graph, *different_.back()));
    }
  }

  const Step& step(std::int64_t number) const { return *different_[order_[static_cast<std::size_t>(number)]]; }
  // Nothing: the step reads nothing.
  const std::optional<pilum::Projection>& projection(std::int64_t number) const {
    return projections_[order_[static_cast<std::size_t>(number)]];
  }

 private:
  static std::optional<pilum::Projection> project(const Graph& graph, const Step& step) {
    if (std::all_of(step.inputs.begin(), step.inputs.end(), [](const Intervals& one) { return one.empty(); }))
      return {};
    switch (graph.pattern) {
      case Pattern::kNoComm: return pilum::aligned;
      case Pattern::kStencil1d: return pilum::halo({1}, {1});
      case Pattern::kAllToAll: return pilum::all;
      default: break;
    }
    return pilum::Projection([&step](const pilum::Piece& point) {
      std::vector<pilum::Box> rows;
      for (const metg::Interval& rows_read : step.inputs[static_cast<std::size_t>(point.lo(0))])
        rows.push_back(pilum::Box({rows_read.begin, 0}, {rows_read.end, INT64_MAX}));
      return rows;
    });
  }

  std::vector<std::unique_ptr<Step>> different_;
  std::vector<std::optional<pilum::Projection>> projections_;
  std::vector<std::size_t> order_;
};

template <class Rows>
auto row(const Rows& rows, std::int64_t point) {
  return std::as_writable_bytes(std::span(&rows(point, 0), static_cast<std::size_t>(rows.extent(1))));
}
std::span<const std::byte> row(const pilum::Read<const std::int64_t, 2>& rows, std::int64_t point) {
  return std::as_bytes(std::span(&rows(point, 0), static_cast<std::size_t>(rows.extent(1))));
}

// The tasks of a piece: each checks what it reads, computes, and writes its name.
void first_tasks(pilum::Piece piece, pilum::Write<std::int64_t, 2> out, const Step* step, std::int64_t number,
                 std::int64_t iterations) {
  for (std::int64_t point = piece.lo(0); point < piece.hi(0); ++point) {
    if (!step->active.contains(point)) continue;
    metg::compute(iterations);
    metg::write_payload(row(out, point), {number, point});
  }
}

void tasks(pilum::Piece piece, pilum::Read<const std::int64_t, 2> in, pilum::Write<std::int64_t, 2> out,
           const Step* step, std::int64_t number, std::int64_t iterations) {
  for (std::int64_t point = piece.lo(0); point < piece.hi(0); ++point) {
    if (!step->active.contains(point)) continue;
    for (const metg::Interval& inputs : step->inputs[static_cast<std::size_t>(point)]) {
      for (std::int64_t input = inputs.begin; input < inputs.end; ++input)
        metg::check_payload(row(in, input), {number, point}, {number - 1, input});
    }
    metg::compute(iterations);
    metg::write_payload(row(out, point), {number, point});
  }
}

class Program {
 public:
  Program(pilum::Runtime& runtime, std::size_t bytes)
      : runtime_(runtime), words_(static_cast<std::int64_t>(bytes / 8)) {}

  // The seconds of the slowest rank, on every rank.
  double run(const Graph& graph, std::int64_t iterations) {
    const Schedule schedule(graph);
    np::Array previous = np::zeros({graph.width, words_}, pilum::int64),
              current = np::zeros({graph.width, words_}, pilum::int64);
    agree(0);  // all ranks begin together
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t number = 0; number < graph.steps; ++number) {
      const Step* step = &schedule.step(number);
      if (const auto& projection = schedule.projection(number)) {
        tasks_({graph.width}, pilum::read(previous, *projection), pilum::write(current), step, number, iterations);
      } else {
        first_tasks_({graph.width}, pilum::write(current), step, number, iterations);
      }
      std::swap(previous, current);
    }
    runtime_.wait();
    return agree(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

 private:
  // The largest of the ranks' values.
  double agree(double mine) {
    np::Array all = np::zeros({runtime_.ranks()});
    // By reference: what is captured by value must be alike on all ranks.
    pilum::task("agree", [&mine](pilum::Piece piece, pilum::Write<double, 1> out) {
      for (std::int64_t rank = piece.lo(0); rank < piece.hi(0); ++rank) out(rank) = mine;
    })({runtime_.ranks()}, pilum::write(all));
    return np::max(all).item<double>();
  }

  pilum::Runtime& runtime_;
  std::int64_t words_;
  decltype(pilum::task("", first_tasks)) first_tasks_ = pilum::task("first tasks", first_tasks);
  decltype(pilum::task("", tasks)) tasks_ = pilum::task("tasks", tasks);
};

int main(int argc, char** argv) {
  metg::Options options;
  CLI::App app{"Task Bench's patterns as tasks of the runtime: their granularity and efficiency"};
  metg::add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    pilum::Runtime runtime(argc, argv);
    Program program(runtime, options.bytes);
    const metg::Measurement measured =
        metg::measure(options, runtime.cores(),
                      [&](const Graph& graph, std::int64_t iterations) { return program.run(graph, iterations); });
    std::fputs((options.json ? metg::to_json("metg", options, measured) : metg::to_table(options, measured)).c_str(),
               stdout);
  } catch (const pilum::Error& error) {
    std::fprintf(stderr, "metg: %s\n", error.what());
    return 1;
  }
}
