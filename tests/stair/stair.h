// The stair: who may include whom (docs and ARCHITECTURE have the picture, this has the letter).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace pilum::test {

struct Include {
  std::string path;     // "runtime/base/rect.h"
  bool quoted = false;  // "…", not <…>
  int line = 0;
};

// The includes of a source text, comments and strings aside.
std::vector<Include> find_includes(const std::string& text);

// What is wrong with a file's include, "" if nothing. `file` and quoted paths count from the top of the repository.
std::string find_fault(const std::string& file, const Include& include);

// The folder whose CMake target a file belongs to: "runtime/base", "partitioner", "numeric/linalg" is "numeric".
std::string folder_of(const std::string& file);

// The folder that a file lies in: "scheduler/plan"; what folder_of() says where a folder has no rooms.
std::string room_of(const std::string& file);

// A circle in the graph "folder includes folder", as its folders in order; empty if there is none.
std::vector<std::string> find_circle(const std::map<std::string, std::set<std::string>>& included_by);

}  // namespace pilum::test
