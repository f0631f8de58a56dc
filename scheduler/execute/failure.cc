#include "scheduler/execute/failure.h"

#include <utility>

#include "pilum/error.h"
#include "scheduler/execute/explain.h"

namespace pilum::scheduler {

void Failure::fail(std::exception_ptr error, bool told) {
  bool first = false;
  {
    const ScopedLock lock(mutex_);
    if (!error_) error_ = error;
    told_ = told_ || told;
    first = !failed_.exchange(true, std::memory_order_acq_rel);
  }
  if (first && on_failure_) on_failure_();
}

void Failure::fail(const Instruction& instruction, const std::string& what) {
  fail(std::make_exception_ptr(RuntimeError(explain(instruction, what))));
}

void Failure::fail(const Instruction& instruction, const std::exception& error) {
  const std::string text = explain(instruction, error.what());
  if (dynamic_cast<const IndexError*>(&error)) return fail(std::make_exception_ptr(IndexError(text)));
  if (dynamic_cast<const LinAlgError*>(&error)) return fail(std::make_exception_ptr(LinAlgError(text)));
  if (dynamic_cast<const ValueError*>(&error)) return fail(std::make_exception_ptr(ValueError(text)));
  if (dynamic_cast<const ShapeError*>(&error)) return fail(std::make_exception_ptr(ShapeError(text)));
  if (dynamic_cast<const DTypeError*>(&error)) return fail(std::make_exception_ptr(DTypeError(text)));
  fail(std::make_exception_ptr(RuntimeError(text)));
}

void Failure::throw_it() {
  const ScopedLock lock(mutex_);
  if (!std::exchange(told_, true)) std::rethrow_exception(error_);
  try {
    std::rethrow_exception(error_);
  } catch (const std::exception& error) {
    throw RuntimeError(std::string("[Runtime] this runtime failed earlier and cannot go on: ") + error.what());
  }
}

bool Failure::told() {
  const ScopedLock lock(mutex_);
  return told_;
}

void Failure::suspect(const comm::SizeMismatch& mismatch, const Instruction* waiting) {
  std::string text = mismatch.what();
  if (waiting) text = explain(*waiting, text);
  const ScopedLock lock(mutex_);
  if (!suspicion_) suspicion_ = std::make_exception_ptr(RuntimeError(text));
  suspicious_.store(true, std::memory_order_release);
}

void Failure::fail_suspicion() {
  std::exception_ptr suspicion;
  {
    const ScopedLock lock(mutex_);
    suspicion = suspicion_;
  }
  fail(suspicion);
}

}  // namespace pilum::scheduler
