// User-defined tasks: a body of plain C++ over typed pieces of arrays, launched over a domain.
//
//   auto smooth = pilum::task("smooth", [](pilum::Piece piece, pilum::Read<const double, 1> in,
//                                          pilum::Write<double, 1> out, double weight) {
//     for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
//       const std::int64_t left = std::max(i - 1, in.lo(0)), right = std::min(i + 1, in.hi(0) - 1);
//       out(i) = (1 - weight) * in(i) + weight / 2 * (in(left) + in(right));
//     }
//   });
//   smooth({n}, pilum::read(a, pilum::halo(1, 1)), pilum::write(b), 0.5);
//
// A launch is recorded, as array operations are, and mixes with them: what it needs, what waits for it, copies and
// messages follow from what it reads and writes. The domain's points are shared among the processors as the cells of
// the array that it writes first; the body is called for chunks of a processor's points, by several threads at once.
//
// On GPUs a task runs where it has a body for them, as text (gpu_body below); else on the host, and its arrays are
// copied there and back.
//
// Which cells of an array belong to a point is said by a projection: pilum/projection.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pilum/array.h"
#include "pilum/detail/accessor.h"
#include "pilum/detail/launch.h"
#include "pilum/detail/task_call.h"
#include "pilum/fold.h"
#include "pilum/piece.h"
#include "pilum/projection.h"
#include "pilum/shape.h"

namespace pilum {

// The parameters of a body: T is bool, std::int32_t, std::int64_t, float or double, and must be the array's dtype; Rank
// its number of axes. All of them have these members; indices are the array's own (the view's, where one was passed):
//
//   in(i, j)  the element there. Where PILUM_CHECK_BOUNDS is 1, as it is unless NDEBUG is defined, an index outside
//             lo … hi ends the run with an error that names the task, the argument and the index
//   in.lo(axis), in.hi(axis)  what this call of the body may touch: lo <= index < hi. Halos are clipped at the array's
//             ends
//   in.extent(axis)  hi - lo
//   in.data()  for inner loops, unchecked: where the element at (lo(0), lo(1), …) lies
//   in.stride(axis)  elements between neighbours along an axis: negative in a view that runs backwards, 0 where it
//             repeats its cells
//
// Read: the values from before the launch, whatever the launch writes.
template <class T, int Rank>
struct Read : detail::Accessor<std::remove_const_t<T>, Rank, detail::Access::Read> {
  using detail::Accessor<std::remove_const_t<T>, Rank, detail::Access::Read>::Accessor;
};
// Write: what was there is lost; the body must write every cell that it may touch.
template <class T, int Rank>
struct Write : detail::Accessor<T, Rank, detail::Access::Write> {
  using detail::Accessor<T, Rank, detail::Access::Write>::Accessor;
};
// ReadWrite: what was there may be read and written.
template <class T, int Rank>
struct ReadWrite : detail::Accessor<T, Rank, detail::Access::ReadWrite> {
  using detail::Accessor<T, Rank, detail::Access::ReadWrite>::Accessor;
};
// Reduce: a private array of the whole shape, filled with the fold's identity (0; 1; the largest value; the lowest).
// The body folds into it (total(i) += x, total(i) = std::min(total(i), x)); afterwards all of these, and what the array
// held before, are folded together. The order is fixed, so that the bits do not depend on timing.
template <class T, int Rank>
struct Reduce : detail::Accessor<T, Rank, detail::Access::Reduce> {
  using detail::Accessor<T, Rank, detail::Access::Reduce>::Accessor;
};

// Arguments of a launch: an array (or a view of one), and which of its cells a point reads or writes. What is written
// is aligned. An array may be read and written in one launch; it may be written once.
inline detail::ArgumentOf<detail::Access::Read> read(const numeric::Array& array, Projection projection = {}) {
  return {{array, detail::Access::Read, std::move(projection), Fold::Sum}};
}
inline detail::ArgumentOf<detail::Access::Write> write(const numeric::Array& array, Projection projection = {}) {
  return {{array, detail::Access::Write, std::move(projection), Fold::Sum}};
}
inline detail::ArgumentOf<detail::Access::ReadWrite> read_write(const numeric::Array& array,
                                                                Projection projection = {}) {
  return {{array, detail::Access::ReadWrite, std::move(projection), Fold::Sum}};
}
// Every point may fold into every cell of the array.
inline detail::ArgumentOf<detail::Access::Reduce> reduce(const numeric::Array& array, Fold fold) {
  return {{array, detail::Access::Reduce, all, fold}};
}

// The domain of a launch, 1 to 8 extents; and the line that it is written on. Made implicitly.
class Domain {
 public:
  Domain(std::initializer_list<std::int64_t> extents, std::source_location where = std::source_location::current())
      : shape_(extents), where_(where) {}
  Domain(const Shape& shape, std::source_location where = std::source_location::current())
      : shape_(shape), where_(where) {}
  const Shape& shape() const { return shape_; }
  std::source_location where() const { return where_; }

