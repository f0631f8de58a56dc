// Every kind of call stands on a line of its own, so that it can be told which of them an error names.
#include "tests/faults/run.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "pilum/pilum.h"
#include "runtime/base/dtype_visit.h"
#include "tests/faults/dice.h"

namespace pilum::faults {
namespace {

namespace np = numeric;
using Where = std::source_location;

Shape shape_of(const Step& step) {
  return step.columns == 0 ? Shape{step.extent} : Shape{step.extent, step.columns};
}

np::Operand operand(const Step& step, Where where = Where::current()) {
  switch (step.number.kind) {
    case Number::Kind::Bool: return {step.number.value != 0, where};
    case Number::Kind::Integer: return {static_cast<std::int64_t>(step.number.value), where};
    case Number::Kind::Floating: break;
  }
  return {step.number.value, where};
}

bool is_altered(const Step& step, std::int64_t cell) {
  return step.altered >= 0 && (step.altered_on ? cell >= step.altered : cell == step.altered);
}

std::vector<double> data_of(const Step& step) {
  std::vector<double> cells;
  Dice dice(step.data);
  for (std::int64_t k = 0; k < shape_of(step).elements(); ++k) {
    cells.push_back(static_cast<double>(dice.below(64)) + (is_altered(step, k) ? 0.5 : 0));
  }
  return cells;
}

// Bits that differ, but for the sign and the payload of nan, which promise nothing.
std::uint64_t hash_of(double cell, std::uint64_t hash) {
  std::uint64_t bits = 0x7ff8;
  if (!std::isnan(cell)) std::memcpy(&bits, &cell, sizeof bits);
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

template <class T>
std::string hashed(const np::Array& array, Where where) {
  std::uint64_t hash = 1;
  for (const T cell : array.to_vector<T>(where)) hash = hash_of(static_cast<double>(cell), hash);
  char text[40];
  std::snprintf(text, sizeof text, "cells %016lx\n", hash);
  return text;
}

std::string cells_of(const np::Array& array, Where where = Where::current()) {
  return visit_real_dtype(array.dtype(), [&]<class T>(T) { return hashed<T>(array, where); });
}

std::string item_of(const np::Array& array, Where where = Where::current()) {
  const auto value =
      visit_real_dtype(array.dtype(), [&]<class T>(T) { return static_cast<double>(array.item<T>(where)); });
  char text[60];
  std::snprintf(text, sizeof text, "item %a\n", std::isnan(value) ? std::abs(value) : value);
  return text;
}

std::string print_of(const np::Array& array, Where where = Where::current()) {
  std::ostringstream text;
  text << np::Located(array, where) << '\n';
  return text.str();
}

volatile bool is_endless = true;

struct Weights {
  double scale;
  std::int64_t shift;
};

using SmoothTask = Task<Read<const double, 1>, Write<double, 1>, double>;
using LineTask = Task<ReadWrite<double, 1>>;

SmoothTask smooth_of(const Step& step) {
  const auto body = [](Piece piece, Read<const double, 1> in, Write<double, 1> out, double weight) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
      const std::int64_t left = std::max(i - 1, in.lo(0)), right = std::min(i + 1, in.hi(0) - 1);
      out(i) = weight * in(i) + 0.25 * (in(left) + in(right));
    }
  };
  const auto other = [](Piece piece, Read<const double, 1> in, Write<double, 1> out, double weight) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = weight * in(i) + 1;
  };
  return step.other_body ? task(step.task, other) : task(step.task, body);
}

LineTask scale_of(const Step& step) {
  const double more = step.captured;
  const auto body = [more](Piece piece, ReadWrite<double, 1> line) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) line(i) = 0.5 * line(i) + more;
  };
  const auto other = [more](Piece piece, ReadWrite<double, 1> line) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) line(i) = 0.25 * line(i) - more;
  };
  return step.other_body ? task(step.task, other) : task(step.task, body);
}

auto pair_of(const Step& step) {
  return task(step.task, [](Piece piece, ReadWrite<double, 1> line, Weights weights) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
      line(i) = weights.scale * 0.125 + static_cast<double>(weights.shift);
    }
  });
}

auto copy_of(const Step& step) {
  return task(step.task, [](Piece piece, Read<double, 1> in, ReadWrite<double, 1> out) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = 0.5 * in(i);
  });
}

auto count_of(const Step& step) {
  return task(step.task, [](Piece piece, Read<double, 1> in, Reduce<double, 1> histogram) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) histogram(i % 4) = std::max(histogram(i % 4), in(i));
  });
}

