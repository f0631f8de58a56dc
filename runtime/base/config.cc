#include "runtime/base/config.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sstream>

#include "pilum/error.h"

namespace pilum {
namespace {

void read_text(const char* name, std::string& value) {
  if (const char* text = std::getenv(name)) value = text;
}

template <class Number>
void read_number(const char* name, Number& value, Number lowest) {
  const char* text = std::getenv(name);
  if (!text) return;
  Number number{};
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  if (error != std::errc() || *end || number < lowest) {
    throw ValueError("[Runtime] " + std::string(name) + "=" + text + ": it takes a whole number of at least " +
                     std::to_string(lowest));
  }
  value = number;
}

void read_flag(const char* name, bool& value) {
  if (const char* text = std::getenv(name)) value = std::strcmp(text, "0") != 0 && *text;
}

void check_choice(const char* name, const std::string& value, std::initializer_list<const char*> choices) {
  std::string listed;
  for (const char* choice : choices) {
    if (value == choice) return;
    listed += (listed.empty() ? "" : ", ") + std::string(choice);
  }
  throw ValueError("[Runtime] " + std::string(name) + "=" + value + ": it takes one of " + listed);
}

void check_stages(const std::string& stages) {
  std::istringstream words(stages);
  for (std::string word; std::getline(words, word, ',');) {
    check_choice("PILUM_PRINT", word, {"operations", "tasks", "plan", "kernels"});
  }
}

}  // namespace

Config read_config() {
  Config config;
  read_number("PILUM_CPUS", config.cpus, 0);
  read_number("PILUM_GPUS", config.gpus, -1);
  read_text("PILUM_TRANSPORT", config.transport);
  read_text("PILUM_OUTPUT", config.output);
  read_text("PILUM_PRINT", config.print);
  read_text("PILUM_PRINT_DOT", config.print_dot);
  read_text("PILUM_PROFILE", config.profile);
  read_text("PILUM_LOG_LEVEL", config.log_level);
  read_text("PILUM_COMPILER", config.compiler);
  read_text("PILUM_CACHE_DIR", config.cache_dir);
  read_number("PILUM_SYSTEM_MEMORY", config.system_memory, std::int64_t{0});
  read_number("PILUM_GPU_MEMORY", config.gpu_memory, std::int64_t{0});
  read_number("PILUM_SPLIT_BYTES", config.split_bytes, std::int64_t{-1});
  read_number("PILUM_MESSAGE_BYTES", config.message_bytes, std::int64_t{0});
  read_number("PILUM_PLAN_CACHE", config.plan_cache, -1);
  read_number("PILUM_GRAPH_AFTER", config.graph_after, 0);
  read_number("PILUM_WINDOW", config.window, 0);
  read_flag("PILUM_OVERSUBSCRIBE", config.oversubscribe);
  read_flag("PILUM_SHOW_CONFIG", config.show_config);
  read_flag("PILUM_GPU_SHARING", config.gpu_sharing);
  read_flag("PILUM_SHOW_STATS", config.show_stats);
  check_choice("PILUM_TRANSPORT", config.transport, {"best", "self", "mpi", "ucx"});
  check_choice("PILUM_OUTPUT", config.output, {"rank0", "all"});
  check_choice("PILUM_LOG_LEVEL", config.log_level, {"off", "error", "warn", "info", "debug", "trace"});
  check_stages(config.print);
  return config;
}

}  // namespace pilum
