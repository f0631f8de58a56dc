// Every setting there is: a variable of the environment, an option of plaunch, or both. One table, from which
// read_config, plaunch's options and help, the comparison between ranks, and docs/configuration.md are made.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/base/config.h"
#include "runtime/base/named_value.h"

namespace pilum {

struct Setting {
  enum class Section : std::uint8_t { Place, Shown, Method, Internal };  // of the help; Internal: not shown there
  enum class Ranks : std::uint8_t { MayDiffer, MustAgree };
  // The field it fills: numbers, sizes ("64M"), flags, texts. None: read elsewhere, or an option of plaunch alone.
  using Field =
      std::variant<std::monostate, int Config::*, std::int64_t Config::*, bool Config::*, std::string Config::*>;

  std::string_view variable;  // "PILUM_CPUS"; empty: an option alone
  std::string_view option;    // "--cpus"; empty: a variable alone
  std::string_view value;     // what stands for its value in texts; empty: a flag
  std::string_view initial;   // the default, in words
  std::string_view help;
  Section section = Section::Method;
  Ranks ranks = Ranks::MayDiffer;
  Field field;
  std::int64_t lowest = 0;         // of a number or a size
  std::int64_t option_lowest = 0;  // the same for the option: without what stands for "not set"
  std::int64_t option_highest = 0;
  std::string_view choices;  // "a, b, c": one of them
  bool list = false;         // several of them, parted by commas
};

[[nodiscard]] std::span<const Setting> settings();

// Variables that begin so belong to tests and benchmarks, and are never refused.
inline constexpr std::string_view kTestPrefixes[] = {"PILUM_TEST_", "PILUM_RANDOM_", "PILUM_FAULTS_"};

// Throws pilum::ValueError for a PILUM_ variable of this process that is in no table, naming the nearest that is.
void check_variables();
// "PILUM_WINDOW" for "PILUM_WINDOWS", "--cpus" for "--cpu": by edit distance.
[[nodiscard]] std::string_view nearest_variable(std::string_view name);
[[nodiscard]] std::string_view nearest_option(std::string_view name);

// "512", "64K", "8GiB" in bytes; none if it is no such text, or too large.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);

// What all ranks of a job must have alike, as texts for people: settings that decide cuts, messages or collective
// calls, and this library's version.
[[nodiscard]] std::vector<NamedValue> values_to_agree_on(const Config& config);

// The tables of docs/configuration.md.
[[nodiscard]] std::string settings_as_markdown();
// The lines of plaunch's help for a section.
[[nodiscard]] std::string settings_as_help(Setting::Section section);

}  // namespace pilum
