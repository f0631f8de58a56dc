#include "runtime/base/check.h"

#include <cstdio>
#include <cstdlib>

#include "runtime/base/log.h"

namespace pilum {

void check_failed(const char* expression, const char* file, int line, const std::string& detail) {
  std::fprintf(stderr, "pilum: rank %d: internal error, please report it: check `%s` failed at %s:%d%s%s\n", log_rank(),
               expression, file, line, detail.empty() ? "" : ": ", detail.c_str());
  std::fflush(nullptr);
  std::abort();
}

}  // namespace pilum
