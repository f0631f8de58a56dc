// What a call throws.
#pragma once

#include <exception>
#include <string>

#include <gtest/gtest.h>

namespace pilum {

// Its text; none: it throws nothing. Of another kind it is a failure.
template <class Error, class Function>
std::string error_of(const Function& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
  }
  return "";
}

}  // namespace pilum
