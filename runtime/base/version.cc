#include "runtime/base/version.h"

namespace pilum {

std::string_view library_version() {
  return PILUM_BUILD;
}

}  // namespace pilum
