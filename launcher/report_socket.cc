#include "launcher/report_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

#include "launcher/network.h"
#include "pilum/error.h"

namespace pilum::launcher {
namespace {

sockaddr_un unix_address(const std::string& name, socklen_t& length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // A leading zero byte: abstract, leaves no file.
  const std::size_t size = name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  return address;
}

sockaddr_in tcp_address(const std::string& ip, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, ip.c_str(), &address.sin_addr);
  return address;
}

// Sends stay blocking and unlimited.
int connect_within(int family, const sockaddr* address, socklen_t length) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  timeval timeout{2, 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
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

int listen_at(int family, const sockaddr* address, socklen_t length) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && bind(fd, address, length) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  const std::string reason = std::strerror(errno);
  if (fd >= 0) close(fd);
  throw RuntimeError("no socket for the reports of ranks: " + reason);
}

}  // namespace

std::optional<ReportAddress> ReportAddress::from_text(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
  return ReportAddress{text.substr(0, colon), text.substr(colon + 1)};
}

std::string random_name() {
  std::random_device random;  // the kernel's
  std::ostringstream text;
  for (int i = 0; i < 4; ++i) {
    text.width(8);
    text.fill('0');
    text << std::hex << random();
  }
  return text.str();
}

bool same_key(const std::string& a, const std::string& b) {
  unsigned different = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

int listen_on_node(ReportAddress& address) {
  const std::string name = "plaunch-" + random_name();
  socklen_t length = 0;
  const sockaddr_un at = unix_address(name, length);
  address.place = "unix:" + name;
  return listen_at(AF_UNIX, reinterpret_cast<const sockaddr*>(&at), length);
}

int listen_on_network(const std::string& interface, ReportAddress& address) {
  std::vector<std::string> known_by = own_addresses(interface);
  if (known_by.empty()) known_by = {"127.0.0.1"};
  sockaddr_in at = tcp_address(interface.empty() ? "0.0.0.0" : known_by[0], 0);
  socklen_t length = sizeof at;
  const int fd = listen_at(AF_INET, reinterpret_cast<const sockaddr*>(&at), length);
  getsockname(fd, reinterpret_cast<sockaddr*>(&at), &length);
  if (!interface.empty()) known_by.resize(1);
  std::string listed;
  for (const std::string& ip : known_by) listed += (listed.empty() ? "" : ",") + ip;
  address.place = "tcp:" + listed + ":" + std::to_string(ntohs(at.sin_port));
  return fd;
}

int connect_to(const ReportAddress& address) {
  const std::vector<std::string> parts = split_at(address.place, ':');
  if (parts.size() == 2 && parts[0] == "unix") {
    socklen_t length = 0;
    const sockaddr_un at = unix_address(parts[1], length);
    const int fd = connect_within(AF_UNIX, reinterpret_cast<const sockaddr*>(&at), length);
    if (fd < 0 || is_same_user(fd)) return fd;
    close(fd);  // plaunch has gone, and somebody else has taken the name
    return -1;
  }
  if (parts.size() != 3 || parts[0] != "tcp") return -1;
  for (const std::string& ip : split_at(parts[1], ',')) {
    const sockaddr_in at = tcp_address(ip, std::atoi(parts[2].c_str()));
    const int fd = connect_within(AF_INET, reinterpret_cast<const sockaddr*>(&at), sizeof at);
    if (fd >= 0) return fd;
  }
  return -1;
}

bool is_same_user(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

}  // namespace pilum::launcher
