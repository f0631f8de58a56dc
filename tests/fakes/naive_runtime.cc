// pilum::Runtime over the naive recorder: link it in place of pilum_numeric, beside pilum_arrays.
#include "pilum/runtime.h"
#include "tests/fakes/naive_recorder.h"

namespace pilum {

struct Runtime::State {
  fakes::NaiveRecorder recorder;
};

Runtime::Runtime() : state_(std::make_unique<State>()) {}
Runtime::Runtime(int, char**) : Runtime() {}
Runtime::~Runtime() = default;
void Runtime::wait(std::source_location) {}
int Runtime::rank() const {
  return 0;
}
int Runtime::ranks() const {
  return 1;
}
int Runtime::processors() const {
  return 1;
}
int Runtime::cores() const {
  return 1;
}
std::string Runtime::transport() const {
  return "self";
}

}  // namespace pilum
