// What supervisors report to plaunch: the standard error and the exit status of each rank, on a socket of their own.
//
// The launcher (mpirun, srun) merges its own messages with those of the ranks and may drop the last ones of a rank that
// fails. So each rank's supervisor connects to plaunch directly: by an abstract Unix socket on one node, by TCP on
// more.
//
//   frame:  type (1 byte) | length (4 bytes, little endian) | payload
//   'h'     first frame: "key rank host"
//   'e'     bytes of the rank's standard error
//   's'     one byte: the rank's stage in the rendezvous (runtime/base/supervisor.h)
//   't'     the supervisor was terminated: what follows is a consequence, not a cause
//   'x'     last frame: "exited STATUS" or "signalled SIGNAL"
//
// Who else connects is not heard: on one node a process of another user is refused at once; whoever has not sent the
// job's key may send no more than its frame is long, for a few seconds, and nobody waits for it.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "launcher/exit_status.h"
#include "launcher/report_socket.h"
#include "runtime/base/supervisor.h"

namespace pilum::launcher {

// The supervisor's side. Sends block; once plaunch is gone they do nothing, and fd() becomes readable.
class Reporter {
 public:
  // Nothing if plaunch does not answer within two seconds. The address is a ReportAddress as text.
  static std::optional<Reporter> connect(const std::string& address, int rank, const std::string& host);
  Reporter(Reporter&& other) noexcept;
  Reporter& operator=(Reporter&&) = delete;
  ~Reporter();

  int fd() const { return fd_; }
  void error_text(std::string_view bytes);
  void stage(RankStage stage) { send('s', std::string(1, static_cast<char>(stage))); }
  void terminating() { send('t', ""); }
  void ended(const ExitStatus& exit_status);

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
struct RankReached {
  RankStage stage;
};
struct RankTerminating {};
struct RankEnded {
  ExitStatus exit_status;
};
struct RankLost {};  // the connection closed without an exit status: its supervisor was killed
struct RankEvent {
  int rank = 0;
  std::variant<RankStarted, RankErrorText, RankReached, RankTerminating, RankEnded, RankLost> what;
};

// plaunch's side. Passive: poll() on add_to(), then receive().
class ReportServer {
 public:
  struct Reach {
    bool other_nodes = false;  // else this node only
    std::string interface;     // for other nodes; empty: all
  };
  ReportServer(int ranks, const Reach& reach);
  ~ReportServer();
  ReportServer(const ReportServer&) = delete;
  ReportServer& operator=(const ReportServer&) = delete;

  // What Reporter::connect takes. It holds the key.
  std::string address() const { return address_.to_text(); }
  void add_to(std::vector<pollfd>& wanted) const;
  // What has arrived, in order for each rank: a bounded part of it, the rest next time. Never blocks.
  std::vector<RankEvent> receive();
  // Ranks connected now; strangers do not count.
  int connected() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    int fd = -1;
    int rank = -1;  // until its first frame
    bool ended = false;
    Clock::time_point since;
    std::string bytes;

    bool authenticated() const { return rank >= 0; }
  };

  void accept_some();
  void drop_unauthenticated(std::size_t most);
  void drop(Connection& connection);
  // False once the connection is closed, or is no supervisor of ours.
  bool read_from(Connection& connection, std::vector<RankEvent>& events);
  bool take_frames(Connection& connection, std::vector<RankEvent>& events);
  bool take_frame(Connection& connection, char type, std::string_view payload, std::vector<RankEvent>& events);
  bool take_first_frame(Connection& connection, char type, std::string_view payload, std::vector<RankEvent>& events);

  int ranks_;
  ReportAddress address_;
  bool of_this_node_;
  int listener_ = -1;
  std::vector<Connection> connections_;
  std::set<int> known_;  // ranks that have reported; none does twice
};

}  // namespace pilum::launcher