// A point's own cell, and so many before it.
Projection before(double cells) {
  return [cells](const Piece& point) {
    const std::int64_t first = point.lo(0) - static_cast<std::int64_t>(cells);
    return Box({std::max<std::int64_t>(first, 0)}, {point.lo(0) + 1});
  };
}

// Once made they are kept, as users keep them in front of a loop.
template <class TaskType>
const TaskType& kept(std::map<std::string, TaskType>& tasks, const Step& step, TaskType (*make)(const Step&)) {
  const std::string key = step.task + (step.other_body ? "'" : "") + std::to_string(step.captured);
  if (!tasks.contains(key)) tasks.emplace(key, make(step));
  return tasks.at(key);
}

// In front of a call: notes its line, and is false where that is all that is wanted.
#define CALL is_wanted(__LINE__)

class Run {
 public:
  Run(const Size& size, const Surroundings* surroundings)
      : size_(size), surroundings_(surroundings), is_listing_(!surroundings) {}

  int line() const { return line_; }
  bool has_returned() const { return has_returned_; }
  std::string take_text() { return std::move(text_); }

  void step(const Step& s) {
    // clang-format off
    switch (s.kind) {  // a kind, a line: its number is what reports name
      case Kind::Zeros: if (CALL) target(s) = np::zeros(shape_of(s), s.dtype); break;
      case Kind::Full: if (CALL) target(s) = np::full(shape_of(s), operand(s), s.dtype); break;
      case Kind::Empty: if (CALL) target(s) = np::empty(shape_of(s), s.dtype); break;
      case Kind::Arange: if (CALL) target(s) = shaped(s, np::arange(first_of(s), first_of(s) + cells(s), 1, s.dtype)); break;
      case Kind::Linspace: if (CALL) target(s) = shaped(s, np::linspace(0, last_of(s), cells(s), true, s.dtype)); break;
      case Kind::Import: if (CALL) target(s) = shaped(s, np::array(data_of(s), s.dtype)); break;
      case Kind::Fill: if (CALL) target(s)[np::all] = operand(s); break;
      case Kind::AssignNumber: if (CALL) a(s)[np::all] = operand(s); break;
      case Kind::AssignView: if (CALL) a(s)[np::all] = b(s); break;
      case Kind::AddNumberInPlace: if (CALL) a(s) += operand(s); break;
      case Kind::MultiplyNumberInPlace: if (CALL) a(s) *= operand(s); break;
      case Kind::AddInPlace: if (CALL) a(s) += b(s); break;
      case Kind::SubtractInPlace: if (CALL) a(s) -= b(s); break;
      case Kind::Add: if (CALL) target(s) = a(s) + b(s); break;
      case Kind::Subtract: if (CALL) target(s) = a(s) - b(s); break;
      case Kind::Multiply: if (CALL) target(s) = a(s) * b(s); break;
      case Kind::Maximum: if (CALL) target(s) = np::maximum(a(s), b(s)); break;
      case Kind::AddNumber: if (CALL) target(s) = a(s) + operand(s); break;
      case Kind::Where: if (CALL) target(s) = np::where(a(s), b(s), operand(s)); break;
      case Kind::AsType: if (CALL) target(s) = a(s).astype(s.dtype); break;
      case Kind::Sum: if (CALL) total() = np::sum(a(s)); break;
      case Kind::Max: if (CALL) total() = np::max(a(s)); break;
      case Kind::SumAxis: if (CALL) target(s) = np::sum(a(s), s.axis); break;
      case Kind::MaxAxis: if (CALL) target(s) = np::max(a(s), s.axis); break;
      case Kind::SubtractTotal: if (CALL) a(s) -= total(); break;
      case Kind::Smooth: if (CALL) smooth(s)({s.count}, read(line(s, s.b), halo(s.width, s.width)), write(line(s, s.a)), s.number.value); break;
      case Kind::Scale: if (CALL) scale(s)({s.count}, read_write(line(s, s.a))); break;
      case Kind::Pair: if (CALL) pair_of(s)({s.count}, read_write(line(s, s.a)), Weights{s.number.value, 3}); break;
      case Kind::Gather: if (CALL) copy_of(s)({s.count}, read(line(s, s.b), before(s.captured)), read_write(line(s, s.a))); break;
      case Kind::Window: if (CALL) copy_of(s)({s.count}, read(line(s, s.b), affine({{.axis = 0, .offset = 1 - s.width, .extent = s.width}})), read_write(line(s, s.a))); break;
      case Kind::Count: if (CALL) count_of(s)({s.count}, read(line(s, s.a)), reduce(names_[kHistogram], s.maximum ? Fold::Maximum : Fold::Sum)); break;
      case Kind::Item: if (CALL) say(item_of(np::max(a(s)))); break;
      case Kind::ToVector: if (CALL) say(cells_of(target(s))); break;
      case Kind::Print: if (CALL) say(print_of(target(s))); break;
      case Kind::Wait: if (CALL) surroundings_->runtime ? surroundings_->runtime->wait() : surroundings_->wait(Where::current()); break;
      default: if (CALL) misbehave(s);
    }
    // clang-format on
  }

