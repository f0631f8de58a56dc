// The cells of a piece, between memory and a file that has all of an array row-major.
#pragma once

#include "numeric/file.h"
#include "pilum/detail/task_form.h"
#include "pilum/shape.h"

namespace pilum::numeric {

// How a file has them.
struct FileCells {
  Shape shape;  // of the whole array
  DType dtype = DType::Float64;
  bool is_swapped = false;  // its bytes are in the other order
  std::int64_t begin = 0;   // of the first cell, in bytes
};

// What lies one after the other in the file goes in one call of the system's, up to some size.
FileTrouble read_cells(const File& file, const FileCells& cells, const Piece& piece,
                       const pilum::detail::BoundStore& store);
FileTrouble write_cells(const File& file, const FileCells& cells, const Piece& piece,
                        const pilum::detail::BoundStore& store);

}  // namespace pilum::numeric
