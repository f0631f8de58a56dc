#include <cstdio>
#include <cstdlib>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/comm/bootstrap.h"
#include "runtime/comm/environment.h"
#include "runtime/comm/mpi_call.h"
#include "runtime/comm/mpi_settings.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

// Serialized is enough: one thread calls a communicator at a time.
constexpr int kThreadLevel = MPI_THREAD_SERIALIZED;

// Starts MPI unless the program has; then the program also ends it. True if it was started here.
bool start_mpi() {
  int was_finalized = 0;
  MPI_Finalized(&was_finalized);
  if (was_finalized) throw RuntimeError("[Runtime] MPI was finalized already, and cannot start twice in a process.");

  int was_initialized = 0;
  int provided = 0;
  MPI_Initialized(&was_initialized);
  if (was_initialized) {
    check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  } else {
    choose_mpi_settings();
    check_mpi(MPI_Init_thread(nullptr, nullptr, kThreadLevel, &provided), "MPI_Init_thread");
  }
  if (provided < kThreadLevel) {
    throw RuntimeError(fmt::format("[Runtime] this MPI gives thread level {} where {} (serialized) is needed: call "
                                   "MPI_Init_thread with it, or use an MPI built with threads.",
                                   provided, kThreadLevel));
  }
  return !was_initialized;
}

class MpiBootstrap final : public Bootstrap {
 public:
  MpiBootstrap() : started_here_(start_mpi()) {
    check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_mpi(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(world_, &size_), "MPI_Comm_size");
    check_launcher();

    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    check_mpi(MPI_Comm_size(node, &node_size_), "MPI_Comm_size");
    check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool on_one_node() const override { return node_size_ == size_; }

  void barrier(const Idle& idle) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(world_, &request), "MPI_Ibarrier");
    wait(request, "MPI_Ibarrier", idle);
  }

  std::vector<std::byte> all_gather(std::span<const std::byte> bytes, const Idle& idle) override {
    std::vector<std::byte> all(bytes.size() * size_);
    const int count = static_cast<int>(bytes.size());
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallgather(bytes.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, world_, &request),
              "MPI_Iallgather");
    wait(request, "MPI_Iallgather", idle);
    return all;
  }

  void finalize() override {
    check_mpi(MPI_Comm_free(&world_), "MPI_Comm_free");
    if (started_here_) check_mpi(MPI_Finalize(), "MPI_Finalize");
  }

  void abort(int status) override {
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
  }

 private:
  // One MPI's launcher with another MPI's library gives every process a world of its own.
  void check_launcher() const {
    const auto launched = launched_size();
    if (!launched || *launched == size_) return;
    throw RuntimeError(fmt::format("[Runtime] the launcher started {} ranks, but MPI sees {}: mpirun and the MPI "
                                   "library that this program was built with are not of one kind. Use the mpirun of "
                                   "that library ({}), or srun --mpi=pmix.",
                                   *launched, size_, library_version()));
  }

  static std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string version(text);
    return version.substr(0, version.find_first_of(",\n"));
  }

  static void wait(MPI_Request& request, const char* call, const Idle& idle) {
    IdleSpin spin;
    int done = 0;
    while (true) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
      if (done) return;
      idle();
      spin.rest(/*something_moved=*/false);
    }
  }

  const bool started_here_;
  MPI_Comm world_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int node_size_ = 1;
};

}  // namespace

std::shared_ptr<Bootstrap> make_bootstrap() { return std::make_shared<MpiBootstrap>(); }

}  // namespace pilum::comm
