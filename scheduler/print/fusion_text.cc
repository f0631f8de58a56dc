#include "scheduler/print/fusion_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "scheduler/print/place.h"

namespace pilum::scheduler {
namespace {

// Calls of one name at one line, counted once for each recorded operation, however many parts it was cut into.
struct Counted {
  std::string_view name;
  bool is_part = false;
  std::vector<int> numbers;  // of its operations
};
struct Line {
  std::string place;
  std::vector<Counted> calls;
};

std::vector<Line> by_line(const GroupNotes& notes) {
  std::vector<Line> lines;
  for (const GroupNotes::Member& member : notes.members) {
    const std::string place = place_of(member.call.where);
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.place == place; });
    if (line == lines.end()) line = lines.insert(line, Line{place, {}});
    auto call = std::find_if(line->calls.begin(), line->calls.end(), [&](const Counted& one) {
      return one.name == member.call.name && one.is_part == member.is_part;
    });
    if (call == line->calls.end()) call = line->calls.insert(call, Counted{member.call.name, member.is_part, {}});
    if (std::find(call->numbers.begin(), call->numbers.end(), member.number) == call->numbers.end())
      call->numbers.push_back(member.number);
  }
  return lines;
}

std::string operations_of(const GroupNotes& notes) {
  std::string text;
  for (const Line& line : by_line(notes)) {
    text += (text.empty() ? "" : "; ") + line.place;
    for (const Counted& call : line.calls) {
      text += (&call == &line.calls.front() ? " " : ", ") + (call.is_part ? std::string("part of ") : std::string()) +
              std::string(call.name);
      if (call.numbers.size() > 1) text += " ×" + std::to_string(call.numbers.size());
    }
  }
  return text;
}

std::string moves(const Traffic& traffic) {
  std::string reads = "reads " + decimal_bytes(traffic.read), writes = "writes " + decimal_bytes(traffic.written);
  if (traffic.written == 0) return reads;
  return traffic.read == 0 ? writes : reads + ", " + writes;
}

// Of two numbers that would look alike the difference.
std::string compare_to_least(const Traffic& traffic) {
  const std::int64_t moved = traffic.moved(), least = traffic.least;
  if (moved == least) return ", the least possible";
  if (decimal_bytes(moved) == decimal_bytes(least)) return "; " + decimal_bytes(moved - least) + " less is possible";
  return "; the least possible is " + decimal_bytes(least);
}

std::string held_by_program(const std::vector<Call>& held) {
  constexpr std::size_t kMaxNamed = 3;
  if (held.empty()) return "";
  std::string text = "; ";
  for (std::size_t i = 0; i < std::min(held.size(), kMaxNamed); ++i) text += (i > 0 ? ", " : "") + to_text(held[i]);
  if (held.size() > kMaxNamed) text += " and " + std::to_string(held.size() - kMaxNamed) + " more";
  return text + (held.size() == 1 ? " is written because the program still holds it"
                                  : " are written because the program still holds them");
}

std::string count_of(std::int64_t count, const std::string& noun, const std::string& nouns) {
  if (count == 0) return "no " + noun;
  return std::to_string(count) + " " + (count == 1 ? noun : nouns);
}

// Of what is never fused.
std::string kind_of(Unfused kind) {
  switch (kind) {
    case Unfused::Task: return "a task (your own, or the library's), whose body is compiled already";
    case Unfused::Import: return "a copy of the program's data into an array";
    case Unfused::Reshape: break;
  }
  return "a copy to another shape";
}

// What the refused operation does, after its name.
std::string predicate_of(const Refusal& refusal) {
  const std::string cause = to_text(refusal.cause), most = std::to_string(refusal.most);
  switch (refusal.hindrance) {
    case Hindrance::ReadsElsewhere: return "reads at other points what " + cause + " writes";
    case Hindrance::NeedsWholeFold: return "needs the whole result of " + cause;
    case Hindrance::WritesElsewhere: return "writes at other points what " + cause + " writes";
    case Hindrance::FoldsIntoRead: return "writes an array that this group reads";
    case Hindrance::OtherAxes: return "reduces other axes than " + cause;
    case Hindrance::OtherShape:
      return "computes points of shape " + to_string(refusal.refused_shape) + ", not " + to_string(refusal.group_shape);
    case Hindrance::ReadsBeyond: return "reads beyond an end of an array that is rolled or padded";
    case Hindrance::FoldsBeyond:
      return "is a reduction beside reads of rolled or padded arrays, which are cut at the ends of these";
    case Hindrance::TooManyParts:
      return "would have the group cut into more than " + most + " parts, at the ends of rolled and padded arrays";
    case Hindrance::OtherLine:
      return "follows another axis of a large array: a row and a column of it are not run strip by strip with the rest";
    case Hindrance::OtherTiling: return "is cut in another way among the processors";
    case Hindrance::TooManyFolds: return "would exceed " + most + " small reductions, the most in a group on GPUs";
    case Hindrance::TooManyOperations: return "would exceed " + most + " operations, the most in a group";
    case Hindrance::TooManyStreams: return "could exceed " + most + " arrays in memory, the most in a group";
    case Hindrance::TooManyArrays: return "could exceed " + most + " arrays and values, the most in a group";
    case Hindrance::NotFused: return "is " + kind_of(refusal.unfused);
    case Hindrance::GroupNotFused: return "cannot join " + cause + ", which is " + kind_of(refusal.unfused);
  }
  return "";
}

