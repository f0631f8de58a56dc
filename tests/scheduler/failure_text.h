// What a failure throws.
#pragma once

#include <exception>
#include <string>

#include "scheduler/execute/failure.h"

namespace pilum::scheduler {

// Empty where nothing failed.
inline std::string text_of(Failure& failure) {
  try {
    failure.check();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace pilum::scheduler
