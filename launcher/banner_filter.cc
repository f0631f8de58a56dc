#include "launcher/banner_filter.h"

#include <cctype>

namespace pilum::launcher {
namespace {

constexpr std::size_t kMostWords = 16 * 1024;

bool is_rule(std::string_view line) {
  return line.size() >= 60 && line.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace

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
  for (std::string_view start : {"mpirun noticed", "mpirun: ", "mpirun detected", "PMIX ERROR", "srun: ", "slurmstepd: "}) {
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
    (is_banner(line_) ? words_ : passed) += line_ + '\n';
    line_.clear();
  }
  line_.append(bytes);
  if (words_.size() > kMostWords) words_.erase(0, words_.size() - kMostWords);
  return passed;
}

std::string BannerFilter::finish() {
  std::string rest;
  if (!line_.empty()) (is_banner(line_) ? words_ : rest) += line_;
  line_.clear();
  return rest;
}

}  // namespace pilum::launcher
