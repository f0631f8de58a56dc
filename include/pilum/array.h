// np::Array: a handle on an n-D array.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <new>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pilum/cells.h"
#include "pilum/dtype.h"
#include "pilum/export.h"
#include "pilum/index.h"
#include "pilum/operand.h"
#include "pilum/shape.h"
#include "pilum/slice.h"

namespace pilum::numeric {

using pilum::bool_;
using pilum::complex128;
using pilum::complex64;
using pilum::DType;
using pilum::float16;
using pilum::float32;
using pilum::float64;
using pilum::half;
using pilum::int16;
using pilum::int32;
using pilum::int64;
using pilum::int8;
using pilum::Shape;
using pilum::uint16;
using pilum::uint32;
using pilum::uint64;
using pilum::uint8;

class Local;                        // pilum/local.h
enum class Casting : std::uint8_t;  // pilum/dtype_info.h
struct FoldOptions;                 // pilum/fold_options.h
// What the program does with an array's memory: looks at it, or changes cells of it.
enum class Access : std::uint8_t { Read, Write };
// A CUDA stream of the program's (cudaStream_t or CUstream; null: the default stream).
struct OnStream {
  void* stream = nullptr;
};
struct ArrayState;   // numeric/array_state.h
struct ArrayAccess;  // the way to it, for numeric/

// A handle on an n-D array, as numpy.ndarray. Copying one copies the handle: both name the same cells, as two Python
// names do. Indexing gives views, which alias the array they were taken from; no data moves.
//
//   name = array        makes `name` another array (Python's name = array)
//   name(…) = value     writes cells            (Python's name[…] = value); name[all] = value writes all of a 1st axis
//   name += value       writes cells            (as in NumPy: in place, views see it)
//
// Operations are recorded and run later; a value is waited for by item, to_vector and printing alone. One operation
// reads all its inputs before it writes: x(slice(1, {})) = x(slice(0, -1)) shifts, as in NumPy.
//
// Errors are thrown at the call and change nothing; their texts name the operation, the shapes and the source line.
// Arrays belong to the thread of their pilum::Runtime. Once that has ended they may still be destroyed and asked for
// shape and dtype; any other use throws pilum::RuntimeError. A default-made or moved-from Array is empty: it can be
// assigned and destroyed, any other use throws pilum::ValueError.
class Array {
 public:
  Array() = default;
  PILUM_API Array(const Array& other) noexcept;
  Array(Array&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  ~Array() {
    if (state_) release();
  }
  template <class T>
    requires(Number<T> || ComplexNumber<T>)
  Array(T) {
    static_assert(
        !std::is_same_v<T, bool>,
        "a bool is not an array: && and || of arrays give one, (a > 3) & (a < 8) and np::logical_and give cells");
    static_assert(detail::kNever<T>,
                  "a number is not an array: np::array(5.0) or np::full(shape, 5.0) make one; "
                  "name[all] = 5.0 or name(...) = 5.0 writes into an array that there is");
  }
  template <class Never = void>
  Array(std::initializer_list<detail::Cell>) {
    static_assert(detail::kNever<Never>,
                  "a list is not an array: np::array({1, 2, 3}) makes one of these cells, np::zeros({2, 3}) one of "
                  "this shape");
  }
  template <std::same_as<Shape> S>
  explicit Array(const S&) {
    static_assert(detail::kNever<S>, "a shape is not an array: np::zeros(shape) or np::empty(shape) make one");
  }

  Array& operator=(const Array& other) & noexcept {
    Array copy(other);
    std::swap(state_, copy.state_);
    return *this;
  }
  Array& operator=(Array&& other) & noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  template <class T>
    requires(Number<T> || ComplexNumber<T>)
  Array& operator=(T) & {
    static_assert(detail::kNever<T>,
                  "`name = number` would make the name a number, as in Python, and leave the array as it is: "
                  "write name[all] = number or name(...) = number to set its cells");
    return *this;
  }

  // a(…) = value, a[…] = value: writes the view's cells. The value is broadcast to the view's shape and cast to its
  // dtype, as NumPy's setitem (floating to integer truncates). Throws ShapeError where it does not broadcast,
  // ValueError for a number that the dtype cannot hold, and for a view made by broadcast_to.
  PILUM_API void operator=(const Operand& value) &&;
  // a(0, all) = {1, 2.5, 3}: the numbers as np::array takes them.
  PILUM_API void operator=(std::initializer_list<detail::Cell> values) &&;

  // In place, computed in the dtype that the operation gives and cast back. Throws DTypeError where that is a cast to a
  // lower kind (int += float, int /= anything, bool += int), ShapeError where the value does not broadcast to the
  // array. Python's a **= 2 is a[all] = np::power(a, 2).
  PILUM_API Array& operator+=(const Operand& value);
  PILUM_API Array& operator-=(const Operand& value);
  PILUM_API Array& operator*=(const Operand& value);
  PILUM_API Array& operator/=(const Operand& value);
  PILUM_API Array& operator%=(const Operand& value);
  PILUM_API Array& operator&=(const Operand& value);
  PILUM_API Array& operator|=(const Operand& value);
  PILUM_API Array& operator^=(const Operand& value);
  PILUM_API Array& operator<<=(const Operand& value);
  PILUM_API Array& operator>>=(const Operand& value);
  // const Array a = …; a += 1
#define PILUM_REFUSE_CONST(assign)                                                            \
  template <class Never = void>                                                               \
  const Array& operator assign(const Operand&) const {                                        \
    static_assert(detail::kNever<Never>, "a const array is not changed by " #assign           \
                                         ": take rows as `for (auto row : a)`, other arrays " \
                                         "by a name that is not const");                      \
    return *this;                                                                             \
  }
  PILUM_REFUSE_CONST(+=)
  PILUM_REFUSE_CONST(-=)
  PILUM_REFUSE_CONST(*=)
  PILUM_REFUSE_CONST(/=)
  PILUM_REFUSE_CONST(%=)
  PILUM_REFUSE_CONST(&=)
  PILUM_REFUSE_CONST(|=)
  PILUM_REFUSE_CONST(^=)
  PILUM_REFUSE_CONST(<<=)
  PILUM_REFUSE_CONST(>>=)
#undef PILUM_REFUSE_CONST

  // A view: Python's a[i, j:k:step, ...]. An integer drops its axis, newaxis adds one of extent 1, ellipsis stands for
  // as many `all` as fit, axes left out are taken whole. Negative numbers count from the end; slices are clamped as in
  // Python. One cell, a(1, 2), is a view without axes, where NumPy has a number of its own: a(1, 2).item<double>() is
  // the value that it has now. Throws IndexError (out of range, too many indices, two ellipses), ValueError (a step of
  // 0), ShapeError (more than 8 axes).
  Array operator()(const Index& i0 = detail::kAbsent, const Index& i1 = detail::kAbsent,
                   const Index& i2 = detail::kAbsent, const Index& i3 = detail::kAbsent,
                   const Index& i4 = detail::kAbsent, const Index& i5 = detail::kAbsent,
                   const Index& i6 = detail::kAbsent, const Index& i7 = detail::kAbsent,
                   std::source_location where = std::source_location::current()) const {
    const Index* const indices[] = {&i0, &i1, &i2, &i3, &i4, &i5, &i6, &i7};
    return view(indices, where);
  }
  Array operator[](const Index& index) const {
    const Index* const indices[] = {&index, &detail::kAbsent};
    return view(indices, index.where());
  }

  // By a list that the program makes, std::vector<np::Index>: NumPy's a[tuple(indices)].
  // A template, so that braces are none.
  template <std::same_as<std::vector<Index>> List>
  Array operator()(const List& indices, std::source_location where = std::source_location::current()) const {
    return view(indices, where);
  }

  // The same where an index is an array: pilum/selection.h.
  template <int = 0>
  Selection operator()(const AnyIndex& i0, const AnyIndex& i1 = detail::kNoIndex, const AnyIndex& i2 = detail::kNoIndex,
                       const AnyIndex& i3 = detail::kNoIndex, const AnyIndex& i4 = detail::kNoIndex,
                       const AnyIndex& i5 = detail::kNoIndex, const AnyIndex& i6 = detail::kNoIndex,
                       const AnyIndex& i7 = detail::kNoIndex,
                       std::source_location where = std::source_location::current()) const;
  template <int = 0>
  Selection operator[](const AnyIndex& index) const;
  // NumPy's a[np.nonzero(mask)]: one array for each of the first axes.
  template <std::same_as<std::vector<Array>> List>
  Selection operator()(const List& indices, std::source_location where = std::source_location::current()) const;
  template <int = 0>
  Selection operator[](const IndexArrays& indices) const;

  // Views a[0], a[1], …: for (auto row : a). Throws ValueError for an array without axes.
  class Iterator {
   public:
    Iterator(const Array& array, std::int64_t position, std::source_location where)
        : array_(&array), position_(position), where_(where) {}
    // Const, so that `auto& row` may name it, too.
    const Array operator*() const { return (*array_)[Index(position_, where_)]; }  // NOLINT(*-const-return-type)
    Iterator& operator++() { return ++position_, *this; }
    bool operator==(const Iterator& other) const { return position_ == other.position_; }

   private:
    const Array* array_;
    std::int64_t position_;
    std::source_location where_;
  };
  Iterator begin(std::source_location where = std::source_location::current()) const {
    return Iterator(*this, 0, where);
  }
  Iterator end(std::source_location where = std::source_location::current()) const {
    return Iterator(*this, length(where), where);
  }

  // Of an empty Array: (), float64, 0, 0.
  PILUM_API const Shape& shape() const noexcept;
  PILUM_API DType dtype() const noexcept;
  int ndim() const noexcept { return shape().rank(); }
  PILUM_API std::int64_t size() const noexcept;  // the number of cells
  std::int64_t itemsize() const noexcept { return static_cast<std::int64_t>(pilum::itemsize(dtype())); }
  std::int64_t nbytes() const noexcept { return size() * itemsize(); }

  // Views with the axes reversed, or in the order given: axis k of the result is axis axes[k] of this array. As
  // numpy.transpose. Throws ValueError unless `axes` names every axis once.
  Array T(std::source_location where = std::source_location::current()) const { return transpose({}, where); }
  PILUM_API Array transpose(Axes axes = {}, std::source_location where = std::source_location::current()) const;
  // a.transpose(1, 0): the axes one by one.
  PILUM_API Array transpose(int a0, int a1, int a2 = kNone, int a3 = kNone, int a4 = kNone, int a5 = kNone,
                            int a6 = kNone, int a7 = kNone,
                            std::source_location where = std::source_location::current()) const;

  // The same cells, row-major, in another shape; one extent may be -1: what is left. A view where numpy.reshape gives
  // one, else a copy (of a transposed array's cells in one line, for instance). Where more than axes of extent 1 come
  // or go the view has memory of its own: made by one pass over the cells, and by one more whenever one of the two is
  // read after the other was written. Throws ShapeError where the number of cells differs.
  PILUM_API Array reshape(Shape shape, std::source_location where = std::source_location::current()) const;
  // a.reshape(3, 4): the extents one by one.
  PILUM_API Array reshape(std::int64_t n0, std::int64_t n1, std::int64_t n2 = kNone, std::int64_t n3 = kNone,
                          std::int64_t n4 = kNone, std::int64_t n5 = kNone, std::int64_t n6 = kNone,
                          std::int64_t n7 = kNone, std::source_location where = std::source_location::current()) const;

  // A new array with these cells; astype casts them as C++ does (to bool: is not 0). As ndarray.astype, ndarray.copy.
  PILUM_API Array astype(DType dtype, std::source_location where = std::source_location::current()) const&;
  Array astype(DType dtype, std::source_location where = std::source_location::current()) && {
    const Array gone = std::move(*this);
    return gone.astype(dtype, where);
  }
  // DTypeError where the casting does not allow it (dtype_info.h): a.astype(np::int8, np::Casting::Safe).
  PILUM_API Array astype(DType dtype, Casting casting,
                         std::source_location where = std::source_location::current()) const;
  template <class T>
  Array astype(std::source_location where = std::source_location::current()) const& {  // a.astype<float>()
    return astype(detail::cell_dtype<T>(), where);
  }
  template <class T>
  Array astype(std::source_location where = std::source_location::current()) && {
    return std::move(*this).astype(detail::cell_dtype<T>(), where);
  }
  PILUM_API Array copy(std::source_location where = std::source_location::current()) const;

  // This rank's cells of the array, where they lie (pilum/local.h); waits for them. All ranks call it. With
  // Access::Write what the program writes there is the array's value from then on, until it lets go; cells that it does
  // not write stay. Throws pilum::ValueError for a write to a view that repeats its cells, and to an array that is not
  // cut among several processors; pilum::RuntimeError where another Local of the array lives and one of both is for
  // writing.
  PILUM_API Local local(Access access = Access::Read,
                        std::source_location where = std::source_location::current()) const;
  // Of arrays on GPUs, for work of this stream: the stream waits for the cells, by events, and not the host; and when
  // what is given lets go, what Pilum does next waits for all that is in the stream by then. On cores as without.
  PILUM_API Local local(Access access, OnStream stream,
                        std::source_location where = std::source_location::current()) const;

  // The functions of these names (math.h, statistics.h): a.sum(), a.max(0), a.mean({0, 1}, true), a.std(0, 1), and with
  // the options of fold_options.h: a.sum(0, {.initial = 1}), a.std({.ddof = 1}). Those without keepdims are templates
  // for g++ 12, as in math.h. Cells of temporaries need not be written to memory for the first five.
  using Location = std::source_location;
#define PILUM_FOLD_METHODS(fold)                                                                           \
  PILUM_API Array fold(Axes axes, bool keepdims, Location where = Location::current()) const&;             \
  Array fold(Axes axes, bool keepdims, Location where = Location::current())&& {                           \
    const Array gone = std::move(*this);                                                                   \
    return gone.fold(axes, keepdims, where);                                                               \
  }                                                                                                        \
  template <int = 0>                                                                                       \
  Array fold(Axes axes = {}, Location where = Location::current()) const& {                                \
    return fold(axes, false, where);                                                                       \
  }                                                                                                        \
  template <int = 0>                                                                                       \
  Array fold(Axes axes = {}, Location where = Location::current())&& {                                     \
    return std::move(*this).fold(axes, false, where);                                                      \
  }                                                                                                        \
  PILUM_API Array fold(Axes axes, const FoldOptions& options, Location where = Location::current()) const; \
  PILUM_API Array fold(const FoldOptions& options, Location where = Location::current()) const&;           \
  Array fold(const FoldOptions& options, Location where = Location::current())&& {                         \
    const Array gone = std::move(*this);                                                                   \
    return gone.fold(options, where);                                                                      \
  }
  PILUM_FOLD_METHODS(sum)
  PILUM_FOLD_METHODS(prod)
  PILUM_FOLD_METHODS(min)
  PILUM_FOLD_METHODS(max)
  PILUM_FOLD_METHODS(mean)
#undef PILUM_FOLD_METHODS
#define PILUM_FOLD_METHODS(fold, ...)                                                                      \
  template <int = 0>                                                                                       \
  Array fold(Axes axes = {}, Location where = Location::current()) const {                                 \
    return fold(axes, __VA_ARGS__, where);                                                                 \
  }                                                                                                        \
  PILUM_API Array fold(Axes axes, const FoldOptions& options, Location where = Location::current()) const; \
  PILUM_API Array fold(const FoldOptions& options, Location where = Location::current()) const&;
  PILUM_API Array any(Axes axes, bool keepdims, Location where = Location::current()) const;
  PILUM_API Array all(Axes axes, bool keepdims, Location where = Location::current()) const;
  PILUM_API Array var(Axes axes, Ddof ddof, bool keepdims = false, Location where = Location::current()) const;
  PILUM_API Array std(Axes axes, Ddof ddof, bool keepdims = false, Location where = Location::current()) const;
  PILUM_FOLD_METHODS(any, false)
  PILUM_FOLD_METHODS(all, false)
  PILUM_FOLD_METHODS(var, 0, false)
  PILUM_FOLD_METHODS(std, 0, false)
#undef PILUM_FOLD_METHODS
  template <detail::Integer T>
  Array sum(const Axes&, T) const {
    static_assert(detail::kNever<T>, "several axes stand in braces: write a.sum({0, 1}) for a.sum(0, 1)");
    return Array();
  }
  template <detail::Integer T>
  Array prod(const Axes&, T) const {
    static_assert(detail::kNever<T>, "several axes stand in braces: write a.prod({0, 1}) for a.prod(0, 1)");
    return Array();
  }
  template <detail::Integer T>
  Array min(const Axes&, T) const {
    static_assert(detail::kNever<T>, "several axes stand in braces: write a.min({0, 1}) for a.min(0, 1)");
    return Array();
  }
  template <detail::Integer T>
  Array max(const Axes&, T) const {
    static_assert(detail::kNever<T>, "several axes stand in braces: write a.max({0, 1}) for a.max(0, 1)");
    return Array();
  }
  template <detail::Integer T>
  Array mean(const Axes&, T) const {
    static_assert(detail::kNever<T>, "several axes stand in braces: write a.mean({0, 1}) for a.mean(0, 1)");
    return Array();
  }

  // The functions of these names (statistics.h, scan.h, sort.h, functions.h, linear_algebra.h, manipulation.h,
  // indexing.h). fill(value) is a[all] = value, of any number of axes; sort() sorts in place, as numpy.ndarray.sort.
  PILUM_API Array ptp(Axes axes = {}, bool keepdims = false, Location where = Location::current()) const;
  PILUM_API Array argmin(std::optional<Axis> axis = {}, bool keepdims = false,
                         Location where = Location::current()) const;
  PILUM_API Array argmax(std::optional<Axis> axis = {}, bool keepdims = false,
                         Location where = Location::current()) const;
  PILUM_API Array cumsum(std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                         Location where = Location::current()) const;
  PILUM_API Array cumprod(std::optional<Axis> axis = {}, std::optional<DType> dtype = {},
                          Location where = Location::current()) const;
  PILUM_API Array argsort(std::optional<Axis> axis = -1, Location where = Location::current()) const;
  PILUM_API void sort(Axis axis = -1, Location where = Location::current()) const;
  PILUM_API Array searchsorted(const Operand& values, Location where = Location::current()) const;
  PILUM_API Array take(const Array& indices, std::optional<Axis> axis = {}, Location where = Location::current()) const;
  PILUM_API void put(const Array& indices, const Operand& values) const;
  PILUM_API std::vector<Array> nonzero(Location where = Location::current()) const;
  PILUM_API Array compress(const Array& condition, std::optional<Axis> axis = {},
                           Location where = Location::current()) const;
  PILUM_API Array choose(const std::vector<Operand>& choices, Location where = Location::current()) const;
  PILUM_API Array repeat(std::int64_t count, std::optional<Axis> axis = {}, Location where = Location::current()) const;
  PILUM_API Array diagonal(std::int64_t offset = 0, Axis axis1 = 0, Axis axis2 = 1,
                           Location where = Location::current()) const;
  PILUM_API Array real(Location where = Location::current()) const;
  PILUM_API Array imag(Location where = Location::current()) const;
  PILUM_API Array conjugate(Location where = Location::current()) const;
  PILUM_API Array round(int decimals = 0, Location where = Location::current()) const;
  PILUM_API Array clip(const Operand& low, const Operand& high, Location where = Location::current()) const;
  PILUM_API Array clip(NoBound low, const Operand& high, Location where = Location::current()) const;
  PILUM_API Array clip(const Operand& low, NoBound high, Location where = Location::current()) const;
  PILUM_API Array conj(Location where = Location::current()) const;
  PILUM_API Array dot(const Array& b, Location where = Location::current()) const;
  PILUM_API Array trace(std::int64_t offset = 0, Location where = Location::current()) const;
  PILUM_API Array ravel(Location where = Location::current()) const;
  PILUM_API Array flatten(Location where = Location::current()) const;
  PILUM_API Array squeeze(Axes axes = {}, Location where = Location::current()) const;
  PILUM_API Array swapaxes(Axis axis1, Axis axis2, Location where = Location::current()) const;
  PILUM_API void fill(const Operand& value) const;

  // The only cell (of an array of size 1), or all of them in row-major order. T is bool, an integer, float, double or
  // std::complex: the dtype's own C++ type, or one that the dtype widens to (numpy.can_cast; float64 of int32, int64
  // and float32). DTypeError otherwise, and ValueError for an int64 that no double is. item takes any integer or float
  // that the cell's value is (a double is rounded to float); ValueError where it is none. Waits for the value; on every
  // rank. to_vector throws MemoryError where the process has no room for the cells beside those of the array.
  template <class T = detail::NoType>
  T item(std::source_location where = std::source_location::current()) const {
    check_one_cell(where);
    return *reinterpret_cast<const T*>(fetch_cell(detail::item_dtype<T>(), /*truncates=*/false, where).data());
  }
  template <class T = detail::NoType>
  detail::CellVector<T> to_vector(std::source_location where = std::source_location::current()) const {
    const std::vector<std::byte> bytes = fetch(detail::item_dtype<T>(), "to_vector", where);
    const T* cells = reinterpret_cast<const T*>(bytes.data());
    try {
      return detail::CellVector<T>(cells, cells + bytes.size() / sizeof(T));
    } catch (const std::bad_alloc&) {
      refuse_copy(where);
    }
  }

  // The only cell, as Python's bool(a), float(a) and int(a): `if (np::sum(a != b) == 0)`, `double(np::sum(a))`. To
  // bool: is it not 0; to an integer what is left without a fraction; else as item. ValueError for an array of more or
  // fewer cells, naming the line that made the array.
  template <Number T>
  explicit operator T() const {
    if constexpr (std::same_as<T, bool>) {
      return is_true();
    } else {
      check_one_cell(made_at());
      return *reinterpret_cast<const T*>(fetch_cell(detail::item_dtype<T>(), /*truncates=*/true, made_at()).data());
    }
  }

 private:
  friend class Selection;
  friend struct ArrayAccess;
  explicit Array(ArrayState* state) : state_(state) {}
  PILUM_API void release() noexcept;
  PILUM_API Array view(const Index* const (&indices)[8], std::source_location where) const;
  PILUM_API Array view(const Index* const (&indices)[2], std::source_location where) const;
  PILUM_API Array view(const std::vector<Index>& indices, std::source_location where) const;
  static constexpr int kNone = INT32_MIN;  // an argument that is left out
  PILUM_API std::int64_t length(std::source_location where) const;
  PILUM_API bool is_true() const;
  PILUM_API std::source_location made_at() const;
  PILUM_API Local lock(Access access, const OnStream* stream, std::source_location where) const;
  PILUM_API void check_one_cell(std::source_location where) const;
  [[noreturn]] PILUM_API void refuse_copy(std::source_location where) const;
  PILUM_API std::vector<std::byte> fetch(DType dtype, const char* operation, std::source_location where) const;
  PILUM_API std::vector<std::byte> fetch_cell(DType dtype, bool truncates, std::source_location where) const;

  ArrayState* state_ = nullptr;
};

// An array and the line it was written on, for functions that take no number. Made implicitly.
struct Located {
  Located(const Array& array, std::source_location where = std::source_location::current())
      : array(array), where(where) {}
  Located(const Selection& selection, std::source_location where = std::source_location::current());
  const Array& array;
  std::source_location where;
};

// Prints as NumPy 2.3 and newer do (precision 8, 75 columns, above 1,000 cells only the corners). Waits for the value;
// of a large array only the corners are fetched. On every rank.
PILUM_API std::ostream& operator<<(std::ostream& out, const Located& array);

}  // namespace pilum::numeric

#include "pilum/selection.h"  // NOLINT(misc-header-include-cycle): each of the two is whole with the other alone
