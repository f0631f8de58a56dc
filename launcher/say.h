// Standard error, written at once.
#pragma once

#include <string>
#include <string_view>

namespace pilum::launcher {

void write_error(std::string_view text);
// One line of plaunch's own: "plaunch: " before it.
void say(const std::string& line);

}  // namespace pilum::launcher
