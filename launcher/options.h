// plaunch's command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/words.h"

namespace pilum::launcher {

enum class Launcher : std::uint8_t { None, Mpirun, Srun };

// An option that is an environment variable of the runtime (runtime/base/settings.h has what each takes).
struct GivenSetting {
  std::string option;    // "--transport"
  std::string variable;  // "PILUM_TRANSPORT"
  std::string value;
};

struct Options {
  int nodes = 1;
  int ranks_per_node = 1;
  std::optional<int> cpus;
  std::optional<Launcher> launcher;
  Words launcher_extra;
  std::string interface;  // empty: none was named
  bool oversubscribe = false;
  bool dry_run = false;
  bool show_config = false;
  std::vector<GivenSetting> settings;
  Words application;   // its name and arguments; empty with an answer or show_config
  std::string answer;  // --help, --version: print this and leave

  int ranks() const { return nodes * ranks_per_node; }
};

// Throws pilum::ValueError whose text names the option, its value and what it takes.
Options parse_options(int argc, const char* const* argv);

}  // namespace pilum::launcher
