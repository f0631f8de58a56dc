// One call from C: its arguments as C++ takes them, and its errors as C takes them.
#pragma once

#include <optional>
#include <source_location>

#include "numeric/errors.h"
#include "pilum/array.h"
#include "pilum/c_types.h"
#include "pilum/error.h"
#include "pilum/manipulation.h"

namespace pilum::c_interface {

// A handle that names nothing. Known to C by a code of its own.
class HandleError : public ValueError {
  using ValueError::ValueError;
};

// Who calls: the function's name and the line. Turns arguments into what C++ takes; throws where they are none.
class Caller {
 public:
  Caller(const char* name, pilum_place place);

  std::source_location where() const { return call_.where; }
  const numeric::Call& call() const { return call_; }

  // Throws HandleError for a handle of no array, naming the parameter.
  const numeric::Array& array(const char* parameter, pilum_array handle) const;
  numeric::Operand operand(const char* parameter, const pilum_operand& operand) const;
  Shape shape(const pilum_shape& shape) const;
  numeric::Axes axes(const pilum_axes& axes) const;
  // Nothing for PILUM_NATURAL.
  std::optional<DType> dtype(pilum_dtype dtype) const;
  numeric::Index index(const pilum_index& index) const;
  // Throws ValueError for a null pointer.
  void require(const char* parameter, const void* pointer) const;

 private:
  numeric::Call call_;
};

// This thread's arrays.
pilum_array new_handle(const numeric::Array& array);

// No exception leaves a call: the exception that is being handled becomes this thread's error.
pilum_status note_failure(const char* name, pilum_place place) noexcept;

template <class Body>
pilum_status run(const char* name, pilum_place place, Body&& body) noexcept {
  try {
    body(Caller(name, place));
    return PILUM_OK;
  } catch (...) {
    return note_failure(name, place);
  }
}

// `make` gives an array: `*out` becomes a new handle of it, or null where it throws.
template <class Make>
pilum_status make_array(const char* name, pilum_place place, pilum_array* out, Make&& make) noexcept {
  return run(name, place, [&](const Caller& caller) {
    caller.require("out", out);
    *out = nullptr;
    *out = new_handle(make(caller));
  });
}

// The matrices transposed, where that is asked for: of a vector the same.
inline numeric::Array turned(const numeric::Array& a, bool transposed) {
  return transposed && a.ndim() >= 2 ? numeric::swapaxes(a, -1, -2) : a;
}

}  // namespace pilum::c_interface
