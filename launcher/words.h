// Command lines as lists of words, and as text for a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pilum::launcher {

using Words = std::vector<std::string>;

// "1 rank", "2 ranks"
std::string plural(int count, std::string_view noun);
// The word as a POSIX shell must see it: bare if nothing in it is special, else in single quotes.
std::string quote(std::string_view word);
// All words quoted, with blanks between.
std::string join(const Words& words);
// What a shell makes of the text: blanks part words, '…', "…" and \ quote. Throws pilum::ValueError on an open quote.
Words split(std::string_view text);

}  // namespace pilum::launcher
