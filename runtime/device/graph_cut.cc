#include "runtime/device/graph_cut.h"

#include <algorithm>
#include <map>
#include <utility>

#include "runtime/base/ancestors.h"
#include "runtime/base/check.h"

namespace pilum::device {
namespace {

using Kind = CutGraph::Kind;

class Cutter {
 public:
  Cutter(int parts, const std::vector<GraphItem>& items) : items_(items), parts_(static_cast<std::size_t>(parts)) {}

  CutGraph cut() {
    find_listeners();
    if (parts_.size() > 1) begin();
    for (std::size_t item = 0; item < items_.size(); ++item) add_item(static_cast<int>(item));
    if (parts_.size() > 1) {
      end();
      reduce();
    }
    return std::move(graph_);
  }

 private:
  struct Part {
    int start = -1;            // what everything of it comes after
    int wait = -1;             // the last one
    std::vector<int> signals;  // since then
    bool open = false;         // the last wait may take more flags: nothing was told since
    int level = 0;             // of what it waits for
  };

  Part& part(int number) { return parts_[static_cast<std::size_t>(number)]; }
  const GraphItem& item(int number) const { return items_[static_cast<std::size_t>(number)]; }

  void find_listeners() {
    listeners_.resize(items_.size());
    levels_.resize(items_.size(), 0);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      for (const int before : items_[i].after) {
        const auto at = static_cast<std::size_t>(before);
        levels_[i] = std::max(levels_[i], levels_[at] + 1);
        std::vector<int>& listeners = listeners_[at];
        if (items_[at].part == items_[i].part) continue;
        if (std::find(listeners.begin(), listeners.end(), items_[i].part) == listeners.end())
          listeners.push_back(items_[i].part);
      }
    }
  }

  void begin() {
    std::vector<int> flags;
    for (int p = 1; p < static_cast<int>(parts_.size()); ++p) flags.push_back(make_flag(p));
    add_signal(0, flags, {});
    for (int p = 1; p < static_cast<int>(parts_.size()); ++p) {
      part(p).start = add_wait(p, {flags[static_cast<std::size_t>(p) - 1]});
      part(p).open = false;
    }
  }

  void add_item(int number) {
    const int own = item(number).part;
    std::vector<int> after = wait_for_others(number);
    for (const int before : item(number).after) {
      if (item(before).part == own) after.push_back(node_of_[static_cast<std::size_t>(before)]);
    }
    if (after.empty() && part(own).start >= 0) after.push_back(part(own).start);
    const int node = add(Kind::Work, own, {}, std::move(after));
    graph_.nodes.back().item = number;
    node_of_.push_back(node);
    std::vector<int> flags;
    for (const int listener : listeners_[static_cast<std::size_t>(number)]) {
      flags.push_back(make_flag(listener));
      flag_of_[{number, listener}] = flags.back();
    }
    if (!flags.empty()) add_signal(own, std::move(flags), {node});
  }

  // The waits for what the item comes after in other parts.
  std::vector<int> wait_for_others(int number) {
    const int own = item(number).part;
    std::vector<int> waits, flags;
    int level = 0;
    for (const int before : item(number).after) {
      if (item(before).part == own) continue;
      if (const auto waited = wait_of_.find({before, own}); waited != wait_of_.end()) {
        waits.push_back(waited->second);
      } else {
        flags.push_back(flag_of_.at({before, own}));
        level = std::max(level, levels_[static_cast<std::size_t>(before)]);
      }
    }
    if (!flags.empty()) {
      waits.push_back(wait_for(own, flags, level));
      for (const int before : item(number).after) {
        if (item(before).part != own) wait_of_.try_emplace({before, own}, waits.back());
      }
    }
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
    return waits;
  }

  // By the last wait, if it waits for what is as late.
  int wait_for(int own, const std::vector<int>& flags, int level) {
    Part& waiting = part(own);
    if (waiting.open && level <= waiting.level) {
      std::vector<int>& known = graph_.nodes[static_cast<std::size_t>(waiting.wait)].flags;
      if (known.size() + flags.size() <= kMaxFlags) {
        known.insert(known.end(), flags.begin(), flags.end());
        return waiting.wait;
      }
    }
    waiting.level = level;
    return add_wait(own, flags);
  }

  void end() {
    std::vector<bool> followed(graph_.nodes.size(), false);
    for (const CutGraph::Node& node : graph_.nodes) {
      for (const int before : node.after) followed[static_cast<std::size_t>(before)] = true;
    }
    std::vector<std::vector<int>> last(parts_.size());
    for (std::size_t i = 0; i < followed.size(); ++i) {
      if (!followed[i]) last[static_cast<std::size_t>(graph_.nodes[i].part)].push_back(static_cast<int>(i));
    }
    std::vector<int> flags;
    for (int p = 1; p < static_cast<int>(parts_.size()); ++p) {
      flags.push_back(make_flag(0));
      add_signal(p, {flags.back()}, std::move(last[static_cast<std::size_t>(p)]));
    }
    add(Kind::Wait, 0, std::move(flags), std::move(last[0]));
  }

  // What a node comes after by another one it comes after needs no edge: it would cost a GPU another queue.
  void reduce() {
    Ancestors ancestors(graph_.nodes.size());
    for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
      std::vector<int>& after = graph_.nodes[n].after;
      after = ancestors.add_nearest(n, std::move(after));
    }
  }

  int add(Kind kind, int own, std::vector<int> flags, std::vector<int> after) {
    graph_.nodes.push_back({kind, own, -1, std::move(flags), std::move(after)});
    return static_cast<int>(graph_.nodes.size()) - 1;
  }
  void add_signal(int own, std::vector<int> flags, std::vector<int> after) {
    PILUM_CHECK(flags.size() <= kMaxFlags, "{} parts", flags.size());
    part(own).signals.push_back(add(Kind::Signal, own, std::move(flags), std::move(after)));
    part(own).open = false;
  }
  int add_wait(int own, std::vector<int> flags) {
    PILUM_CHECK(flags.size() <= kMaxFlags, "waits for {} others", flags.size());
    std::vector<int> after = std::exchange(part(own).signals, {});
    if (part(own).wait >= 0) after.push_back(part(own).wait);
    part(own).open = true;
    return part(own).wait = add(Kind::Wait, own, std::move(flags), std::move(after));
  }
  int make_flag(int own) {
    graph_.flag_parts.push_back(own);
    return static_cast<int>(graph_.flag_parts.size()) - 1;
  }

  const std::vector<GraphItem>& items_;
  std::vector<Part> parts_;
  std::vector<std::vector<int>> listeners_;               // by item: the other parts that wait for it
  std::vector<int> levels_;                               // by item
  std::vector<int> node_of_;                              // by item
  std::map<std::pair<int, int>, int> flag_of_, wait_of_;  // of an item and who waits for it
  CutGraph graph_;
};

}  // namespace

CutGraph cut_graph(int parts, const std::vector<GraphItem>& items) {
  return Cutter(parts, items).cut();
}

}  // namespace pilum::device
