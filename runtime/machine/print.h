// Machines and topologies as text, for logs and for showing the configuration.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/machine/machine.h"

namespace pilum::machine {

// "23.2 GiB", "64 KiB", "12 B"
std::string format_bytes(std::uint64_t bytes);
// "cores 0-3,8"; "core 2"; "no cores"
std::string format_cores(std::span<const int> cores);

// "cpu: cores 0-3"; "gpu"
std::string to_string(const Processor& processor);
// One line of "name value" pairs.
std::string to_string(const Machine& machine);
// "host: 2 cores, 23.2 GiB available, 64 MiB cache a domain; domain 0: cores 0-1, 23.4 GiB"
std::string to_string(const HostTopology& topology);

}  // namespace pilum::machine
