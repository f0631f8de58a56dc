// The line of a C or Fortran program, as the C++ below it knows lines.
#pragma once

#include <source_location>

#include "pilum/c_types.h"

namespace pilum::c_interface {

// The same place gives the same location; its text lives as long as the process, for plans, failures and the records of
// calls hold on to it. A place without a file is one that the caller does not know.
[[nodiscard]] std::source_location locate(pilum_place place);

}  // namespace pilum::c_interface
