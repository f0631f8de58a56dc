// Whether a sanitizer watches this test. It takes ten times as long with one, and most of that is spent on kernels that
// are compiled and on threads that wait: where many cases take the same way through the library, as another dtype's or
// another seed's do, it sees a few of them. All of them run in the release build.
#pragma once

#include <string_view>

namespace pilum::fakes {

#ifdef PILUM_SANITIZE
inline constexpr std::string_view kSanitizer = PILUM_SANITIZE;
#else
inline constexpr std::string_view kSanitizer;
#endif

inline constexpr bool kIsSanitized = !kSanitizer.empty();
inline constexpr bool kWatchesThreads = kSanitizer == "thread";

}  // namespace pilum::fakes
