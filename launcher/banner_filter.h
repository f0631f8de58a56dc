// Separates a launcher's own messages from everything else on its standard error.
#pragma once

#include <string>
#include <string_view>

namespace pilum::launcher {

// True for a line that Open MPI's library prints inside a rank: "[host:pid] …".
bool is_library_line(std::string_view line);

// The line of dashes above and below what Open MPI has to say.
bool is_rule(std::string_view line);

// Reads a launcher's standard error in pieces of any size. What passes comes back; what the launcher says about itself
// (blocks between dashed lines, "mpirun noticed …", PMIx and "[host:pid]" lines, "srun: …") is kept in messages().
class BannerFilter {
 public:
  // The lines completed by these bytes that are no banner.
  std::string pass(std::string_view bytes);
  // What is left at the end of the stream: an unfinished line.
  std::string finish();
  // What was held back, at most its last 16 KiB.
  const std::string& messages() const { return messages_; }
  // The blocks among them that say why something failed, each once and without the rules around it. That a rank ended
  // is left out: plaunch says it better.
  std::string explanation() const;

 private:
  bool is_banner(std::string_view line);

  std::string line_;
  std::string messages_;
  bool in_block_ = false;
};

}  // namespace pilum::launcher
