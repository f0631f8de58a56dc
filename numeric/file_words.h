// Paths and numbers as the scalars of a launch: words, which all ranks must give alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pilum::numeric {

class FileWords {
 public:
  void add(std::int64_t number) { words_.push_back(static_cast<std::uint64_t>(number)); }
  // Its length, then its characters, eight a word.
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (k % 8 == 0) words_.push_back(0);
      words_.back() |= std::uint64_t{static_cast<unsigned char>(text[k])} << 8 * (k % 8);
    }
  }
  const std::vector<std::uint64_t>& words() const { return words_; }

 private:
  std::vector<std::uint64_t> words_;
};

// Reads them in the same order.
class FileWordReader {
 public:
  explicit FileWordReader(const std::uint64_t* words) : next_(words) {}
  std::int64_t number() { return static_cast<std::int64_t>(*next_++); }
  std::string text() {
    std::string text(static_cast<std::size_t>(number()), '\0');
    for (std::size_t k = 0; k < text.size(); ++k) text[k] = static_cast<char>(next_[k / 8] >> 8 * (k % 8) & 0xff);
    next_ += (text.size() + 7) / 8;
    return text;
  }

 private:
  const std::uint64_t* next_;
};

}  // namespace pilum::numeric
