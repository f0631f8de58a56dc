// Arrays in memory that the program has, and arrays' memory for the program: in place, nothing is copied on the way.
//
// In: np::from_local. Out: array.local(). docs/embedding.md has both in a program.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <vector>

#include "pilum/array.h"
#include "pilum/dlpack.h"
#include "pilum/export.h"
#include "pilum/piece.h"

namespace pilum::numeric {

enum class MemoryKind : std::uint8_t { Host, Cuda };

// How far neighbours along an axis lie apart, in cells (not bytes), outermost axis first. {}: row-major, without gaps.
class Strides {
 public:
  Strides() = default;
  Strides(std::initializer_list<std::int64_t> strides) : Strides(std::span(strides.begin(), strides.size())) {}
  explicit Strides(std::span<const std::int64_t> strides) : count_(static_cast<int>(strides.size())) {
    for (std::size_t axis = 0; axis < strides.size() && axis < strides_.size(); ++axis) strides_[axis] = strides[axis];
  }
  int count() const { return count_; }  // may exceed what is kept: such are refused where they are used
  std::int64_t operator[](int axis) const { return strides_[static_cast<std::size_t>(axis)]; }

 private:
  int count_ = 0;
  std::array<std::int64_t, kMaxAxes> strides_{};
};

struct FromLocal {
  // Kept until the memory is used no more: that is after the last handle on the array is gone and a wait(),
  // from_local() or ~Runtime has come after it. Without one, the program sees to it that the memory lives so long.
  std::shared_ptr<const void> owner = nullptr;
  MemoryKind memory = MemoryKind::Host;
  std::optional<OnStream> stream =
      std::nullopt;  // of Cuda: what the program issued to it comes before Pilum's use, by events
};

// An array of all ranks' blocks, each where it lies: cells `block` of an array of shape `shape` are this rank's, `data`
// is the first of them. All ranks call it, with the same shape and dtype; a rank without cells gives an empty block
// (and any pointer). The blocks cover the array, each cell once, as a grid of straight cuts at any places, whose parts
// the ranks number by some fixed order of the axes (row-major, column-major); other covers are refused. Strides are
// positive, with any gaps, which are not touched; along one axis neighbours lie side by side, and the others follow in
// one order on all ranks (row-major, column-major …). Rows that begin at multiples of 64 bytes are fastest, and
// operations on arrays of one order.
//
// What is written to the array is in that memory after runtime.wait(), after local() for as long as what it gave lives,
// and after ~Runtime, also where all handles are gone by then; in between it holds values of any time. (A stencil that
// reads over a block's edge works in memory of ours, with room for the halo, and is copied home then: the same cells
// are no second time copied.) The program reads the memory between a wait() and the next operation that writes the
// array, and writes it only through local(np::Access::Write).
//
// Where arrays live on GPUs the block is memory of this rank's one GPU (MemoryKind::Cuda). What writes it must be done,
// or issued to options.stream.
//
// Throws, on all ranks alike, pilum::ValueError where a rank's argument is wrong or the blocks make no array, with the
// ranks and blocks that are at odds.
PILUM_API Array from_local(void* data, const Strides& strides, const Box& block, const Shape& shape, DType dtype,
                           const FromLocal& options = {}, std::source_location where = std::source_location::current());
template <class T>
  requires(Number<T> || ComplexNumber<T>)
Array from_local(T* data, const Strides& strides, const Box& block, const Shape& shape, const FromLocal& options = {},
                 std::source_location where = std::source_location::current()) {
  return from_local(static_cast<void*>(data), strides, block, shape, dtype_of<T>, options, where);
}

// The same of a tensor of DLPack 1, of the host or a CUDA device, that another library exports
// (DLManagedTensorVersioned, see pilum/dlpack.h): in place, too. Its deleter is called once the memory is used no more;
// where this throws, it stays the caller's. It must be writable. Without a block and a shape it is the whole array, for
// a Runtime of one rank. `options.owner` and `.memory` follow from the tensor.
PILUM_API Array from_dlpack(dlpack::ManagedTensor* tensor, const Box& block, const Shape& shape,
                            const FromLocal& options = {},
                            std::source_location where = std::source_location::current());
PILUM_API Array from_dlpack(dlpack::ManagedTensor* tensor, const FromLocal& options = {},
                            std::source_location where = std::source_location::current());

namespace detail {
[[noreturn]] PILUM_API void refuse_cells(const char* why, DType dtype, int rank, std::source_location where);
}

// Cells by index, as std::mdspan has them: cells(i, j), with the array's own indices, box().lo(k) <= index <
// box().hi(k).
template <class T, int Rank>
class LocalCells {
 public:
  LocalCells(T* first, const Box& box, const Piece::Bounds& stride) : first_(first), box_(box), stride_(stride) {}
  template <std::integral... Index>
  T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "one index for each axis of the array");
    const std::int64_t place[Rank + 1] = {static_cast<std::int64_t>(index)..., 0};
    std::int64_t offset = 0;
    for (int k = 0; k < Rank; ++k) offset += (place[k] - box_.lo(k)) * stride_[static_cast<std::size_t>(k)];
    return first_[offset];
  }
  const Box& box() const { return box_; }
  std::int64_t extent(int axis) const { return box_.extent(axis); }
  std::int64_t stride(int axis) const { return stride_[static_cast<std::size_t>(axis)]; }
  T* data() const { return first_; }

 private:
  T* first_;
  Box box_;
  Piece::Bounds stride_;
};

