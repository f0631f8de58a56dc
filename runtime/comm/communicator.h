// How ranks talk: tag-matched, non-blocking messages, and a control channel beside them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pilum/error.h"
#include "runtime/base/named_value.h"

namespace pilum::comm {

// Matches a send with a receive between two ranks: message k of window w. Both sides number alike.
struct Tag {
  std::uint32_t window = 0;
  std::uint32_t message = 0;
  bool operator==(const Tag&) const = default;
};

// A transfer in flight. 0 is none. Valid until test() has said true once.
using Request = std::uint64_t;
// A transfer that was done before its call returned; it may be asked for, and need not be.
inline constexpr Request kDoneRequest = 1;

// A message has another size than its receive: the two ranks do not run the same operations. The transfer stays undone,
// the communicator goes on.
struct SizeMismatch : RuntimeError {
  SizeMismatch(const std::string& text, int sender, Tag message) : RuntimeError(text), from(sender), tag(message) {}
  int from = 0;
  Tag tag;
};

struct ControlMessage {
  int from = 0;
  std::vector<std::byte> bytes;
};

// Passive: nothing moves but inside its calls, and one thread calls at a time (the caller holds a lock).
// Transfers between two ranks match by tag alone, in any order of posting; a message that arrives before its
// receive is posted is kept. Buffers belong to the communicator until the transfer is done.
// A failed transfer, or a peer that is gone, throws pilum::RuntimeError that names the peer.
class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string name() const = 0;  // "self", "mpi", "ucx", "simulated"
  // True where send() and receive() take GPUs' memory too.
  virtual bool reaches_gpus() const { return false; }

  [[nodiscard]] virtual Request send(int to, Tag tag, std::span<const std::byte> bytes) = 0;
  // The message must have exactly this many bytes; another size throws SizeMismatch, here or where the message is
  // noticed.
  [[nodiscard]] virtual Request receive(int from, Tag tag, std::span<std::byte> bytes) = 0;
  // True once the transfer is done (and then the request is gone). Does not make progress.
  [[nodiscard]] virtual bool test(Request request) = 0;
  // Lets transfers move; true if something did.
  virtual bool progress() = 0;

  // Small messages (<= 4 KiB) outside the data: divergence checks, abort, leaving. In order between two ranks.
  virtual void send_control(int to, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual std::optional<ControlMessage> poll_control() = 0;
  // False while a control message of this rank arrives only if this rank goes on making progress: a connection may
  // still be under way.
  [[nodiscard]] virtual bool control_is_out() const { return true; }

  // Waits until all ranks are here; progresses meanwhile. For start and end only.
  virtual void barrier() = 0;
  // The bytes of every rank, by rank: for start only. All give the same size.
  [[nodiscard]] virtual std::vector<std::byte> all_gather(std::span<const std::byte> bytes) = 0;
  // Leaves in order: all ranks call it, nothing is in flight.
  virtual void finalize() = 0;
  // Ends every rank of the job with this exit status, now.
  [[noreturn]] virtual void abort(int status) = 0;
};

// A communicator of the program's own: where its MPI_Comm is, and how large that is. Of MPI without mpi.h.
struct HostCommunicator {
  const void* address = nullptr;
  std::size_t bytes = 0;
};

enum class Transport { Best, Self, Mpi, Ucx };

// True when this process was started as one of several ranks (by mpirun or srun --mpi=pmix): from the
// environment alone, no MPI call is made.
[[nodiscard]] bool is_multi_rank();
// This rank's number where the launcher's environment says it, before any call of MPI.
[[nodiscard]] std::optional<int> launched_rank();
// Takes back what libraries do with signals that are the program's, such as SIGHUP when its terminal is gone.
void leave_signals_alone();
// Best: self for a single rank, else ucx if it works, else mpi. Throws pilum::RuntimeError if what was asked is not
// there, and pilum::ValueError, on every rank alike, if ranks have different values to agree on.
[[nodiscard]] std::unique_ptr<Communicator> make_communicator(Transport transport,
                                                              std::span<const NamedValue> to_agree_on = {});
// The same among the ranks of a program's communicator, whatever the launcher says. MPI runs already, and is not ended.
// Below MPI_THREAD_MULTIPLE no other thread than this one calls MPI.
[[nodiscard]] std::unique_ptr<Communicator> make_communicator(Transport transport,
                                                              std::span<const NamedValue> to_agree_on,
                                                              const HostCommunicator& host);

// Many ranks in one process, one thread each, for tests. Messages arrive late and out of order, as the seed says.
// The communicators keep the network alive; each is used by its own rank's threads.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> make_simulated_network(
    int ranks, std::uint64_t seed, std::chrono::milliseconds latest = std::chrono::milliseconds(2));

}  // namespace pilum::comm