// It reads elsewhere what it also writes elsewhere.
bool is_told_by_reads(const Refusal& refusal, std::span<const Refusal> refusals) {
  return refusal.hindrance == Hindrance::WritesElsewhere &&
         std::any_of(refusals.begin(), refusals.end(), [&](const Refusal& other) {
           return other.hindrance == Hindrance::ReadsElsewhere && to_text(other.cause) == to_text(refusal.cause);
         });
}

std::string and_end(const WindowEnd& end) {
  const std::string call = to_text(end.call);
  const std::string operations = count_of(static_cast<std::int64_t>(end.operations), "operation", "operations");
  switch (end.why) {
    case WindowEnd::Why::Flushed: return "all that is recorded is run";
    case WindowEnd::Why::ValueRead: return "the program reads a value: " + call;
    case WindowEnd::Why::Called:
      return std::string_view(end.call.name) == "~Runtime" ? "the program ends" : "the program calls " + call;
    case WindowEnd::Why::Full: return "it is full: " + operations;
    case WindowEnd::Why::LoopFound: return "a loop of " + operations + " begins";
    case WindowEnd::Why::LoopRounds: return "it holds whole rounds of a loop of " + operations;
    case WindowEnd::Why::Gathered:
      return "what comes next sees few cells at a time of arrays that are brought together";
    case WindowEnd::Why::MemoryIsShort: return "there is no memory for more at once";
  }
  return "";
}

}  // namespace

std::string decimal_bytes(std::int64_t bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (bytes < 1000) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  std::array<char, 32> text{};
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, kUnits[unit]);
  return text.data();
}

std::string to_text(const Call& call) {
  return std::string(call.name) + " (" + place_of(call.where) + ")";
}

std::string to_text(const FusedGroup& group) {
  const InstructionTotals& instructions = group.instructions;
  const Traffic& traffic = group.traffic;
  std::string text = "  " + operations_of(group.notes) + "\n    " +
                     count_of(instructions.launches, "launch", "launches") + " over " + to_string(group.shape) +
                     (group.on_all ? " by every processor" : "") + ": " + moves(traffic);
  text += compare_to_least(traffic);
  text += held_by_program(group.notes.held);
  if (group.in_registers > 0)
    text += "; " + count_of(group.in_registers, "value stays in a register", "values stay in registers");
  if (instructions.copies > 0)
    text += "; " + count_of(instructions.copies, "copy", "copies") + " of " + decimal_bytes(instructions.bytes_copied);
  if (instructions.bytes_sent > 0) text += "; sends " + decimal_bytes(instructions.bytes_sent);
  if (instructions.bytes_received > 0) text += "; receives " + decimal_bytes(instructions.bytes_received);
  return text + "\n";
}

std::string to_text(std::span<const Refusal> refusals) {
  std::vector<std::string> predicates;
  const auto add = [&predicates](const Refusal& refusal) {
    const std::string predicate = predicate_of(refusal);
    const bool is_new = std::find(predicates.begin(), predicates.end(), predicate) == predicates.end();
    if (is_new) predicates.push_back(predicate);
  };
  // What an operation needs says more than what it is like.
  const auto is_of_values = [](const Refusal& one) { return one.hindrance <= Hindrance::WritesElsewhere; };
  for (const Refusal& refusal : refusals) {
    if (is_of_values(refusal) && !is_told_by_reads(refusal, refusals)) add(refusal);
  }
  for (const Refusal& refusal : refusals) {
    if (!is_of_values(refusal)) add(refusal);
  }
  if (predicates.empty()) return "";
  std::string text = std::string("a new group begins because ") + (refusals[0].is_part ? "a part of " : "") +
                     to_text(refusals[0].refused) + " " + predicates[0];
  for (std::size_t i = 1; i < predicates.size(); ++i)
    text += (i + 1 == predicates.size() ? ", and " : ", ") + predicates[i];
  return text;
}

std::string to_text(const WindowEnd& end) {
  return "the window ends because " + and_end(end);
}

}  // namespace pilum::scheduler
