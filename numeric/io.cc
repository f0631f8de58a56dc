// Arrays in files: NumPy's own format, and bare cells.
#include "pilum/io.h"

#include <bit>

#include "numeric/array_state.h"
#include "numeric/file_task.h"
#include "numeric/npy_header.h"
#include "numeric/shapes.h"

namespace pilum::numeric {
namespace {

constexpr bool kIsBigEndian = std::endian::native == std::endian::big;
static_assert(!kIsBigEndian, "cells are written as they lie in memory");

// Whether a view goes through its store with the last axis first: column-major, if the store is written as it lies. Of
// fields, as if these came last there, too.
bool is_turned(const ArrayState& state) {
  int before = kMaxAxes, axes = 0;
  const int rank = state.map.store_rank;
  for (int k = 0; k < rank; ++k) {
    const int axis = state.map[(k + state.store().field_axes) % rank].axis;
    if (axis < 0) continue;
    if (axis > before) return false;
    before = axis;
    ++axes;
  }
  return axes > 1 && axes == state.shape.rank();
}

}  // namespace

void save(const std::string& path, const Array& a, std::source_location where) {
  const Call call{"save", where};
  const ArrayState& state = checked_state(call, a);
  check_path(call, path);
  const bool is_fortran = is_turned(state);
  write_array(call, path.ends_with(".npy") ? path : path + ".npy",
              make_npy_header(state.dtype(), state.shape, is_fortran), is_fortran ? a.T(where) : a);
}

Array load(const std::string& path, std::source_location where) {
  const Call call{"load", where};
  check_path(call, path);
  const FileBegin begin = read_begin(call, path);
  const NpyHeader header = parse_npy_header(call, path, begin.bytes, begin.size);
  FileCells cells{header.shape, header.dtype, header.is_big_endian && itemsize(header.dtype) > 1, header.size};
  if (!header.is_fortran) return read_array(call, path, cells, begin);
  for (int axis = 0; axis < header.shape.rank(); ++axis)
    cells.shape[axis] = header.shape[header.shape.rank() - 1 - axis];
  return read_array(call, path, cells, begin).T(where);
}

void tofile(const Array& a, const std::string& path, std::source_location where) {
  const Call call{"tofile", where};
  static_cast<void>(checked_state(call, a));
  check_path(call, path);
  write_array(call, path, {}, a);
}

Array fromfile(const std::string& path, DType dtype, const FromFile& options, std::source_location where) {
  const Call call{"fromfile", where};
  check_path(call, path);
  if (options.offset < 0) fail<ValueError>(call, "an offset of ", options.offset, " bytes: give 0 or more");
  if (options.count < -1) fail<ValueError>(call, "a count of ", options.count, " cells: give 0 or more, or -1 for all");
  const FileBegin begin = read_begin(call, path);
  const auto size = static_cast<std::int64_t>(itemsize(dtype));
  const std::int64_t there = options.offset < begin.size ? (begin.size - options.offset) / size : 0;
  if (options.count > there) {
    fail<ValueError>(call, "\"", path, "\" has ", begin.size, " bytes, in which are ", there, " cells of ", dtype,
                     " from byte ", options.offset, " on, fewer than ", options.count, ": give a count of -1 for all");
  }
  const std::int64_t count = options.count < 0 ? there : options.count;
  return read_array(call, path, {Shape{count}, dtype, /*is_swapped=*/false, options.offset}, begin);
}

}  // namespace pilum::numeric
