// What stands before every device kernel. Private to the emitters of device text.
#pragma once

#include <string_view>

namespace pilum::kernel {

// NVRTC's names for what the host's text calls by GCC's: comes first.
std::string_view device_head();
// Aligned vectors in memory; inside the text's namespace, after its types.
std::string_view device_memory_helpers();
// Quotients of many numbers and one; after the types.
std::string_view device_division();
// Coordinates from a number; after the types.
std::string_view device_digits();
// `Place`, by which run() knows which of a launch's threads it is; several kernels in one launch have places of their
// own.
std::string_view device_place();
// The entry that calls run(): comes last, and once in a text.
std::string_view device_entry();
// The types, for texts that have nothing else of the prelude.
std::string_view device_types();

}  // namespace pilum::kernel
