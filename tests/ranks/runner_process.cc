#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/base/config.h"
#include "runtime/base/log.h"
#include "tests/ranks/rank_runner.h"

namespace pilum::test {
namespace {

std::unique_ptr<comm::Communicator> process_rank;

comm::Transport read_transport() {
  const std::string name = read_config().transport;
  if (name == "mpi") return comm::Transport::Mpi;
  if (name == "ucx") return comm::Transport::Ucx;
  return name == "self" ? comm::Transport::Self : comm::Transport::Best;
}

// After a failure the ranks are no longer in step: nothing can follow.
class EndJobAtFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", process_rank->rank(), part.file_name() ? part.file_name() : "?",
                 part.line_number(), part.summary());
  }

  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::fprintf(stderr, "rank %d failed %s.%s\n", process_rank->rank(), test.test_suite_name(), test.name());
    process_rank->abort(1);
  }
};

}  // namespace

void run_on_ranks(const RankBody& body) {
  body(*process_rank);
  if (!testing::Test::HasFailure()) process_rank->barrier();
}

}  // namespace pilum::test

int main(int argc, char** argv) {
  using namespace pilum::test;
  testing::InitGoogleTest(&argc, argv);
  process_rank = pilum::comm::make_communicator(read_transport());
  pilum::set_up_log("warn", process_rank->rank());
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (process_rank->rank() == 0) {
    std::printf("%d ranks over %s\n", process_rank->size(), process_rank->name().c_str());
  } else {
    delete listeners.Release(listeners.default_result_printer());
  }
  listeners.Append(new EndJobAtFailure);
  const int result = RUN_ALL_TESTS();
  process_rank->finalize();
  return result;
}
