// Task Bench's patterns as plain MPI: what a task runtime is compared with (apps/task_bench/ has all that both share).
// A rank owns a block of points. It sends a payload as soon as its task has run, once to each rank that reads it, and
// waits for all messages at the end of the step.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "apps/task_bench/compute.h"
#include "apps/task_bench/measure.h"
#include "apps/task_bench/options.h"
#include "apps/task_bench/payload.h"
#include "apps/task_bench/report.h"

using metg::Graph, metg::Interval, metg::Intervals;

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw std::runtime_error(std::string("[") + call + "] " + std::string(text, static_cast<std::size_t>(length)));
}

// Contiguous points for each rank, as equal as can be.
struct Blocks {
  std::int64_t width;
  int ranks;

  [[nodiscard]] Interval of(int rank) const { return {rank * width / ranks, (rank + 1) * width / ranks}; }
  [[nodiscard]] int owner(std::int64_t point) const { return static_cast<int>(((point + 1) * ranks - 1) / width); }
};

// What a rank does in a step. Messages are tagged with the point whose payload they carry.
struct Step {
  struct Task {
    std::int64_t point;
    Intervals inputs;
    std::vector<int> destinations;  // ranks that read it
    bool operator==(const Task&) const = default;
  };
  struct Receive {
    std::int64_t point;
    int from;
    bool operator==(const Receive&) const = default;
  };
  std::vector<Task> tasks;
  std::vector<Receive> receives;  // payloads of this step that our tasks of the next one read
  bool operator==(const Step&) const = default;
};

Interval intersect(const Interval& a, const Interval& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

std::vector<int> owners(const Blocks& blocks, const Intervals& points, int but) {
  std::vector<int> found;  // sorted, since the points are
  for (const Interval& interval : points) {
    for (std::int64_t point = interval.begin; point < interval.end; ++point) {
      const int owner = blocks.owner(point);
      if (owner != but && (found.empty() || found.back() != owner)) found.push_back(owner);
    }
  }
  return found;
}

Step make_step(const Graph& graph, const Blocks& blocks, int rank, std::int64_t step) {
  const Interval ours = blocks.of(rank);
  Step made;
  const Interval now = intersect(graph.active(step), ours);
  for (std::int64_t point = now.begin; point < now.end; ++point) {
    made.tasks.push_back({point, graph.inputs(step, point), owners(blocks, graph.readers(step, point), rank)});
  }
  std::vector<bool> wanted(static_cast<std::size_t>(graph.width));
  const Interval next = intersect(graph.active(step + 1), ours);
  for (std::int64_t point = next.begin; point < next.end; ++point) {
    for (const Interval& inputs : graph.inputs(step + 1, point)) {
      std::fill(wanted.begin() + inputs.begin, wanted.begin() + inputs.end, true);
    }
  }
  for (std::int64_t point = 0; point < graph.width; ++point) {
    if (wanted[static_cast<std::size_t>(point)] && !ours.contains(point)) {
      made.receives.push_back({point, blocks.owner(point)});
    }
  }
  return made;
}

// Steps repeat themselves: few different ones stay in the cache, as they would in a program written for one pattern.
class Schedule {
 public:
  Schedule(const Graph& graph, const Blocks& blocks, int rank) {
    for (std::int64_t step = 0; step < graph.steps; ++step) {
      Step made = make_step(graph, blocks, rank, step);
      const auto known = std::find(different_.begin(), different_.end(), made);
      order_.push_back(static_cast<std::size_t>(known - different_.begin()));
      if (known == different_.end()) different_.push_back(std::move(made));
    }
  }

  [[nodiscard]] const Step& operator[](std::int64_t step) const {
    return different_[order_[static_cast<std::size_t>(step)]];
  }

 private:
  std::vector<Step> different_;
  std::vector<std::size_t> order_;
};

// A payload for every point, our own and those we receive.
class Buffer {
 public:
  Buffer(const Graph& graph, std::size_t bytes) : bytes_(bytes), all_(static_cast<std::size_t>(graph.width) * bytes) {}
  [[nodiscard]] std::span<std::byte> at(std::int64_t point) {
    return {all_.data() + static_cast<std::size_t>(point) * bytes_, bytes_};
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> all_;
};

void run_task(const Step::Task& task, std::int64_t step, std::int64_t iterations, Buffer& previous, Buffer& current) {
  const metg::Task self{step, task.point};
  for (const Interval& inputs : task.inputs) {
    for (std::int64_t input = inputs.begin; input < inputs.end; ++input) {
      metg::check_payload(previous.at(input), self, {step - 1, input});
    }
  }
  metg::compute(iterations);
  metg::write_payload(current.at(task.point), self);
}

void run_step(const Step& step, std::int64_t number, std::int64_t iterations, Buffer& previous, Buffer& current,
              std::vector<MPI_Request>& requests) {
  requests.clear();
  for (const Step::Receive& receive : step.receives) {
    const std::span<std::byte> into = current.at(receive.point);
    check(MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_BYTE, receive.from, static_cast<int>(receive.point),
                    MPI_COMM_WORLD, &requests.emplace_back()),
          "MPI_Irecv");
  }
  for (const Step::Task& task : step.tasks) {
    run_task(task, number, iterations, previous, current);
    const std::span<const std::byte> payload = current.at(task.point);
    for (const int rank : task.destinations) {
      check(MPI_Isend(payload.data(), static_cast<int>(payload.size()), MPI_BYTE, rank, static_cast<int>(task.point),
                      MPI_COMM_WORLD, &requests.emplace_back()),
            "MPI_Isend");
    }
  }
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

// The seconds of the slowest rank, on every rank.
double run_graph(const Graph& graph, std::size_t bytes, std::int64_t iterations, int rank, int ranks) {
  const Schedule schedule(graph, {graph.width, ranks}, rank);
  Buffer previous(graph, bytes), current(graph, bytes);
  std::vector<MPI_Request> requests;
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  const double start = MPI_Wtime();
  for (std::int64_t step = 0; step < graph.steps; ++step) {
    run_step(schedule[step], step, iterations, previous, current, requests);
    std::swap(previous, current);
  }
  double seconds = MPI_Wtime() - start;
  check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
  return seconds;
}

// Only the first rank speaks.
int run_program(int argc, char** argv) {
  int rank = 0;
  int ranks = 1;
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  metg::Options options;
  CLI::App app{"Task Bench's patterns as plain MPI: granularity and efficiency of its tasks"};
  metg::add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return rank == 0 ? app.exit(error) : error.get_exit_code();
  }
  const metg::Measurement measured = metg::measure(options, ranks, [&](const Graph& graph, std::int64_t iterations) {
    return run_graph(graph, options.bytes, iterations, rank, ranks);
  });
  if (rank != 0) return 0;
  std::fputs((options.json ? metg::to_json("metg_mpi", options, measured) : metg::to_table(options, measured)).c_str(),
             stdout);
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  try {
    const int status = run_program(argc, argv);
    MPI_Finalize();
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "metg_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
