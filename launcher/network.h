// Which networks a job may use.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace pilum::launcher {

// For ranks of one node: they talk through memory, and MPI and UCX open nothing that listens on a network.
std::map<std::string, std::string> one_node_variables();

// For ranks of several nodes: MPI, its launcher and UCX use this interface of each node (and its RDMA device). With
// `library`, the path of one_interface.cc's, they listen on no other.
std::map<std::string, std::string> interface_variables(const std::string& interface, const std::string& library);

// What mpirun starts on other nodes instead of "orted", so that these variables reach it.
std::string launch_agent(const std::map<std::string, std::string>& variables);

// The IPv4 addresses of this node on an interface, or, with an empty name, on all but loopback.
std::vector<std::string> own_addresses(const std::string& interface);

// Throws pilum::ValueError that names the interfaces there are, if this one has no IPv4 address.
void check_interface(const std::string& interface);

}  // namespace pilum::launcher
