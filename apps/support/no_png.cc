// In the place of png.cc where there is no libpng.
#include "apps/support/png.h"

#include <stdexcept>

namespace app {

void write_png(const std::string& path, std::int64_t, std::int64_t, const std::vector<std::uint8_t>&) {
  throw std::runtime_error(path + ": this was built without libpng (package libpng-dev), so it writes no pictures");
}

bool has_png() {
  return false;
}

}  // namespace app
