// What stands before a user's body for GPUs, and between it and its call. Private to device_body.cc.
#pragma once

#include <string_view>

namespace pilum::kernel {

// Of namespace std, what bodies share with the host's.
std::string_view body_std();
// include/pilum/detail/array_accessor.h, in namespace pilum::detail of its own.
std::string_view array_accessor();
// Namespace pilum: points and pieces.
std::string_view body_points();
// Namespace pilum::detail: what is reported of an index out of bounds, and arrays.
std::string_view out_of_bounds_report();
std::string_view body_cells_head();
std::string_view body_cells(bool checked);
std::string_view body_cells_tail();
// Namespace pilum: Read, Write, ReadWrite, Reduce.
std::string_view body_access_types();
// Namespace pilum::detail: what the text's function takes, and how that is compared.
std::string_view body_signature();

}  // namespace pilum::kernel
