// Loaded before Open MPI's launcher and ranks on several nodes (LD_PRELOAD): what would listen on all addresses of a
// node does so on the interface of the job alone. Open MPI's own settings choose what it tells others, not where it
// listens.
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

// The interface's first address of a family; false if it has none.
template <class Address>
bool find_address(const char* interface, Address& found) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return false;
  bool any = false;
  for (const ifaddrs* i = first; i && !any; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != found.ss_family || std::strcmp(i->ifa_name, interface) != 0) continue;
    std::memcpy(&found, i->ifa_addr, found.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    any = true;
  }
  freeifaddrs(first);
  return any;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int bind(int fd, const sockaddr* address, socklen_t length) noexcept {
  const char* interface = std::getenv("PLAUNCH_INTERFACE");
  sockaddr_storage narrowed{};
  if (interface && address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
    sockaddr_in wanted{};
    std::memcpy(&wanted, address, sizeof wanted);
    if (wanted.sin_addr.s_addr == htonl(INADDR_ANY)) {
      narrowed.ss_family = AF_INET;
      auto& at = reinterpret_cast<sockaddr_in&>(narrowed);
      if (!find_address(interface, narrowed)) at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      at.sin_port = wanted.sin_port;
      return static_cast<int>(syscall(SYS_bind, fd, &narrowed, sizeof(sockaddr_in)));
    }
  }
  if (interface && address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    sockaddr_in6 wanted{};
    std::memcpy(&wanted, address, sizeof wanted);
    if (IN6_IS_ADDR_UNSPECIFIED(&wanted.sin6_addr)) {
      narrowed.ss_family = AF_INET6;
      auto& at = reinterpret_cast<sockaddr_in6&>(narrowed);
      if (!find_address(interface, narrowed)) at.sin6_addr = in6addr_loopback;
      at.sin6_port = wanted.sin6_port;
      return static_cast<int>(syscall(SYS_bind, fd, &narrowed, sizeof(sockaddr_in6)));
    }
  }
  return static_cast<int>(syscall(SYS_bind, fd, address, length));
}
