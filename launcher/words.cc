#include "launcher/words.h"

#include <cctype>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("_-./:=,+@%^").find(c) != std::string_view::npos;
}

}  // namespace

std::string plural(int count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string quote(std::string_view word) {
  bool plain = !word.empty();
  for (char c : word) plain = plain && is_plain(c);
  if (plain) return std::string(word);
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string join(const Words& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += quote(word);
  }
  return text;
}

Words split(std::string_view text) {
  Words words;
  bool open = false;  // a word has begun (perhaps an empty one, in quotes)
  char quoted_by = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quoted_by && std::isspace(static_cast<unsigned char>(c))) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == quoted_by) {
      quoted_by = 0;
    } else if (!quoted_by && (c == '\'' || c == '"')) {
      quoted_by = c;
    } else if (c == '\\' && quoted_by != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quoted_by) throw ValueError(std::string(text) + ": a quote (" + quoted_by + ") is not closed");
  return words;
}

}  // namespace pilum::launcher
