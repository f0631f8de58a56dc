// A place in a program, as texts name it.
#pragma once

#include <source_location>
#include <string>

namespace pilum::scheduler {

// "program.cc:3", without folders.
inline std::string place_of(const std::source_location& where) {
  const std::string file = where.file_name();
  return file.substr(file.find_last_of('/') + 1) + ":" + std::to_string(where.line());
}

}  // namespace pilum::scheduler
