// What tells users' functions apart between ranks.
#include "pilum/detail/function_identity.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "runtime/base/hash.h"

namespace pilum::detail {
namespace {

// A word that may be an address in this process: as every rank finds it.
std::uint64_t without_base(std::uint64_t word) {
  static const char here = 0;
  // Programs are loaded high up, or, linked for fixed addresses, low down.
  static const std::uint64_t lowest = std::uint64_t{1} << (reinterpret_cast<std::uintptr_t>(&here) >> 40 ? 40 : 16);
  constexpr std::uint64_t kPage = 4096;
  if (word < lowest || word >> 47 != 0) return word;
  unsigned char resident = 0;
  if (mincore(reinterpret_cast<void*>(word & ~(kPage - 1)), 1, &resident) != 0) return word;  // nothing is mapped there
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(word), &info) == 0 || !info.dli_fbase) return 1;
  return word - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

}  // namespace

std::uint64_t hash_state(std::string_view type, std::span<const std::byte> bytes) {
  std::uint64_t hash = hash_bytes(std::as_bytes(std::span(type)));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof hash) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    hash = mix(hash, without_base(word));
  }
  return hash;
}

}  // namespace pilum::detail
