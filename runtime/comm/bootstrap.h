// What starts and ends the ranks of a job, and what they agree on before they can talk otherwise.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace pilum::comm {

// The launcher's side of a job, over MPI: made once a process, by every rank at the same time. The collective
// calls do not block the thread: they call `idle` until all ranks are there, so that the transport keeps moving.
class Bootstrap {
 public:
  using Idle = std::function<void()>;

  virtual ~Bootstrap() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // True if all ranks share one node's memory.
  virtual bool on_one_node() const = 0;
  // False where MPI may be called by the thread alone that made this.
  virtual bool any_thread() const { return true; }
  virtual void barrier(const Idle& idle) = 0;
  // Every rank gives as many bytes.
  [[nodiscard]] virtual std::vector<std::byte> all_gather(std::span<const std::byte> bytes, const Idle& idle) = 0;
  virtual void finalize() = 0;
  [[noreturn]] virtual void abort(int status) = 0;
};

// Throws pilum::RuntimeError if this build or this process cannot have one.
[[nodiscard]] std::shared_ptr<Bootstrap> make_bootstrap();
// Of the ranks of a communicator that the program gives, and that is duplicated: by all of them at the same time.
// Throws pilum::ValueError too, for a communicator that is none.
struct HostCommunicator;
[[nodiscard]] std::shared_ptr<Bootstrap> make_bootstrap(const HostCommunicator& host);

}  // namespace pilum::comm
