#include "scheduler/print/fusion_log.h"

#include "scheduler/print/fusion_text.h"

namespace pilum::scheduler {
namespace {

// Groups as texts: each, and why the next one begins; the last one's is empty.
struct Texts {
  std::vector<std::string> groups, ends;
};

Texts texts_of(std::span<const FusedGroup> groups) {
  Texts texts;
  for (const FusedGroup& group : groups) {
    texts.groups.push_back(to_text(group));
    const std::string end = to_text(group.notes.refusals);
    texts.ends.push_back(end.empty() ? "" : "    " + end + "\n");
  }
  return texts;
}

// How many times the `period` groups from `first` on stand there, one after the other. Why the last round ends may
// differ: after it comes something else.
std::size_t count_rounds(const Texts& texts, std::size_t first, std::size_t period) {
  const auto is_round = [&](std::size_t at) {
    for (std::size_t i = 0; i < period; ++i) {
      if (texts.groups[at + i] != texts.groups[first + i]) return false;
      if (i + 1 < period && texts.ends[at + i] != texts.ends[first + i]) return false;
    }
    return texts.ends[at - 1] == texts.ends[first + period - 1];
  };
  std::size_t rounds = 1;
  while (first + (rounds + 1) * period <= texts.groups.size() && is_round(first + rounds * period)) ++rounds;
  return rounds;
}

std::string join(const Texts& texts, std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = first; i < first + count; ++i) text += texts.groups[i] + texts.ends[i];
  return text;
}

std::string groups_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " group" : " groups");
}

// Groups that come several times in a row are told once.
std::string compress(const Texts& texts) {
  std::string text;
  for (std::size_t first = 0; first < texts.groups.size();) {
    std::size_t period = 1, rounds = 1;
    for (; 2 * period <= texts.groups.size() - first; ++period) {
      rounds = count_rounds(texts, first, period);
      if (rounds > 1) break;
    }
    if (rounds == 1) period = 1;
    text += join(texts, first, period);
    if (rounds > 1) {
      text +=
          (period == 1 ? "  × " : "  these " + groups_text(period) + " × ") + std::to_string(rounds - 1) + " more\n";
      const std::string& last = texts.ends[first + rounds * period - 1];
      if (last != texts.ends[first + period - 1]) text += last;
    }
    first += rounds * period;
  }
  return text;
}

// The number of groups of which the window is nothing but rounds.
std::size_t find_period(const Texts& texts) {
  const std::size_t count = texts.groups.size();
  for (std::size_t period = 1; period < count; ++period) {
    if (count % period == 0 && count_rounds(texts, 0, period) == count / period) return period;
  }
  return count;
}

}  // namespace

std::string FusionLog::add(int window, std::span<const FusedGroup> groups, const WindowEnd& end, FusionEntry& entry) {
  const Texts texts = texts_of(groups);
  const std::size_t period = find_period(texts);
  entry.rounds = period == 0 ? 1 : static_cast<std::int64_t>(groups.size() / period);
  // Why the next round begins is no part of what tells windows apart: the last one of a loop has no next.
  std::string key = join(texts, 0, period);
  if (period > 0) key.resize(key.size() - texts.ends[period - 1].size());
  const auto [place, is_new] = numbers_.try_emplace(std::move(key), static_cast<int>(counts_.size()));
  entry.number = place->second;
  if (!is_new) {
    count_again(entry);
    return "";
  }
  counts_.push_back({window, period, entry.rounds, entry.rounds});
  Traffic traffic;
  for (const FusedGroup& group : groups) traffic += group.traffic;
  std::string text = "window " + std::to_string(window);
  if (ranks_ > 1) text += " of rank " + std::to_string(rank_);
  text += ": " + groups_text(groups.size());
  if (groups.size() > 1) text += ", " + decimal_bytes(traffic.moved()) + " moved";
  if (groups.size() > 1 && ranks_ > 1) text += " by all ranks";
  return text + "\n" + compress(texts) + "  " + to_text(end) + "\n";
}

std::string FusionLog::finish() const {
  std::string text;
  for (const Count& count : counts_) {
    if (count.rounds == count.told) continue;
    text += "as in window " + std::to_string(count.window) + ": " + groups_text(count.groups) + " × " +
            std::to_string(count.rounds - count.told) + " more\n";
  }
  if (direct_windows_ > 0) {
    text += std::to_string(direct_windows_) + (direct_windows_ == 1 ? " window" : " windows") + " of " +
            std::to_string(direct_operations_) +
            " small operations, of which no plan would have been found again, ran one operation after the other: "
            "nothing fused (docs/performance-guide.md, PILUM_DIRECT_AFTER=0 plans them)\n";
  }
  return text;
}

}  // namespace pilum::scheduler
