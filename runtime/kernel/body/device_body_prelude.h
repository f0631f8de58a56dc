// What stands before a user's body for GPUs, and between it and its call. Private to device_body.cc.
#pragma once

#include <string_view>

namespace pilum::kernel {

// Of namespace std, what bodies share with the host's.
std::string_view body_std();
// Namespace pilum: points and pieces.
std::string_view body_points();
// Namespace pilum::detail: what is told of an index that is refused, and arrays.
std::string_view out_of_bounds_report();
std::string_view body_accessor_head();
std::string_view body_accessor(bool checked);
std::string_view body_accessor_tail();
// Namespace pilum: Read, Write, ReadWrite, Reduce.
std::string_view body_access_types();
// Namespace pilum::detail: what the text's function takes, and how that is compared.
std::string_view body_signature();

}  // namespace pilum::kernel
