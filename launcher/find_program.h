// Where a program is, as a shell would look, and a little further.
#pragma once

#include <optional>
#include <string>

namespace pilum::launcher {

// In the folders of PATH. A name with a slash is a path already and only checked.
std::optional<std::string> find_in_path(const std::string& name);

// The application a user named: that path; else in PATH; else beside plaunch and in ../apps of it (the build's
// examples). Throws pilum::ValueError that says where it looked, or that the file may not be executed.
std::string find_application(const std::string& name);

// A shared library of the launcher's: beside plaunch in the build, in the library folder once installed.
std::optional<std::string> find_library(const std::string& name);

// This program's own path.
std::string own_path();

}  // namespace pilum::launcher
