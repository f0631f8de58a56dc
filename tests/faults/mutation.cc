#include "tests/faults/mutation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "tests/faults/dice.h"

namespace pilum::faults {
namespace {

using Change = std::function<bool(Step&, Dice&)>;  // false: this step has nothing of the kind

bool change_number(Step& step, Dice& dice) {
  if (!fields_of(step.kind).number) return false;
  Number& number = step.number;
  switch (dice.below(5)) {
    case 0:
      number.value = std::nextafter(number.value, 1e9);
      number.kind = Number::Kind::Floating;
      return true;
    case 1:
      number.value = number.value == 0 ? -0.0 : -number.value;
      number.kind = Number::Kind::Floating;
      return true;
    case 2: {
      const bool whole = number.value == std::trunc(number.value) && std::abs(number.value) < 1e6;
      if (!whole)
        number.value += 1;
      else
        number.kind = number.kind == Number::Kind::Integer ? Number::Kind::Floating : Number::Kind::Integer;
      return true;
    }
    default: number.value += static_cast<double>(dice.between(1, 5)); return true;
  }
}

bool change_dtype(Step& step, Dice& dice) {
  static constexpr std::array kDTypes = {DType::Int32, DType::Int64, DType::Float32, DType::Float64};
  if (!fields_of(step.kind).dtype) return false;
  const DType old = step.dtype;
  while (step.dtype == old) step.dtype = dice.one_of(kDTypes);
  return true;
}

bool change_extent(Step& step, Dice& dice) {
  if (!fields_of(step.kind).extent) return false;
  step.extent += dice.percent(50) ? dice.between(1, 3) : dice.between(1, 3) * step.extent;
  return true;
}

bool change_offset(Step& step, Dice& dice) {
  const Fields fields = fields_of(step.kind);
  if (!fields.a) return false;
  View& view = fields.b && dice.percent(50) ? step.b : step.a;
  view.offset = view.offset > 0 && dice.percent(50) ? view.offset - 1 : view.offset + 1;
  return true;
}

// (0, 2) and (7, 1) alike: offsets and steps that change together.
bool change_step(Step& step, Dice& dice) {
  const Fields fields = fields_of(step.kind);
  if (!fields.a || step.count < 2) return false;
  View& view = fields.b && dice.percent(50) ? step.b : step.a;
  if (view.step > 1) {
    --view.step;
    if (dice.percent(30)) view.offset += dice.below(step.count);
  } else {
    view.step = 2;
    view.offset = 0;
    step.count = std::min(step.count, std::max<std::int64_t>(2, step.count / 2));
  }
  return true;
}

bool change_axis(Step& step, Dice&) {
  if (!fields_of(step.kind).axis || step.columns == 0) return false;
  step.axis = 1 - step.axis;
  return true;
}

bool change_operation(Step& step, Dice& dice) {
  static const std::vector<std::vector<Kind>> kAlike = {
      {Kind::Add, Kind::Subtract, Kind::Multiply, Kind::Maximum},
      {Kind::AddInPlace, Kind::SubtractInPlace, Kind::AssignView},
      {Kind::AddNumberInPlace, Kind::MultiplyNumberInPlace, Kind::AssignNumber},
      {Kind::Sum, Kind::Max},
      {Kind::SumAxis, Kind::MaxAxis},
      {Kind::Zeros, Kind::Full, Kind::Arange, Kind::Linspace}};
  for (const std::vector<Kind>& kinds : kAlike) {
    if (std::ranges::find(kinds, step.kind) == kinds.end()) continue;
    const Kind old = step.kind;
    while (step.kind == old) step.kind = dice.one_of(kinds);
    return true;
  }
  return false;
}

bool change_operands(Step& step, Dice&) {
  if (!fields_of(step.kind).b || step.a == step.b) return false;
  std::swap(step.a, step.b);
  return true;
}

bool change_data(Step& step, Dice& dice) {
  if (!fields_of(step.kind).data) return false;
  step.altered = dice.below(step.extent * std::max<std::int64_t>(step.columns, 1));
  step.altered_on = dice.percent(50);
  return true;
}

bool change_captured(Step& step, Dice&) {
  if (!fields_of(step.kind).captured) return false;
  step.captured += 1;
  return true;
}

bool change_task_name(Step& step, Dice&) {
  if (!fields_of(step.kind).task) return false;
  step.task += "_fast";
  return true;
}

bool change_task_body(Step& step, Dice&) {
  if (step.kind != Kind::Scale && step.kind != Kind::Smooth) return false;
  return step.other_body = true;
}

bool change_width(Step& step, Dice& dice) {
  if (!fields_of(step.kind).width) return false;
  step.width += dice.between(1, 2);
  return true;
}

bool change_fold(Step& step, Dice&) {
  if (!fields_of(step.kind).fold) return false;
  step.maximum = !step.maximum;
  return true;
}

struct StepChange {
  std::string_view kind;
  Change change;
};
const std::vector<StepChange>& step_changes() {
  static const std::vector<StepChange> kChanges = {{"number", change_number},       {"dtype", change_dtype},
                                                   {"extent", change_extent},       {"offset", change_offset},
                                                   {"step", change_step},           {"axis", change_axis},
                                                   {"operation", change_operation}, {"operands", change_operands},
                                                   {"data", change_data},           {"captured", change_captured},
                                                   {"task_name", change_task_name}, {"task_body", change_task_body},
                                                   {"projection", change_width},    {"fold", change_fold}};
  return kChanges;
}

std::string at(std::size_t place, const Program& program) {
  return " at " + std::to_string(place) + " of " + std::to_string(program.size());
}

// In every round, or in one.
bool change_steps(Mutation& mutation, Dice& dice, const Change& change) {
  Program& program = mutation.program;
  for (int attempt = 0; attempt < 60; ++attempt) {
    const auto place = static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(program.size())));
    const std::uint64_t seed = static_cast<std::uint64_t>(dice.below(1 << 30));
    const bool everywhere = dice.percent(50);
    const Step old = program[place];
    Dice first(seed);
    if (!change(program[place], first)) continue;
    mutation.what =
        text_of(old) + " -> " + text_of(program[place]) + at(place, program) + (everywhere ? " in all rounds" : "");
    for (std::size_t other = 0; everywhere && other < program.size(); ++other) {
      Dice again(seed);
      if (other != place && program[other].id == old.id) change(program[other], again);
    }
    return true;
  }
  return false;
}

