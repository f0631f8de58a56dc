// Indexing by arrays: a(indices), a(mask), mixed with integers and slices.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
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
//   a(nonzero(mask)) = value;  a std::vector of arrays: one for each of the first axes
//   a(indices) += value;       as NumPy: reads, adds, writes; add_at adds for each time an index is named
//   a(mask) = value;           one that broadcasts along the mask: recorded as where(mask, value, a), and fused
//   a(mask) = b(mask);         by the same mask, of an array of a's shape: where(mask, b, a), and no cells are counted;
//                              so are +=, -=, *= and /=
//
// Wherever else it is used it is an array of its own, and has an array's operators and methods that read. One that has
// a name (`auto b = a(indices)`) has the cells of its time: it is read before anything else is recorded. It is not
// written by `b = value` and `b += value`: what has these is `Array b = a(indices)`. The cells of a(mask) are counted
// first, which is waited for, on every rank; a(mask) = number is not.
//
// Throws at the call, with nothing recorded: IndexError (an array of floating dtype, more indices than axes, arrays
// that do not broadcast together, a mask of another extent than its axes), ShapeError (a value that does not broadcast
// to the cells that are named, a result of more than 8 axes). An index outside of its axis is found when the operation
// runs: the next wait throws IndexError with this call's line, and later calls throw RuntimeError.
class Selection {
 public:
  Selection(const Selection&) = delete;
  ~Selection() {
    if (is_unread_) forget();
  }

  // The cells, in a new array; of a selection that has a name another handle on it.
  operator Array() && { return std::move(made()); }
  operator Array() const& { return made(); }
  Array array() && { return std::move(made()); }
  const Array& array() const& { return made(); }

