// How a body of a task indexes an array, on the host and on GPUs: their compilers are given this text without its
// #include (runtime/kernel/body), and have of the standard library what device_body_std.cc has.
#pragma once

#include <cstdint>

namespace pilum::detail {

// What a kernel or a body does with an array.
enum class Access : std::uint8_t { Read, Write, ReadWrite, Reduce };

template <class T, Access kAccess>
struct ElementOf {
  using Type = T;
};
template <class T>
struct ElementOf<T, Access::Read> {
  using Type = const T;
};

template <class T>
concept Integer = requires(const char* pointer, T number) { pointer + number; };

// Indices are the array's own (the view's, where a view was passed). Cells says where the elements are: cell<Element>()
// of an index, first<Element>() in the bounds; and bounds and strides by axis.
template <class T, int Rank, Access kAccess, class Cells>
class ArrayAccessor {
 public:
  static_assert(Rank >= 0 && Rank <= 8, "arrays have 0 to 8 axes");
  using Element = typename ElementOf<T, kAccess>::Type;

  ArrayAccessor() = default;
  template <class Store>
  ArrayAccessor(const Store& store, int number) : cells_(store, number) {}

  // The element there; lo(axis) <= index < hi(axis) along each axis. Where PILUM_CHECK_BOUNDS is 1, any other index
  // ends the run with an error that names the task, the argument, the index and what is allowed.
  template <class... Index>
  Element& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index for each axis of the array");
    static_assert((Integer<Index> && ...), "an index is an integer");
    const std::int64_t place[Rank + 1] = {static_cast<std::int64_t>(index)..., 0};
    return cells_.template cell<Element>(place);
  }

  // What this call of the body may touch: lo <= index < hi. Halos are clipped at the array's ends.
  std::int64_t lo(int axis) const { return cells_.lo(axis); }
  std::int64_t hi(int axis) const { return cells_.hi(axis); }
  std::int64_t extent(int axis) const { return hi(axis) - lo(axis); }

  // For inner loops, unchecked: the element at (lo(0), lo(1), ...), and how many elements lie between neighbours along
  // an axis (negative for a view that runs backwards, 0 where it repeats its cells).
  Element* data() const { return cells_.template first<Element>(); }
  std::int64_t stride(int axis) const { return cells_.stride(axis); }

 protected:
  Cells cells_;
};

}  // namespace pilum::detail
