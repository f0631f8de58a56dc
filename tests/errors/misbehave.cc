// A program whose one rank goes wrong in mid-run, in the way that is asked for: misbehave HOW RANK [pick]
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <pilum/pilum.h>

namespace np = pilum::numeric;
using np::all, np::slice;

namespace {

void sweep(np::Array& line) {
  auto left = line(slice(0, -2)), right = line(slice(2, {}));
  line(slice(1, -1)) = 0.5 * (left + right);
}

// Each rank asks the others for cells.
void pick(np::Array& line, const np::Array& places) {
  line[all] = 0.5 * line(places);
}

void run_faulty_task(np::Array& line) {
  pilum::task("erode", [](pilum::Piece piece, pilum::ReadWrite<double, 1> sand, std::int64_t end) {
    if (piece.hi(0) == end) throw std::runtime_error("no sand is left");
    sand(piece.lo(0)) = 0;
  })({line.size()}, pilum::read_write(line), line.size());
}

void go_wrong(const std::string& how, np::Array& line, np::Array& places) {
  if (how == "throw") throw std::runtime_error("the input file is empty");
  if (how == "mistake") line(slice(0, 3)) + line(slice(0, 4));
  if (how == "diverge") line(slice(0, 100)) += 1;
  if (how == "number") line(all) += 2;
  if (how == "index") places(199999) = 200000;
  if (how == "task") run_faulty_task(line);
  if (how == "exit") std::exit(3);
  if (how == "kill") std::raise(SIGKILL);
  if (how == "abort") std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  const int wrong = argc > 2 ? std::atoi(argv[2]) : 0;
  pilum::Runtime runtime(argc, argv);
  const bool picks = argc > 3 && std::string(argv[3]) == "pick";
  np::Array line = np::arange(200000, pilum::float64);
  np::Array places = (np::arange(200000) * 7919) % 200000;
  for (int i = 0; i < 600; ++i) {
    if (picks) {
      pick(line, places);
    } else {
      sweep(line);
    }
    if (i == 300 && (runtime.rank() == wrong || how == "task" || how == "index")) {
      if (how == "leave") return 0;
      go_wrong(how, line, places);
    } else if (i == 300 && how == "number") {
      line(all) += 1;
    }
    if (i % 100 == 0) runtime.wait();
  }
  std::printf("sum %g\n", np::sum(line).item<double>());
}
