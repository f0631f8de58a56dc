#pragma once

#include <string>
#include <string_view>

namespace pilum::launcher {

// Text from elsewhere, safe to show on a terminal: control characters as \x1b, all but line ends and tabs. UTF-8 stays;
// bytes that are none are escaped, for some terminals take single ones (0x80 to 0x9f) as commands.
std::string escape_controls(std::string_view text);

// How many bytes at the end of the text are the beginning of a character that is not whole yet.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace pilum::launcher
