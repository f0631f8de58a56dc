#include "tests/embedding/host_program.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace pilum::test {
namespace {

std::atomic<long> foreign_calls{0};
std::thread::id host_thread;
std::string level;

void note_call() {
  if (std::this_thread::get_id() != host_thread) ++foreign_calls;
}

int level_of(const std::string& name) {
  if (name == "single") return MPI_THREAD_SINGLE;
  if (name == "funneled") return MPI_THREAD_FUNNELED;
  return name == "serialized" ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
}

// Ends the job at once where a rank fails: the others would wait for it.
class EndsAtFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d\n%s\n", world_rank(), result.file_name(), result.line_number(),
                 result.message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
};

}  // namespace

long calls_from_other_threads() {
  return foreign_calls;
}

Subset::Subset(bool member) {
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, world_rank(), &communicator_);
}
Subset::~Subset() {
  if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
const char* thread_level() {
  return level.c_str();
}

}  // namespace pilum::test

// What Pilum's transport calls while work is under way, seen on its way into the library.
#define PILUM_WATCH(name, parameters, arguments) \
  extern "C" int name parameters {               \
    pilum::test::note_call();                    \
    return P##name arguments;                    \
  }
PILUM_WATCH(MPI_Isend,
            (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
            (data, count, type, to, tag, comm, request))
PILUM_WATCH(MPI_Irecv,
            (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
            (data, count, type, from, tag, comm, request))
PILUM_WATCH(MPI_Test, (MPI_Request * request, int* done, MPI_Status* status), (request, done, status))
PILUM_WATCH(MPI_Testsome, (int count, MPI_Request* requests, int* found, int* which, MPI_Status* statuses),
            (count, requests, found, which, statuses))
PILUM_WATCH(MPI_Start, (MPI_Request * request), (request))

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  pilum::test::level = argc > 1 ? argv[1] : "multiple";
  pilum::test::host_thread = std::this_thread::get_id();
  int provided = 0;
  MPI_Init_thread(&argc, &argv, pilum::test::level_of(pilum::test::level), &provided);
  if (provided != pilum::test::level_of(pilum::test::level)) {
    std::printf("skipped: this MPI gives thread level %d where %s was asked for\n", provided,
                pilum::test::level.c_str());
    MPI_Finalize();
    return 0;
  }
  // Below FUNNELED a Runtime is refused, and that is all there is to see.
  GTEST_FLAG_SET(filter, provided < MPI_THREAD_FUNNELED ? "BelowFunneled.*" : "-BelowFunneled.*");
  testing::UnitTest::GetInstance()->listeners().Append(new pilum::test::EndsAtFailure);
  const int result = RUN_ALL_TESTS();
  MPI_Finalize();
  return result;
}
