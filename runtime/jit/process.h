// Runs another program.
#pragma once

#include <string>
#include <vector>

namespace pilum::jit {

struct ProcessResult {
  int status = -1;     // exit status; 128 + signal when killed; -1 when it could not be started
  std::string output;  // standard output and error together
};

// Starts the program, waits, and collects what it printed. Not empty, the folder is the program's $TMPDIR. Any thread.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& temporary_folder = {});
// The program's path: itself if it has a slash and can be run, else the first match in $PATH; empty: none.
std::string find_program(const std::string& name);

}  // namespace pilum::jit
