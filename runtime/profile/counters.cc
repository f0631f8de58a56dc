#include "runtime/profile/counters.h"

namespace pilum::profile {

std::string to_string(const Counters& counters) {
  std::string text;
  counters.for_each([&](const char* name, std::int64_t value) {
    if (value == 0) return;
    if (!text.empty()) text += ", ";
    text += name;
    text += ' ';
    text += std::to_string(value);
  });
  return text.empty() ? "nothing" : text;
}

}  // namespace pilum::profile
