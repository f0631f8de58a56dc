// What the Fortran module needs besides the C interface.
#include <cstddef>
#include <cstdint>
#include <string>

#include "numeric/c_interface/arrays.h"
#include "numeric/c_interface/place.h"

#pragma GCC visibility push(default)
extern "C" {

// Lets go of a handle, or does nothing where it is none: some compilers finalize what a function gave, some do not, so
// it may have gone before.
void pilum_fortran_drop(void* handle) {
  if (handle) pilum::c_interface::arrays().remove(reinterpret_cast<std::uintptr_t>(handle));
}

// A file's name, not ended by a '\0', as C passes it: one that lives as long as the process.
const char* pilum_fortran_keep_file(const char* file, std::size_t length) {
  const std::string name(file, length);
  return pilum::c_interface::locate({name.c_str(), 0}).file_name();
}

}  // extern "C"
#pragma GCC visibility pop
