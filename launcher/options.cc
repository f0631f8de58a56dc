#include "launcher/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>

#include "pilum/error.h"
#include "runtime/base/settings.h"
#include "runtime/base/version.h"

namespace pilum::launcher {
namespace {

constexpr const char* kUsageBegin =
    R"(plaunch - run a Pilum application on the cores and GPUs of one machine or many

usage: plaunch [options] application [its own arguments]

plaunch's options come before the application's name; everything after it belongs to the application.
The name is a path, or a program in PATH, beside plaunch, or among Pilum's examples.
)";

constexpr const char* kUsageEnd =
    R"(
Most options set an environment variable of the application (PILUM_CPUS, PILUM_TRANSPORT, …) and override its
value. All variables: docs/configuration.md.

examples
  plaunch jacobi -n 4000                            one rank on all cores
  plaunch --cpus 2 --ranks-per-node 4 jacobi        four ranks of two cores each
  plaunch --gpus 1 --ranks-per-node 4 jacobi        four ranks of one GPU each
  plaunch --nodes 2 --ranks-per-node 2 jacobi       on the two nodes of a Slurm allocation or host file
  plaunch --explain jacobi -n 1000 -i 100           print what fused, and why no more
  plaunch --print tasks,kernels jacobi -n 100 -i 3  print what runs
)";

std::string usage() {
  using enum pilum::Setting::Section;
  return kUsageBegin + ("\nPlacement\n" + settings_as_help(Place)) + "\nOutput\n" + settings_as_help(Shown) +
         "\nExecution\n" + settings_as_help(Method) + kUsageEnd;
}

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < lowest || number > highest) {
    const bool too_much = error == std::errc() && number > highest;
    throw ValueError(option + " " + text + ": it takes a whole number of at " +
                     (too_much ? "most " + std::to_string(highest) : "least " + std::to_string(lowest)));
  }
  return number;
}

std::int64_t byte_count(const std::string& option, const std::string& text) {
  const std::optional<std::int64_t> bytes = parse_bytes(text);
  if (!bytes || *bytes < 1) {
    throw ValueError(option + " " + text +
                     ": it takes a whole number of bytes, optionally followed by K, M, G or T: 8G");
  }
  return *bytes;
}

Launcher launcher_of(const std::string& text) {
  if (text == "none") return Launcher::None;
  if (text == "mpirun") return Launcher::Mpirun;
  if (text == "srun") return Launcher::Srun;
  throw ValueError("--launcher " + text + ": it takes one of none, mpirun, srun");
}

// The options as CLI11 reads them: texts, so that the messages about their values are ours.
struct Texts {
  std::map<std::string_view, std::string> values;
  std::map<std::string_view, bool> flags;
};

void declare(CLI::App& app, Texts& texts) {
  for (const pilum::Setting& setting : settings()) {
    if (setting.option.empty()) continue;
    const std::string name = (setting.option == "--help" ? "-h," : "") + std::string(setting.option);
    if (setting.value.empty()) {
      app.add_flag(name, texts.flags[setting.option]);
    } else {
      app.add_option(name, texts.values[setting.option])->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
  }
}

// The number that an option was given, if it was.
std::optional<int> number_of(const CLI::App& app, const Texts& texts, std::string_view option) {
  const std::string name(option);
  if (!app.count(name)) return std::nullopt;
  const auto all = settings();
  const auto setting = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.option == option; });
  return static_cast<int>(whole_number(name, texts.values.at(option), setting->option_lowest, setting->option_highest));
}

// The text that its variable gets.
std::string value_of(const pilum::Setting& setting, const CLI::App& app, const Texts& texts) {
  if (setting.value.empty()) return "1";
  if (std::holds_alternative<int Config::*>(setting.field)) {
    return std::to_string(*number_of(app, texts, setting.option));
  }
  const std::string& text = texts.values.at(setting.option);
  const bool is_size = std::holds_alternative<std::int64_t Config::*>(setting.field);
  return is_size ? std::to_string(byte_count(std::string(setting.option), text)) : text;
}

