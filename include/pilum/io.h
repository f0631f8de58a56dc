// Arrays in files: NumPy's own format, bare cells, and text. Ranks share the file system: a path names one file, which
// all ranks see. What one rank meets (no such file, no room on the disk) is thrown on all of them, at the call, and the
// program may go on. Such an error is a pilum::RuntimeError with the path and what the system says of it.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

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

struct SaveText {
  std::string fmt = "%.18e";    // of a cell, or of a row: "%d, %.3f" has as many as there are columns
  std::string delimiter = " ";  // between cells, unless fmt is of a row
  std::string newline = "\n";   // after each row
  std::string header;           // lines before the first row, each after `comments`
  std::string footer;           // the same after the last one
  std::string comments = "# ";
};
// Writes an array of one or two axes as text, a row a line (numpy.savetxt); one axis is a column. Formats are Python's:
// %d %i %u (of what is before the point), %e %f %g %E %F %G, %s, of unsigned integers %o %x %X; with flags,
// width and precision. Of complex cells both parts are formatted alike, " (1+2j)", or fmt has two formats a column. One
// processor has all cells, above 100 MB with a warning, and writes the file, in the way of save. Throws
// pilum::ShapeError for other axes, pilum::ValueError for a fmt that does not fit and for a NaN as %d.
PILUM_API void savetxt(const std::string& path, const Array& a, const SaveText& options = {},
                       std::source_location where = std::source_location::current());

struct LoadText {
  DType dtype = float64;
  std::string comments = "#";         // what is behind it in a line is passed over; "": there are none
  std::string delimiter;              // one character; "": any white space
  std::int64_t skiprows = 0;          // lines that are passed over, comments among them
  std::vector<std::int64_t> usecols;  // these columns alone; negative ones count from the last
  bool unpack = false;                // columns are rows, as a.T()
  int ndmin = 0;                      // axes at least: 0, 1 or 2
  std::int64_t max_rows = -1;         // after which the rest is passed over; -1: all
};
// The numbers of a text, a line a row (numpy.loadtxt): two axes, without those of one cell unless ndmin keeps them.
// Lines without cells are passed over. Ranks read the file in parts, each gets all of the text and reads the numbers.
// Throws as load for a file that cannot be read; pilum::ValueError, with the line, for what is no number of this dtype
// and for rows of another length, and for options that make no sense.
PILUM_API Array loadtxt(const std::string& path, const LoadText& options = {},
                        std::source_location where = std::source_location::current());

}  // namespace pilum::numeric
