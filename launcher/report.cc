#include "launcher/report.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <utility>

namespace pilum::launcher {
namespace {

constexpr std::size_t kFrameHead = 5;
constexpr std::size_t kLongestFrame = 64 * 1024;
constexpr std::size_t kLongestFirstFrame = 512;
constexpr std::size_t kMaxReadAtOnce = 256 * 1024;  // of one rank, so that one that floods leaves time for the others
constexpr std::size_t kMaxUnauthenticated = 64;
constexpr std::chrono::seconds kAuthenticationTimeout{5};

std::size_t length_in(const char* head) {
  std::size_t length = 0;
  for (int i = 0; i < 4; ++i) length |= static_cast<std::size_t>(static_cast<unsigned char>(head[1 + i])) << (8 * i);
  return length;
}

}  // namespace

std::optional<Reporter> Reporter::connect(const std::string& address, int rank, const std::string& host) {
  const auto at = ReportAddress::from_text(address);
  const int fd = at ? connect_to(*at) : -1;
  if (fd < 0) return std::nullopt;
  Reporter reporter(fd);
  reporter.send('h', at->key + " " + std::to_string(rank) + " " + host);
  return reporter;
}

Reporter::Reporter(Reporter&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Reporter::~Reporter() {
  if (fd_ >= 0) close(fd_);
}

void Reporter::error_text(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kLongestFrame))) {
    send('e', bytes.substr(0, kLongestFrame));
  }
}

void Reporter::ended(const ExitStatus& exit_status) {
  send('x',
       (exit_status.kind == ExitStatus::Kind::Exited ? "exited " : "signalled ") + std::to_string(exit_status.number));
}

void Reporter::send(char type, std::string_view payload) {
  const auto length = static_cast<std::uint32_t>(payload.size());
  std::string frame(1, type);
  for (int shift = 0; shift < 32; shift += 8) frame += static_cast<char>((length >> shift) & 0xff);
  frame.append(payload);
  for (std::size_t sent = 0; sent < frame.size();) {
    const ssize_t n = ::send(fd_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

ReportServer::ReportServer(int ranks, const Reach& reach) : ranks_(ranks), of_this_node_(!reach.other_nodes) {
  address_.key = random_name();
  listener_ = reach.other_nodes ? listen_on_network(reach.interface, address_) : listen_on_node(address_);
}

ReportServer::~ReportServer() {
  for (const Connection& connection : connections_) close(connection.fd);
  close(listener_);
}

void ReportServer::add_to(std::vector<pollfd>& wanted) const {
  wanted.push_back({listener_, POLLIN, 0});
  for (const Connection& connection : connections_) wanted.push_back({connection.fd, POLLIN, 0});
}

int ReportServer::connected() const {
  return static_cast<int>(std::count_if(connections_.begin(), connections_.end(),
                                        [](const Connection& one) { return one.authenticated(); }));
}

std::vector<RankEvent> ReportServer::receive() {
  accept_some();
  std::vector<RankEvent> events;
  std::erase_if(connections_, [&](Connection& connection) {
    const bool patient = connection.authenticated() || Clock::now() - connection.since < kAuthenticationTimeout;
    if (read_from(connection, events) && (patient || connection.authenticated())) return false;
    if (connection.authenticated() && !connection.ended) events.push_back({connection.rank, RankLost{}});
    drop(connection);
    return true;
  });
  drop_unauthenticated(kMaxUnauthenticated);
  return events;
}

void ReportServer::accept_some() {
  for (std::size_t i = 0; i < kMaxUnauthenticated; ++i) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE)) drop_unauthenticated(0);
    if (fd < 0) return;
    if (of_this_node_ && !is_same_user(fd)) {
      close(fd);
      continue;
    }
    connections_.push_back({.fd = fd, .since = Clock::now()});
  }
}

// The oldest first: a supervisor has sent its key when it is looked at.
void ReportServer::drop_unauthenticated(std::size_t most) {
  std::size_t unauthenticated = connections_.size() - static_cast<std::size_t>(connected());
  std::erase_if(connections_, [&](Connection& connection) {
    if (connection.authenticated() || unauthenticated <= most) return false;
    --unauthenticated;
    drop(connection);
    return true;
  });
}

void ReportServer::drop(Connection& connection) {
  close(std::exchange(connection.fd, -1));
}

bool ReportServer::read_from(Connection& connection, std::vector<RankEvent>& events) {
  std::array<char, 16 * 1024> buffer;
  for (std::size_t taken = 0; taken < kMaxReadAtOnce;) {
    const std::size_t wanted = connection.authenticated() ? buffer.size() : kFrameHead + kLongestFirstFrame;
    const ssize_t n = read(connection.fd, buffer.data(), wanted);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (n == 0) return false;
    connection.bytes.append(buffer.data(), static_cast<std::size_t>(n));
    if (!take_frames(connection, events)) return false;
    taken += static_cast<std::size_t>(n);
  }
  return true;
}

bool ReportServer::take_frames(Connection& connection, std::vector<RankEvent>& events) {
  std::size_t start = 0;
  while (connection.bytes.size() - start >= kFrameHead) {
    const std::size_t length = length_in(connection.bytes.data() + start);
    if (length > (connection.authenticated() ? kLongestFrame : kLongestFirstFrame)) return false;
    if (connection.bytes.size() - start < kFrameHead + length) break;
    const std::string_view payload(connection.bytes.data() + start + kFrameHead, length);
    const char type = connection.bytes[start];
    if (connection.authenticated() ? !take_frame(connection, type, payload, events)
                                   : !take_first_frame(connection, type, payload, events)) {
      return false;
    }
    start += kFrameHead + length;
  }
  connection.bytes.erase(0, start);
  return true;
}

bool ReportServer::take_first_frame(Connection& connection, char type, std::string_view payload,
                                    std::vector<RankEvent>& events) {
  std::istringstream words{std::string(payload)};
  std::string key;
  int rank = -1;
  RankStarted started;
  if (type != 'h' || !(words >> key >> rank >> started.host) || !same_key(key, address_.key)) return false;
  if (rank < 0 || rank >= ranks_ || !known_.insert(rank).second) return false;
  connection.rank = rank;
  events.push_back({rank, started});
  return true;
}

bool ReportServer::take_frame(Connection& connection, char type, std::string_view payload,
                              std::vector<RankEvent>& events) {
  if (connection.ended) return false;
  if (type == 'e') {
    events.push_back({connection.rank, RankErrorText{std::string(payload)}});
  } else if (type == 's' && payload.size() == 1) {
    events.push_back({connection.rank, RankReached{static_cast<RankStage>(payload[0])}});
  } else if (type == 't') {
    events.push_back({connection.rank, RankTerminating{}});
  } else if (type == 'x') {
    std::istringstream words{std::string(payload)};
    std::string kind;
    ExitStatus exit_status;
    words >> kind >> exit_status.number;
    if (kind == "signalled") exit_status.kind = ExitStatus::Kind::Signalled;
    connection.ended = true;
    events.push_back({connection.rank, RankEnded{exit_status}});
  }
  return true;
}

}  // namespace pilum::launcher
