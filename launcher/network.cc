#include "launcher/network.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "pilum/error.h"

namespace pilum::launcher {
namespace {

// Calls visit(name, address, is_loopback) for each IPv4 address.
template <class Visit>
void for_each_address(Visit visit) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return;
  for (const ifaddrs* i = first; i; i = i->ifa_next) {
    if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text.data(), text.size());
    visit(std::string(i->ifa_name), std::string(text.data()), (i->ifa_flags & IFF_LOOPBACK) != 0);
  }
  freeifaddrs(first);
}

// UCX names RDMA devices as "mlx5_0:1"; the interface's own name stands for TCP.
std::string ucx_devices(const std::string& interface) {
  std::string devices;
  const std::filesystem::path folder = "/sys/class/net/" + interface;
  int port = 0;
  std::ifstream(folder / "dev_port") >> port;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "device" / "infiniband", none)) {
    devices += entry.path().filename().string() + ":" + std::to_string(port + 1) + ",";
  }
  return devices + interface;
}

}  // namespace

std::map<std::string, std::string> one_node_variables() {
  return {
      // Left out of Open MPI's ways to move bytes: those over networks, two of which listen as soon as they are opened.
      {"OMPI_MCA_btl", "^tcp,usnic,openib,ofi,uct"},
      // mpirun still listens on every address, but tells others of this one only.
      {"OMPI_MCA_oob_tcp_if_include", "lo"},
      {"UCX_TLS", "self,shm,cuda"}};
}

std::map<std::string, std::string> interface_variables(const std::string& interface, const std::string& library) {
  std::map<std::string, std::string> variables{{"OMPI_MCA_btl_tcp_if_include", interface},
                                               {"OMPI_MCA_oob_tcp_if_include", interface},
                                               {"UCX_NET_DEVICES", ucx_devices(interface)}};
  if (library.empty()) return variables;
  const char* others = std::getenv("LD_PRELOAD");
  variables["LD_PRELOAD"] = library + (others && *others ? ":" + std::string(others) : "");
  variables["PLAUNCH_INTERFACE"] = interface;
  return variables;
}

std::string launch_agent(const std::map<std::string, std::string>& variables) {
  std::string command = "env";
  for (const char* name : {"LD_PRELOAD", "PLAUNCH_INTERFACE"}) {
    if (const auto found = variables.find(name); found != variables.end())
      command += " " + found->first + "=" + found->second;
  }
  return command + " orted";
}

std::vector<std::string> own_addresses(const std::string& interface) {
  std::vector<std::string> addresses;
  for_each_address([&](const std::string& name, const std::string& address, bool is_loopback) {
    if (interface.empty() ? !is_loopback : name == interface) addresses.push_back(address);
  });
  return addresses;
}

void check_interface(const std::string& interface) {
  if (!own_addresses(interface).empty()) return;
  std::set<std::string> names;
  for_each_address([&](const std::string& name, const std::string&, bool) { names.insert(name); });
  std::string listed;
  for (const std::string& name : names) listed += (listed.empty() ? "" : ", ") + name;
  throw ValueError("--interface " + interface +
                   ": this node has no interface of that name with an IPv4 address; it has " +
                   (listed.empty() ? "none" : listed));
}

}  // namespace pilum::launcher
