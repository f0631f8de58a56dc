// pilum::Runtime over two emulated GPUs: link it in place of pilum_numeric, beside pilum_arrays.
#include "pilum/runtime.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {

struct Runtime::State {
  scheduler::Session session{fakes::make_simulated_parts({.processors_per_rank = 2, .gpus = true},
                                                         std::move(comm::make_simulated_network(1, /*seed=*/1)[0]))};
  scheduler::Recorder* outer = scheduler::set_current_recorder(&session);
};

Runtime::Runtime() : state_(std::make_unique<State>()) {}
Runtime::Runtime(int, char**) : Runtime() {}
Runtime::~Runtime() {
  scheduler::set_current_recorder(state_->outer);
  state_->session.finish();
}
void Runtime::wait(std::source_location) {
  state_->session.wait();
}
int Runtime::rank() const {
  return 0;
}
int Runtime::ranks() const {
  return 1;
}
int Runtime::processors() const {
  return 2;
}
int Runtime::cores() const {
  return 1;
}
std::string Runtime::transport() const {
  return "self";
}

}  // namespace pilum
