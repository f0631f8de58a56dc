// Which of UCX's settings differ from its defaults, and why.
#pragma once

#include <ucp/api/ucp.h>

namespace pilum::comm {

// What the user has set in the environment (UCX_...) stands.
void choose_ucx_settings(ucp_config_t* config, bool on_one_node);

}  // namespace pilum::comm
