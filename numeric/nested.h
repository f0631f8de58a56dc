// Lists of any depth, of numbers of any types, as np::array({{1, 2.5}, {3, 4}}) takes them.
#pragma once

#include <initializer_list>

#include "numeric/errors.h"
#include "pilum/creation.h"

namespace pilum::numeric {

// The list's cells, row-major, in the dtype that all of its numbers meet in, which is returned. Throws ShapeError where
// lists side by side differ in length.
DType read_cells(const Call& call, std::initializer_list<detail::Cell> list, detail::Cells& cells);

[[noreturn]] void refuse_ragged(const Call& call, const Shape& shape);

}  // namespace pilum::numeric
