#include "launcher/escape.h"

#include <algorithm>
#include <cstdint>

namespace pilum::launcher {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Of the character that a byte begins; 0 if none begins so.
std::size_t utf8_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

// The length of the whole character at i, 0 if there is none.
std::size_t character_at(std::string_view text, std::size_t i) {
  const std::size_t length = utf8_length(byte_at(text, i));
  if (length == 0 || i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xc0) != 0x80) return 0;
  }
  return length;
}

bool is_control(std::string_view character) {
  const unsigned char first = byte_at(character, 0);
  if (character.size() == 1) return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  if (character.size() == 2) return first == 0xc2 && byte_at(character, 1) < 0xa0;
  // Marks that turn the direction of what follows: U+202A to U+202E, U+2066 to U+2069.
  if (character.size() != 3 || first != 0xe2) return false;
  const unsigned second = byte_at(character, 1), third = byte_at(character, 2);
  return (second == 0x80 && third >= 0xaa && third <= 0xae) || (second == 0x81 && third >= 0xa6 && third <= 0xa9);
}

void append_escaped(std::string& shown, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    shown += "\\x";
    shown += kDigits[byte_at(bytes, i) >> 4];
    shown += kDigits[byte_at(bytes, i) & 15];
  }
}

}  // namespace

std::string escape_controls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = character_at(text, i);
    const std::string_view character = text.substr(i, std::max<std::size_t>(length, 1));
    const bool ends_line = character == "\r" && i + 1 < text.size() && text[i + 1] == '\n';
    if (length == 0 || (is_control(character) && !ends_line)) {
      append_escaped(shown, character);
    } else {
      shown += character;
    }
    i += character.size();
  }
  return shown;
}

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const unsigned char byte = byte_at(text, text.size() - back);
    if ((byte & 0xc0) == 0x80) continue;
    return utf8_length(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace pilum::launcher
