#include "scheduler/execute/graph_bundles.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/kernel/device/device_bundle.h"

namespace pilum::scheduler {
namespace {

const std::string kSmallText = "a small kernel", kOtherText = "another";

std::vector<std::vector<int>> items_of(const GraphBundles& graph) {
  std::vector<std::vector<int>> items;
  for (const GraphBundles::Node& node : graph.nodes) items.push_back(node.items);
  return items;
}

TEST(GraphBundles, RimsBesideALargeLaunchAreOneLaunch) {
  // 0..3 rims, 4 the interior, 5 and 6 rims of a second field that read the interior's.
  const std::vector<BundleItem> items{{&kSmallText, 9}, {&kOtherText, 9}, {&kSmallText, 9}, {&kOtherText, 9}, {},
                                      {&kSmallText, 9}, {&kSmallText, 9}};
  const GraphBundles graph = find_bundles(items, {{}, {}, {}, {}, {0}, {4, 1}, {4}});
  EXPECT_EQ(items_of(graph), (std::vector<std::vector<int>>{{0, 1, 2, 3}, {4}, {5, 6}}));
  EXPECT_EQ(graph.nodes[2].after, std::vector<int>{1}) << "the rims are before the interior already";
}

TEST(GraphBundles, ItemsOfOtherLanesAndOnesThatFollowEachOtherStayApart) {
  const std::vector<BundleItem> items{{&kSmallText, 9, 0}, {&kSmallText, 9, 1}, {&kSmallText, 9, 0}};
  EXPECT_EQ(items_of(find_bundles(items, {{}, {}, {0}})), (std::vector<std::vector<int>>{{0}, {1}, {2}}));
}

TEST(GraphBundles, ABundleHasNoMoreWordsThanALaunchTakes) {
  const std::vector<BundleItem> items(9, {&kSmallText, kernel::kBundleWords / 4, 0});
  const GraphBundles graph = find_bundles(items, std::vector<std::vector<int>>(9));
  EXPECT_EQ(items_of(graph), (std::vector<std::vector<int>>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
}

TEST(GraphBundles, WhatAnItemComesAfterItStillDoes) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  int bundled = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 40;
    std::vector<BundleItem> items;
    std::vector<std::vector<int>> after(count);
    for (std::size_t i = 0; i < count; ++i) {
      items.push_back({random() % 3 ? (random() % 2 ? &kSmallText : &kOtherText) : nullptr, random() % 1200,
                       static_cast<int>(random() % 2)});
      for (std::size_t before = 0; before < i; ++before) {
        if (random() % 8 == 0) after[i].push_back(static_cast<int>(before));
      }
    }
    const GraphBundles graph = find_bundles(items, after);
    std::vector<int> node_of(count, -1);
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const int item : graph.nodes[n].items) {
        EXPECT_EQ(node_of[static_cast<std::size_t>(item)], -1) << "twice";
        node_of[static_cast<std::size_t>(item)] = static_cast<int>(n);
      }
      bundled += graph.nodes[n].items.size() > 1;
    }
    // By naive steps from node to node: everything that is behind one.
    const auto is_behind = [&](int node, int wanted) {
      std::vector<int> open{node};
      while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        for (const int before : graph.nodes[static_cast<std::size_t>(at)].after) {
          EXPECT_LT(before, at);
          if (before == wanted) return true;
          open.push_back(before);
        }
      }
      return false;
    };
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_GE(node_of[i], 0) << "item " << i << " is in no node";
      for (const int before : after[i]) {
        EXPECT_TRUE(is_behind(node_of[i], node_of[static_cast<std::size_t>(before)]))
            << "item " << i << " after item " << before << ", round " << round;
      }
    }
  }
  EXPECT_GT(bundled, 300);
}

}  // namespace
}  // namespace pilum::scheduler
