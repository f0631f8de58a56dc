#include "scheduler/memo/graph_bundles.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/kernel/device/device_bundle.h"

namespace pilum::scheduler {
namespace {

class Bundler {
 public:
  Bundler(const std::vector<BundleItem>& items, const std::vector<std::vector<int>>& after)
      : items_(items), after_(after), node_of_(items.size(), -1), before_(items.size()), followers_(items.size()) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      before_[i] = after[i].size();
      for (const int before : after[i]) followers_[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
      if (after[i].empty()) ready_.push_back(static_cast<int>(i));
    }
  }

  GraphBundles bundle() {
    std::size_t left = items_.size();
    while (left > 0) {
      PILUM_CHECK(!ready_.empty(), "{} items wait for each other", left);
      const bool some_are_small =
          std::any_of(ready_.begin(), ready_.end(), [this](int i) { return item(i).text != nullptr; });
      const std::vector<int> now = take(some_are_small);
      left -= now.size();
      std::vector<int> open;  // nodes that small items of now may join
      for (const int item : now) put(item, open);
      for (const int item : now) free_followers(item);
    }
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) find_after(n);
    return std::move(graph_);
  }

 private:
  struct Content {
    std::vector<const std::string*> texts;
    std::size_t words = kernel::kBundleHead, shared = 0;
  };

  const BundleItem& item(int number) const { return items_[static_cast<std::size_t>(number)]; }

  std::vector<int> take(bool small) {
    std::vector<int> taken, rest;
    for (const int i : ready_) ((item(i).text != nullptr) == small ? taken : rest).push_back(i);
    ready_ = std::move(rest);
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  void put(int number, std::vector<int>& open) {
    const BundleItem& one = item(number);
    int& node = node_of_[static_cast<std::size_t>(number)];
    if (one.text) {
      const auto place = std::find_if(open.begin(), open.end(), [&](int candidate) { return joins(one, candidate); });
      if (place != open.end()) node = *place;
    }
    if (node < 0) {
      node = static_cast<int>(graph_.nodes.size());
      graph_.nodes.emplace_back();
      contents_.emplace_back();
      if (one.text) open.push_back(node);
    }
    graph_.nodes[static_cast<std::size_t>(node)].items.push_back(number);
    if (one.text) add(one, contents_[static_cast<std::size_t>(node)]);
  }

  static bool has(const Content& content, const std::string* text) {
    return std::any_of(content.texts.begin(), content.texts.end(),
                       [text](const std::string* known) { return *known == *text; });
  }

  bool joins(const BundleItem& one, int node) const {
    constexpr std::size_t kMostTexts = 16;  // the compiler takes its time for each
    const Content& content = contents_[static_cast<std::size_t>(node)];
    if (item(graph_.nodes[static_cast<std::size_t>(node)].items.front()).lane != one.lane) return false;
    if (content.words + kernel::kBundleRecord + one.words > kernel::kBundleWords) return false;
    if (has(content, one.text)) return true;
    return content.texts.size() < kMostTexts &&
           content.shared + kernel::shared_cells(*one.text) <= kernel::kBundleSharedCells;
  }

  static void add(const BundleItem& one, Content& content) {
    content.words += kernel::kBundleRecord + one.words;
    if (has(content, one.text)) return;
    content.texts.push_back(one.text);
    content.shared += kernel::shared_cells(*one.text);
  }

  void free_followers(int number) {
    for (const int follower : followers_[static_cast<std::size_t>(number)]) {
      if (--before_[static_cast<std::size_t>(follower)] == 0) ready_.push_back(follower);
    }
  }

  // The nearest ones alone: what is behind one of them needs no edge, which would cost a GPU another queue.
  void find_after(std::size_t n) {
    GraphBundles::Node& node = graph_.nodes[n];
    std::vector<int> all;
    for (const int i : node.items) {
      for (const int before : after_[static_cast<std::size_t>(i)])
        all.push_back(node_of_[static_cast<std::size_t>(before)]);
    }
    std::sort(all.begin(), all.end(), std::greater<>());
    std::vector<bool>& own = behind_.emplace_back(n, false);
    for (const int before : all) {
      const auto at = static_cast<std::size_t>(before);
      if (own[at]) continue;
      node.after.push_back(before);
      own[at] = true;
      for (std::size_t k = 0; k < at; ++k) own[k] = own[k] || behind_[at][k];
    }
    std::reverse(node.after.begin(), node.after.end());
  }

  const std::vector<BundleItem>& items_;
  const std::vector<std::vector<int>>& after_;
  std::vector<int> node_of_;         // by item
  std::vector<std::size_t> before_;  // by item: how many are not placed yet
  std::vector<std::vector<int>> followers_;
  std::vector<int> ready_;
  GraphBundles graph_;
  std::vector<Content> contents_;          // by node
  std::vector<std::vector<bool>> behind_;  // by node: the nodes it comes after, directly or not
};

}  // namespace

GraphBundles find_bundles(const std::vector<BundleItem>& items, const std::vector<std::vector<int>>& after) {
  return Bundler(items, after).bundle();
}

}  // namespace pilum::scheduler
