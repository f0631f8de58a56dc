// What comes before what, transitively.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pilum {

// Of numbered things, each of which comes after some before it: sets of them, a bit each.
class Ancestors {
 public:
  explicit Ancestors(std::size_t count) : words_((count + 63) / 64), bits_(count * words_, 0) {}
  bool has(std::size_t one, std::size_t ancestor) const {
    return bits_[one * words_ + ancestor / 64] >> ancestor % 64 & 1;
  }
  // `one` comes after `parent`, of which all ancestors are known.
  void add(std::size_t one, std::size_t parent) {
    for (std::size_t w = 0; w < words_; ++w) bits_[one * words_ + w] |= bits_[parent * words_ + w];
    bits_[one * words_ + parent / 64] |= std::uint64_t{1} << parent % 64;
  }
  // After all of these. The nearest ones alone, in order: what comes before one of them needs not be named.
  std::vector<int> add_nearest(std::size_t one, std::vector<int> parents) {
    std::ranges::sort(parents, std::greater<>());
    std::erase_if(parents, [&](int parent) {
      const auto place = static_cast<std::size_t>(parent);
      if (has(one, place)) return true;
      add(one, place);
      return false;
    });
    std::ranges::reverse(parents);
    return parents;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace pilum
