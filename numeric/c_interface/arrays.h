// The arrays that C programs hold.
#pragma once

#include "numeric/c_interface/handles.h"
#include "pilum/array.h"

namespace pilum::c_interface {

// Each thread has its own, as arrays belong to the thread of their Runtime.
using Arrays = Handles<numeric::Array, 1>;

inline Arrays& arrays() {
  return of_this_thread<Arrays>();
}

}  // namespace pilum::c_interface