  // What every program does at its end.
  void read_everything() {
    for (const int name : {0, 1, 2, 3, kTotal, kHistogram}) {
      if (CALL) say(cells_of(names_[static_cast<std::size_t>(name)]));
    }
  }

 private:
  bool is_wanted(int line) {
    line_ = line;
    return !is_listing_;
  }
  np::Array& target(const Step& step) { return names_[static_cast<std::size_t>(step.target)]; }
  np::Array& total() { return names_[kTotal]; }
  np::Array a(const Step& step, Where where = Where::current()) { return view(step, step.a, where); }
  np::Array b(const Step& step, Where where = Where::current()) { return view(step, step.b, where); }
  np::Array view(const Step& step, const View& view, Where where) {
    const std::int64_t end = view.offset + view.step * (step.count - 1) + 1;
    return names_[static_cast<std::size_t>(view.name)][np::Index(np::slice(view.offset, end, view.step), where)];
  }
  // One axis of it.
  np::Array line(const Step& step, const View& view, Where where = Where::current()) {
    const np::Array cells = this->view(step, view, where);
    return cells.ndim() == 1 ? cells : cells(np::all, 0);
  }
  static std::int64_t cells(const Step& step) { return shape_of(step).elements(); }
  static np::Array shaped(const Step& step, const np::Array& array, Where where = Where::current()) {
    return step.columns == 0 ? array : array.reshape(shape_of(step), where);
  }
  const SmoothTask& smooth(const Step& step) { return kept(smooth_, step, smooth_of); }
  const LineTask& scale(const Step& step) { return kept(scale_, step, scale_of); }

  void say(const std::string& text) {
    text_ += text;
    if (surroundings_->seen) *surroundings_->seen << text << std::flush;
  }

  void misbehave(const Step& step) {
    switch (step.kind) {
      case Kind::Handle:
        handles_.push_back(names_[static_cast<std::size_t>(step.a.name)]);
        handles_.push_back(a(step));
        return;
      case Kind::Return: has_returned_ = true; return;
      case Kind::Exit: std::exit(step.width == 1 ? 0 : 3);
      case Kind::QuickExit: _exit(step.width == 1 ? 0 : 3);
      case Kind::Throw: throw std::runtime_error("the input file is empty");
      case Kind::Kill: std::raise(SIGKILL); return;
      case Kind::Delay: std::this_thread::sleep_for(std::chrono::milliseconds(700)); return;
      case Kind::Stop: std::raise(SIGSTOP); return;
      case Kind::Endless:
        while (is_endless) {
        }
        return;
      default: throw std::logic_error("not known");
    }
  }

  Size size_;
  const Surroundings* surroundings_;
  bool is_listing_, has_returned_ = false;
  int line_ = 0;
  std::array<np::Array, kNames> names_;
  std::vector<np::Array> handles_;
  std::map<std::string, SmoothTask> smooth_;
  std::map<std::string, LineTask> scale_;
  std::string text_;
};

}  // namespace

std::string run(const Program& program, const Size& size, const Surroundings& surroundings) {
  Run run(size, &surroundings);
  for (std::size_t place = 0; place < program.size(); ++place) {
    if (surroundings.before_mutation && place == surroundings.mutation_place) surroundings.before_mutation();
    run.step(program[place]);
    if (run.has_returned()) return {};
  }
  if (surroundings.before_mutation && program.size() <= surroundings.mutation_place) surroundings.before_mutation();
  run.read_everything();
  return run.take_text();
}

std::vector<int> lines_of(const Program& program) {
  Run run({}, nullptr);
  std::vector<int> lines;
  for (const Step& step : program) {
    run.step(step);
    lines.push_back(run.line());
  }
  run.read_everything();
  lines.push_back(run.line());
  return lines;
}

}  // namespace pilum::faults
