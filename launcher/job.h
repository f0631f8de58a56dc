// What plaunch will start: the options made definite on this machine.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launcher/options.h"
#include "launcher/words.h"
#include "runtime/base/config.h"
#include "runtime/machine/machine.h"

namespace pilum::launcher {

using Variables = std::map<std::string, std::string>;

// What a job depends on beside the options. Tests write it by hand.
struct HostEnvironment {
  machine::HostTopology topology;
  bool root = false;                  // mpirun refuses root unless told
  std::optional<std::string> mpirun;  // Open MPI's, as one would type it; none: there is none
  bool srun = false;                  // there is one
  std::optional<std::string> own;     // plaunch's path, if it can start several ranks itself
  std::string one_interface;          // path of the library that keeps others to --interface
  std::optional<int> allocated_cpus;  // cores a node of the Slurm allocation, if there is one
  Variables variables;                // the PILUM_* variables
};

struct Job {
  Launcher launcher = Launcher::None;
  int nodes = 1;
  int ranks_per_node = 1;
  std::optional<int> cpus;  // a rank; none: each rank shares what it finds on its node
  Words launcher_command;   // "mpirun -n 2 …"; empty for one rank without a launcher
  Words application;
  Variables variables;               // the PILUM_* variables, all of them
  std::string interface;             // of several nodes; empty: all of each
  Variables libraries;               // variables of MPI and UCX: the interface, and that ranks share cores
  std::vector<std::string> remarks;  // what the user should know, a line each

  int ranks() const { return nodes * ranks_per_node; }
};

// Pure. Throws pilum::ValueError or pilum::RuntimeError for what this machine or these options do not allow.
Job make_job(const Options& options, const Config& config, const HostEnvironment& host);

// The settings written over the environment's values, and --oversubscribe. Throws pilum::ValueError naming the option.
// Changes this process's environment: that is how the application gets them.
Config apply_settings(const Options& options);

// Reads hwloc's topology, PATH and the environment variables.
HostEnvironment read_host_environment();

// One line for a shell that does what the job does: variables, launcher, application.
std::string command_line(const Job& job);

}  // namespace pilum::launcher
