// How fast messages between two ranks of one node are, against memcpy in the same run.
//   PILUM_TRANSPORT=ucx mpirun -n 2 message_perf [bytes ...]
//   PILUM_TRANSPORT=ucx mpirun -n 2 message_perf --assert-fraction F
// Prints one line a size: one-way time (median, lower and upper quartile, best), and for messages one by one, for
// messages streamed, and for memcpy the bandwidth, whose rounds alternate. Ratios are of medians; on a busy machine
// the ratio of the best rounds says more. With --assert-fraction, 8 MiB messages must reach F of memcpy.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/comm/wait.h"

namespace pilum::comm {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Quartiles {
  double best, lower, median, upper;
};

Quartiles compute_quartiles(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples[0], samples[samples.size() / 4], samples[samples.size() / 2], samples[samples.size() * 3 / 4]};
}

// Two buffers of a size: what comes and what goes.
class Bench {
 public:
  Bench(Communicator& ranks, std::size_t bytes)
      : ranks_(ranks), other_(1 - ranks.rank()), sent_(bytes), received_(bytes), copy_(bytes) {
    for (std::size_t i = 0; i < bytes; ++i) sent_[i] = static_cast<std::byte>(i * 2654435761u >> 24);
    std::memcpy(copy_.data(), sent_.data(), bytes);
  }

  // There and back, `turns` times; one way's time.
  double ping_pong(int turns) {
    const auto start = Clock::now();
    for (int turn = 0; turn < turns; ++turn) {
      if (ranks_.rank() == 0) {
        send();
        receive();
      } else {
        receive();
        send();
      }
    }
    return seconds_since(start) / (2.0 * turns);
  }

  // `count` messages under way at once from rank 0 to rank 1, answered by an empty one; one message's time.
  double stream(int count) {
    const auto start = Clock::now();
    std::vector<Request> requests;
    for (int i = 0; i < count; ++i) {
      requests.push_back(ranks_.rank() == 0 ? ranks_.send(1, next_tag(), sent_)
                                            : ranks_.receive(0, next_tag(), received_));
    }
    for (const Request request : requests) wait(ranks_, request);
    const Tag answer = next_tag();
    wait(ranks_, ranks_.rank() == 0 ? ranks_.receive(1, answer, {}) : ranks_.send(0, answer, {}));
    return seconds_since(start) / count;
  }

  // Rank 0 copies while rank 1 waits.
  double copy(int times) {
    double seconds = 0;
    if (ranks_.rank() == 0) {
      const auto start = Clock::now();
      for (int i = 0; i < times; ++i) {
        std::memcpy(copy_.data(), sent_.data(), sent_.size());
        asm volatile("" : : "r"(copy_.data()) : "memory");
      }
      seconds = seconds_since(start) / times;
    }
    ranks_.barrier();
    return seconds;
  }

 private:
  Tag next_tag() { return {0, next_message_++}; }
  void send() { wait(ranks_, ranks_.send(other_, next_tag(), sent_)); }
  void receive() { wait(ranks_, ranks_.receive(other_, next_tag(), received_)); }

  Communicator& ranks_;
  const int other_;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  std::vector<std::byte> copy_;
  std::uint32_t next_message_ = 0;
};

// Returns the bandwidth of one-way messages as a fraction of memcpy's, best rounds of both.
double measure(Communicator& ranks, std::size_t bytes) {
  Bench bench(ranks, bytes);
  const int turns = static_cast<int>(std::clamp<std::size_t>((32 << 20) / (bytes + 4096), 2, 2000));
  constexpr int kRounds = 15;
  std::vector<double> one_way, streamed, copied;
  for (int round = -2; round < kRounds; ++round) {
    ranks.barrier();
    const double way = bench.ping_pong(turns);
    ranks.barrier();
    const double flow = bench.stream(std::min(turns, 64));
    ranks.barrier();
    const double copy = bench.copy(turns);
    if (round < 0) continue;  // warming up
    one_way.push_back(way);
    streamed.push_back(flow);
    copied.push_back(copy);
  }
  const Quartiles way = compute_quartiles(one_way);
  const Quartiles flow = compute_quartiles(streamed);
  const Quartiles copy = compute_quartiles(copied);
  if (ranks.rank() == 0) {
    const double gigabytes = static_cast<double>(bytes) * 1e-9;
    std::printf(
        "%-4s %9zu B  one way %9.2f us [%.2f-%.2f, best %.2f]  GB/s: %6.2f, streamed %6.2f, memcpy %6.2f  "
        "ratio %.2f, streamed %.2f, best %.2f\n",
        ranks.name().c_str(), bytes, way.median * 1e6, way.lower * 1e6, way.upper * 1e6, way.best * 1e6,
        gigabytes / way.median, gigabytes / flow.median, gigabytes / copy.median, copy.median / way.median,
        copy.median / flow.median, copy.best / way.best);
  }
  return copy.best / way.best;
}

// The cores are shared with whatever else runs: the best of several tries counts.
bool reaches_fraction(Communicator& ranks, double wanted) {
  constexpr int kTries = 10;
  double best = 0;
  for (int i = 0; i < kTries && best < wanted; ++i) {
    const double fraction = measure(ranks, 8 << 20);
    const auto all = ranks.all_gather(std::as_bytes(std::span(&fraction, 1)));
    double of_rank_zero = 0;
    std::memcpy(&of_rank_zero, all.data(), sizeof(of_rank_zero));
    best = std::max(best, of_rank_zero);
  }
  if (best < wanted && ranks.rank() == 0) {
    std::fprintf(stderr, "8 MiB messages reach %.2f of memcpy, wanted %.2f\n", best, wanted);
  }
  return best >= wanted;
}

}  // namespace
}  // namespace pilum::comm

int main(int argc, char** argv) {
  using namespace pilum::comm;
  const char* name = std::getenv("PILUM_TRANSPORT");
  const auto ranks = make_communicator(name && std::string(name) == "mpi" ? Transport::Mpi : Transport::Ucx);
  if (ranks->size() != 2) {
    std::fprintf(stderr, "message_perf takes 2 ranks, not %d\n", ranks->size());
    ranks->abort(2);
  }
  bool is_good = true;
  if (argc == 3 && std::string(argv[1]) == "--assert-fraction") {
    is_good = reaches_fraction(*ranks, std::atof(argv[2]));
  } else {
    std::vector<std::size_t> sizes{8, 1 << 16, 1 << 20, 8 << 20, 64 << 20};
    if (argc > 1) sizes.clear();
    for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
    for (const std::size_t bytes : sizes) measure(*ranks, bytes);
  }
  ranks->finalize();
  return is_good ? 0 : 1;
}
