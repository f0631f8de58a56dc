// Which of a graph's launches go as one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pilum::scheduler {

// What is known of an item of a graph. Items with a text may go with others of the same `lane`.
struct BundleItem {
  const std::string* text = nullptr;  // of its kernel; null: it goes alone
  std::size_t words = 0;              // of its argument
  int lane = 0;
};

// Items of one node have no way from one to another, and nodes none back to where they came from: node k comes after
// earlier ones alone, and after each that one of its items comes after, directly or by others.
struct GraphBundles {
  struct Node {
    std::vector<int> items;  // several: a bundle
    std::vector<int> after;  // nodes; none that others of these come after already
    // Of a bundle: the texts of its items, each once, and the words of its argument.
    std::vector<const std::string*> texts;
    std::size_t words = 0;
  };
  std::vector<Node> nodes;
};

// The number of an equal text; -1: there is none.
[[nodiscard]] int find_text(const std::vector<const std::string*>& texts, const std::string& text);

// `after`: by item, the earlier items that it comes after. Of items that are ready together the small ones go first, as
// one: so what follows from small ones alone does not wait for a large one, and large ones run beside what is ready
// then.
[[nodiscard]] GraphBundles find_bundles(const std::vector<BundleItem>& items,
                                        const std::vector<std::vector<int>>& after);

}  // namespace pilum::scheduler
