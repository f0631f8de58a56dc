// A forked process for code that may crash or hang.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace pilum::random_programs {

// Calls `body` in a child process, for `seconds` at most. Its text; or what ended the child: a signal, an exit. The
// caller has no other threads.
std::optional<std::string> run_in_child(const std::function<std::optional<std::string>()>& body, int seconds);

}  // namespace pilum::random_programs
