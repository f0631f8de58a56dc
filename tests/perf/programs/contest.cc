#include "tests/perf/programs/contest.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "tests/perf/programs/by_hand/pinned_team.h"
#include "tests/perf/programs/by_hand/rival.h"
#include "tests/perf/programs/difference.h"
#include "tests/perf/programs/quiet.h"

namespace pilum::programs {
namespace {

using by_hand::PinnedTeam, by_hand::Rival, by_hand::Stores;

// Of a field's largest cell. Loops by hand multiply and add in one rounding, and in another order.
constexpr double kTolerance = 1e-9;

class OpenMpContest final : public Contest {
 public:
  OpenMpContest(Runtime& runtime, const std::string& name, std::int64_t size, Program& program)
      : runtime_(runtime), program_(program) {
    const PinnedTeam team(runtime.cores());  // touches memory first
    rival_ = by_hand::make_rival(name, size);
  }

  int warm_up(double least) override {
    (void)time_program(30);
    const double program = time_program(10);
    double plain = INFINITY, streaming = INFINITY;
    for (int trial = 0; trial < (rival_.in_place ? 4 : 2); ++trial) {
      plain = std::min(plain, time_by_hand(10, Stores::Plain));
      if (!rival_.in_place) streaming = std::min(streaming, time_by_hand(10, Stores::Streaming));
    }
    stores_ = streaming < plain ? Stores::Streaming : Stores::Plain;
    const double fastest = std::min({program, plain, streaming});
    return std::max(10, static_cast<int>(std::ceil(least / fastest)));
  }

  Round run(int steps) override {
    restart();
    Round round{};
    round.program = time_program(steps);
    round.by_hand = time_by_hand(steps, stores_);
    return round;
  }

  const char* stores() const override { return stores_ == Stores::Plain ? "plain" : "streaming"; }

  std::string difference() const override {
    for (std::size_t field = 0; field < program_.fields.size(); ++field) {
      const auto cells = program_.fields[field].to_vector<double>();
      const std::string found = difference_of(cells, rival_.result(field), kTolerance);
      if (!found.empty()) return "field " + std::to_string(field) + ", " + found;
    }
    return {};
  }

 private:
  static double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  // A step.
  double time_program(int steps) {
    runtime_.wait();
    wait_until_quiet();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) program_.step();
    runtime_.wait();
    return milliseconds_since(start) / steps;
  }

  double time_by_hand(int steps, Stores stores) {
    const PinnedTeam team(runtime_.cores());
    wait_until_quiet();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) rival_.step(stores);
    return milliseconds_since(start) / steps;
  }

  // Where programs must. The first steps after that are not measured: the loop is to be found again.
  void restart() {
    if (!program_.restart) return;
    program_.restart();
    rival_.restart();
    (void)time_program(10);
    (void)time_by_hand(10, stores_);
  }

  Runtime& runtime_;
  Program& program_;
  Rival rival_;
  Stores stores_ = Stores::Plain;
};

}  // namespace

const char* unfit_environment() {
  return by_hand::unfit_environment();
}

std::unique_ptr<Contest> make_contest(Runtime& runtime, const std::string& name, std::int64_t size, Program& program) {
  return std::make_unique<OpenMpContest>(runtime, name, size, program);
}

}  // namespace pilum::programs
