#include "launcher/say.h"

#include <errno.h>
#include <unistd.h>

namespace pilum::launcher {

void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void say(const std::string& line) {
  write_error("plaunch: " + line + "\n");
}

}  // namespace pilum::launcher
