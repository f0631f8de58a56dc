#include "scheduler/execute/graph_bundles.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "runtime/base/ancestors.h"
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
    find_after();
    return std::move(graph_);
  }

 private:
  const BundleItem& item(int number) const { return items_[static_cast<std::size_t>(number)]; }

  std::vector<int> take(bool small) {
    std::vector<int> taken, rest;
    for (const int i : ready_) ((item(i).text != nullptr) == small ? taken : rest).push_back(i);
    ready_ = std::move(rest);
    std::sort(taken.begin(), taken.end());
    return taken;
  }

  GraphBundles::Node& node(int number) { return graph_.nodes[static_cast<std::size_t>(number)]; }

  void put(int number, std::vector<int>& open) {
    const BundleItem& one = item(number);
    int& place = node_of_[static_cast<std::size_t>(number)];
    if (one.text) {
      const auto found = std::find_if(open.begin(), open.end(), [&](int candidate) { return joins(one, candidate); });
      if (found != open.end()) place = *found;
    }
    if (place < 0) {
      place = static_cast<int>(graph_.nodes.size());
      graph_.nodes.emplace_back().words = kernel::kBundleHead;
      shared_.push_back(0);
      if (one.text) open.push_back(place);
    }
    node(place).items.push_back(number);
    if (one.text) add(one, place);
  }

  bool joins(const BundleItem& one, int candidate) {
    constexpr std::size_t kMostTexts = 16;  // the compiler takes its time for each
    const GraphBundles::Node& bundle = node(candidate);
    if (item(bundle.items.front()).lane != one.lane) return false;
    if (bundle.words + kernel::kBundleRecord + one.words > kernel::kBundleWords) return false;
    return find_text(bundle.texts, *one.text) >= 0 ||
           (bundle.texts.size() < kMostTexts &&
            shared_[static_cast<std::size_t>(candidate)] + shared_cells(*one.text) <= kernel::kBundleSharedCells);
  }

  void add(const BundleItem& one, int to) {
    GraphBundles::Node& bundle = node(to);
    bundle.words += kernel::kBundleRecord + one.words;
    if (find_text(bundle.texts, *one.text) >= 0) return;
    bundle.texts.push_back(one.text);
    shared_[static_cast<std::size_t>(to)] += shared_cells(*one.text);
  }

  // Of the text at this address, which is read once.
  std::size_t shared_cells(const std::string& text) {
    const auto [found, is_new] = shared_of_.try_emplace(&text, 0);
    if (is_new) found->second = kernel::shared_cells(text);
    return found->second;
  }

  void free_followers(int number) {
    for (const int follower : followers_[static_cast<std::size_t>(number)]) {
      if (--before_[static_cast<std::size_t>(follower)] == 0) ready_.push_back(follower);
    }
  }

  // The nearest ones alone: what is behind one of them needs no edge, which would cost a GPU another queue.
  void find_after() {
    Ancestors behind(graph_.nodes.size());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      GraphBundles::Node& node = graph_.nodes[n];
      std::vector<int> all;
      for (const int i : node.items) {
        for (const int before : after_[static_cast<std::size_t>(i)])
          all.push_back(node_of_[static_cast<std::size_t>(before)]);
      }
      node.after = behind.add_nearest(n, std::move(all));
    }
  }

  const std::vector<BundleItem>& items_;
  const std::vector<std::vector<int>>& after_;
  std::vector<int> node_of_;         // by item
  std::vector<std::size_t> before_;  // by item: how many are not placed yet
  std::vector<std::vector<int>> followers_;
  std::vector<int> ready_;
  GraphBundles graph_;
  std::vector<std::size_t> shared_;  // by node: cells of shared memory
  std::unordered_map<const std::string*, std::size_t> shared_of_;
};

}  // namespace

int find_text(const std::vector<const std::string*>& texts, const std::string& text) {
  auto found = std::find(texts.begin(), texts.end(), &text);  // mostly it is the same one
  if (found == texts.end())
    found = std::find_if(texts.begin(), texts.end(), [&text](const std::string* known) { return *known == text; });
  return found == texts.end() ? -1 : static_cast<int>(found - texts.begin());
}

GraphBundles find_bundles(const std::vector<BundleItem>& items, const std::vector<std::vector<int>>& after) {
  return Bundler(items, after).bundle();
}

}  // namespace pilum::scheduler
