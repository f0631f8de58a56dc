// Which processor compiled code is for.
#pragma once

#include <string>

namespace pilum::jit {

// The first core's model and features, as the kernel lists them. Read once a process.
const std::string& cpu_identity();

}  // namespace pilum::jit
