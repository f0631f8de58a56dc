#include "runtime/base/settings.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <unistd.h>

#include "pilum/error.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/version.h"

namespace pilum {
namespace {

using enum Setting::Section;
using enum Setting::Ranks;

constexpr std::string_view kShared = "free memory, shared by the node's ranks";

// In the order of the help. Where ranks must agree, the comment says what would go wrong.
constexpr Setting kSettings[] = {
    {"PILUM_CPUS", "--cpus", "N", "all allowed ones, shared by the node's ranks", "CPU cores per rank", Place,
     MayDiffer, &Config::cpus, 0, 1, 100'000},
    // Ranks without GPUs among others that have them: nobody uses them, unasked.
    {"PILUM_GPUS", "--gpus", "N", "all visible ones, shared by the node's ranks", "GPUs per rank; 0: none", Place,
     MustAgree, &Config::gpus, -1, 0, 1'000},
    {"", "--ranks-per-node", "R", "1", "ranks per node", Place, MayDiffer, {}, 0, 1, 10'000},
    {"", "--nodes", "K", "1", "number of nodes", Place, MayDiffer, {}, 0, 1, 1'000'000},
    {"PILUM_OVERSUBSCRIBE", "--oversubscribe", "", "", "let ranks share cores when there are too few", Place, MayDiffer,
     &Config::oversubscribe},
    {"", "--launcher", "WHICH", "none on one node, else mpirun", "what starts the ranks: none, mpirun or srun", Place},
    {"", "--launcher-extra", "\"…\"", "", "more arguments for mpirun or srun", Place},
    {"", "--interface", "NAME", "all, with a warning", "the network that ranks of several nodes use, e.g. eth0", Place},
    // One rank would wait for messages that another sends elsewhere.
    {"PILUM_TRANSPORT", "--transport", "WHICH", "best",
     "how ranks communicate: best (ucx if it works, else mpi), self, mpi or ucx", Place, MustAgree, &Config::transport,
     0, 0, 0, "best, self, mpi, ucx"},
    {"PILUM_SYSTEM_MEMORY", "--sysmem", "BYTES", kShared, "memory for arrays per rank, e.g. 512M or 8G", Place,
     MayDiffer, &Config::system_memory, 0, 1},
    {"PILUM_GPU_MEMORY", "--fbmem", "BYTES", kShared, "memory for arrays on each GPU of a rank", Place, MayDiffer,
     &Config::gpu_memory, 0, 1},
    // Opening each other's memory is tried by all ranks together.
    {"PILUM_GPU_SHARING", "", "0|1", "1", "ranks of a node open each other's GPU memory (CUDA IPC) where that works",
     Place, MustAgree, &Config::gpu_sharing},

    {"PILUM_OUTPUT", "--output", "WHICH", "rank0", "whose standard output is shown: rank0 or all", Shown, MayDiffer,
     &Config::output, 0, 0, 0, "rank0, all"},
    // Where plans are printed none is kept, and windows are cut otherwise.
    {"PILUM_PRINT", "--print", "LIST", "",
     "what to print as it is created: a comma-separated list of operations, tasks, fusion, plan, kernels", Shown,
     MustAgree, &Config::print, 0, 0, 0, "operations, tasks, fusion, plan, kernels", /*list=*/true},
    {"", "--explain", "", "", "print what fused, what it moves and why no more fused: --print fusion", Shown},
    {"PILUM_PRINT_DOT", "--print-dot", "DIR", "", "write operations, tasks and plan as Graphviz .dot files to a folder",
     Shown, MustAgree, &Config::print_dot},
    {"PILUM_PROFILE", "--profile", "FILE", "", "write a timeline for a trace viewer (Chrome trace JSON)", Shown,
     MayDiffer, &Config::profile},
    {"PILUM_SHOW_STATS", "--show-stats", "", "",
     "print performance counters and the share of memory's speed at the end", Shown, MayDiffer, &Config::show_stats},
    {"PILUM_SHOW_CONFIG", "--show-config", "", "", "print the machine and the chosen settings before the run", Shown,
     MayDiffer, &Config::show_config},
    {"PILUM_LOG_LEVEL", "--log-level", "LEVEL", "warn",
     "least severe messages to show: off, error, warn, info, debug or trace", Shown, MayDiffer, &Config::log_level, 0,
     0, 0, "off, error, warn, info, debug, trace"},
    {"", "--dry-run", "", "", "print the command line without running it", Shown},

    {"PILUM_COMPILER", "--compiler", "WHICH", "clang if available, else c++",
     "for kernels: clang (in-process) or a compiler's path", Method, MayDiffer, &Config::compiler},
    {"PILUM_CACHE_DIR", "", "DIR", "~/.cache/pilum", "folder in which compiled kernels are cached", Method, MayDiffer,
     &Config::cache_dir},
    // These decide where windows are cut, what is cut over ranks, and in how many messages it goes.
    {"PILUM_WINDOW", "--window", "N", "automatic", "operations in a window, which is analysed as a whole", Method,
     MustAgree, &Config::window, 0, 1, 1'000'000},
    {"PILUM_PLAN_CACHE", "", "N", "64", "plans kept in the plan cache; 0 disables it", Method, MustAgree,
     &Config::plan_cache, -1},
    {"PILUM_SPLIT_BYTES", "", "BYTES", "automatic", "arrays smaller than this are not partitioned", Method, MustAgree,
     &Config::split_bytes, -1},
    {"PILUM_MESSAGE_BYTES", "", "BYTES", "automatic",
     "size of the pieces in which a GPU's messages are staged through the host", Method, MustAgree,
     &Config::message_bytes, 0},
    {"PILUM_GRAPH_AFTER", "", "N", "12",
     "plan cache hits, divided by the square of a rank's GPUs, before a plan runs as a CUDA graph; 0: never", Method,
     MayDiffer, &Config::graph_after, 0},
    {"PILUM_DIRECT_AFTER", "", "N", "256",
     "operations planned in vain before small windows run operation by operation; 0: never", Method, MustAgree,
     &Config::direct_after, 0},
    // What one rank compares, the others send.
    {"PILUM_CHECK", "--check", "WHICH", "sampled",
     "how ranks compare imported and read values: sampled above 64 KiB, or full", Method, MustAgree, &Config::check, 0,
     0, 0, "sampled, full"},
    {"PILUM_STALL_ABORT", "--stall-abort", "SECONDS", "never", "end the job after so long without progress", Method,
     MayDiffer, &Config::stall_abort, 0, 1, 1'000'000},
    {"", "--help", "", "", "print this help", Method},
    {"", "--version", "", "", "print plaunch's version", Method},

    {"PILUM_JIT_PLUGIN", "", "FILE", "beside libpilum.so, in pilum/", "the shared object with clang in it", Internal},
    {"PILUM_SUPERVISOR", "", "FD:INODE", "",
     "pipe on which a rank reports the state of its start to plaunch; set by plaunch", Internal},
};

std::string_view nearest(std::string_view name, std::string_view Setting::* among) {
  std::string_view best;
  std::size_t distance = std::numeric_limits<std::size_t>::max();
  for (const Setting& setting : kSettings) {
    const std::string_view candidate = setting.*among;
    if (candidate.empty() || setting.section == Internal) continue;
    const std::size_t here = edit_distance(name, candidate);
    if (here >= distance) continue;
    best = candidate;
    distance = here;
  }
  return best;
}

bool is_known(std::string_view name) {
  for (const std::string_view prefix : kTestPrefixes) {
    if (name.starts_with(prefix)) return true;
  }
  return std::any_of(std::begin(kSettings), std::end(kSettings), [&](const Setting& s) { return s.variable == name; });
}

template <class Value>
std::string text_of(const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return value.empty() ? "nothing" : value;
  } else {
    return std::to_string(value);
  }
}

// "20", or "the default" for what is as if it were not set.
std::string value_for_people(const Setting& setting, const Config& config) {
  static const Config kDefault;
  return std::visit(
      [&](auto field) -> std::string {
        if constexpr (std::is_same_v<decltype(field), std::monostate>) {
          return "";
        } else if (config.*field == kDefault.*field) {
          return std::is_same_v<decltype(field), std::string Config::*> ? text_of(config.*field) + " (the default)"
                                                                        : "the default";
        } else {
          return text_of(config.*field);
        }
      },
      setting.field);
}

std::size_t columns_of(std::string_view text) {  // a character of UTF-8 has one byte that does not begin with 10
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string in_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

}  // namespace

std::span<const Setting> settings() {
  return kSettings;
}

void check_variables() {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    if (!name.starts_with("PILUM_") || is_known(name)) continue;
    throw ValueError("[Runtime] " + std::string(text) + ": there is no such variable; the nearest is " +
                     std::string(nearest_variable(name)) +
                     ". docs/configuration.md lists them, and your own names may begin with " +
                     std::string(kTestPrefixes[0]));
  }
}

std::string_view nearest_variable(std::string_view name) {
  return nearest(name, &Setting::variable);
}
std::string_view nearest_option(std::string_view name) {
  return nearest(name, &Setting::option);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (suffix.empty()) return number;
  const std::size_t power = std::string_view("KMGT").find(static_cast<char>(suffix[0] & ~0x20));  // k is K
  suffix.remove_prefix(1);
  if (power == std::string_view::npos || !(suffix.empty() || suffix == "iB")) return std::nullopt;
  const int shift = 10 * (static_cast<int>(power) + 1);
  if (number > std::numeric_limits<std::int64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

std::vector<NamedValue> values_to_agree_on(const Config& config) {
  std::vector<NamedValue> values{{"the version of Pilum", std::string(library_version())}};
  for (const Setting& setting : kSettings) {
    if (setting.ranks == MustAgree)
      values.push_back({std::string(setting.variable), value_for_people(setting, config)});
  }
  return values;
}

std::string settings_as_markdown() {
  const auto table = [](const std::string& head, auto wanted, auto row) {
    std::string text = head;
    for (const Setting& setting : kSettings) {
      if (wanted(setting)) text += row(setting);
    }
    return text + "\n";
  };
  const auto code = [](std::string_view name, std::string_view value, const char* between) {
    if (name.empty()) return std::string();
    return "`" + std::string(name) + (value.empty() ? "" : between + in_cell(value)) + "`";
  };
  std::string text = table(
      "| variable | option of plaunch | what it does | default | ranks |\n|---|---|---|---|---|\n",
      [](const Setting& s) { return !s.variable.empty() && s.section != Internal; },
      [&](const Setting& s) {
        return "| " + code(s.variable, s.value.empty() ? "0|1" : s.value, "=") + " | " + code(s.option, s.value, " ") +
               " | " + in_cell(s.help) + " | " + in_cell(s.initial) + " | " +
               (s.ranks == MustAgree ? "must agree" : "may differ") + " |\n";
      });
  text += table(
      "| option of plaunch alone | what it does | default |\n|---|---|---|\n",
      [](const Setting& s) { return s.variable.empty(); },
      [&](const Setting& s) {
        return "| " + code(s.option, s.value, " ") + " | " + in_cell(s.help) + " | " + in_cell(s.initial) + " |\n";
      });
  text += table(
      "| internal variable | what it is |\n|---|---|\n", [](const Setting& s) { return s.section == Internal; },
      [&](const Setting& s) { return "| " + code(s.variable, s.value, "=") + " | " + in_cell(s.help) + " |\n"; });
  text.pop_back();
  return text;
}

std::string settings_as_help(Setting::Section section) {
  constexpr std::size_t kColumn = 23;
  std::string text;
  for (const Setting& setting : kSettings) {
    if (setting.section != section || setting.option.empty()) continue;
    std::string name = std::string(setting.option) + (setting.value.empty() ? "" : " " + std::string(setting.value));
    name.append(kColumn - std::min(kColumn - 1, columns_of(name)), ' ');
    text += "  " + name + std::string(setting.help) +
            (setting.initial.empty() ? "" : " (default: " + std::string(setting.initial) + ")") + "\n";
  }
  return text;
}

}  // namespace pilum
