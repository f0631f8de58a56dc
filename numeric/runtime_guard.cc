#include "numeric/runtime_guard.h"

#include <pthread.h>

#include <source_location>
#include <string>

#include "pilum/error.h"
#include "scheduler/record/recorder.h"

namespace pilum::numeric {
namespace {

std::atomic<bool> there_is_one{false};
std::atomic<std::thread::id> its_thread{};
std::atomic<bool> forked{false};

[[noreturn]] void throw_forked(const char* operation, const std::string& where) {
  throw RuntimeError("[" + std::string(operation) +
                     "] this process was forked from one that had a Runtime: arrays, threads and connections are its "
                     "parent's. Use arrays in the parent alone, fork before the Runtime is made, or start a program of "
                     "its own (exec)" +
                     where);
}

// Stands for the parent's recorder in a forked child.
class ForkedRecorder final : public scheduler::Recorder {
 public:
  scheduler::StoreRef make_store(const Shape&, DType, const char* operation, std::source_location where) override {
    refuse(operation, where);
  }
  void check(const scheduler::TaskLaunch&) override { refuse_in_forked_child("task"); }
  void record(scheduler::Operation&& operation) override { refuse(operation.name, operation.where); }
  void drop(scheduler::Store&) noexcept override {}
  std::vector<std::byte> fetch(const scheduler::View&, const char* operation, std::source_location where) override {
    refuse(operation, where);
  }
  void wait(std::source_location where) override { refuse("wait", where); }
  LentStore lend(const scheduler::LentBlock&, const Shape&, DType, const char* operation,
                 std::source_location where) override {
    refuse(operation, where);
  }
  std::vector<scheduler::LocalCells> lock(const scheduler::View&, const scheduler::LocalRequest&, const char* operation,
                                          std::source_location where) override {
    refuse(operation, where);
  }

 private:
  [[noreturn]] static void refuse(const char* operation, std::source_location where) {
    throw_forked(operation, std::string(". Called at ") + where.file_name() + ":" + std::to_string(where.line()));
  }
};

ForkedRecorder forked_recorder;

// Runs in the child, on the one thread that it has.
void after_fork() {
  if (!there_is_one) return;
  forked = true;
  if (!scheduler::set_current_recorder(&forked_recorder)) scheduler::set_current_recorder(nullptr);
}

}  // namespace

RuntimeGuard::RuntimeGuard() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, after_fork);
  refuse_in_forked_child("Runtime");
  if (there_is_one.exchange(true)) {
    const bool here = its_thread.load() == std::this_thread::get_id();
    throw RuntimeError(
        std::string("[Runtime] a Runtime exists already, made on ") + (here ? "this" : "another") +
        " thread: a process has one at a time, for one thread. Use its arrays on the thread that made it, "
        "or make the next one after its end");
  }
  its_thread = std::this_thread::get_id();
}

RuntimeGuard::~RuntimeGuard() {
  there_is_one = false;
}

bool is_forked_child() noexcept {
  return forked;
}

void refuse_in_forked_child(const char* operation) {
  if (forked) throw_forked(operation, "");
}

}  // namespace pilum::numeric
