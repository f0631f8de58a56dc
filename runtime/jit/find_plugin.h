// Where the shared objects lie that this library loads while a program runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pilum::jit {

// Of the shared library or the program that this code is a part of.
struct OwnPlace {
  std::filesystem::path library;                // empty: the code is the program's, for it was linked statically
  std::vector<std::filesystem::path> run_path;  // where the loader looks for what it loads, in that order
};
[[nodiscard]] OwnPlace find_own_place();

// A library has its plug-ins beside it, in pilum/, wherever both were moved; a program has a run path. Not the folder
// of a program: that may be anywhere, /tmp too, and somebody else's file would be loaded. Relative folders are not
// looked in. Empty: there is none.
[[nodiscard]] std::string find_plugin(const std::string& name, const OwnPlace& place);

// "looked in /opt/lib/pilum, …; what to do".
[[nodiscard]] std::string describe_search(const OwnPlace& place);

}  // namespace pilum::jit