// Where all names have arrays.
std::int64_t find_begin(const Program& program) {
  return std::ranges::find(program, kHistogram, &Step::target) - program.begin() + 1;
}

// Anywhere, or behind the creations where it uses what they make.
bool insert(Mutation& mutation, Dice& dice, Step step) {
  Program& program = mutation.program;
  const bool anywhere = step.kind == Kind::Wait || step.kind == Kind::Delay || (step.kind >= Kind::Return);
  const std::int64_t place = dice.between(anywhere ? 0 : find_begin(program), std::ssize(program));
  mutation.what = std::string(name(step.kind)) + (text_of(step).empty() ? "" : ": " + text_of(step)) +
                  at(static_cast<std::size_t>(place), program);
  step.id = -1;
  program.insert(program.begin() + place, std::move(step));
  return true;
}

// From here on this rank does something else for good.
bool end_with(Mutation& mutation, Dice& dice, const Size& size, Kind kind) {
  Step step = draw_step(dice, size, true);
  step.kind = kind;
  step.target = static_cast<int>(dice.below(kArrays));  // of those that are read whole
  return insert(mutation, dice, std::move(step));
}

bool drop_step(Mutation& mutation, Dice& dice) {
  const std::int64_t place = dice.below(static_cast<std::int64_t>(mutation.program.size()));
  mutation.what = text_of(mutation.program[static_cast<std::size_t>(place)]) +
                  at(static_cast<std::size_t>(place), mutation.program);
  mutation.program.erase(mutation.program.begin() + place);
  return true;
}

bool swap_steps(Mutation& mutation, Dice& dice) {
  const auto place =
      static_cast<std::size_t>(dice.between(kArrays, static_cast<std::int64_t>(mutation.program.size()) - 2));
  mutation.what = text_of(mutation.program[place]) + " and the next" + at(place, mutation.program);
  std::swap(mutation.program[place], mutation.program[place + 1]);
  return true;
}

// A loop's copies of its body follow one another: one of them goes, or comes twice.
bool change_rounds(Mutation& mutation, Dice& dice, bool more) {
  Program& program = mutation.program;
  for (int attempt = 0; attempt < 60; ++attempt) {
    const std::int64_t begin = dice.below(static_cast<std::int64_t>(program.size()));
    std::int64_t end = begin + 1;
    const auto id = [&](std::int64_t place) { return program[static_cast<std::size_t>(place)].id; };
    while (end < std::ssize(program) && id(end) != id(begin)) ++end;
    if (end == std::ssize(program)) continue;
    mutation.what = std::string(more ? "one more" : "one less") + at(static_cast<std::size_t>(begin), program);
    const Program body(program.begin() + begin, program.begin() + end);
    if (more)
      program.insert(program.begin() + begin, body.begin(), body.end());
    else
      program.erase(program.begin() + begin, program.begin() + end);
    return true;
  }
  return false;
}

