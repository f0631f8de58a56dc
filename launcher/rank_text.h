// What a rank writes to its standard error, as plaunch shows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace pilum::launcher {

// Whole lines, control characters escaped, lines of libraries left out, and no more than a terminal or log can bear: a
// burst of kMaxAtOnce, refilled by kMaxPerSecond. What is beyond is counted; its last kLastWords are kept, for they
// tell how the rank came to its end.
class RankText {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kMaxAtOnce = 16 << 20;
  static constexpr std::int64_t kMaxPerSecond = 1 << 20;
  static constexpr std::size_t kLastWords = 4096;
  static constexpr std::size_t kLongestLine = 64 << 10;  // longer ones are broken

  // With show_all nothing is left out, though still escaped.
  RankText(int rank, bool show_all) : rank_(rank), show_all_(show_all) {}

  // What can be shown now.
  std::string add(std::string_view bytes, Clock::time_point now = Clock::now());
  bool has_unfinished_line() const { return !line_.empty() || !rule_.empty(); }
  // The beginning of a line that waits for its end, such as a prompt.
  std::string take_unfinished();
  // The rest, at the rank's end, and how much was left out.
  std::string finish();

 private:
  bool is_wanted(std::string_view line);
  void show(std::string_view text, std::string& shown, Clock::time_point now);
  std::string tell_omission();

  int rank_;
  bool show_all_;
  std::string line_;
  std::string rule_;  // a line of dashes that may begin what Open MPI says of MPI_Abort; plaunch says it shorter
  bool in_abort_ = false;
  std::int64_t budget_ = kMaxAtOnce;
  Clock::time_point refilled_;
  std::int64_t omitted_ = 0;  // bytes since the last that was shown
  std::string last_words_;    // of these
};

}  // namespace pilum::launcher
