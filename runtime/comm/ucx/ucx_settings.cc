#include "runtime/comm/ucx/ucx_settings.h"

#include <ucs/config/global_opts.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "runtime/comm/environment.h"

namespace pilum::comm {
namespace {

bool user_has_set(const char* name) {
  return std::getenv(("UCX_" + std::string(name)).c_str()) != nullptr;
}

// A setting that this UCX does not know is left out: it only makes things faster or quieter.
void prefer(ucp_config_t* config, const char* name, const char* value) {
  if (!user_has_set(name)) static_cast<void>(ucp_config_modify(config, name, value));
}

bool has_rdma_devices() {
  std::error_code none;
  return std::filesystem::exists("/sys/class/infiniband", none) &&
         !std::filesystem::is_empty("/sys/class/infiniband", none);
}

}  // namespace

void choose_ucx_settings(ucp_config_t* config, bool on_one_node) {
  // UCX reads its log level when it is loaded, before main; its warnings concern its developers.
  if (!user_has_set("LOG_LEVEL")) static_cast<void>(ucs_global_opts_set_value("LOG_LEVEL", "fatal"));

  // Through shared memory, copying in and out of the queue beats a rendezvous at every size; and where one process
  // may not read another's memory, a rendezvous goes through TCP. RDMA between nodes wants its rendezvous.
  if (on_one_node || !has_rdma_devices()) prefer(config, "RNDV_THRESH", "inf");

  // Nothing of one node goes over a network, nor listens there: UCX asks nobody who connects for a key.
  if (on_one_node) prefer(config, "TLS", "self,shm,cuda");

  // Shared memory does not offer to notice dead peers by default, and would lose to TCP for that.
  // Settings of single devices go by the environment: UCX 1.13's ucp_config_modify does not reach them.
  prefer_environment("UCX_POSIX_ERROR_HANDLING", "y");
  prefer_environment("UCX_SYSV_ERROR_HANDLING", "y");

  // How soon a dead peer is noticed that nobody sends to.
  prefer(config, "KEEPALIVE_INTERVAL", "1s");
}

}  // namespace pilum::comm
