// Draws programs: arrays, then steps with one or two loops among them.
#include <algorithm>
#include <array>
#include <vector>

#include "tests/faults/dice.h"
#include "tests/faults/program.h"

namespace pilum::faults {
namespace {

constexpr std::array kNumbers = {0.0, 0.5, 1.0, -1.0, 0.25, 3.0, -0.75, 2.0};

// Three numbers of cells that views have, so that most fit each other; with the largest step that each allows.
std::int64_t count_of(std::int64_t extent, std::int64_t step) {
  return (extent - 3) / step;
}

View draw_view(Dice& dice, const Size& size, std::int64_t count, std::int64_t largest_step) {
  View view;
  view.name = static_cast<int>(dice.below(kArrays));
  view.step = dice.between(1, largest_step);
  view.offset = dice.below(size.extent - view.step * (count - 1));
  return view;
}

Number draw_number(Dice& dice) {
  const double value = dice.one_of(kNumbers);
  const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
  return {whole && dice.percent(40) ? Number::Kind::Integer : Number::Kind::Floating, value};
}

Step draw_creation(Dice& dice, const Size& size, int target) {
  static constexpr std::array kCreations = {Kind::Zeros,  Kind::Full,     Kind::Empty,
                                            Kind::Arange, Kind::Linspace, Kind::Import};
  Step step;
  step.kind = dice.one_of(kCreations);
  step.target = target;
  step.extent = size.extent + dice.below(4);
  step.columns = size.two_axes ? 5 : 0;
  step.number = draw_number(dice);
  step.data = static_cast<std::uint64_t>(dice.below(1000));
  return step;
}

}  // namespace

Step draw_step(Dice& dice, const Size& size, bool between_loops) {
  // Twice: what programs are mostly made of.
  static constexpr std::array kBody = {Kind::AssignNumber,
                                       Kind::AssignView,
                                       Kind::AddNumberInPlace,
                                       Kind::MultiplyNumberInPlace,
                                       Kind::AddInPlace,
                                       Kind::SubtractInPlace,
                                       Kind::Add,
                                       Kind::Subtract,
                                       Kind::Multiply,
                                       Kind::Maximum,
                                       Kind::AddNumber,
                                       Kind::Where,
                                       Kind::AssignView,
                                       Kind::AddInPlace,
                                       Kind::Add,
                                       Kind::AddNumberInPlace,
                                       Kind::Sum,
                                       Kind::Max,
                                       Kind::SumAxis,
                                       Kind::MaxAxis,
                                       Kind::SubtractTotal,
                                       Kind::Smooth,
                                       Kind::Scale,
                                       Kind::Pair,
                                       Kind::Gather,
                                       Kind::Window,
                                       Kind::Count,
                                       Kind::AsType};
  static constexpr std::array kLooks = {Kind::Item, Kind::ToVector, Kind::Print, Kind::Wait};
  Step step;
  step.kind = dice.percent(between_loops ? 25 : 10) ? dice.one_of(kLooks) : dice.one_of(kBody);
  const std::int64_t largest_step = dice.between(1, 3);
  step.count = count_of(size.extent, largest_step);
  // A function is asked for every point: ten thousand of them take a second.
  if (step.kind == Kind::Gather) step.count = std::min<std::int64_t>(step.count, 60);
  step.a = draw_view(dice, size, step.count, largest_step);
  step.b = draw_view(dice, size, step.count, largest_step);
  step.columns = size.two_axes ? 5 : 0;
  step.number = draw_number(dice);
  if (step.kind == Kind::MultiplyNumberInPlace) step.number = {Number::Kind::Floating, 0.5};
  if (step.kind == Kind::AddNumberInPlace && dice.percent(30))
    step.per_round = 0.5, step.number.kind = Number::Kind::Floating;
  step.target = static_cast<int>(kTemporaries + dice.below(2));
  if (step.kind == Kind::ToVector || step.kind == Kind::Print) step.target = static_cast<int>(dice.below(kArrays));
  step.axis = size.two_axes ? static_cast<int>(dice.below(2)) : 0;
  step.captured = static_cast<double>(dice.between(0, 3));
  step.width = dice.between(1, 3);
  step.task = name(step.kind);
  step.maximum = dice.percent(30);
  if (step.kind == Kind::AsType) step.dtype = DType::Float32;
  // A launch writes and reads its two views, which must not be one array's.
  if (fields_of(step.kind).task) step.a.step = 1;  // nor can one with steps be written
  if (fields_of(step.kind).task && step.a.name == step.b.name) step.b.name = (step.a.name + 1) % kArrays;
  return step;
}

namespace {

bool makes_temporary(const Step& step) {
  const bool is_broadcast = step.kind == Kind::SumAxis || step.kind == Kind::MaxAxis;
  if (is_broadcast) return step.columns > 0 && step.axis == 0;
  return step.kind >= Kind::Add && step.kind <= Kind::AsType;
}

// A step that wants the temporary's values.
Step draw_use(Dice& dice, const Size& size, const Step& maker) {
  Step step = maker;
  step.kind = dice.percent(50) ? Kind::AddInPlace : Kind::AssignView;
  step.a = draw_view(dice, size, maker.count, 1);
  step.b = View{maker.target, 0, 1};
  return step;
}

}  // namespace

Program draw_program(std::uint64_t seed, const Size& size) {
  Dice dice(seed);
  Program program;
  int id = 0;
  const auto add = [&](Step step) {
    step.id = id++;
    program.push_back(std::move(step));
  };
  for (int target = 0; target < kArrays; ++target) {
    const Step creation = draw_creation(dice, size, target);
    add(creation);
    if (creation.kind != Kind::Empty) continue;
    Step fill = creation;  // what empty() holds is not defined
    fill.kind = Kind::Fill;
    add(fill);
  }
  Step total;
  total.kind = Kind::Sum;
  total.count = count_of(size.extent, 1);
  add(total);  // so that there is one
  Step histogram;
  histogram.kind = Kind::Zeros;
  histogram.target = kHistogram;
  histogram.extent = 4;
  add(histogram);
  for (std::int64_t k = dice.between(0, 3); k > 0; --k) add(draw_step(dice, size, true));
  for (std::int64_t loops = dice.percent(25) ? 2 : 1; loops > 0; --loops) {
    const std::int64_t rounds = dice.between(2, dice.percent(20) ? 40 : 10);
    std::vector<Step> body;
    for (std::int64_t k = dice.between(2, 5); k > 0; --k) {
      body.push_back(draw_step(dice, size, false));
      body.back().id = id++;
      if (!makes_temporary(body.back()) || dice.percent(20)) continue;
      body.push_back(draw_use(dice, size, body.back()));
      body.back().id = id++;
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (Step step : body) {
        step.number.value += step.per_round * static_cast<double>(round);
        program.push_back(std::move(step));
      }
    }
    for (std::int64_t k = dice.between(0, 2); k > 0; --k) add(draw_step(dice, size, true));
  }
  return program;
}

}  // namespace pilum::faults
