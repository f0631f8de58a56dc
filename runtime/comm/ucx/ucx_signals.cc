#include <dlfcn.h>

#include <csignal>
#include <cstring>

#include <ucs/debug/debug.h>

#include "runtime/comm/communicator.h"

namespace pilum::comm {
namespace {

bool is_of_ucx(void* function) {
  Dl_info its{};
  return dladdr(function, &its) && its.dli_fname && std::strstr(its.dli_fname, "/libucs");
}

}  // namespace

// UCX takes SIGHUP (UCX_DEBUG_SIGNO) for a request to print its state, before main: a program that has lost its
// terminal would run on. What was there before UCX comes back, which nohup may have set to "ignored".
void leave_signals_alone() {
  static const bool done = [] {
    struct sigaction now{};
    sigaction(SIGHUP, nullptr, &now);
    if (is_of_ucx(reinterpret_cast<void*>(now.sa_handler))) ucs_debug_disable_signal(SIGHUP);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace pilum::comm
