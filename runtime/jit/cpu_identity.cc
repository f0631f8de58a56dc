#include "runtime/jit/cpu_identity.h"

#include <fstream>

namespace pilum::jit {
namespace {

bool names_the_cpu(const std::string& line) {
  for (const char* field : {"vendor_id", "cpu family", "model", "flags", "Features", "CPU implementer", "CPU part"}) {
    if (line.starts_with(field)) return true;
  }
  return false;
}

std::string read_identity() {
  std::string identity;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (names_the_cpu(line)) identity += line + "\n";
  }
  return identity;
}

}  // namespace

const std::string& cpu_identity() {
  static const std::string identity = read_identity();
  return identity;
}

}  // namespace pilum::jit
