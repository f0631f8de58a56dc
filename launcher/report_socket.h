// The sockets that reports of ranks go through, and who may use them.
#pragma once

#include <optional>
#include <string>

namespace pilum::launcher {

// Where plaunch listens, and the key that a report begins with. The text of it goes from process to process in the
// environment, which other users cannot read, never on a command line; the socket's name tells nothing of the key.
struct ReportAddress {
  std::string place;  // "unix:NAME", an abstract name, or "tcp:IP,IP:PORT"
  std::string key;

  std::string to_text() const { return place + ":" + key; }
  static std::optional<ReportAddress> from_text(const std::string& text);
};

// 128 random bits, in hexadecimal.
std::string random_name();

// Takes as long whatever the difference.
bool same_key(const std::string& a, const std::string& b);

// On this node only, or, for other nodes, on an interface (an empty name: all). Gives the descriptor and sets the
// place. Throws pilum::RuntimeError.
int listen_on_node(ReportAddress& address);
int listen_on_network(const std::string& interface, ReportAddress& address);

// Within two seconds, or -1: to a process of the same user where that can be seen (on one node).
int connect_to(const ReportAddress& address);

// Whether the other end of a socket of this node is a process of this user.
bool is_same_user(int fd);

}  // namespace pilum::launcher
