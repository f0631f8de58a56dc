// An array, as a body of a task sees it on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pilum/detail/array_accessor.h"
#include "pilum/detail/task_form.h"
#include "pilum/export.h"

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

// Of an array in the host's memory; in a body, argument `number`.
template <int Rank>
class HostCells {
 public:
  HostCells(const BoundStore& store, int number) : store_(store), number_(number) {}

  template <class Element>
  Element& cell(const std::int64_t* place) const {
    std::int64_t offset = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(Rank); ++k) {
#if PILUM_CHECK_BOUNDS
      if (place[k] < store_.lo[k] || place[k] >= store_.hi[k]) refuse_index(number_, Rank, place, store_);
#endif
      offset += (place[k] - store_.lo[k]) * store_.stride[k];
    }
    return static_cast<Element*>(store_.first)[offset];
  }
  std::int64_t lo(int axis) const { return store_.lo[static_cast<std::size_t>(axis)]; }
  std::int64_t hi(int axis) const { return store_.hi[static_cast<std::size_t>(axis)]; }
  std::int64_t stride(int axis) const { return store_.stride[static_cast<std::size_t>(axis)]; }
  template <class Element>
  Element* first() const {
    return static_cast<Element*>(store_.first);
  }

 private:
  BoundStore store_;
  int number_;
};

template <class T, int Rank, Access kAccess>
class Accessor : public ArrayAccessor<T, Rank, kAccess, HostCells<Rank>> {
 public:
  using ArrayAccessor<T, Rank, kAccess, HostCells<Rank>>::ArrayAccessor;
};

}  // namespace pilum::detail
