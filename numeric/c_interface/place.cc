#include "numeric/c_interface/place.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

namespace pilum::c_interface {
namespace {

// C++ has no constructor for a source_location of one's own. This is what the compilers' __builtin_source_location
// points to, whose members GCC and clang prescribe to both standard libraries; a test compares.
struct Known {
  const char* file;
  const char* function;
  unsigned line;
  unsigned column;
};
static_assert(sizeof(std::source_location) == sizeof(const Known*) &&
                  std::is_trivially_copyable_v<std::source_location>,
              "this standard library's source_location is another one: teach locate() how to make it");

const Known* keep(const char* file, unsigned line) {
  static std::mutex mutex;
  static auto* places = new std::map<std::pair<std::string, unsigned>, Known>;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = places->try_emplace({file, line});
  if (is_new) place->second = {place->first.first.c_str(), "", line, 0};
  return &place->second;
}

// What was looked up last, by address; whether the text there is still the same is looked at, as callers other than C
// pass what lies in a buffer.
struct Recent {
  const char* file = nullptr;
  const Known* known = nullptr;
};

}  // namespace

std::source_location locate(pilum_place place) {
  thread_local std::array<Recent, 64> recent;
  const char* file = place.file ? place.file : "a line that is not known";
  const auto line =
      static_cast<unsigned>(std::clamp<std::int64_t>(place.line, 0, std::numeric_limits<unsigned>::max()));
  Recent& slot = recent[(reinterpret_cast<std::uintptr_t>(file) / 8 * 31 + line) % recent.size()];
  if (slot.file != file || slot.known->line != line || std::strcmp(slot.known->file, file) != 0) {
    slot = {file, keep(file, line)};
  }
  return std::bit_cast<std::source_location>(slot.known);
}

}  // namespace pilum::c_interface