// One more of what --print lists.
void add_explain(Options& options) {
  const auto print = std::find_if(options.settings.begin(), options.settings.end(),
                                  [](const GivenSetting& one) { return one.variable == "PILUM_PRINT"; });
  if (print == options.settings.end()) {
    options.settings.push_back({"--explain", "PILUM_PRINT", "fusion"});
  } else if (("," + print->value + ",").find(",fusion,") == std::string::npos) {
    print->value += ",fusion";
  }
}

// Cores and who shares them are the job's to work out; all other options of the application's are passed on. So is
// --show-config: what only the ranks can find out, such as how GPUs reach each other, they say at their start.
void add_settings(const CLI::App& app, const Texts& texts, Options& options) {
  for (const pilum::Setting& setting : settings()) {
    if (setting.option.empty() || setting.variable.empty() || !app.count(std::string(setting.option))) continue;
    if (setting.option == "--cpus" || setting.option == "--oversubscribe") continue;
    options.settings.push_back(
        {std::string(setting.option), std::string(setting.variable), value_of(setting, app, texts)});
  }
  if (texts.flags.at("--explain")) add_explain(options);
}

// The application and its arguments: what CLI11 left over.
Words take_application(Words rest, bool needed) {
  const bool dashes = !rest.empty() && rest[0] == "--";
  if (dashes) rest.erase(rest.begin());
  if (rest.empty() && needed) {
    throw ValueError("no application is named; plaunch [options] application [its arguments], e.g. plaunch jacobi");
  }
  if (!rest.empty() && !dashes && rest[0].starts_with('-')) {
    throw ValueError(rest[0] + ": plaunch has no such option; the nearest is " +
                     std::string(nearest_option(rest[0].substr(0, rest[0].find('=')))) +
                     " (plaunch --help lists them). An application's own options come after its name");
  }
  return rest;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  CLI::App app("plaunch");
  Texts texts;
  app.set_help_flag();
  app.prefix_command();
  declare(app, texts);
  try {
    app.parse(argc, const_cast<char**>(argv));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--cpus: 1 required TEXT missing"
    throw ValueError(text.substr(0, text.find(':')) + ": a value must follow; see plaunch --help");
  } catch (const CLI::ConversionError& error) {  // of a flag: "Could not convert: --explain = fusion"
    const std::string text = error.what();
    throw ValueError(text.substr(std::min(text.find("--"), text.size())) + ": it takes no value; see plaunch --help");
  } catch (const CLI::ParseError& error) {
    throw ValueError(std::string(error.what()) + "; see plaunch --help");
  }

  Options options;
  if (texts.flags["--help"]) options.answer = usage();
  if (texts.flags["--version"]) options.answer = "plaunch " + std::string(library_version()) + "\n";
  if (!options.answer.empty()) return options;

  options.nodes = number_of(app, texts, "--nodes").value_or(options.nodes);
  options.ranks_per_node = number_of(app, texts, "--ranks-per-node").value_or(options.ranks_per_node);
  options.cpus = number_of(app, texts, "--cpus");
  if (app.count("--launcher")) options.launcher = launcher_of(texts.values["--launcher"]);
  try {
    options.launcher_extra = split(texts.values["--launcher-extra"]);
  } catch (const ValueError& error) {
    throw ValueError(std::string("--launcher-extra ") + error.what());
  }
  options.interface = texts.values["--interface"];
  if (app.count("--interface") &&
      (options.interface.empty() || options.interface.find_first_of(",/ ") != std::string::npos)) {
    throw ValueError("--interface " + options.interface + ": it takes the name of one network interface, such as eth0");
  }
  options.oversubscribe = texts.flags["--oversubscribe"];
  options.dry_run = texts.flags["--dry-run"];
  options.show_config = texts.flags["--show-config"];
  add_settings(app, texts, options);
  options.application = take_application(app.remaining(), !options.show_config);
  return options;
}

}  // namespace pilum::launcher
