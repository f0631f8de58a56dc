#include "tests/random/check.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "tests/random/child.h"
#include "tests/random/draw.h"
#include "tests/random/oracle.h"

namespace pilum::random_programs {
namespace {

constexpr int kShrinkSeconds = 12;                  // for one try
constexpr std::chrono::seconds kShrinkBudget{120};  // for all of them

std::string text_of(const std::vector<Program>& programs) {
  std::string text;
  for (const Program& program : programs) text += to_string(program);
  return text;
}

using Readings = std::vector<std::vector<Reading>>;  // of each program

Readings readings_of(const Batch& batch) {
  Readings expected;
  for (const Program& program : batch.programs) expected.push_back(expected_readings(program));
  return expected;
}

std::optional<std::string> failure_of(const Batch& batch, const Readings& expected, const Execute& execute,
                                      int seconds) {
  return run_in_child([&] { return execute(batch, expected); }, seconds);
}

std::int64_t count_cells(const Readings& expected) {
  std::int64_t cells = 0;
  for (const std::vector<Reading>& readings : expected) {
    for (const Reading& reading : readings) cells += static_cast<std::int64_t>(reading.cells.size());
  }
  return cells;
}

// The lists of statements with one left out, or one loop shortened.
std::vector<std::vector<Statement>> smaller(const std::vector<Statement>& statements) {
  std::vector<std::vector<Statement>> results;
  for (std::size_t place = statements.size(); place-- > 0;) {
    std::vector<Statement> without = statements;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(place));
    results.push_back(std::move(without));
    const auto* loop = std::get_if<Loop>(&statements[place].what);
    if (!loop) continue;
    const auto add = [&](Loop other) {
      std::vector<Statement> changed = statements;
      changed[place].what = std::move(other);
      results.push_back(std::move(changed));
    };
    if (loop->rounds > 1) add(Loop{loop->rounds / 2, loop->block});
    if (loop->rounds > 2) add(Loop{loop->rounds - 1, loop->block});
    for (auto& block : smaller(loop->block)) {
      if (!block.empty()) add(Loop{loop->rounds, std::move(block)});
    }
  }
  return results;
}

// Batches that are a step smaller, the smallest ones first.
std::vector<Batch> smaller(const Batch& batch) {
  std::vector<Batch> results;
  const std::size_t count = batch.programs.size();
  for (std::size_t place = 0; count > 2 && place < count; ++place)
    results.push_back({batch.seed, {batch.programs[place]}});
  for (std::size_t place = 0; count > 1 && place < count; ++place) {
    results.push_back(batch);
    results.back().programs.erase(results.back().programs.begin() + static_cast<std::ptrdiff_t>(place));
  }
  for (std::size_t place = 0; place < count; ++place) {
    for (auto& statements : smaller(batch.programs[place].statements)) {
      results.push_back(batch);
      results.back().programs[place].statements = std::move(statements);
    }
  }
  return results;
}

struct Shrunk {
  Batch batch;
  std::string failure;
};

Shrunk shrink(Shrunk found, const Execute& execute, int seconds) {
  const auto end = std::chrono::steady_clock::now() + kShrinkBudget;
  for (bool smaller_fails = true; smaller_fails;) {
    smaller_fails = false;
    for (Batch& batch : smaller(found.batch)) {
      if (std::chrono::steady_clock::now() > end) return found;
      try {
        auto failure = failure_of(batch, readings_of(batch), execute, seconds);
        if (!failure) continue;
        found = {std::move(batch), *std::move(failure)};
      } catch (const Invalid&) {
        continue;
      }
      smaller_fails = true;
      break;
    }
  }
  return found;
}

}  // namespace

std::uint64_t seed_or(std::uint64_t otherwise) {
  const char* text = std::getenv("PILUM_RANDOM_SEED");
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

int count_or(int otherwise) {
  const char* text = std::getenv("PILUM_RANDOM_COUNT");
  return text ? std::atoi(text) : otherwise;
}

std::optional<std::string> first_failure(std::uint64_t seed, int count, int size, const Checker& checker) {
  const char* limit = std::getenv("PILUM_RANDOM_SECONDS");
  const int seconds = limit ? std::atoi(limit) : 150;
  for (int first = 0; first < count; first += size) {
    Batch batch{seed + static_cast<std::uint64_t>(first), {}};
    for (int place = first; place < std::min(first + size, count); ++place) {
      batch.programs.push_back(draw_program(seed + static_cast<std::uint64_t>(place)));
    }
    const Readings expected = readings_of(batch);
    const auto failure = failure_of(batch, expected, checker.execute, seconds);
    if (!failure) {
      if (checker.on_success) checker.on_success(batch, count_cells(expected));
      continue;
    }
    const Shrunk shrunk = shrink({batch, *failure}, checker.execute, std::min(seconds, kShrinkSeconds));
    return *failure + "\nPILUM_RANDOM_SEED=" + std::to_string(batch.seed) +
           " PILUM_RANDOM_COUNT=" + std::to_string(batch.programs.size()) +
           (checker.describe ? "; " + checker.describe(batch) : "") + "; shrunk, " + shrunk.failure + ":\n" +
           text_of(shrunk.batch.programs);
  }
  return {};
}

}  // namespace pilum::random_programs
