#include "launcher/rank_text.h"

#include <algorithm>
#include <utility>

#include "launcher/banner_filter.h"
#include "launcher/escape.h"

namespace pilum::launcher {

std::string RankText::add(std::string_view bytes, Clock::time_point now) {
  std::string shown;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t wanted = end == std::string_view::npos ? bytes.size() : end + 1;
    const std::size_t taken = std::min(wanted, kLongestLine - std::min(kLongestLine - 1, line_.size()));
    line_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (line_.back() != '\n' && line_.size() < kLongestLine) continue;
    const bool whole = line_.back() == '\n';
    if (!whole) line_ += '\n';
    if (is_wanted(line_)) show(std::exchange(rule_, "") + line_, shown, now);
    line_.clear();
  }
  return shown;
}

std::string RankText::take_unfinished() {
  const std::size_t kept = unfinished_bytes(line_);
  std::string shown;
  show(std::exchange(rule_, ""), shown, Clock::now());
  show(std::string_view(line_).substr(0, line_.size() - kept), shown, Clock::now());
  line_.erase(0, line_.size() - kept);
  return shown;
}

std::string RankText::finish() {
  std::string shown;
  if (!line_.empty()) shown = add("\n");
  show(std::exchange(rule_, ""), shown, Clock::now());
  if (omitted_ > 0) shown += tell_omission();
  return shown;
}

bool RankText::is_wanted(std::string_view line) {
  if (show_all_) return true;
  if (is_library_line(line)) return false;
  const bool is_dashes = is_rule(line.substr(0, line.size() - 1));
  if (in_abort_) {
    in_abort_ = !is_dashes;
    return false;
  }
  if (!rule_.empty() && line.starts_with("MPI_ABORT was invoked")) {
    rule_.clear();
    in_abort_ = true;
    return false;
  }
  if (!is_dashes || !rule_.empty()) return true;
  rule_ = line;
  return false;
}

void RankText::show(std::string_view text, std::string& shown, Clock::time_point now) {
  const std::string escaped = escape_controls(text);
  const auto size = static_cast<std::int64_t>(escaped.size());
  const std::chrono::duration<double> since = now - refilled_;
  if (since.count() > 0.01) {  // less would round to nothing
    const double refill = std::min(since.count() * kMaxPerSecond, double{kMaxAtOnce});
    budget_ = std::min(kMaxAtOnce, budget_ + static_cast<std::int64_t>(refill));
    refilled_ = now;
  }
  // Once something is left out, a good part more is: single lines out of a flood help nobody.
  const std::int64_t needed = omitted_ > 0 ? std::max(size, kMaxPerSecond / 2) : size;
  if (show_all_ || budget_ >= needed) {
    if (omitted_ > 0) shown += tell_omission();
    budget_ -= size;
    shown += escaped;
    return;
  }
  omitted_ += size;
  last_words_ += escaped;
  if (last_words_.size() > 2 * kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
}

std::string RankText::tell_omission() {
  if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
  const std::size_t begin = last_words_.find('\n');  // the first line is not whole
  const bool cut = static_cast<std::int64_t>(last_words_.size()) < omitted_;
  std::string words = cut && begin != std::string::npos ? last_words_.substr(begin + 1) : last_words_;
  const std::int64_t lost = omitted_ - static_cast<std::int64_t>(words.size());
  omitted_ = 0;
  last_words_.clear();
  if (lost <= 0) return words;
  return "plaunch: " + std::to_string(lost) + " bytes of rank " + std::to_string(rank_) +
         "'s standard error are omitted here: it writes faster than " + std::to_string(kMaxPerSecond >> 20) +
         " MiB/s; --log-level debug shows all\n" + words;
}

}  // namespace pilum::launcher
