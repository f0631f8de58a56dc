// One rank of a job that ends in the way of its argument. See ends_test.cc.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "pilum/error.h"
#include "runtime/comm/wait.h"
#include "tests/comm/pattern.h"

namespace pilum::comm {
namespace {

Transport read_transport() {
  const char* name = std::getenv("PILUM_TRANSPORT");
  return name && std::strcmp(name, "mpi") == 0 ? Transport::Mpi : Transport::Ucx;
}

void talk_round(Communicator& ranks) {
  const auto sent = test::make_pattern(ranks.rank(), 100'000);
  std::vector<std::byte> received(sent.size());
  const int next = (ranks.rank() + 1) % ranks.size();
  const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  const Request receive = ranks.receive(previous, {0, 0}, received);
  const Request send = ranks.send(next, {0, 0}, sent);
  wait(ranks, receive);
  wait(ranks, send);
}

void leave_in_order(Communicator& ranks) {
  talk_round(ranks);
  ranks.send_control((ranks.rank() + 1) % ranks.size(), {});  // nobody reads it
  ranks.finalize();
}

void leave_without_a_word(Communicator& ranks) {
  ranks.finalize();
}

void abort_on_rank_one(Communicator& ranks) {
  talk_round(ranks);
  if (ranks.rank() == 1) ranks.abort(7);
  wait_until(ranks, [] { return false; });
}

// The others wait for a message of rank 1, which is killed.
void kill_rank_one(Communicator& ranks) {
  talk_round(ranks);
  if (ranks.rank() == 1) std::raise(SIGKILL);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::byte> received(10);
  try {
    wait(ranks, ranks.receive(1, {1, 0}, received));
  } catch (const RuntimeError&) {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "noticed after %.2f s\n", waited.count());
    throw;
  }
}

void send_another_size(Communicator& ranks) {
  const auto sent = test::make_pattern(0, 20);
  std::vector<std::byte> received(10);
  if (ranks.rank() == 1) wait(ranks, ranks.send(0, {3, 4}, sent));
  if (ranks.rank() == 0) wait(ranks, ranks.receive(1, {3, 4}, received));
  wait_until(ranks, [] { return false; });
}

const std::map<std::string, std::function<void(Communicator&)>> kEnds{
    {"leave_in_order", leave_in_order},       {"leave_without_a_word", leave_without_a_word},
    {"abort_on_rank_one", abort_on_rank_one}, {"kill_rank_one", kill_rank_one},
    {"send_another_size", send_another_size},
};

}  // namespace
}  // namespace pilum::comm

int main(int argc, char** argv) {
  using namespace pilum::comm;
  std::unique_ptr<Communicator> ranks;
  try {
    ranks = make_communicator(read_transport());
    kEnds.at(argc > 1 ? argv[1] : "")(*ranks);
  } catch (const pilum::RuntimeError& error) {
    std::fprintf(stderr, "caught: %s\n", error.what());
    std::fflush(stderr);
    if (ranks) ranks->abort(3);
    return 4;
  }
}
