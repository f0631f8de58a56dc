// One spdlog logger a folder; the rank stands in the prefix.
#pragma once

#include <string>

#include <spdlog/spdlog.h>

namespace pilum {

// Sets level ("off" … "trace") and the rank shown; once, at start.
void set_up_log(const std::string& level, int rank);
// This process's rank, 0 before set_up_log.
int log_rank() noexcept;
// The logger of a folder, made at its first use: log("scheduler").debug("…").
spdlog::logger& log(const char* folder);

}  // namespace pilum
