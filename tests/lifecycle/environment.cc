#include "tests/lifecycle/environment.h"

#include <cstdlib>

namespace pilum::test {

std::string lifecycle() {
  return APPLICATIONS "/lifecycle";
}
std::string jacobi() {
  return BUILD_FOLDER "/apps/jacobi";
}

Variables with(Variables more) {
  const char* folder = std::getenv("PILUM_CACHE_DIR");
  more.emplace("PILUM_CACHE_DIR", folder ? folder : BUILD_FOLDER "/kernel-cache");
  return more;
}

bool has_mpirun() {
  return std::system("mpirun --version > /dev/null 2>&1") == 0;
}

Words under_plaunch(int ranks, const Words& application, const Words& options) {
  Words words{PLAUNCH, "--ranks-per-node", std::to_string(ranks), "--cpus", "1", "--oversubscribe"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), application.begin(), application.end());
  return words;
}

Words under_mpirun(int ranks, const Words& application) {
  Words words{"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", std::to_string(ranks)};
  words.insert(words.end(), application.begin(), application.end());
  return words;
}

Words under_mpirun(const std::vector<Words>& ranks) {
  Words words{"mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"};
  for (const Words& rank : ranks) {
    if (&rank != &ranks.front()) words.push_back(":");
    words.insert(words.end(), {"-n", "1"});
    words.insert(words.end(), rank.begin(), rank.end());
  }
  return words;
}

}  // namespace pilum::test
