#include "launcher/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <map>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

constexpr const char* kUsage =
    R"(plaunch - run a Pilum application on the cores and GPUs of one machine or many

usage: plaunch [options] application [its own arguments]

Options of plaunch stand before the application's name; all that follows belongs to the application.
The name is a path, or a program in PATH, beside plaunch, or among Pilum's examples.

Where it runs
  --cpus N               cores a rank (default: all that this process may use, shared among the node's ranks)
  --gpus N               GPUs a rank, 0 for none (default: all visible ones, shared among the node's ranks)
  --ranks-per-node R     processes a node (default 1)
  --nodes K              nodes (default 1)
  --oversubscribe        let ranks share cores when there are too few
  --launcher WHICH       none, mpirun or srun (default: none for one rank, else mpirun)
  --launcher-extra "…"   more arguments for mpirun or srun
  --transport WHICH      ucx, mpi, self or best (default best: ucx where it works)
  --sysmem BYTES         memory a rank may take for arrays, as 512M, 8G (default: what is free, shared)
  --fbmem BYTES          memory a rank may take of each of its GPUs for arrays, as 512M, 8G (default: what is free, shared)

What it shows
  --output WHICH         rank0 or all: whose standard output is seen (default rank0)
  --print LIST           operations, tasks, plan, kernels: printed as they are made, parted by commas
  --print-dot DIR        the same as .dot files in a folder
  --profile FILE         a timeline to open in a trace viewer (Chrome trace JSON)
  --show-stats           counters at the end
  --show-config          the machine and the choices made, before the run
  --log-level LEVEL      off, error, warn, info, debug or trace (default warn)
  --dry-run              print the command line and leave

How it works
  --compiler WHICH       for kernels: clang (in this process) or a compiler's path (default: the best there is)
  --window N             operations analysed together
  --help, --version

Every option that is an environment variable of the application (PILUM_CPUS, PILUM_TRANSPORT, …) overrides it.

examples
  plaunch jacobi -n 4000                            one rank on all cores
  plaunch --cpus 2 --ranks-per-node 4 jacobi        four ranks of two cores each
  plaunch --gpus 1 --ranks-per-node 4 jacobi        four ranks of one GPU each
  plaunch --nodes 2 --ranks-per-node 2 jacobi       on the two nodes of a Slurm allocation or host file
  plaunch --print tasks,kernels jacobi -n 100 -i 3  what is run, as text
)";

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t lowest,
                          std::int64_t highest = 1'000'000) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < lowest || number > highest) {
    const bool too_much = error == std::errc() && number > highest;
    throw ValueError(option + " " + text + ": it takes a whole number of at " +
                     (too_much ? "most " + std::to_string(highest) : "least " + std::to_string(lowest)));
  }
  return number;
}

