// Arrays in files: NumPy's own format, and bare cells. Ranks share the file system: a path names one file, which
// all ranks see. What one rank meets (no such file, no room on the disk) is thrown on all of them, at the call, and the
// program may go on. Such an error is a pilum::RuntimeError with the path and what the system says of it.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>

#include "pilum/array.h"
#include "pilum/export.h"

namespace pilum::numeric {

// Writes the array to a file of NumPy's format, version 1.0 (numpy.save): `.npy` is added to a path that does not end
// so. Every processor writes the cells that it has, and nothing is gathered; an array with its axes reversed is written
// so (fortran_order). The file is complete when this returns. It is made beside `path` under another name, which ends
// in `.part`, and takes its place at the end: what stood there before is whole until then, also where the program is
// killed. Throws pilum::RuntimeError where it cannot be written; nothing is left of it then.
PILUM_API void save(const std::string& path, const Array& a,
                    std::source_location where = std::source_location::current());

// The array of a file of NumPy's format, versions 1.0 to 3.0 (numpy.load): row-major or column-major (then with its
// axes reversed, as a.T() is), of either byte order. Every processor reads the cells that it gets. They are read when
// this returns: the file may be changed. Throws pilum::RuntimeError where it cannot be read, or is another file on
// another rank; pilum::ValueError for a file of another kind (an archive .npz, text) and one that is shorter than its
// header says; pilum::DTypeError for a dtype that Pilum lacks (dates, strings, objects, records); pilum::ShapeError for
// more than 8 axes.
PILUM_API Array load(const std::string& path, std::source_location where = std::source_location::current());

// The cells alone, row-major, without a header (numpy.ndarray.tofile). As save otherwise.
PILUM_API void tofile(const Array& a, const std::string& path,
                      std::source_location where = std::source_location::current());

struct FromFile {
  std::int64_t count = -1;  // cells; -1: all that there are, up to the last whole one
  std::int64_t offset = 0;  // bytes of the file before them
};
// An array of one axis of a file's bytes, in the byte order of the processor (numpy.fromfile). Throws as load, and
// pilum::ValueError for a negative offset, and a count of more cells than there are (NumPy gives those that there are).
PILUM_API Array fromfile(const std::string& path, DType dtype = float64, const FromFile& options = {},
                         std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
