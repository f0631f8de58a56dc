#include "pilum/runtime.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <source_location>
#include <system_error>
#include <thread>

#include "numeric/runtime_guard.h"
#include "pilum/error.h"
#include "runtime/base/config.h"
#include "runtime/base/flush.h"
#include "runtime/base/log.h"
#include "scheduler/session/session.h"

namespace pilum {
namespace {

// An exception that nobody catches: one line instead of the library's words, and the job ends.
[[noreturn]] void end_uncaught() {
  const char* text = "std::terminate was called";
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::exception& error) {
    flush_output();  // first, as it was printed first
    std::fprintf(stderr, "pilum: rank %d: uncaught exception: %s\n", log_rank(), error.what());
    std::_Exit(1);
  } catch (...) {
    text = "an exception of an unknown type";
  }
  flush_output();
  std::fprintf(stderr, "pilum: rank %d: %s\n", log_rank(), text);
  std::_Exit(1);
}

// Standard output of ranks above 0 says the same as rank 0's.
void drop_output() {
  std::fflush(stdout);
  if (!std::freopen("/dev/null", "w", stdout)) log("numeric").warn("standard output cannot be redirected to /dev/null");
}

}  // namespace

struct Runtime::State {
  numeric::RuntimeGuard guard;
  std::unique_ptr<scheduler::Session> session;
  std::thread::id thread = std::this_thread::get_id();
  scheduler::Recorder* outer = nullptr;
  int exceptions = 0;
};

Runtime::Runtime(int, char**) : Runtime() {}

Runtime::Runtime() : state_((std::set_terminate(end_uncaught), std::make_unique<State>())) {
  begin(nullptr);
}

Runtime::Runtime(detail::GivenCommunicator communicator) : state_(std::make_unique<State>()) {
  begin(&communicator);
}

void Runtime::begin(const detail::GivenCommunicator* given) {
  scheduler::check_may_record("Runtime", std::source_location::current());
  const Config config = read_config();
  std::optional<comm::HostCommunicator> host;
  if (given) host = {given->address, given->bytes};
  state_->session = std::make_unique<scheduler::Session>(scheduler::make_session_parts(config, host));
  if (!given && state_->session->rank() > 0 && config.output != "all") drop_output();
  state_->outer = scheduler::set_current_recorder(state_->session.get());
  state_->exceptions = std::uncaught_exceptions();
}

Runtime::~Runtime() {
  if (numeric::is_forked_child()) {  // all of it is the parent's
    (void)state_.release();
    return;
  }
  scheduler::set_current_recorder(state_->outer);
  scheduler::Session& session = *state_->session;
  const bool unwinding = std::uncaught_exceptions() > state_->exceptions;
  const bool told = session.told_of_failure();  // the program goes on in the knowledge of it: how it ends is its own
  if (!unwinding && !(told && session.failed())) {
    try {
      session.finish();
      return;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "pilum: rank %d: %s\n", session.rank(), error.what());
    }
  }
  if (session.machine().ranks == 1) {
    if (!unwinding && !told) std::exit(1);
    return;
  }
  // Peers wait for this rank: the job ends. The program gets a moment to say why.
  comm::Communicator& communicator = session.communicator();
  (void)state_->session.release();
  if (!unwinding && !told) communicator.abort(1);
  flush_output();
  try {
    std::thread([&communicator] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      flush_output();
      communicator.abort(1);
    }).detach();
  } catch (const std::system_error&) {  // no thread can be had
    communicator.abort(1);
  }
}

void Runtime::wait(std::source_location where) {
  numeric::refuse_in_forked_child("wait");
  scheduler::check_may_record("wait", where);
  if (std::this_thread::get_id() != state_->thread) {
    throw RuntimeError(
        std::string("[wait] this thread did not make the pilum::Runtime: record and wait on the one that did. "
                    "Called at ") +
        where.file_name() + ":" + std::to_string(where.line()));
  }
  state_->session->wait(where);
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
