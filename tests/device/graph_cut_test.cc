#include "runtime/device/graph_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pilum::device {
namespace {

using Kind = CutGraph::Kind;

int count(const CutGraph& cut, Kind kind, int part) {
  return static_cast<int>(std::count_if(cut.nodes.begin(), cut.nodes.end(),
                                        [&](const auto& node) { return node.kind == kind && node.part == part; }));
}

// Issues the graph `times` times to GPUs that run one node at a time, in any order that the dependences within a part
// allow, and stay with a wait until its flags are up. Says what went wrong, or nothing.
std::string play(const CutGraph& cut, int parts, const std::vector<GraphItem>& items, int times, std::mt19937& random) {
  struct Part {
    std::vector<std::size_t> nodes;
    std::vector<bool> done;
    int time = 0;
    int waits_at = -1;
  };
  std::vector<Part> all(static_cast<std::size_t>(parts));
  std::vector<bool> flags(cut.flag_parts.size(), false);
  std::vector<int> played(items.size(), 0);
  for (std::size_t n = 0; n < cut.nodes.size(); ++n)
    all[static_cast<std::size_t>(cut.nodes[n].part)].nodes.push_back(n);
  for (Part& part : all) part.done.resize(cut.nodes.size(), false);
  const auto finish = [&](Part& part, std::size_t n) {
    part.done[n] = true;
    if (!std::all_of(part.nodes.begin(), part.nodes.end(), [&](std::size_t one) { return part.done[one]; })) return;
    std::fill(part.done.begin(), part.done.end(), false);
    ++part.time;
  };
  const auto step = [&](Part& part) -> std::string {
    std::vector<std::size_t> ready;
    for (const std::size_t n : part.nodes) {
      const auto& after = cut.nodes[n].after;
      if (!part.done[n] &&
          std::all_of(after.begin(), after.end(), [&](int k) { return part.done[static_cast<std::size_t>(k)]; }))
        ready.push_back(n);
    }
    if (part.waits_at < 0) part.waits_at = static_cast<int>(ready[random() % ready.size()]);
    const auto n = static_cast<std::size_t>(part.waits_at);
    const CutGraph::Node& node = cut.nodes[n];
    if (node.kind == Kind::Work) {
      const auto item = static_cast<std::size_t>(node.item);
      if (played[item] != part.time) return "an item was played at another time";
      for (const int before : items[item].after) {
        if (played[static_cast<std::size_t>(before)] != part.time + 1) return "an item came too early";
      }
      ++played[item];
    }
    for (const int flag : node.flags) {
      const auto at = static_cast<std::size_t>(flag);
      if (node.kind == Kind::Signal && flags[at]) return "a flag was raised twice";
      if (node.kind == Kind::Wait && !flags[at]) return "stays";
    }
    for (const int flag : node.flags) flags[static_cast<std::size_t>(flag)] = node.kind == Kind::Signal;
    part.waits_at = -1;
    finish(part, n);
    return "";
  };
  for (;;) {
    std::vector<Part*> order;
    for (Part& part : all) {
      if (part.time < times && !part.nodes.empty()) order.push_back(&part);
    }
    if (order.empty()) break;
    std::shuffle(order.begin(), order.end(), random);
    bool moved = false;
    for (Part* part : order) {
      const std::string result = step(*part);
      if (result.empty()) {
        moved = true;
        break;
      }
      if (result != "stays") return result;
    }
    if (!moved) return "they wait for each other";
  }
  if (std::any_of(flags.begin(), flags.end(), [](bool up) { return up; })) return "a flag was left up";
  if (std::any_of(played.begin(), played.end(), [&](int n) { return n != times; })) return "an item was left out";
  return "";
}

TEST(GraphCut, OnePartHasNoFlags) {
  const CutGraph cut = cut_graph(1, {{0, {}}, {0, {0}}});
  EXPECT_EQ(cut.nodes.size(), 2u);
  EXPECT_TRUE(cut.flag_parts.empty());
  EXPECT_EQ(cut.nodes[1].after, std::vector<int>{0});
}

TEST(GraphCut, WhatSeveralOfAPartWaitForIsToldOnce) {
  const CutGraph cut = cut_graph(2, {{0, {}}, {1, {0}}, {1, {0}}});
  EXPECT_EQ(count(cut, Kind::Signal, 0), 2);  // the start, and the item
  EXPECT_EQ(count(cut, Kind::Wait, 1), 2);
}

TEST(GraphCut, OneWaitServesBothNeighboursOfAHalo) {
  // Three parts; a kernel each, then a copy from each neighbour.
  const CutGraph cut = cut_graph(3, {{0, {}}, {1, {}}, {2, {}}, {0, {1}}, {1, {0}}, {1, {2}}, {2, {1}}});
  EXPECT_EQ(count(cut, Kind::Wait, 1), 2);    // the start, and both
  EXPECT_EQ(count(cut, Kind::Signal, 1), 2);  // of the kernel, and the end
}

TEST(GraphCut, WhatDoesNotWaitForOthersDoesNotComeAfterAWait) {
  const CutGraph cut = cut_graph(2, {{0, {}}, {1, {}}, {1, {0}}, {1, {1}}});
  const auto& alone =
      *std::find_if(cut.nodes.begin(), cut.nodes.end(), [](const auto& node) { return node.item == 3; });
  ASSERT_EQ(alone.after.size(), 1u);
  EXPECT_EQ(cut.nodes[static_cast<std::size_t>(alone.after[0])].item, 1);
}

TEST(GraphCut, PartsNeverWaitForEachOtherInWhateverOrderTheyRun) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const int parts = 1 + static_cast<int>(random() % 5);
    std::vector<GraphItem> items(random() % 30);
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i].part = static_cast<int>(random() % static_cast<unsigned>(parts));
      for (std::size_t k = 0; k < random() % 4 && i > 0; ++k)
        items[i].after.push_back(static_cast<int>(i - 1 - random() % std::min<std::size_t>(i, 8)));
      std::sort(items[i].after.begin(), items[i].after.end());
      items[i].after.erase(std::unique(items[i].after.begin(), items[i].after.end()), items[i].after.end());
    }
    const CutGraph cut = cut_graph(parts, items);
    for (int order = 0; order < 4; ++order) ASSERT_EQ(play(cut, parts, items, 2, random), "");
  }
}

}  // namespace
}  // namespace pilum::device
