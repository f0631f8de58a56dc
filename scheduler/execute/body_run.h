// Runs users' bodies on the host.
#pragma once

#include "scheduler/record/host_body.h"

namespace pilum::scheduler {

// Calls the body for one chunk. Throws what the body throws.
void run_body(const Launch& launch, const HostBody& body, std::int64_t chunk);

}  // namespace pilum::scheduler
