// The calls that ranks have not agreed on yet, in order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace pilum::scheduler {

// A queue in one block of memory, which is kept: a call is recorded in a few nanoseconds, without an allocation.
template <class T>
class CallRing {
 public:
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return slots_[(first_ + index) & (slots_.size() - 1)]; }
  const T& operator[](std::size_t index) const { return slots_[(first_ + index) & (slots_.size() - 1)]; }
  // What is there is an older call's: all of it is to be written.
  T& append() {
    if (size_ == slots_.size()) grow();
    return (*this)[size_++];
  }
  void drop_first(std::size_t count) {
    first_ = (first_ + count) & (slots_.size() - 1);
    size_ -= count;
  }

 private:
  void grow() {
    std::vector<T> larger(2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move((*this)[i]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_ = std::vector<T>(2048);  // a power of two
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace pilum::scheduler
