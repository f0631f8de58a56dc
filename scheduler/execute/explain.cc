#include "scheduler/execute/explain.h"

#include <utility>

namespace pilum::scheduler {

std::string explain(const char* name, std::string what, const char* file, std::uint64_t line) {
  if (what.ends_with('.')) what.pop_back();
  return std::string("[") + name + "] " + what + ". Recorded at " + file + ":" + std::to_string(line);
}

std::string explain(const Instruction& instruction, std::string what) {
  return explain(instruction.name, std::move(what), instruction.where.file_name(), instruction.where.line());
}

std::string name_and_place(const Instruction& instruction) {
  return std::string("[") + instruction.name + "] at " + instruction.where.file_name() + ":" +
         std::to_string(instruction.where.line());
}

}  // namespace pilum::scheduler
