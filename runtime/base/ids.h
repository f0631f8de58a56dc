// Strong ids: numbers that cannot be mixed up.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace pilum {

template <class Tag, class Value = std::int64_t>
struct Id {
  Value value = -1;
  constexpr explicit operator bool() const { return value >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

template <class Tag, class Value>
std::ostream& operator<<(std::ostream& out, Id<Tag, Value> id) {
  return out << Tag::kPrefix << id.value;
}

struct StoreTag {
  static constexpr const char* kPrefix = "s";
};
struct ProcessorTag {
  static constexpr const char* kPrefix = "p";
};
struct AllocationTag {
  static constexpr const char* kPrefix = "a";
};
struct InstructionTag {
  static constexpr const char* kPrefix = "i";
};

using StoreId = Id<StoreTag>;              // the same on every rank: stores are numbered as they are recorded
using ProcessorId = Id<ProcessorTag>;      // global: rank * processors per rank + local number
using AllocationId = Id<AllocationTag>;    // this rank's
using InstructionId = Id<InstructionTag>;  // this rank's, in program order

}  // namespace pilum

template <class Tag, class Value>
struct std::hash<pilum::Id<Tag, Value>> {
  std::size_t operator()(pilum::Id<Tag, Value> id) const noexcept { return std::hash<Value>()(id.value); }
};
