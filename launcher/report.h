// What ranks tell plaunch: their standard error and how they ended, on a socket of their own beside the launcher's.
//
// The launcher (mpirun, srun) merges its own words with those of the ranks and may drop the last ones of a rank that
// fails. So each rank's supervisor connects to plaunch directly: by an abstract Unix socket on one node, by TCP on more.
//
//   frame:  type (1 byte) | length (4 bytes, little endian) | payload
//   'h'     first frame: "token rank host"
//   'e'     bytes of the rank's standard error
//   't'     the supervisor was told to end, so what follows is a consequence, not a cause
//   'x'     last frame: "exited STATUS" or "signalled SIGNAL"
#pragma once

#include <poll.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "launcher/ending.h"

namespace pilum::launcher {

// The rank's end. Sends block; once plaunch is gone they do nothing, and fd() becomes readable.
class Reporter {
 public:
  // Nothing if plaunch does not answer within two seconds.
  static std::optional<Reporter> connect(const std::string& address, int rank, const std::string& host);
  Reporter(Reporter&& other) noexcept;
  Reporter& operator=(Reporter&&) = delete;
  ~Reporter();

  int fd() const { return fd_; }
  void error_text(std::string_view bytes) { send('e', bytes); }
  void told_to_end() { send('t', ""); }
  void ended(const Ending& ending);

 private:
  explicit Reporter(int fd) : fd_(fd) {}
  void send(char type, std::string_view payload);
  int fd_ = -1;
};

struct RankStarted {
  std::string host;
};
struct RankErrorText {
  std::string bytes;
};
struct RankToldToEnd {};
struct RankEnded {
  Ending ending;
};
struct RankLost {};  // the connection closed without an ending: its supervisor was killed
struct RankEvent {
  int rank = 0;
  std::variant<RankStarted, RankErrorText, RankToldToEnd, RankEnded, RankLost> what;
};

// plaunch's end. Passive: poll() on add_to(), then receive().
class ReportDesk {
 public:
  // Listens on this node only, or for other nodes too.
  explicit ReportDesk(bool other_nodes);
  ~ReportDesk();
  ReportDesk(const ReportDesk&) = delete;
  ReportDesk& operator=(const ReportDesk&) = delete;

  // What Reporter::connect takes.
  const std::string& address() const { return address_; }
  void add_to(std::vector<pollfd>& wanted) const;
  // What has arrived, in order for each rank. Never blocks.
  std::vector<RankEvent> receive();
  // Ranks connected now.
  int connected() const { return static_cast<int>(connections_.size()); }

 private:
  struct Connection {
    int fd = -1;
    int rank = -1;  // until its first frame
    bool ended = false;
    std::string bytes;
  };

  void listen_here();
  void listen_to_all();
  void accept_all();
  // False once the connection is closed, or is no supervisor of ours.
  bool read_from(Connection& connection, std::vector<RankEvent>& events);
  bool take_frames(Connection& connection, std::vector<RankEvent>& events);
  bool take_frame(Connection& connection, char type, std::string_view payload, std::vector<RankEvent>& events);

  std::string token_;
  std::string address_;
  int listener_ = -1;
  std::vector<Connection> connections_;
};

}  // namespace pilum::launcher
