// An AppendingRecorder behind a library's door: what a program sees that has the public headers alone.
#pragma once

#include <memory>

#include "pilum/export.h"

namespace pilum::test {

class AppendingRecorder;

// This thread's arrays are recorded into it while it lives.
class Recording {
 public:
  PILUM_API Recording();
  PILUM_API ~Recording();

 private:
  std::unique_ptr<AppendingRecorder> recorder_;
};

}  // namespace pilum::test
