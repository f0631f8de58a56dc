// What ranks cost while they have nothing to do: rank 0 sleeps in the user's code, the others wait for a value of it.
// Prints the share of a core that each way of waiting takes.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "pilum/pilum.h"

namespace {

namespace np = pilum::numeric;
using Clock = std::chrono::steady_clock;

double used_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const double most = argc > 2 ? std::atof(argv[2]) : 1e9;  // per cent of a core
  pilum::Runtime runtime(argc, argv);
  auto x = np::ones({200000});
  const auto step = [&x] {
    x += 1.0;
    return np::sum(x).item<double>();
  };
  for (int i = 0; i < 3; ++i) (void)step();  // compiling is not waiting
  const double before = used_seconds();
  const auto start = Clock::now();
  if (runtime.rank() == 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  (void)step();
  const double share = 100 * (used_seconds() - before) / std::chrono::duration<double>(Clock::now() - start).count();
  auto shares = np::zeros({runtime.ranks()});
  pilum::task("share", [&share](pilum::Piece piece, pilum::Write<double, 1> out) {
    for (std::int64_t rank = piece.lo(0); rank < piece.hi(0); ++rank) out(rank) = share;
  })({runtime.ranks()}, pilum::write(shares));
  double largest = 0;
  const std::vector<double> all = shares.to_vector<double>();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    std::printf("rank %zu, %s: %.2f %% of a core over %.1f s\n", rank,
                rank ? "waits for a value" : "asleep in the user's code", all[rank], seconds);
    largest = all[rank] > largest ? all[rank] : largest;
  }
  return largest <= most ? 0 : 1;
}
