#include "launcher/report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <utility>

#include "pilum/error.h"
#include "runtime/base/check.h"

namespace pilum::launcher {
namespace {

constexpr std::size_t kFrameHead = 5;
constexpr std::uint32_t kLongestFrame = 1 << 20;

sockaddr_un unix_address(const std::string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  PILUM_CHECK(name.size() + 1 < sizeof address.sun_path);
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // a leading zero byte: abstract, leaves no file
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

sockaddr_in tcp_address(const std::string& ip, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, ip.c_str(), &address.sin_addr);
  return address;
}

// Connects within two seconds, or gives -1. Sends stay blocking and unlimited.
int connect_to(int family, const sockaddr* address, socklen_t length) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  timeval patience{2, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(fd, address, length) != 0) {
    close(fd);
    return -1;
  }
  timeval forever{0, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &forever, sizeof forever);
  return fd;
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// The IPv4 addresses that other nodes may know this one by, "a.b.c.d,e.f.g.h"; loopback only if there is no other.
std::string own_addresses() {
  std::string listed;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return "127.0.0.1";
  for (const ifaddrs* i = first; i; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || (i->ifa_flags & IFF_LOOPBACK)) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text.data(), text.size());
    if (!listed.empty()) listed += ',';
    listed += text.data();
  }
  freeifaddrs(first);
  return listed.empty() ? "127.0.0.1" : listed;
}

std::string make_token() {
  std::random_device random;
  std::ostringstream text;
  for (int i = 0; i < 4; ++i) text << std::hex << random();
  return text.str();
}

}  // namespace

std::optional<Reporter> Reporter::connect(const std::string& address, int rank, const std::string& host) {
  const std::vector<std::string> parts = split_at(address, ':');  // unix:NAME:TOKEN or tcp:IP,IP:PORT:TOKEN
  int fd = -1;
  if (parts.size() == 3 && parts[0] == "unix") {
    socklen_t length = 0;
    const sockaddr_un at = unix_address(parts[1], length);
    fd = connect_to(AF_UNIX, reinterpret_cast<const sockaddr*>(&at), length);
  } else if (parts.size() == 4 && parts[0] == "tcp") {
    for (const std::string& ip : split_at(parts[1], ',')) {
      const sockaddr_in at = tcp_address(ip, std::atoi(parts[2].c_str()));
      fd = connect_to(AF_INET, reinterpret_cast<const sockaddr*>(&at), sizeof at);
      if (fd >= 0) break;
    }
  }
  if (fd < 0) return std::nullopt;
  Reporter reporter(fd);
  reporter.send('h', parts.back() + " " + std::to_string(rank) + " " + host);
  return reporter;
}

Reporter::Reporter(Reporter&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Reporter::~Reporter() {
  if (fd_ >= 0) close(fd_);
}

void Reporter::ended(const Ending& ending) {
  send('x', (ending.kind == Ending::Kind::Exited ? "exited " : "signalled ") + std::to_string(ending.number));
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

ReportDesk::ReportDesk(bool other_nodes) : token_(make_token()) {
  other_nodes ? listen_to_all() : listen_here();
  if (listener_ < 0 || listen(listener_, SOMAXCONN) != 0) {
    throw RuntimeError(std::string("no socket for the reports of ranks: ") + std::strerror(errno));
  }
}

ReportDesk::~ReportDesk() {
  for (const Connection& connection : connections_) close(connection.fd);
  if (listener_ >= 0) close(listener_);
}

void ReportDesk::listen_here() {
  const std::string name = "plaunch-" + token_;
  socklen_t length = 0;
  const sockaddr_un at = unix_address(name, length);
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ >= 0) bind(listener_, reinterpret_cast<const sockaddr*>(&at), length);
  address_ = "unix:" + name + ":" + token_;
}

void ReportDesk::listen_to_all() {
  sockaddr_in at = tcp_address("0.0.0.0", 0);
  socklen_t length = sizeof at;
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) return;
  bind(listener_, reinterpret_cast<const sockaddr*>(&at), length);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &length);
  address_ = "tcp:" + own_addresses() + ":" + std::to_string(ntohs(at.sin_port)) + ":" + token_;
}

void ReportDesk::add_to(std::vector<pollfd>& wanted) const {
  wanted.push_back({listener_, POLLIN, 0});
  for (const Connection& connection : connections_) wanted.push_back({connection.fd, POLLIN, 0});
}

std::vector<RankEvent> ReportDesk::receive() {
  accept_all();
  std::vector<RankEvent> events;
  std::erase_if(connections_, [&](Connection& connection) {
    if (read_from(connection, events)) return false;
    close(connection.fd);
    if (connection.rank >= 0 && !connection.ended) events.push_back({connection.rank, RankLost{}});
    return true;
  });
  return events;
}

void ReportDesk::accept_all() {
  for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
    connections_.push_back({fd});
  }
}

bool ReportDesk::read_from(Connection& connection, std::vector<RankEvent>& events) {
  std::array<char, 16 * 1024> buffer;
  while (true) {
    const ssize_t n = read(connection.fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (n == 0) return false;
    connection.bytes.append(buffer.data(), static_cast<std::size_t>(n));
    if (!take_frames(connection, events)) return false;
  }
}

bool ReportDesk::take_frames(Connection& connection, std::vector<RankEvent>& events) {
  std::size_t start = 0;
  while (connection.bytes.size() - start >= kFrameHead) {
    std::uint32_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      length |= static_cast<std::uint32_t>(static_cast<unsigned char>(connection.bytes[start + 1 + i])) << (8 * i);
    }
    if (length > kLongestFrame) return false;
    if (connection.bytes.size() - start < kFrameHead + length) break;
    const std::string_view payload(connection.bytes.data() + start + kFrameHead, length);
    if (!take_frame(connection, connection.bytes[start], payload, events)) return false;
    start += kFrameHead + length;
  }
  connection.bytes.erase(0, start);
  return true;
}

bool ReportDesk::take_frame(Connection& connection, char type, std::string_view payload,
                            std::vector<RankEvent>& events) {
  std::istringstream words{std::string(payload)};
  if (connection.rank < 0) {
    std::string token;
    RankStarted started;
    if (type != 'h' || !(words >> token >> connection.rank >> started.host) || token != token_) {
      connection.rank = -1;
      return false;
    }
    events.push_back({connection.rank, started});
  } else if (type == 'e') {
    events.push_back({connection.rank, RankErrorText{std::string(payload)}});
  } else if (type == 't') {
    events.push_back({connection.rank, RankToldToEnd{}});
  } else if (type == 'x') {
    std::string kind;
    Ending ending;
    words >> kind >> ending.number;
    if (kind == "signalled") ending.kind = Ending::Kind::Signalled;
    connection.ended = true;
    events.push_back({connection.rank, RankEnded{ending}});
  }
  return true;
}

}  // namespace pilum::launcher
