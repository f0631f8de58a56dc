// plaunch: see `plaunch --help`.
#include <exception>
#include <iostream>
#include <string_view>

#include "launcher/find_program.h"
#include "launcher/job.h"
#include "launcher/local_launcher.h"
#include "launcher/options.h"
#include "launcher/run_job.h"
#include "launcher/say.h"
#include "launcher/show_config.h"
#include "launcher/supervise.h"

namespace {

using namespace pilum::launcher;

int launch(int argc, char** argv) {
  Options options = parse_options(argc, argv);
  if (!options.answer.empty()) {
    std::cout << options.answer;
    return 0;
  }
  if (!options.application.empty()) options.application[0] = find_application(options.application[0]);
  const pilum::Config config = apply_settings(options);
  const HostEnvironment host = read_host_environment();
  const Job job = make_job(options, config, host);
  if (options.show_config) std::cerr << show_config(job, config, host);
  for (const std::string& remark : job.remarks) say(remark);
  if (options.dry_run) {
    std::cout << command_line(job) << '\n' << std::flush;
    return 0;
  }
  return job.application.empty() ? 0 : run_job(job);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == kSupervise) return supervise(Words(argv + 2, argv + argc));
  try {
    if (argc > 3 && std::string_view(argv[1]) == kLocalRanks)
      return start_ranks(std::stoi(argv[2]), Words(argv + 3, argv + argc));
    return launch(argc, argv);
  } catch (const std::exception& error) {
    say(error.what());
    return 2;
  }
}
