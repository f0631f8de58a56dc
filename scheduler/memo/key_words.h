// The words that a window's key is made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

namespace pilum::scheduler {

// Some thousand words are written for each window, nearly always to be compared once: nothing is cleared first, and no
// room asked for word by word.
class KeyWords {
 public:
  KeyWords() = default;
  KeyWords(std::initializer_list<std::uint64_t> words) { copy(words.begin(), words.size()); }
  KeyWords(const KeyWords& other) { copy(other.begin(), other.size_); }
  KeyWords(KeyWords&& other) noexcept { *this = std::move(other); }
  KeyWords& operator=(const KeyWords& other) { return *this = KeyWords(other); }
  KeyWords& operator=(KeyWords&& other) noexcept {
    words_ = std::move(other.words_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  ~KeyWords() = default;

  const std::uint64_t* begin() const { return words_.get(); }
  const std::uint64_t* end() const { return words_.get() + size_; }
  std::size_t size() const { return size_; }
  std::uint64_t operator[](std::size_t place) const { return words_[place]; }
  bool operator==(const KeyWords& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }

  // Room for at least so many more: to be written in order, and told to written_to().
  [[nodiscard]] std::uint64_t* more(std::size_t most) {
    if (capacity_ - size_ < most) grow(std::max(2 * capacity_, size_ + most));
    return words_.get() + size_;
  }
  void written_to(const std::uint64_t* end) { size_ = static_cast<std::size_t>(end - words_.get()); }
  // Takes back what was written after the first `size`.
  void shrink(std::size_t size) { size_ = size; }
  void push_back(std::uint64_t word) {
    std::uint64_t* const place = more(1);
    *place = word;
    written_to(place + 1);
  }

 private:
  void copy(const std::uint64_t* words, std::size_t count) {
    if (count > 0) grow(count);
    std::copy_n(words, count, words_.get());
    size_ = count;
  }
  void grow(std::size_t capacity) {
    auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(capacity);
    std::copy_n(words_.get(), size_, larger.get());
    words_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<std::uint64_t[]> words_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace pilum::scheduler
