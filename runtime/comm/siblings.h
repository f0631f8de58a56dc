// Which ranks of this node still live, as far as mpirun's processes tell.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace pilum::comm {

struct Siblings {
  int started = 0;      // on this node
  std::set<int> alive;  // ranks
};

// Under Open MPI's mpirun, which is the parent of all ranks of a node and reaps them; nothing where that is not so
// (another launcher, or a script between mpirun and the program), as processes say nothing then.
[[nodiscard]] std::optional<Siblings> find_siblings();

// What a file holds, as far as it can be read: a process, and its files with it, may end meanwhile.
[[nodiscard]] std::string contents_of(const std::string& path);

}  // namespace pilum::comm
