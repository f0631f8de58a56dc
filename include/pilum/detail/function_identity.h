// Tells the functions of users apart: bodies of tasks, and projections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "pilum/detail/task_form.h"
#include "pilum/export.h"

namespace pilum::detail {

// A hash of a value's bytes that is the same on every rank: addresses of heap and stack are left out, those of
// functions and static objects count from where their library was loaded.
PILUM_API std::uint64_t hash_state(std::string_view type, std::span<const std::byte> bytes);

// Of what a function, or a value for a body, holds. Only what can be copied byte by byte is looked into.
template <class T>
std::uint64_t hash_of_state(const T& value) {
  if constexpr (std::is_empty_v<T> || !std::is_trivially_copyable_v<T>) {
    static const std::uint64_t hash = hash_state(typeid(T).name(), {});
    return hash;
  }
  alignas(T) std::byte bytes[sizeof(T)] = {};
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  if constexpr (std::is_trivially_copyable_v<T>) {
    std::memcpy(bytes, &value, sizeof value);
    __builtin_clear_padding(reinterpret_cast<T*>(bytes));
    return hash_state(typeid(T).name(), bytes);
  }
#endif
#endif
  if constexpr (std::has_unique_object_representations_v<T>) std::memcpy(bytes, &value, sizeof value);
  return hash_state(typeid(T).name(), bytes);
}

// In this process by where the code is, the same for the same function, however often it is made; between ranks by the
// hash of its state.
template <class Function>
FunctionIdentity identify(const Function& function) {
  static const char here = 0;
  FunctionIdentity identity{reinterpret_cast<std::uintptr_t>(&here), 0, hash_of_state(function)};
  if constexpr (std::is_pointer_v<Function>) {
    identity.object = reinterpret_cast<std::uintptr_t>(function);
  } else if constexpr (!std::is_empty_v<Function>) {
    identity.object = FunctionIdentity::kHasState;  // each one is another
  }
  return identity;
}

}  // namespace pilum::detail
