// The one way UCX is called: a bad status becomes a pilum::RuntimeError with the call and the peer.
#pragma once

#include <ucp/api/ucp.h>

namespace pilum::comm {

[[noreturn]] void throw_ucx_failed(ucs_status_t status, const char* call);

//   check_ucx(ucp_worker_create(...), "ucp_worker_create");
inline void check_ucx(ucs_status_t status, const char* call) {
  if (status != UCS_OK) [[unlikely]]
    throw_ucx_failed(status, call);
}

}  // namespace pilum::comm
