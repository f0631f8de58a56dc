// A bug of ours stops here: expression, place, and what ids the caller adds.
//   PILUM_CHECK(rank < size, "rank {} of {}", rank, size);
#pragma once

#include <string>

#include <spdlog/fmt/fmt.h>

namespace pilum {

// Prints the report with this process's rank and ends the process (the whole job, when there are peers).
[[noreturn]] void check_failed(const char* expression, const char* file, int line, const std::string& detail);

}  // namespace pilum

#define PILUM_CHECK(expression, ...)                                                       \
  do {                                                                                     \
    if (!(expression)) [[unlikely]]                                                        \
      ::pilum::check_failed(#expression, __FILE__, __LINE__, fmt::format("" __VA_ARGS__)); \
  } while (false)
