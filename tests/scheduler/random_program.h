// Random array programs: the same calls on every rank, for plans and for runs.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "pilum/pilum.h"

namespace pilum::scheduler {

// Arrays of one and two axes, views with any step, transposes, broadcasts, reductions, writes in place, values asked
// for. Numbers stay exact: integers wrap, floats are only added, halved, compared and folded by minimum and maximum; so
// every machine and the naive recorder must give the same cells.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint64_t seed, bool with_copies = true) : random_(seed), with_copies_(with_copies) {}

  // The values asked for on the way, and all cells that are left in the end.
  std::vector<double> run(int calls) {
    for (int i = 0; i < 3; ++i) make();
    for (int i = 0; i < calls; ++i) step();
    for (const numeric::Array& array : arrays_) ask(array);
    return std::move(values_);
  }
  // So many calls more, of which none asks for a value: for plans of one window after the other.
  void record(int calls) {
    asks_ = false;
    while (arrays_.size() < 3) make();
    for (int i = 0; i < calls; ++i) step();
  }
  const std::vector<numeric::Array>& arrays() const { return arrays_; }

 private:
  using Array = numeric::Array;

  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool once_in(int times) { return pick(times) == 0; }
  DType dtype() { return once_in(2) ? DType::Int64 : DType::Float64; }
  Shape shape() {
    if (once_in(2)) return Shape({5 + pick(36)});
    return Shape({3 + pick(12), 3 + pick(10)});
  }
  const Array& any() { return arrays_[static_cast<std::size_t>(pick(static_cast<int>(arrays_.size())))]; }
  void keep(Array array) {
    if (array.ndim() == 0) array = numeric::broadcast_to(array, {1}).copy();
    if (arrays_.size() > 5) arrays_.erase(arrays_.begin() + pick(static_cast<int>(arrays_.size())));
    arrays_.push_back(std::move(array));
  }
  void make() {
    const Shape extents = shape();
    if (with_copies_ && once_in(4)) {
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(extents.elements()));
      for (std::int64_t& number : numbers) number = pick(100) - 50;
      keep(numeric::array(numbers, dtype()).reshape(extents));
    } else if (once_in(2) && extents.rank() == 1) {
      keep(numeric::arange(extents[0], dtype()));
    } else {
      keep(numeric::full(extents, pick(9) - 4, dtype()));
    }
  }

  // Some cells of an axis; of `extent` cells where that is not 0.
  numeric::slice range(std::int64_t length, std::int64_t extent = 0) {
    if (extent == 0) extent = 1 + pick(static_cast<int>(length));
    const std::int64_t most = extent > 1 ? (length - 1) / (extent - 1) : 1;
    std::int64_t step = once_in(3) ? 1 + pick(static_cast<int>(std::min<std::int64_t>(most, 3))) : 1;
    const std::int64_t reach = (extent - 1) * step;
    const std::int64_t start = pick(static_cast<int>(length - reach));
    if (!once_in(6)) return {start, start + reach + 1, step};
    return {start + reach, start > 0 ? numeric::slice::Bound(start - 1) : numeric::slice::Bound(), -step};
  }
  Array view(const Array& array) {
    if (once_in(4)) return array;
    if (array.ndim() == 1) return array(range(array.shape()[0]));
    if (once_in(4))
      return once_in(2) ? array(pick(static_cast<int>(array.shape()[0])), numeric::all)
                        : array(numeric::all, pick(static_cast<int>(array.shape()[1])));
    return array(range(array.shape()[0]), range(array.shape()[1]));
  }
  // A view of the shape, or one that broadcasts to it; a number's place where none is found.
  Array fitting(const Shape& shape) {
    for (int tries = 0; tries < 8; ++tries) {
      Array array = any();
      if (array.ndim() == 2 && once_in(4)) array = array.T();
      if (array.ndim() == 2 && shape.rank() == 1) array = array(pick(static_cast<int>(array.shape()[0])), numeric::all);
      if (array.ndim() == 1 && shape.rank() == 2) {
        const bool column = once_in(2);
        const std::int64_t extent = shape[column ? 0 : 1];
        if (array.shape()[0] < extent) continue;
        array = array(range(array.shape()[0], extent));
        return column ? array(numeric::all, numeric::newaxis) : array;
      }
      if (array.ndim() != shape.rank() || shape.rank() == 0) continue;
      bool fits = true;
      for (int axis = 0; axis < shape.rank(); ++axis) fits = fits && array.shape()[axis] >= shape[axis];
      if (!fits) continue;
      if (shape.rank() == 1) return array(range(array.shape()[0], shape[0]));
      return array(range(array.shape()[0], shape[0]), range(array.shape()[1], shape[1]));
    }
    return numeric::full({}, 1 + pick(3));
  }
  Array combine(const Array& a, const Array& b) {
    switch (pick(7)) {
      case 0: return a + b;
      case 1: return a - b;
      case 2: return numeric::minimum(a, b);
      case 3: return numeric::maximum(a, b);
      case 4: return numeric::where(a < b, a, 1);
      case 5: return a + 2 * b;
      default: return numeric::abs(a - b) + 1;
    }
  }
  Array expression(const Array& first, int depth) {
    Array value = first;
    for (int i = 0; i < depth; ++i) value = combine(value, fitting(first.shape()));
    return value.dtype() == DType::Float64 ? 0.5 * value : value;
  }
  void step() {
    switch (pick(16)) {
      case 0: return make();
      case 1:
      case 2: return keep(expression(view(any()), 1 + pick(4)));
      case 3: {
        const Array from = view(any());
        if (from.dtype() == DType::Float64) return keep(once_in(2) ? numeric::min(from) : numeric::max(from));
        return keep(numeric::sum(from));
      }
      case 4: {
        const Array from = any();
        const int axis = pick(from.ndim());
        return keep(from.dtype() == DType::Float64 ? numeric::max(from, axis, once_in(2))
                                                   : numeric::sum(from, axis, once_in(2)));
      }
      case 5: ask(view(any())); return;
      case 6: {
        if (!with_copies_) return;
        const Array from = view(any());
        return keep(from.reshape(once_in(2) ? Shape({from.size(), 1}) : Shape({from.size()})));
      }
      case 7: view(any())[numeric::ellipsis] = pick(9) - 4; return;
      case 8: {
        Array target = view(any());
        target += 1;
        return;
      }
      case 9: {  // a shift along the array itself
        const Array array = any();
        const std::int64_t by = 1 + pick(2);
        if (array.shape()[0] <= by) return;
        array(numeric::slice(by, {}), numeric::ellipsis) = array(numeric::slice(0, -by), numeric::ellipsis);
        return;
      }
      case 10: {  // a stencil into its own array
        const Array array = any();
        if (array.shape()[0] < 3) return;
        array(numeric::slice(1, -1), numeric::ellipsis) = expression(
            array(numeric::slice(0, -2), numeric::ellipsis) + array(numeric::slice(2, {}), numeric::ellipsis), pick(2));
        return;
      }
      default: {
        Array target = view(any());
        const Array value = expression(fitting(target.shape()), pick(3));
        if (value.ndim() <= target.ndim()) target[numeric::ellipsis] = value;
      }
    }
  }
  void ask(const Array& array) {
    if (!asks_) return;
    const Array floating = array.astype(DType::Float64);
    for (const double value : floating.to_vector<double>()) values_.push_back(value);
  }

  std::mt19937_64 random_;
  bool with_copies_;
  bool asks_ = true;
  std::vector<Array> arrays_;
  std::vector<double> values_;
};

}  // namespace pilum::scheduler
