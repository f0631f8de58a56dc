// The seam between the library and the plug-in that holds clang. The plug-in is a shared object loaded only when a
// kernel is in no cache; it is built with the same compiler, so C++ types may cross.
#pragma once

#include <string>

namespace pilum::jit {

struct ClangRequest {
  const std::string* text = nullptr;
  std::string sanitize;   // "", "address", "undefined", "thread", with commas between
  bool baseline = false;  // cheaper code generation, the same bits
};

// Compiles to a relocatable object. False: `message` says why. Any thread, several at once; prints nothing.
using ClangCompile = bool (*)(const ClangRequest& request, std::string& object, std::string& message);
inline constexpr const char* kClangCompileSymbol = "pilum_clang_compile";

}  // namespace pilum::jit
