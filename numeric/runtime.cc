#include "pilum/runtime.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>

#include "pilum/error.h"
#include "runtime/base/config.h"
#include "runtime/base/log.h"
#include "scheduler/session.h"

namespace pilum {
namespace {

// An exception that nobody catches: one line instead of the library's words, and the job ends.
[[noreturn]] void end_uncaught() {
  const char* text = "an exception of an unknown type";
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
    text = "std::terminate was called";
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pilum: rank %d: uncaught exception: %s\n", log_rank(), error.what());
    std::_Exit(1);
  } catch (...) {
  }
  std::fprintf(stderr, "pilum: rank %d: %s\n", log_rank(), text);
  std::_Exit(1);
}

// Standard output of ranks above 0 says the same as rank 0's.
void drop_output() {
  std::fflush(stdout);
  if (!std::freopen("/dev/null", "w", stdout)) log("numeric").warn("standard output cannot be dropped");
}

}  // namespace

struct Runtime::State {
  std::unique_ptr<scheduler::Session> session;
  scheduler::Recorder* outer = nullptr;
  int exceptions = 0;
};

Runtime::Runtime(int, char**) : Runtime() {}

Runtime::Runtime() : state_(std::make_unique<State>()) {
  const Config config = read_config();
  state_->session = std::make_unique<scheduler::Session>(scheduler::make_session_parts(config));
  std::set_terminate(end_uncaught);
  if (state_->session->rank() > 0 && config.output != "all") drop_output();
  state_->outer = scheduler::set_current_recorder(state_->session.get());
  state_->exceptions = std::uncaught_exceptions();
}

Runtime::~Runtime() {
  scheduler::set_current_recorder(state_->outer);
  scheduler::Session& session = *state_->session;
  const bool unwinding = std::uncaught_exceptions() > state_->exceptions;
  std::string reason;
  if (!unwinding && !session.failed()) {
    try {
      session.finish();
      return;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "pilum: rank %d: %s\n", session.rank(), error.what());
    }
  }
  if (session.machine().ranks == 1) {
    if (!unwinding && session.failed()) std::exit(1);
    return;
  }
  // Peers wait for this rank: the job ends. The program gets a moment to say why.
  comm::Communicator& communicator = session.communicator();
  (void)state_->session.release();
  if (!unwinding) communicator.abort(1);
  std::fflush(stdout);
  std::thread([&communicator] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    communicator.abort(1);
  }).detach();
}

void Runtime::wait() {
  state_->session->wait();
}
int Runtime::rank() const {
  return state_->session->rank();
}
int Runtime::ranks() const {
  return state_->session->machine().ranks;
}
int Runtime::cores() const {
  return state_->session->cores();
}

int Runtime::processors() const {
  return state_->session->machine().processors();
}
std::string Runtime::transport() const {
  return state_->session->transport();
}

}  // namespace pilum