// A box of an array's cells in this rank's memory.
class LocalPiece {
 public:
  void* data() const { return data_; }     // the cell box().lo
  const Box& box() const { return box_; }  // in indices of the array (of the view, where local() was called on one)
  std::int64_t stride(int axis) const {
    return stride_[static_cast<std::size_t>(axis)];
  }  // in cells; 0: repeated, negative: backwards
  DType dtype() const { return dtype_; }
  MemoryKind memory() const { return memory_; }
  int device() const { return device_; }  // of Cuda: its number among the visible ones
  bool writable() const { return writable_; }

  // Cells of the host. T is the dtype's C++ type, const where the access is Read; Rank is the array's. Throws
  // DTypeError, ShapeError for another rank, ValueError for memory of a GPU and for writing what is for reading.
  template <class T, int Rank>
  LocalCells<T, Rank> cells(std::source_location where = std::source_location::current()) const {
    check<T>(where);
    if (Rank != box_.rank()) detail::refuse_cells("rank", dtype_, box_.rank(), where);
    return LocalCells<T, Rank>(static_cast<T*>(data_), box_, stride_);
  }
  // All of them as one run of memory, row-major. As cells; ValueError where they are not one run.
  template <class T>
  std::span<T> span(std::source_location where = std::source_location::current()) const {
    check<T>(where);
    if (!is_contiguous()) detail::refuse_cells("gaps", dtype_, box_.rank(), where);
    return {static_cast<T*>(data_), static_cast<std::size_t>(box_.size())};
  }
  bool is_contiguous() const {
    std::int64_t expected = 1;
    for (int axis = box_.rank() - 1; axis >= 0; --axis) {
      if (box_.extent(axis) != 1 && stride(axis) != expected) return false;
      expected *= box_.extent(axis);
    }
    return true;
  }

 private:
  friend class Array;
  template <class T>
  void check(std::source_location where) const {
    if (dtype_of<std::remove_const_t<T>> != dtype_) detail::refuse_cells("dtype", dtype_, box_.rank(), where);
    if (memory_ != MemoryKind::Host) detail::refuse_cells("memory", dtype_, box_.rank(), where);
    if (!std::is_const_v<T> && !writable_) detail::refuse_cells("writing", dtype_, box_.rank(), where);
  }

  void* data_ = nullptr;
  Box box_;
  Piece::Bounds stride_{};
  DType dtype_ = DType::Float64;
  MemoryKind memory_ = MemoryKind::Host;
  int device_ = 0;
  bool writable_ = false;
};

// This rank's pieces of an array (array.local()): one for each of its processors that has cells of it, often one in
// all; none where it has no cells. While one lives the array is the program's: an operation that uses it, or a view of
// it, throws pilum::RuntimeError at the call (another local() for reading does not). Arrays that are not cut (small
// ones) are whole on each rank. Copies share what they hold: it lives as long as one of them, or a tensor of to_dlpack.
// Belongs to the thread of the Runtime.
class Local {
 public:
  // A piece as a tensor of DLPack 1: whoever takes it calls its deleter, on the Runtime's thread, and until then what
  // this holds lives. Flagged read-only unless the access is Write. Its indices begin at 0 (DLPack knows no others).
  [[nodiscard]] PILUM_API dlpack::ManagedTensor* to_dlpack(
      std::size_t piece = 0, std::source_location where = std::source_location::current()) const;
  // The array may be used again; the pieces are not to be touched any more.
  PILUM_API void release() noexcept;

  std::size_t size() const { return pieces_.size(); }
  bool empty() const { return pieces_.empty(); }
  const LocalPiece& operator[](std::size_t place) const { return pieces_[place]; }
  auto begin() const { return pieces_.begin(); }
  auto end() const { return pieces_.end(); }

 private:
  friend class Array;
  struct Held;
  std::shared_ptr<Held> held_;
  std::vector<LocalPiece> pieces_;
};

}  // namespace pilum::numeric
