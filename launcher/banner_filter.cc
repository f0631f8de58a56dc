#include "launcher/banner_filter.h"

#include <cctype>
#include <sstream>

namespace pilum::launcher {
namespace {

constexpr std::size_t kMaxWords = 16 * 1024;

bool only_says_that_a_rank_ended(std::string_view block) {
  for (std::string_view part : {"mpirun noticed", "mpirun detected that", "mpirun has exited", "Primary job ",
                                "MPI_ABORT was invoked", "Child job "}) {
    if (block.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool is_rule(std::string_view line) {
  return line.size() >= 60 && line.find_first_not_of('-') == std::string_view::npos;
}

bool is_library_line(std::string_view line) {
  if (line.empty() || line[0] != '[') return false;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  if (line.substr(0, colon).find_first_of(" ]") != std::string_view::npos) return false;
  std::size_t end = colon + 1;
  while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
  return end > colon + 1 && end < line.size() && line[end] == ']';
}

bool BannerFilter::is_banner(std::string_view line) {
  if (is_rule(line)) {
    in_block_ = !in_block_;
    return true;
  }
  if (in_block_ || is_library_line(line)) return true;
  for (std::string_view start :
       {"mpirun noticed", "mpirun: ", "mpirun detected", "PMIX ERROR", "srun: ", "slurmstepd: "}) {
    if (line.substr(0, start.size()) == start) return true;
  }
  // "3 total processes killed (some possibly by mpirun during cleanup)", "2 total processes failed to start"
  return !line.empty() && std::isdigit(static_cast<unsigned char>(line[0])) &&
         line.find(" total processes ") != std::string_view::npos;
}

std::string BannerFilter::pass(std::string_view bytes) {
  std::string passed;
  for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
    line_.append(bytes.substr(0, end));
    (is_banner(line_) ? messages_ : passed) += line_ + '\n';
    line_.clear();
  }
  line_.append(bytes);
  if (messages_.size() > kMaxWords) messages_.erase(0, messages_.size() - kMaxWords);
  return passed;
}

std::string BannerFilter::explanation() const {
  std::istringstream lines(messages_);
  std::string text, block;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (!is_rule(line)) {
      if (inside && line.find_first_not_of(' ') != std::string::npos) block += "  " + line + "\n";
      continue;
    }
    const bool says_why =
        inside && !block.empty() && !only_says_that_a_rank_ended(block) && text.find(block) == std::string::npos;
    if (says_why) text += block;
    block.clear();
    inside = !inside;
  }
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

std::string BannerFilter::finish() {
  std::string rest;
  if (!line_.empty()) (is_banner(line_) ? messages_ : rest) += line_;
  line_.clear();
  return rest;
}

}  // namespace pilum::launcher