bool change_setting(Mutation& mutation, Dice& dice) {
  static const std::vector<std::pair<std::string, std::string>> kSettings = {
      {"PILUM_WINDOW", "7"}, {"PILUM_PLAN_CACHE", "3"}, {"PILUM_SPLIT_BYTES", "128"}, {"PILUM_PRINT", "tasks"}};
  mutation.setting = dice.one_of(kSettings);
  mutation.what = mutation.setting->first + "=" + mutation.setting->second;
  return true;
}

struct Ending {
  std::string_view kind;
  Kind step;
};
constexpr std::array kEndings = {Ending{"extra_wait", Kind::Wait},   Ending{"extra_item", Kind::Item},
                                 Ending{"extra_print", Kind::Print}, Ending{"extra_to_vector", Kind::ToVector},
                                 Ending{"handle", Kind::Handle},     Ending{"delay", Kind::Delay},
                                 Ending{"return", Kind::Return},     Ending{"throw", Kind::Throw},
                                 Ending{"exit", Kind::Exit},         Ending{"quick_exit", Kind::QuickExit},
                                 Ending{"kill", Kind::Kill},         Ending{"stop", Kind::Stop},
                                 Ending{"endless", Kind::Endless}};

// What ends or stops a process, which simulated ranks share.
bool needs_processes(std::string_view kind) {
  static constexpr std::array<std::string_view, 8> kKinds = {"exit",    "quick_exit", "kill",           "stop",
                                                             "endless", "setting",    "returns_before", "never_starts"};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

bool apply(Mutation& mutation, Dice& dice, const Size& size) {
  const std::string_view kind = mutation.kind;
  for (const StepChange& change : step_changes()) {
    if (change.kind == kind) return change_steps(mutation, dice, change.change);
  }
  for (const Ending& ending : kEndings) {
    if (ending.kind == kind) return end_with(mutation, dice, size, ending.step);
  }
  if (kind == "drop") return drop_step(mutation, dice);
  if (kind == "extra") return insert(mutation, dice, draw_step(dice, size, true));
  if (kind == "swap") return swap_steps(mutation, dice);
  if (kind == "one_round_less") return change_rounds(mutation, dice, false);
  if (kind == "one_round_more") return change_rounds(mutation, dice, true);
  if (kind == "setting") return change_setting(mutation, dice);
  if (kind == "returns_before") return mutation.start = Mutation::Start::Returns, true;
  if (kind == "never_starts") return mutation.start = Mutation::Start::IsAnotherProgram, true;
  throw std::invalid_argument(mutation.kind + ": no kind of mutation");
}

}  // namespace

const std::vector<std::string_view>& mutation_kinds() {
  static const std::vector<std::string_view> kKinds = [] {
    std::vector<std::string_view> kinds = {"drop", "extra", "swap", "one_round_less", "one_round_more"};
    for (const StepChange& change : step_changes()) kinds.push_back(change.kind);
    for (const Ending& ending : kEndings) kinds.push_back(ending.kind);
    kinds.insert(kinds.end(), {"setting", "returns_before", "never_starts"});
    return kinds;
  }();
  return kKinds;
}

Mutation draw_mutation(const Program& program, const Size& size, std::uint64_t seed, std::string_view kind,
                       bool in_one_process) {
  Mutation mutation;
  mutation.program = program;
  if (seed == 0) return mutation;
  Dice dice(seed);
  for (;;) {
    std::string_view drawn = kind.empty() ? dice.one_of(mutation_kinds()) : kind;
    if (kind.empty() && (drawn == "stop" || drawn == "endless" || (in_one_process && needs_processes(drawn)))) continue;
    // What users do most often by mistake is drawn most often.
    if (kind.empty() && dice.percent(25)) drawn = dice.percent(60) ? "extra" : "drop";
    mutation.kind = drawn;
    if (apply(mutation, dice, size)) return mutation;
    if (!kind.empty()) return Mutation{.program = program};  // the program has nothing of the kind
  }
}

std::optional<Difference> find_difference(const Program& first, const Program& second) {
  std::size_t a = 0, b = 0;
  const auto skip = [](const Program& program, std::size_t& place) {
    while (place < program.size() && text_of(program[place]).empty()) ++place;
  };
  for (;; ++a, ++b) {
    skip(first, a);
    skip(second, b);
    const std::string text_a = a < first.size() ? text_of(first[a]) : "";
    const std::string text_b = b < second.size() ? text_of(second[b]) : "";
    if (text_a != text_b) return Difference{text_a, text_b, a, b};
    if (text_a.empty()) return {};
  }
}

}  // namespace pilum::faults
