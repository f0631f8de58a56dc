// A graph of several GPUs' work cut into one for each, whose parts tell each other by flags in memory how far they are.
// Between GPUs that is several times faster, to issue and to run, than a dependence that the driver looks after.
#pragma once

#include <cstddef>
#include <vector>

namespace pilum::device {

struct GraphItem {
  int part = 0;
  std::vector<int> after;  // earlier items, of any part
};

// A flag lies with the part that waits for it; it is raised once and waited for once each time that the graph is
// issued. The wait lowers it.
struct CutGraph {
  enum class Kind { Work, Signal, Wait };
  struct Node {
    Kind kind = Kind::Work;
    int part = 0;
    int item = -1;           // of work
    std::vector<int> flags;  // that a signal raises, a wait waits for
    std::vector<int> after;  // earlier nodes of the same part
  };
  std::vector<Node> nodes;
  std::vector<int> flag_parts;  // by flag: where it lies
};

inline constexpr std::size_t kMaxFlags = 32;  // of a node

// Part 0 begins before all others and ends after them, so that what comes before and after it does so for all.
//
// A wait may hold up what comes later in its part, also what does not depend on it: nobody promises that independent
// nodes of a GPU run at once. That it never waits for what it holds up follows from an order of all nodes, the one in
// which items were added: a signal comes at once behind its item, and a wait depends on all earlier signals of its
// part. So where a wait holds something up whose signal it needs, that signal is later than the wait, but what the wait
// waits for is earlier; along a wait cycle the order would only fall, so there is none: no deadlock.
[[nodiscard]] CutGraph cut_graph(int parts, const std::vector<GraphItem>& items);

}  // namespace pilum::device
