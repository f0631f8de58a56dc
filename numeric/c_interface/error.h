// This thread's last error, as C programs ask for it. Kept until the next one, so that handles may be released before
// it is printed.
#pragma once

#include <string>

#include "pilum/c_types.h"

namespace pilum::c_interface {

struct LastError {
  pilum_status status = PILUM_OK;
  std::string message;
};

[[nodiscard]] LastError& last_error() noexcept;

}  // namespace pilum::c_interface
