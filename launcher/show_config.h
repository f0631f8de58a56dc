// --show-config: the machine as read, and the choices made.
#pragma once

#include <string>

#include "launcher/job.h"

namespace pilum::launcher {

std::string show_config(const Job& job, const Config& config, const HostEnvironment& host);

}  // namespace pilum::launcher
