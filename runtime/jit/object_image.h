// A compiled kernel placed in memory without a linker or a file.
#pragma once

#include <cstddef>
#include <string_view>

namespace pilum::jit {

// Whether the bytes are an ELF relocatable object; a shared object is not.
[[nodiscard]] bool is_relocatable(std::string_view image);
// Whether an ObjectImage can be made of the object: for x86-64, code and constants only, and no relocations or library
// functions but those known here. Anything else is for a linker.
[[nodiscard]] bool can_place(std::string_view object);

// The code and constants of an object, in pages of their own that can be read and executed, not written. Unwind tables
// are left out: nothing throws through a kernel.
class ObjectImage {
 public:
  // Finds the function of that name in an object that can_place() accepts. Throws pilum::RuntimeError if the object is
  // none, has no such function, or memory is refused.
  ObjectImage(std::string_view object, std::string_view function);
  ~ObjectImage();
  ObjectImage(const ObjectImage&) = delete;
  ObjectImage& operator=(const ObjectImage&) = delete;

  void* function() const { return function_; }

 private:
  char* memory_ = nullptr;
  std::size_t size_ = 0;
  void* function_ = nullptr;
};

}  // namespace pilum::jit
