// Two sorted runs made one, in pieces that threads make independently.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pilum::numeric {

// Two sorted runs; of equal cells those of `a` come first.
template <class T>
struct RunPair {
  const T* a;
  std::int64_t a_count;
  const T* b;
  std::int64_t b_count;

  [[nodiscard]] std::int64_t count() const { return a_count + b_count; }

  // How many cells of `a` are among the first `count` of the merged run (merge path: Odeh et al., 2012).
  [[nodiscard]] std::int64_t taken_of_a(std::int64_t count) const {
    std::int64_t low = std::max<std::int64_t>(0, count - b_count), high = std::min(count, a_count);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (b[count - 1 - middle] < a[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // What the merged run's cells [begin, end) are made of.
  [[nodiscard]] RunPair part(std::int64_t begin, std::int64_t end) const {
    const std::int64_t from = taken_of_a(begin), to = taken_of_a(end);
    return {a + from, to - from, b + (begin - from), end - to - (begin - from)};
  }
};

// One cell after the other, of which each waits for the comparison before it: four such chains side by side hide that.
inline constexpr std::size_t kMergeChains = 4;

template <class T>
class MergeChain {
 public:
  MergeChain() = default;
  MergeChain(const RunPair<T>& runs, T* to)
      : a_(runs.a), a_end_(runs.a + runs.a_count), b_(runs.b), b_end_(runs.b + runs.b_count), to_(to) {}

  // Steps that need not look whether a run has ended.
  [[nodiscard]] std::int64_t safe_steps() const { return std::min(a_end_ - a_, b_end_ - b_); }
  void step() {
    const T of_a = *a_, of_b = *b_;
    const bool takes_b = of_b < of_a;
    *to_++ = takes_b ? of_b : of_a;
    b_ += takes_b;
    a_ += !takes_b;
  }
  void finish() {
    for (std::int64_t steps = safe_steps(); steps > 0; steps = safe_steps()) {
      for (; steps > 0; --steps) step();
    }
    to_ = std::copy(a_, a_end_, to_);
    to_ = std::copy(b_, b_end_, to_);
  }

 private:
  const T *a_ = nullptr, *a_end_ = nullptr, *b_ = nullptr, *b_end_ = nullptr;
  T* to_ = nullptr;
};

// On this thread.
template <class T>
void merge_runs(const RunPair<T>& runs, T* to) {
  constexpr auto kChains = static_cast<std::int64_t>(kMergeChains);
  std::array<MergeChain<T>, kMergeChains> chains;
  for (std::int64_t k = 0; k < kChains; ++k) {
    const std::int64_t begin = runs.count() * k / kChains, end = runs.count() * (k + 1) / kChains;
    chains[static_cast<std::size_t>(k)] = {runs.part(begin, end), to + begin};
  }
  auto [c0, c1, c2, c3] = chains;
  for (;;) {
    std::int64_t steps =
        std::min(std::min(c0.safe_steps(), c1.safe_steps()), std::min(c2.safe_steps(), c3.safe_steps()));
    if (steps == 0) break;
    for (; steps > 0; --steps) {
      c0.step();
      c1.step();
      c2.step();
      c3.step();
    }
  }
  for (MergeChain<T>* chain : {&c0, &c1, &c2, &c3}) chain->finish();
}

}  // namespace pilum::numeric
