// Indexing by arrays: a(indices), a(mask), mixed with integers and slices.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/array.h"  // NOLINT(misc-header-include-cycle): each of the two is whole with the other alone
#include "pilum/export.h"
#include "pilum/index.h"
#include "pilum/operand.h"

namespace pilum::numeric {

// What a(…) names where one of the indices is an array: cells picked one by one, as NumPy's advanced indexing
// (numpy.org/doc/stable/user/basics.indexing.html). Integer arrays are broadcast together; a mask stands for the
// coordinates of its true cells, as nonzero(mask). Their axes take the place of the axes that they index where these
// stand side by side, and else come first.
//
//   Array b = a(indices);      a new array of these cells (numpy: a copy, no view)
//   a(indices) = value;        writes them; of an index that is named twice the last value stays
//   a(indices) += value;       as NumPy: reads, adds, writes; add_at adds for each time an index is named
//   a(mask) = value;           one that broadcasts along the mask: recorded as where(mask, value, a), and fused
//
// Read as a temporary alone: it is made an array where it is used. The cells of a(mask) are counted first, which is
// waited for, on every rank; a(mask) = number is not.
//
// Throws at the call, with nothing recorded: IndexError (an array of floating dtype, more indices than axes, arrays
// that do not broadcast together, a mask of another extent than its axes), ShapeError (a value that does not broadcast
// to the cells that are named, a result of more than 8 axes). An index outside of its axis is found when the operation
// runs: the next wait throws IndexError with this call's line.
class Selection {
 public:
  Selection(const Selection&) = delete;
  Selection& operator=(const Selection&) = delete;

  // The cells, in a new array.
  operator Array() && { return std::move(made()); }
  template <class Never = void>
  operator Array() const& {
    static_assert(detail::kNever<Never>, "`auto name = a(indices)` names no array: write np::Array name = a(indices)");
    return Array();
  }
  Array array() && { return std::move(made()); }

  PILUM_API void operator=(const Operand& value) &&;
  void operator=(Selection&& value) && {  // NOLINT(performance-noexcept-move-constructor): it writes cells
    std::move(*this) = Operand(std::move(value), value.where_);
  }
  PILUM_API void operator+=(const Operand& value) &&;
  PILUM_API void operator-=(const Operand& value) &&;
  PILUM_API void operator*=(const Operand& value) &&;
  PILUM_API void operator/=(const Operand& value) &&;

  // Of the new array.
  Array sum(Axes axes = {}, bool keepdims = false, std::source_location where = std::source_location::current()) && {
    return made().sum(axes, keepdims, where);
  }
  Array prod(Axes axes = {}, bool keepdims = false, std::source_location where = std::source_location::current()) && {
    return made().prod(axes, keepdims, where);
  }
  Array min(Axes axes = {}, bool keepdims = false, std::source_location where = std::source_location::current()) && {
    return made().min(axes, keepdims, where);
  }
  Array max(Axes axes = {}, bool keepdims = false, std::source_location where = std::source_location::current()) && {
    return made().max(axes, keepdims, where);
  }
  Array mean(Axes axes = {}, bool keepdims = false, std::source_location where = std::source_location::current()) && {
    return made().mean(axes, keepdims, where);
  }
  Array astype(DType dtype, std::source_location where = std::source_location::current()) && {
    return made().astype(dtype, where);
  }
  Array reshape(Shape shape, std::source_location where = std::source_location::current()) && {
    return made().reshape(shape, where);
  }
  Array T(std::source_location where = std::source_location::current()) && { return made().T(where); }
  Shape shape() && { return made().shape(); }
  DType dtype() && { return base_.dtype(); }
  std::int64_t size() && { return made().size(); }
  template <class T = detail::NoType>
  T item(std::source_location where = std::source_location::current()) && {
    return made().template item<T>(where);
  }
  template <class T = detail::NoType>
  detail::CellVector<T> to_vector(std::source_location where = std::source_location::current()) && {
    return made().template to_vector<T>(where);
  }

 private:
  friend class Array;
  friend class Operand;
  friend struct Located;
  friend struct SelectionAccess;  // for numeric/
  struct Entry {
    Index index;
    Array array;  // Index::Kind::Absent
  };

  PILUM_API Selection(Array base, const AnyIndex* const (&indices)[8], std::source_location where);
  // Made at the first call.
  PILUM_API Array& made();

  Array base_;
  std::array<Entry, kMaxAxes> entries_;
  int count_ = 0;
  bool is_made_ = false;
  Array made_;
  std::source_location where_;
};

template <int>
Selection Array::operator()(const AnyIndex& i0, const AnyIndex& i1, const AnyIndex& i2, const AnyIndex& i3,
                            const AnyIndex& i4, const AnyIndex& i5, const AnyIndex& i6, const AnyIndex& i7,
                            std::source_location where) const {
  const AnyIndex* const indices[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
  return Selection(*this, indices, where);
}

template <int>
Selection Array::operator[](const AnyIndex& index) const {
  const AnyIndex* const indices[] = {&index,
                                     &detail::kNoIndex,
                                     &detail::kNoIndex,
                                     &detail::kNoIndex,
                                     &detail::kNoIndex,
                                     &detail::kNoIndex,
                                     &detail::kNoIndex,
                                     &detail::kNoIndex};
  return Selection(*this, indices, index.where());
}

inline Operand::Operand(Selection&& selection, std::source_location where)
    : is_temporary_(true), array_(&selection.made()), where_(where) {}

inline Located::Located(Selection&& selection, std::source_location where) : array(selection.made()), where(where) {}

}  // namespace pilum::numeric
