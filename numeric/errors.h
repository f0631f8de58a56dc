// A user's mistakes: one text for all of them.
#pragma once

#include <charconv>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "pilum/dtype.h"
#include "pilum/error.h"
#include "pilum/shape.h"

namespace pilum::numeric {

// The user's call that is being checked or recorded: "add", and where it stands.
struct Call {
  const char* name;
  std::source_location where;
};

namespace detail {

inline std::string as_text(std::string_view text) {
  return std::string(text);
}
inline std::string as_text(const Shape& shape) {
  return to_string(shape);
}
inline std::string as_text(DType dtype) {
  return name(dtype);
}
template <class T>
  requires std::is_arithmetic_v<T>
std::string as_text(T number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number ? "true" : "false";
  } else {
    char text[40];  // the shortest digits that give the number back
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
  }
}

}  // namespace detail

// Throws Kind with "[add] <parts>. Called at app.cc:31". Write the parts as what is wrong, with values; the remedy.
template <class Kind, class... Parts>
[[noreturn, gnu::cold]] void fail(const Call& call, const Parts&... parts) {
  std::string text = "[" + std::string(call.name) + "] ";
  ((text += detail::as_text(parts)), ...);
  if (call.where.line() == 0) throw Kind(text);  // of an operator that no line comes along with
  throw Kind(text + ". Called at " + call.where.file_name() + ":" + std::to_string(call.where.line()));
}

}  // namespace pilum::numeric
