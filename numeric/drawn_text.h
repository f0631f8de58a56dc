// Draws by rejection as kernels of GPUs: what cores compile, as a text.
#pragma once

#include <string>

#include "numeric/drawn_cells.h"

namespace pilum::numeric {

// A thread a cell. `arrays` has bit k set where parameter k is an array; arguments are the cells, these arrays, and
// the words that bodies on cores get. Bits as of cores.
const std::string& drawn_text(Distribution distribution, unsigned arrays, int rank);

}  // namespace pilum::numeric
