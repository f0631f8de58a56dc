#include "runtime/comm/ucx/ucx_call.h"

#include <spdlog/fmt/fmt.h>

#include "pilum/error.h"

namespace pilum::comm {

void throw_ucx_failed(ucs_status_t status, const char* call) {
  throw RuntimeError(
      fmt::format("[{}] UCX failed: {}. The environment variable UCX_LOG_LEVEL=info shows which devices "
                  "it tries; the transport mpi does not need UCX.",
                  call, ucs_status_string(status)));
}

}  // namespace pilum::comm
