#include "runtime/base/log.h"

#include <atomic>
#include <mutex>

#include <spdlog/sinks/stdout_sinks.h>

namespace pilum {
namespace {

std::atomic<int> shown_rank{0};
std::mutex loggers_mutex;

}  // namespace

void set_up_log(const std::string& level, int rank) {
  shown_rank = rank;
  const std::lock_guard lock(loggers_mutex);
  spdlog::set_level(spdlog::level::from_str(level == "warn" ? "warning" : level));
  spdlog::set_pattern("pilum[" + std::to_string(rank) + "] %n %l: %v");
}

int log_rank() noexcept {
  return shown_rank;
}

spdlog::logger& log(const char* folder) {
  const std::lock_guard lock(loggers_mutex);
  if (auto logger = spdlog::get(folder)) return *logger;
  return *spdlog::stderr_logger_mt(folder);
}

}  // namespace pilum
