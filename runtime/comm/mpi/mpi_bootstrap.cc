#include "runtime/comm/mpi/mpi_bootstrap.h"

#include <cstdio>
#include <cstdlib>

#include "pilum/error.h"
#include "runtime/base/check.h"
#include "runtime/base/flush.h"
#include "runtime/base/supervisor.h"
#include "runtime/comm/environment.h"
#include "runtime/comm/mpi/mpi_call.h"
#include "runtime/comm/mpi/mpi_process.h"
#include "runtime/comm/start_watch.h"
#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text);
  return version.substr(0, version.find_first_of(",\n"));
}

void wait(MPI_Request& request, const char* call, const Bootstrap::Idle& idle) {
  IdleSpin spin;
  int done = 0;
  while (true) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
    if (done) return;
    idle();
    spin.rest(/*something_moved=*/false);
  }
}

MPI_Comm given_communicator(const HostCommunicator& host) {
  if (host.bytes != sizeof(MPI_Comm)) {
    throw RuntimeError(
        fmt::format("[Runtime] the program's MPI_Comm has {} bytes, that of the MPI which Pilum was built with ({}) "
                    "has {}: build both with one MPI.",
                    host.bytes, library_version(), sizeof(MPI_Comm)));
  }
  const MPI_Comm given = *static_cast<const MPI_Comm*>(host.address);
  if (given == MPI_COMM_NULL) {
    throw ValueError(
        "[Runtime] the communicator is MPI_COMM_NULL: make the Runtime only on the ranks that belong to it "
        "(MPI_Comm_split gives "
        "MPI_COMM_NULL to those whose color is MPI_UNDEFINED).");
  }
  int between = 0;
  check_mpi(MPI_Comm_test_inter(given, &between), "MPI_Comm_test_inter");
  if (between) {
    throw ValueError(
        "[Runtime] the communicator joins two groups of ranks: give it one of one group (MPI_Intercomm_merge makes "
        "one).");
  }
  return given;
}

}  // namespace

MpiBootstrap::MpiBootstrap() {
  const StartWatch watch;
  tell_supervisor(RankStage::Joins);
  start_mpi();
  join(MPI_COMM_WORLD);
  check_launcher();
  count_node();
  tell_supervisor(RankStage::Joined);
}

// Which ranks of the launcher's come here is the program's business: neither its supervisor nor a watch is told.
MpiBootstrap::MpiBootstrap(const HostCommunicator& host) {
  any_thread_ = use_host_mpi() == HostThreads::Any;
  join(given_communicator(host));
  count_node();
}

void MpiBootstrap::join(MPI_Comm communicator) {
  note_job_begins();
  check_mpi(MPI_Comm_dup(communicator, &ranks_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(ranks_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(ranks_, &size_), "MPI_Comm_size");
}

void MpiBootstrap::count_node() {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(ranks_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  check_mpi(MPI_Comm_size(node, &node_size_), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
}

void MpiBootstrap::barrier(const Idle& idle) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(ranks_, &request), "MPI_Ibarrier");
  wait(request, "MPI_Ibarrier", idle);
}

std::vector<std::byte> MpiBootstrap::all_gather(std::span<const std::byte> bytes, const Idle& idle) {
  std::vector<std::byte> all(bytes.size() * static_cast<std::size_t>(size_));
  const int count = static_cast<int>(bytes.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(bytes.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, ranks_, &request),
            "MPI_Iallgather");
  wait(request, "MPI_Iallgather", idle);
  return all;
}

void MpiBootstrap::finalize() {
  check_mpi(MPI_Comm_free(&ranks_), "MPI_Comm_free");
  note_job_ends();
}

// A thread that may not call MPI leaves the ending of the other ranks to their launcher, which sees the status.
void MpiBootstrap::abort(int status) {
  flush_output();
  if (any_thread_ || is_mpi_thread()) MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

// One MPI's launcher with another MPI's library gives every process a world of its own.
void MpiBootstrap::check_launcher() const {
  const auto launched = launched_size();
  if (!launched || *launched == size_) return;
  throw RuntimeError(
      fmt::format("[Runtime] the launcher started {} ranks, but MPI sees {}: mpirun and the MPI "
                  "library that this program was built with do not match. Use the mpirun of "
                  "that library ({}), or srun --mpi=pmix.",
                  *launched, size_, library_version()));
}

std::shared_ptr<Bootstrap> make_bootstrap() {
  return std::make_shared<MpiBootstrap>();
}
std::shared_ptr<Bootstrap> make_bootstrap(const HostCommunicator& host) {
  return std::make_shared<MpiBootstrap>(host);
}

}  // namespace pilum::comm
