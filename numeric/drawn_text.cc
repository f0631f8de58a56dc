#include "numeric/drawn_text.h"

#include <cstddef>
#include <cstdio>
#include <map>
#include <span>
#include <tuple>

#include "numeric/distribution_rules.h"
#include "numeric/drawn_sources.h"
#include "numeric/normal_layers.h"
#include "scheduler/record/refused_values.h"

namespace pilum::numeric {
namespace {

std::string list_of(std::span<const double> numbers) {
  std::string text = "{";
  for (const double number : numbers) {
    char digits[40];
    static_cast<void>(std::snprintf(digits, sizeof digits, "%a,", number));
    text += digits;
  }
  return text + "}";
}

std::string layers_text() {
  return "namespace drawn {\nstruct NormalLayers {\n  static constexpr int kCount = " +
         std::to_string(NormalLayers::kCount) +
         ";\n  double place[kCount + 1], height[kCount + 1];\n};\nconstexpr NormalLayers kNormalLayers = {" +
         list_of(kNormalLayers.place) + ", " + list_of(kNormalLayers.height) + "};\n}\n";
}

const char* class_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::Gamma: return "Gamma";
    case Distribution::ChiSquare: return "ChiSquare";
    case Distribution::Beta: return "Beta";
    case Distribution::Poisson: return "Poisson";
    case Distribution::Binomial: return "Binomial";
    case Distribution::VonMises: return "VonMises";
    case Distribution::Zipf: return "Zipf";
    case Distribution::LogSeries: return "LogSeries";
    case Distribution::Hypergeometric: return "Hypergeometric";
  }
  __builtin_unreachable();
}

std::string parameters_text(unsigned arrays, int rank) {
  const std::string axes = std::to_string(rank);
  std::string text;
  for (std::size_t k = 0; k < kParameters; ++k) {
    if (arrays >> k & 1) text += ", pilum::Read<double, " + axes + "> array" + std::to_string(k);
  }
  text += ", std::int64_t seed, std::int64_t number";
  for (std::size_t k = 0; k < kParameters; ++k) text += ", std::int64_t word" + std::to_string(k);
  for (int axis = 0; axis < rank; ++axis) text += ", std::int64_t extent" + std::to_string(axis);
  return text;
}

std::string checks_text(const Rules& rules) {
  using scheduler::RefusedValue;
  const auto refusal = [](RefusedValue what, const std::string& value, const std::string& other) {
    return "return out.refuse_index(std::bit_cast<std::int64_t>(" + value + "), " +
           std::to_string(scheduler::code_of(what)) + ", std::bit_cast<std::int64_t>(" + other + "));\n";
  };
  std::string text;
  for (std::size_t k = 0; k < kParameters; ++k) {
    const std::string value = "values[" + std::to_string(k) + "]";
    if (rules[k].fits)
      text += std::string("  if (!") + rules[k].name + "(" + value + ")) " + refusal(rules[k].what, value, "0.0");
  }
  if (rules[2].fits)
    text += "  if (values[2] > values[0] + values[1]) " +
            refusal(RefusedValue::TooMany, "values[2]", "values[0] + values[1]");
  return text;
}

std::string write_text(Distribution distribution, unsigned arrays, int rank) {
  const char* const type = is_counted(distribution) ? "std::int64_t" : "double";
  std::string text = layers_text() + drawn_sources();
  text += "void body(pilum::Point<" + std::to_string(rank) + "> x, pilum::Write<" + type + ", " + std::to_string(rank) +
          "> out" + parameters_text(arrays, rank) + ") {\n  using namespace drawn;\n  const double values[] = {";
  for (std::size_t k = 0; k < kParameters; ++k) {
    text += arrays >> k & 1 ? "array" + std::to_string(k) + "(x), "
                            : "std::bit_cast<double>(word" + std::to_string(k) + "), ";
  }
  text += "};\n" + checks_text(rules_of(distribution)) + "  std::uint64_t cell = 0;\n";
  for (int axis = 0; axis < rank; ++axis)
    text += "  cell = cell * extent" + std::to_string(axis) + " + x[" + std::to_string(axis) + "];\n";
  return text + "  PhiloxStream bits(seed, number, cell);\n  out(x) = " + class_of(distribution) +
         "(values)(bits);\n}\n";
}

}  // namespace

const std::string& drawn_text(Distribution distribution, unsigned arrays, int rank) {
  thread_local std::map<std::tuple<Distribution, unsigned, int>, std::string> written;
  std::string& text = written[{distribution, arrays, rank}];
  if (text.empty()) text = write_text(distribution, arrays, rank);
  return text;
}

}  // namespace pilum::numeric