 private:
  Shape shape_;
  std::source_location where_;
};

// A task that users know as `name`: a value, cheap to copy, that is called with a domain and with arguments in the
// order of the body's parameters: read(…), write(…), read_write(…) and reduce(…) for arrays, values for the rest, which
// is anything trivially copyable of at most 64 bytes. One whose body captures nothing may be made anew in every
// iteration of a loop; one with captures is made once, before it, so that the loop's plans are found again.
//
// The body is a function or a lambda, not a generic one: its parameters are a Piece, then what a call passes. It is
// called on any thread, several at once, and must not touch arrays but through its parameters. What it captures by
// value must be alike on all ranks, and is compared where it can be copied byte by byte; a value of this rank alone is
// captured by reference, and must live until the launch has run.
//
// A call throws, with nothing recorded: ShapeError (a domain of no or more than 8 axes, an array whose axes or extents
// do not fit the body or the projection), DTypeError (an array of another dtype than the body's), ValueError (an empty
// array, an array that is written twice, a projection that cannot be written through, a view that cannot be written; on
// GPUs a body for them that does not fit), RuntimeError (no runtime). What a body throws ends the run, on all ranks,
// with the task's name and this call's line.
template <class Body>
auto task(std::string_view name, Body body) {
  return detail::SignatureOf<Body>::Type::make(name, std::move(body), nullptr);
}

// A body for GPUs: CUDA C++ text, which NVIDIA's compiler gets when the task is first launched on one; programs are
// built without it.
class GpuBody {
 public:
  explicit GpuBody(std::string_view text) : text_(text) {}
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};
inline GpuBody gpu_body(std::string_view text) {
  return GpuBody(text);
}

// The same task with a body for GPUs beside the one for cores:
//
//   auto smooth = pilum::task("smooth", smooth_on_cores, pilum::gpu_body(R"(
//     void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, double weight) {
//       const std::int64_t left = std::max(x - 1, in.lo(0)), right = std::min(x + 1, in.hi(0) - 1);
//       out(x) = (1 - weight) * in(x) + weight / 2 * (in(left) + in(right));
//     }
//   )"));
//
// The text defines `body`, besides functions, structs and constants of its own. A core has one thread and a piece to go
// through; a GPU has some hundred thousand threads. So its body is called for ONE point, by a thread of its own:
// pilum::Point<N> for a domain of N axes, x[axis], which for N = 1 is a number, and for every N an index of arrays of N
// axes: out(x). Or it takes a pilum::Piece, of that one point, as the CPU body does: then its loops may be the same.
//
// Behind it come the CPU body's parameters, in its order: Read, Write, ReadWrite and Reduce of the same T and Rank,
// with the members that they have here, and values of the same size and kind (structs are defined again in the text).
// lo and hi are those of the one point: in.lo(0) to in.hi(0) is its halo; of a function's cells, those of the whole
// piece. A thread writes its point's cells alone, in no order among threads. There is no __syncthreads(), and no memory
// that threads share.
//
// Reduce: a thread folds several points into an array of its own, in a fixed order, so that bits do not depend on
// timing; which points follows from the piece and the array's size, so the bits are not those of cores. It is meant for
// small arrays: beyond 1 MiB few threads do all the work.
//
// Known in the text are pilum::Point and Piece, the arrays, std::min, std::max, std::size_t, std::int8_t to
// std::uint64_t, and CUDA's own functions (sqrt, exp, fma); no header is included. Products and sums are not
// contracted. A text is compiled once for each way in which a task of that name is launched (which axes an array
// follows, whether its rows lie without gaps, how it is folded), and kept in PILUM_CACHE_DIR.
//
// A launch on GPUs throws, with nothing recorded: ValueError for a text that does not compile, with the compiler's
// message and lines of the text, and for one whose body takes something else than the CPU body; RuntimeError where
// there is no compiler (NVRTC). Where PILUM_CHECK_BOUNDS is 1 an index outside ends the run as on cores; nothing is
// touched.
template <class Body>
auto task(std::string_view name, Body body, const GpuBody& gpu) {
  const std::string_view text = gpu.text();
  return detail::SignatureOf<Body>::Type::make(name, std::move(body), &text);
}

}  // namespace pilum