// "512M" is 512 * 2^20.
std::int64_t byte_count(const std::string& option, std::string text) {
  const std::string given = text;
  int shift = 0;
  const std::size_t suffix = text.find_first_not_of("0123456789");
  if (suffix != std::string::npos) {
    static const std::map<std::string, int> kShifts{
        {"K", 10}, {"M", 20}, {"G", 30}, {"T", 40}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
    const auto found = kShifts.find(text.substr(suffix));
    if (found != kShifts.end()) {
      shift = found->second;
      text.resize(suffix);
    }
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > (INT64_MAX >> shift)) {
    throw ValueError(option + " " + given + ": it takes bytes as a whole number, with K, M, G or T after it if wished: 8G");
  }
  return number << shift;
}

Starter starter_of(const std::string& text) {
  if (text == "none") return Starter::None;
  if (text == "mpirun") return Starter::Mpirun;
  if (text == "srun") return Starter::Srun;
  throw ValueError("--launcher " + text + ": it takes one of none, mpirun, srun");
}

// The text options that go to the application as they are.
struct Passed {
  const char* option;
  const char* variable;
};
constexpr Passed kPassed[] = {
    {"--transport", "PILUM_TRANSPORT"}, {"--output", "PILUM_OUTPUT"},   {"--print", "PILUM_PRINT"},
    {"--print-dot", "PILUM_PRINT_DOT"}, {"--profile", "PILUM_PROFILE"}, {"--log-level", "PILUM_LOG_LEVEL"},
    {"--compiler", "PILUM_COMPILER"}};

// The options as CLI11 reads them: texts, so that the messages about their values are ours.
struct Texts {
  std::string cpus, ranks_per_node, nodes, launcher, launcher_extra, sysmem, gpus, fbmem, window;
  std::map<std::string, std::string> passed;
  bool oversubscribe = false, dry_run = false, show_config = false, show_stats = false;
};

void declare(CLI::App& app, Texts& texts) {
  const auto text = [&](const char* name, std::string& value) {
    app.add_option(name, value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  };
  text("--cpus", texts.cpus);
  text("--ranks-per-node", texts.ranks_per_node);
  text("--nodes", texts.nodes);
  text("--launcher", texts.launcher);
  text("--launcher-extra", texts.launcher_extra);
  text("--sysmem", texts.sysmem);
  text("--gpus", texts.gpus);
  text("--fbmem", texts.fbmem);
  text("--window", texts.window);
  for (const Passed& passed : kPassed) text(passed.option, texts.passed[passed.option]);
  app.add_flag("--oversubscribe", texts.oversubscribe);
  app.add_flag("--dry-run", texts.dry_run);
  app.add_flag("--show-config", texts.show_config);
  app.add_flag("--show-stats", texts.show_stats);
}

void add_settings(const CLI::App& app, const Texts& texts, Options& options) {
  for (const Passed& passed : kPassed) {
    if (app.count(passed.option)) {
      options.settings.push_back({passed.option, passed.variable, texts.passed.at(passed.option)});
    }
  }
  if (app.count("--sysmem")) {
    options.settings.push_back(
        {"--sysmem", "PILUM_SYSTEM_MEMORY", std::to_string(byte_count("--sysmem", texts.sysmem))});
  }
  if (app.count("--gpus")) {
    options.settings.push_back({"--gpus", "PILUM_GPUS", std::to_string(whole_number("--gpus", texts.gpus, 0, 1'000))});
  }
  if (app.count("--fbmem")) {
    options.settings.push_back({"--fbmem", "PILUM_GPU_MEMORY", std::to_string(byte_count("--fbmem", texts.fbmem))});
  }
  if (app.count("--window")) {
    options.settings.push_back({"--window", "PILUM_WINDOW", std::to_string(whole_number("--window", texts.window, 1))});
  }
  // What only the ranks can find out, such as how GPUs reach each other, they say at their start.
  if (texts.show_config) options.settings.push_back({"--show-config", "PILUM_SHOW_CONFIG", "1"});
  if (texts.show_stats) options.settings.push_back({"--show-stats", "PILUM_SHOW_STATS", "1"});
}

// The application and its arguments: what CLI11 left over.
Words take_application(Words rest, bool needed) {
  const bool dashes = !rest.empty() && rest[0] == "--";
  if (dashes) rest.erase(rest.begin());
  if (rest.empty() && needed) {
    throw ValueError("no application is named; plaunch [options] application [its arguments], e.g. plaunch jacobi");
  }
  if (!rest.empty() && !dashes && rest[0].starts_with('-')) {
    throw ValueError(rest[0] + ": plaunch has no such option (plaunch --help lists them); an application's own options " +
                     "stand after its name");
  }
  return rest;
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
  CLI::App app("plaunch");
  Texts texts;
  app.set_help_flag();
  bool help = false, version = false;
  app.add_flag("-h,--help", help);
  app.add_flag("--version", version);
  app.prefix_command();
  declare(app, texts);
  try {
    app.parse(argc, const_cast<char**>(argv));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--cpus: 1 required TEXT missing"
    throw ValueError(text.substr(0, text.find(':')) + ": a value must follow; see plaunch --help");
  } catch (const CLI::ParseError& error) {
    throw ValueError(std::string(error.what()) + "; see plaunch --help");
  }

  Options options;
  if (help) options.answer = kUsage;
  if (version) options.answer = "plaunch " PILUM_VERSION "\n";
  if (!options.answer.empty()) return options;

  if (app.count("--nodes")) options.nodes = static_cast<int>(whole_number("--nodes", texts.nodes, 1));
  if (app.count("--ranks-per-node")) {
    options.ranks_per_node = static_cast<int>(whole_number("--ranks-per-node", texts.ranks_per_node, 1, 10'000));
  }
  if (app.count("--cpus")) options.cpus = static_cast<int>(whole_number("--cpus", texts.cpus, 1, 100'000));
  if (app.count("--launcher")) options.starter = starter_of(texts.launcher);
  try {
    options.starter_extra = split(texts.launcher_extra);
  } catch (const ValueError& error) {
    throw ValueError(std::string("--launcher-extra ") + error.what());
  }
  options.oversubscribe = texts.oversubscribe;
  options.dry_run = texts.dry_run;
  options.show_config = texts.show_config;
  add_settings(app, texts, options);
  options.application = take_application(app.remaining(), !options.show_config);
  return options;
}

}  // namespace pilum::launcher
