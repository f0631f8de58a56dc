#include "launcher/job.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launcher/find_program.h"
#include "launcher/local_launcher.h"
#include "launcher/network.h"
#include "pilum/error.h"
#include "runtime/machine/print.h"

namespace pilum::launcher {
namespace {

constexpr int kManyRanksACore = 32;  // from here on their start takes so long that it is said why

// On one node plaunch starts the ranks itself: mpirun would listen on every network. Who has words for mpirun wants it.
Launcher default_launcher(const Options& options, const HostEnvironment& host) {
  if (options.ranks() == 1) return Launcher::None;
  return options.nodes == 1 && host.own && options.launcher_extra.empty() ? Launcher::None : Launcher::Mpirun;
}

Launcher choose_launcher(const Options& options, const HostEnvironment& host) {
  const Launcher launcher = options.launcher.value_or(default_launcher(options, host));
  if (launcher == Launcher::None && options.nodes > 1) {
    throw ValueError("--launcher none with " + plural(options.nodes, "node") +
                     ": plaunch itself starts ranks on this node only; use --launcher mpirun or srun");
  }
  if (launcher == Launcher::None && options.ranks() > 1 && !host.own) {
    throw ValueError("--launcher none with " + plural(options.ranks(), "rank") +
                     ": this build's MPI needs its own launcher to start several ranks; use --launcher mpirun or srun");
  }
  // A command line that is only printed may be for another machine.
  if (options.dry_run) return launcher;
  if (launcher == Launcher::Mpirun && !host.mpirun) {
    throw RuntimeError(plural(options.ranks(), "rank") + " need Open MPI's mpirun, and PATH has none; install " +
                       "openmpi-bin, or use --launcher srun");
  }
  if (launcher == Launcher::Srun && !host.srun) {
    throw RuntimeError("--launcher srun: PATH has no srun; on a machine without Slurm use --launcher mpirun");
  }
  return launcher;
}

void check_transport(const Options& options, const Config& config) {
  if (config.transport != "self" || options.ranks() == 1) return;
  throw ValueError("--transport self with " + plural(options.ranks(), "rank") +
                   ": self connects a rank to no other; use best, ucx or mpi, or one rank");
}

// Cores a rank on this node. Ranks on other nodes, and srun's, find their own unless the user said a number.
std::optional<int> share_cores(const Options& options, const Config& config, Launcher launcher,
                               const HostEnvironment& host) {
  std::optional<int> cpus = options.cpus;
  if (!cpus && config.cpus > 0) cpus = config.cpus;
  if (launcher == Launcher::Srun) {
    if (!cpus && host.allocated_cpus) cpus = std::max(1, *host.allocated_cpus / options.ranks_per_node);
    if (!cpus) throw ValueError("--launcher srun outside a Slurm allocation: give each rank's cores with --cpus N");
    return cpus;
  }
  if (options.nodes > 1) return cpus;

  const int allowed = host.topology.cores();
  const int asked = cpus.value_or(std::max(1, allowed / options.ranks_per_node));
  const std::int64_t needed = std::int64_t{asked} * options.ranks_per_node;
  if (needed <= allowed || config.oversubscribe) return asked;
  std::vector<int> cores;
  for (const auto& domain : host.topology.domains) {
    cores.insert(cores.end(), domain.cores.begin(), domain.cores.end());
  }
  const int fit = allowed / options.ranks_per_node;
  throw ValueError((cpus ? "--cpus " + std::to_string(asked) : "at least one core each") + " for " +
                   plural(options.ranks_per_node, "rank") + ": " + std::to_string(needed) +
                   " cores are needed, and this machine allows " + std::to_string(allowed) + " (" +
                   machine::format_cores(cores) + "; taskset, cpusets and cgroups count). Use " +
                   (fit > 0 ? "--cpus " + std::to_string(fit) : "fewer ranks") +
                   ", or --oversubscribe to let ranks share cores");
}

void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

Words mpirun_command(const Job& job, const Options& options, const HostEnvironment& host) {
  Words words{host.mpirun.value_or("mpirun")};  // none: only printed
  if (host.root) words.push_back("--allow-run-as-root");
  const std::string map = "ppr:" + std::to_string(job.ranks_per_node) + ":node";
  append(words, {"-n", std::to_string(job.ranks()), "--map-by", map});
  append(words, {"--bind-to", "none"});  // Pilum pins its own threads, by PILUM_CPUS and the rank's number on its node
  if (job.nodes == 1 && job.ranks_per_node > host.topology.cores()) words.push_back("--oversubscribe");
  for (const auto& [name, value] : job.variables) append(words, {"-x", name});
  if (!job.interface.empty()) {  // it passes on its own, OMPI_MCA_*, by itself
    append(words, {"-x", "UCX_NET_DEVICES", "--mca", "orte_launch_agent", launch_agent(job.libraries)});
  }
  words.insert(words.end(), options.launcher_extra.begin(), options.launcher_extra.end());
  return words;
}

Words srun_command(const Job& job, const Options& options) {
  Words words{"srun", "--mpi=pmix"};
  append(words, {"--nodes", std::to_string(job.nodes), "--ntasks", std::to_string(job.ranks())});
  append(words, {"--ntasks-per-node", std::to_string(job.ranks_per_node)});
  append(words, {"--cpus-per-task", std::to_string(*job.cpus)});
  append(words, {"--cpu-bind=none", "--kill-on-bad-exit=1"});
  if (options.oversubscribe) words.push_back("--overcommit");
  words.insert(words.end(), options.launcher_extra.begin(), options.launcher_extra.end());
  return words;
}

// Open MPI's mpirun by a name that PATH resolves. Where MPICH owns "mpirun", Open MPI's has another name: one library's
// launcher with the other's library silently starts N worlds of one rank.
std::optional<std::string> find_open_mpi() {
  for (const char* name : {"mpirun", "mpirun.openmpi"}) {
    const auto path = find_in_path(name);
    if (!path) continue;
    std::error_code ignored;
    const std::string real = std::filesystem::canonical(*path, ignored).filename().string();
    if (real.find("hydra") == std::string::npos && real.find("mpich") == std::string::npos) return name;
  }
  return std::nullopt;
}

void choose_network(Job& job, const Options& options, const HostEnvironment& host) {
  if (job.nodes == 1) {
    if (!options.interface.empty()) {
      job.remarks.push_back("--interface is not used: ranks of one node communicate through shared memory");
    }
    return;
  }
  if (options.interface.empty()) {
    job.remarks.push_back(
        "ranks of several nodes listen on every network of their nodes, and not every listener asks "
        "for a key; name the network to use, e.g. --interface eth0");
    return;
  }
  if (!options.dry_run)
    check_interface(options.interface);  // a command line that is only printed may be for another machine
  job.interface = options.interface;
  job.libraries = interface_variables(options.interface, host.one_interface);
}

// "16(x2),8" says 16 cores on each of two nodes, 8 on one more.
std::optional<int> read_allocated_cpus() {
  const char* text = std::getenv("SLURM_JOB_CPUS_PER_NODE");
  int cpus = 0;
  if (!text || std::from_chars(text, text + std::strlen(text), cpus).ec != std::errc() || cpus < 1) return std::nullopt;
  return cpus;
}

Variables pilum_variables() {
  Variables variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (text.starts_with("PILUM_") && equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

}  // namespace

Job make_job(const Options& options, const Config& config, const HostEnvironment& host) {
  Job job{.nodes = options.nodes, .ranks_per_node = options.ranks_per_node};
  job.launcher = choose_launcher(options, host);
  check_transport(options, config);
  job.cpus = share_cores(options, config, job.launcher, host);
  job.application = options.application;
  job.variables = host.variables;
  choose_network(job, options, host);
  if (job.cpus) job.variables["PILUM_CPUS"] = std::to_string(*job.cpus);
  if (job.launcher == Launcher::Mpirun) {
    job.launcher_command = mpirun_command(job, options, host);
    if (host.root) job.remarks.push_back("running as root: passing --allow-run-as-root");
  }
  const int cores = std::max(1, host.topology.cores());
  if (job.launcher != Launcher::Srun && job.nodes == 1 && job.ranks_per_node > kManyRanksACore * cores) {
    job.remarks.push_back(plural(job.ranks(), "rank") + " share " + plural(cores, "core") +
                          ": Open MPI's start-up time grows faster than the number of ranks (on two cores "
                          "5 s for 64, 10 s for 110, 17 s for 150, 23 s for 200; by mpirun 7, 14, 31 s and minutes); "
                          "fewer ranks with more cores each start sooner");
  }
  if (job.launcher == Launcher::Srun) job.launcher_command = srun_command(job, options);
  if (job.launcher == Launcher::None && job.ranks() > 1) {
    job.launcher_command = {*host.own, kLocalRanks, std::to_string(job.ranks())};
    // As mpirun does: ranks that wait in MPI give their core away. Without, the start of 64 on two cores took 25 s.
    if (job.ranks() > cores) job.libraries["OMPI_MCA_mpi_oversubscribe"] = "1";
  }
  if (job.launcher == Launcher::None && !options.launcher_extra.empty()) {
    job.remarks.push_back("--launcher-extra is not used: ranks start without a launcher");
  }
  return job;
}

Config apply_settings(const Options& options) {
  static_cast<void>(read_config());  // so that a bad variable of the user's is not blamed on an option
  for (const GivenSetting& setting : options.settings) {
    setenv(setting.variable.c_str(), setting.value.c_str(), /*overwrite=*/1);
    try {
      static_cast<void>(read_config());
    } catch (const ValueError& error) {
      std::string text = error.what();
      const std::string said = "[Runtime] " + setting.variable + "=";
      if (text.starts_with(said)) text.replace(0, said.size(), setting.option + " ");
      throw ValueError(text);
    }
  }
  if (options.oversubscribe) setenv("PILUM_OVERSUBSCRIBE", "1", /*overwrite=*/1);
  return read_config();
}

HostEnvironment read_host_environment() {
  HostEnvironment host;
  host.topology = machine::read_host_topology();
  const bool told = std::getenv("OMPI_ALLOW_RUN_AS_ROOT") && std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
  host.root = geteuid() == 0 && !told;
  host.mpirun = find_open_mpi();
  host.srun = find_in_path("srun").has_value();
  if (can_start_ranks()) host.own = own_path();
  host.one_interface = find_library("libpilum_one_interface.so").value_or("");
  host.allocated_cpus = read_allocated_cpus();
  host.variables = pilum_variables();
  return host;
}

std::string command_line(const Job& job) {
  std::string text;
  for (const auto& [name, value] : job.variables) text += name + "=" + quote(value) + " ";
  for (const auto& [name, value] : job.libraries) text += name + "=" + quote(value) + " ";
  Words words = job.launcher_command;
  words.insert(words.end(), job.application.begin(), job.application.end());
  return text + join(words);
}

}  // namespace pilum::launcher
