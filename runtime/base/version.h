// Which Pilum this is.
#pragma once

#include <string_view>

namespace pilum {

// "0.2.0 (a877bcc)": the release, and the commit that the build was configured at, where that is known.
[[nodiscard]] std::string_view library_version();

}  // namespace pilum
