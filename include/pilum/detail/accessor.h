// An array, as a body of a task sees it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pilum/detail/task_form.h"
#include "pilum/export.h"
#include "pilum/shape.h"

// Bodies' accesses are checked against what they may touch. On unless NDEBUG is defined; define it as 0 or 1 to choose.
#ifndef PILUM_CHECK_BOUNDS
#ifdef NDEBUG
#define PILUM_CHECK_BOUNDS 0
#else
#define PILUM_CHECK_BOUNDS 1
#endif
#endif

namespace pilum::detail {

// Throws IndexError: argument `number` of the body was asked for `index`.
[[noreturn]] PILUM_API void refuse_index(int number, int rank, const std::int64_t* index, const BoundStore& store);

// Indices are the array's own (the view's, where a view was passed).
template <class T, int Rank, Access kAccess>
class Accessor {
 public:
  static_assert(Rank >= 0 && Rank <= kMaxAxes, "arrays have 0 to 8 axes");
  using Element = std::conditional_t<kAccess == Access::Read, const T, T>;

  Accessor(const BoundStore& store, int number) : store_(store), number_(number) {}

  // The element there; lo(axis) <= index < hi(axis) along each axis. Where PILUM_CHECK_BOUNDS is 1, any other index
  // ends the run with an error that names the task, the argument, the index and what is allowed.
  template <std::integral... Index>
  Element& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index for each axis of the array");
    const std::int64_t place[Rank + 1] = {static_cast<std::int64_t>(index)..., 0};
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Rank); ++k) {
#if PILUM_CHECK_BOUNDS
      if (place[k] < store_.lo[k] || place[k] >= store_.hi[k]) refuse_index(number_, Rank, place, store_);
#endif
      offset += (place[k] - store_.lo[k]) * store_.stride[k];
    }
    return static_cast<Element*>(store_.first)[offset];
  }

  // What this call of the body may touch: lo <= index < hi. Halos are clipped at the array's ends.
  std::int64_t lo(int axis) const { return store_.lo[static_cast<std::size_t>(axis)]; }
  std::int64_t hi(int axis) const { return store_.hi[static_cast<std::size_t>(axis)]; }
  std::int64_t extent(int axis) const { return hi(axis) - lo(axis); }

  // For inner loops, unchecked: the element at (lo(0), lo(1), …), and how many elements lie between neighbours along an
  // axis (negative for a view that runs backwards, 0 where it repeats its cells).
  Element* data() const { return static_cast<Element*>(store_.first); }
  std::int64_t stride(int axis) const { return store_.stride[static_cast<std::size_t>(axis)]; }

 private:
  BoundStore store_;
  int number_;
};

}  // namespace pilum::detail
