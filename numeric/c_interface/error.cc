#include "numeric/c_interface/error.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "numeric/c_interface/caller.h"
#include "pilum/c.h"

namespace pilum::c_interface {
namespace {

pilum_status status_of(const std::exception& error) {
  const auto is = [&]<class T>(const T*) { return dynamic_cast<const T*>(&error) != nullptr; };
  if (is(static_cast<const HandleError*>(nullptr))) return PILUM_HANDLE_ERROR;
  if (is(static_cast<const ShapeError*>(nullptr))) return PILUM_SHAPE_ERROR;
  if (is(static_cast<const IndexError*>(nullptr))) return PILUM_INDEX_ERROR;
  if (is(static_cast<const DTypeError*>(nullptr))) return PILUM_DTYPE_ERROR;
  if (is(static_cast<const ValueError*>(nullptr))) return PILUM_VALUE_ERROR;
  if (is(static_cast<const MemoryError*>(nullptr))) return PILUM_MEMORY_ERROR;
  if (is(static_cast<const RuntimeError*>(nullptr))) return PILUM_RUNTIME_ERROR;
  return PILUM_OTHER_ERROR;
}

// Other languages may not know their line: then the text says nothing of one.
void drop_unknown_place(std::string& text) {
  for (const std::string_view unknown :
       {". Called at a line that is not known:0", ". Recorded at a line that is not known:0"}) {
    if (const auto at = text.find(unknown); at != std::string::npos) text.erase(at, unknown.size());
  }
}

}  // namespace

LastError& last_error() noexcept {
  thread_local LastError error;
  return error;
}

pilum_status note_failure(const char* name, pilum_place place) noexcept {
  LastError& last = last_error();
  try {
    try {
      throw;
    } catch (const Error& error) {
      last = {status_of(error), error.what()};
      // What has no line of its own, as a Runtime that cannot start, gets the call's.
      if (last.message.find("Called at ") == std::string::npos && place.file) {
        last.message += std::string(". Called at ") + place.file + ":" + std::to_string(place.line);
      }
      drop_unknown_place(last.message);
    } catch (const std::bad_alloc&) {
      last = {PILUM_MEMORY_ERROR, std::string("[") + name + "] the process has no memory left: drop arrays, and go on"};
    } catch (const std::exception& error) {
      last = {PILUM_OTHER_ERROR, std::string("[") + name + "] " + error.what()};
    } catch (...) {
      last = {PILUM_OTHER_ERROR, std::string("[") + name + "] an exception of an unknown type"};
    }
  } catch (...) {  // no memory for the text either
    last.status = PILUM_MEMORY_ERROR;
    last.message.clear();
  }
  return last.status;
}

}  // namespace pilum::c_interface

using pilum::c_interface::last_error;

pilum_status pilum_error_status(void) {
  return last_error().status;
}

const char* pilum_error_message(void) {
  return last_error().message.c_str();
}

const char* pilum_status_name(int status) {
  static constexpr const char* kNames[] = {"ok",          "shape error",  "index error",   "dtype error",
                                           "value error", "memory error", "runtime error", "handle error",
                                           "other error"};
  return status >= PILUM_OK && status <= PILUM_OTHER_ERROR ? kNames[status] : "unknown status";
}

void pilum_exit_on_error(pilum_status status) {
  if (status == PILUM_OK) return;
  std::fflush(stdout);
  const std::string& message = last_error().message;
  std::fprintf(stderr, "pilum: %s\n", message.empty() ? pilum_status_name(status) : message.c_str());
  std::exit(1);
}