  PILUM_API void operator=(const Operand& value) &&;
  PILUM_API void operator=(Selection&& value) &&;  // NOLINT(performance-noexcept-move-constructor): it writes cells
  void operator=(const Selection& value) && {      // NOLINT(bugprone-unhandled-self-assignment): it writes cells
    std::move(*this) = Operand(value, value.where_);
  }
  PILUM_API void operator+=(const Operand& value) &&;
  PILUM_API void operator-=(const Operand& value) &&;
  PILUM_API void operator*=(const Operand& value) &&;
  PILUM_API void operator/=(const Operand& value) &&;
  PILUM_API void operator%=(const Operand& value) &&;
  PILUM_API void operator&=(const Operand& value) &&;
  PILUM_API void operator|=(const Operand& value) &&;
  PILUM_API void operator^=(const Operand& value) &&;
  PILUM_API void operator<<=(const Operand& value) &&;
  PILUM_API void operator>>=(const Operand& value) &&;
  PILUM_API void operator+=(Selection&& value) &&;
  PILUM_API void operator-=(Selection&& value) &&;
  PILUM_API void operator*=(Selection&& value) &&;
  PILUM_API void operator/=(Selection&& value) &&;
  // auto b = a(indices); b += 1
#define PILUM_REFUSE_NAMED(assign)                                                           \
  template <class Never = void>                                                              \
  void operator assign(const Operand&)& {                                                    \
    static_assert(detail::kNever<Never>,                                                     \
                  "`auto b = a(indices)` is read alone: write np::Array b = a(indices) for " \
                  "an array to write, a(indices) " #assign " value to write a");             \
  }
  PILUM_REFUSE_NAMED(=)
  PILUM_REFUSE_NAMED(+=)
  PILUM_REFUSE_NAMED(-=)
  PILUM_REFUSE_NAMED(*=)
  PILUM_REFUSE_NAMED(/=)
  PILUM_REFUSE_NAMED(%=)
  PILUM_REFUSE_NAMED(&=)
  PILUM_REFUSE_NAMED(|=)
  PILUM_REFUSE_NAMED(^=)
  PILUM_REFUSE_NAMED(<<=)
  PILUM_REFUSE_NAMED(>>=)
#undef PILUM_REFUSE_NAMED

  // The methods of Array that read, of the new array.
  Array operator()(const Index& i0 = detail::kAbsent, const Index& i1 = detail::kAbsent,
                   const Index& i2 = detail::kAbsent, const Index& i3 = detail::kAbsent,
                   const Index& i4 = detail::kAbsent, const Index& i5 = detail::kAbsent,
                   const Index& i6 = detail::kAbsent, const Index& i7 = detail::kAbsent,
                   std::source_location where = std::source_location::current()) const {
    return made()(i0, i1, i2, i3, i4, i5, i6, i7, where);
  }
  Array operator[](const Index& index) const { return made()[index]; }
  template <int = 0>
  Selection operator()(const AnyIndex& i0, const AnyIndex& i1 = detail::kNoIndex, const AnyIndex& i2 = detail::kNoIndex,
                       const AnyIndex& i3 = detail::kNoIndex, const AnyIndex& i4 = detail::kNoIndex,
                       const AnyIndex& i5 = detail::kNoIndex, const AnyIndex& i6 = detail::kNoIndex,
                       const AnyIndex& i7 = detail::kNoIndex,
                       std::source_location where = std::source_location::current()) const {
    return made()(i0, i1, i2, i3, i4, i5, i6, i7, where);
  }
  template <int = 0>
  Selection operator[](const AnyIndex& index) const {
    return made()[index];
  }
  template <std::same_as<std::vector<Array>> List>
  Selection operator()(const List& indices, std::source_location where = std::source_location::current()) const {
    return made()(indices, where);
  }
  Array::Iterator begin(std::source_location where = std::source_location::current()) const {
    return made().begin(where);
  }
  Array::Iterator end(std::source_location where = std::source_location::current()) const { return made().end(where); }

  const Shape& shape() const { return made().shape(); }
  DType dtype() const { return base_.dtype(); }
  int ndim() const { return made().ndim(); }
  std::int64_t size() const { return made().size(); }
  Array T(std::source_location where = std::source_location::current()) const { return made().T(where); }
  Array transpose(Axes axes = {}, std::source_location where = std::source_location::current()) const {
    return made().transpose(axes, where);
  }
  Array transpose(int a0, int a1, int a2 = Array::kNone, int a3 = Array::kNone, int a4 = Array::kNone,
                  int a5 = Array::kNone, int a6 = Array::kNone, int a7 = Array::kNone,
                  std::source_location where = std::source_location::current()) const {
    return made().transpose(a0, a1, a2, a3, a4, a5, a6, a7, where);
  }
  Array reshape(Shape shape, std::source_location where = std::source_location::current()) const {
    return made().reshape(shape, where);
  }
  Array reshape(std::int64_t n0, std::int64_t n1, std::int64_t n2 = Array::kNone, std::int64_t n3 = Array::kNone,
                std::int64_t n4 = Array::kNone, std::int64_t n5 = Array::kNone, std::int64_t n6 = Array::kNone,
                std::int64_t n7 = Array::kNone, std::source_location where = std::source_location::current()) const {
    return made().reshape(n0, n1, n2, n3, n4, n5, n6, n7, where);
  }
  Array astype(DType dtype, std::source_location where = std::source_location::current()) const {
    return made().astype(dtype, where);
  }
  template <class T>
  Array astype(std::source_location where = std::source_location::current()) const {
    return made().template astype<T>(where);
  }
  Array copy(std::source_location where = std::source_location::current()) const { return made().copy(where); }
#define PILUM_FOLD_METHODS(fold)                                                                                  \
  template <int = 0>                                                                                              \
  Array fold(Axes axes = {}, std::source_location where = std::source_location::current()) const {                \
    return made().fold(axes, where);                                                                              \
  }                                                                                                               \
  Array fold(Axes axes, const FoldOptions& options, std::source_location where = std::source_location::current()) \
      const {                                                                                                     \
    return made().fold(axes, options, where);                                                                     \
  }                                                                                                               \
  Array fold(const FoldOptions& options, std::source_location where = std::source_location::current()) const {    \
    return made().fold(options, where);                                                                           \
  }
#define PILUM_FOLD_KEEPING(fold)                                                                             \
  PILUM_FOLD_METHODS(fold)                                                                                   \
  Array fold(Axes axes, bool keepdims, std::source_location where = std::source_location::current()) const { \
    return made().fold(axes, keepdims, where);                                                               \
  }
#define PILUM_FOLD_DDOF(fold)                                                      \
  PILUM_FOLD_METHODS(fold)                                                         \
  Array fold(Axes axes, Ddof ddof, bool keepdims = false,                          \
             std::source_location where = std::source_location::current()) const { \
    return made().fold(axes, ddof, keepdims, where);                               \
  }
  PILUM_FOLD_KEEPING(sum)
  PILUM_FOLD_KEEPING(prod)
  PILUM_FOLD_KEEPING(min)
  PILUM_FOLD_KEEPING(max)
  PILUM_FOLD_KEEPING(mean)
  PILUM_FOLD_KEEPING(any)
  PILUM_FOLD_KEEPING(all)
  PILUM_FOLD_DDOF(var)
  PILUM_FOLD_DDOF(std)
#undef PILUM_FOLD_DDOF
#undef PILUM_FOLD_KEEPING
#undef PILUM_FOLD_METHODS
  Array argmin(std::optional<Axis> axis = {}, bool keepdims = false,
               std::source_location where = std::source_location::current()) const {
    return made().argmin(axis, keepdims, where);
  }
  Array argmax(std::optional<Axis> axis = {}, bool keepdims = false,
               std::source_location where = std::source_location::current()) const {
    return made().argmax(axis, keepdims, where);
  }
  Array cumsum(std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
               std::source_location where = std::source_location::current()) const {
    return made().cumsum(axis, dtype, where);
  }
  Array cumprod(std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                std::source_location where = std::source_location::current()) const {
    return made().cumprod(axis, dtype, where);
  }
  Array round(int decimals = 0, std::source_location where = std::source_location::current()) const {
    return made().round(decimals, where);
  }
  Array clip(const Operand& low, const Operand& high,
             std::source_location where = std::source_location::current()) const {
    return made().clip(low, high, where);
  }
  Array clip(NoBound low, const Operand& high, std::source_location where = std::source_location::current()) const {
    return made().clip(low, high, where);
  }
  Array clip(const Operand& low, NoBound high, std::source_location where = std::source_location::current()) const {
    return made().clip(low, high, where);
  }
  Array conj(std::source_location where = std::source_location::current()) const { return made().conj(where); }
  Array dot(const Array& b, std::source_location where = std::source_location::current()) const {
    return made().dot(b, where);
  }
  Array trace(std::int64_t offset = 0, std::source_location where = std::source_location::current()) const {
    return made().trace(offset, where);
  }
  Array ravel(std::source_location where = std::source_location::current()) const { return made().ravel(where); }
  Array flatten(std::source_location where = std::source_location::current()) const { return made().flatten(where); }
  Array squeeze(Axes axes = {}, std::source_location where = std::source_location::current()) const {
    return made().squeeze(axes, where);
  }
  Array swapaxes(Axis axis1, Axis axis2, std::source_location where = std::source_location::current()) const {
    return made().swapaxes(axis1, axis2, where);
  }
  PILUM_API Local local(std::source_location where = std::source_location::current()) const;  // pilum/local.h
  template <class T = detail::NoType>
  T item(std::source_location where = std::source_location::current()) const {
    return made().template item<T>(where);
  }
  template <class T = detail::NoType>
  detail::CellVector<T> to_vector(std::source_location where = std::source_location::current()) const {
    return made().template to_vector<T>(where);
  }
  PILUM_API Array operator!() const;
  template <Number T>
  explicit operator T() const {
    return static_cast<T>(made());
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
  PILUM_API Selection(Array base, const std::vector<Array>& indices, std::source_location where);
  PILUM_API void wait_to_be_read();
  // Made at the first call.
  PILUM_API Array& made() const;
  // Leaves those that are read before the next operation is recorded, a list through next_ and previous_.
  PILUM_API void forget() const noexcept;
  void forget_if_unread() const noexcept {
    if (is_unread_) forget();
  }

  Array base_;
  std::array<Entry, kMaxAxes> entries_;
  int count_ = 0;
  mutable bool is_made_ = false, is_unread_ = false;
  mutable Array made_;
  mutable const Selection *next_ = nullptr, *previous_ = nullptr;
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

template <int>
Selection Array::operator[](const IndexArrays& indices) const {
  return Selection(*this, indices.arrays(), indices.where());
}

template <std::same_as<std::vector<Array>> List>
Selection Array::operator()(const List& indices, std::source_location where) const {
  return Selection(*this, indices, where);
}

inline Operand::Operand(Selection&& selection, std::source_location where)
    : is_temporary_(true), array_(&selection.made()), where_(where) {}

inline Operand::Operand(const Selection& selection, std::source_location where)
    : array_(&selection.made()), where_(where) {}

inline Located::Located(const Selection& selection, std::source_location where)
    : array(selection.made()), where(where) {}

}  // namespace pilum::numeric
