// Random launches among array operations, on machines of every shape, against plain loops over vectors.
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/numeric/gpu_places.h"

namespace pilum {
namespace {

namespace np = pilum::numeric;
using np::slice;
using Cells = std::vector<double>;

// Sums of small whole numbers: exact in any order.
double fold_small(double x) {
  return static_cast<double>(static_cast<std::int64_t>(x) % 997);
}

// What one point reads along an axis: extent cells from offset + scale * i on, inside 0 … size.
struct Window {
  std::int64_t scale = 1, offset = 0, extent = 1, size = 0;
  std::int64_t lo(std::int64_t i) const { return std::clamp<std::int64_t>(offset + scale * i, 0, size); }
  std::int64_t hi(std::int64_t i) const { return std::clamp<std::int64_t>(offset + scale * i + extent, lo(i), size); }
};

void gather(Piece piece, Read<double, 1> in, Write<double, 1> out, Window window, int more) {
  for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
    double sum = static_cast<double>(i + more);
    for (std::int64_t k = window.lo(i); k < window.hi(i); ++k) sum += in(k);
    out(i) = fold_small(sum);
  }
}

// The same for GPUs, each with what it needs.
constexpr const char* kGather = R"(
double fold_small(double x) { return (double)((std::int64_t)x % 997); }
struct Window { std::int64_t scale, offset, extent, size; };
void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, Window window, int more) {
  const std::int64_t first = window.offset + window.scale * x;
  const std::int64_t lo = std::min(std::max(first, 0l), window.size);
  const std::int64_t hi = std::min(std::max(first + window.extent, lo), window.size);
  double sum = x + more;
  for (std::int64_t k = lo; k < hi; ++k) sum += in(k);
  out(x) = fold_small(sum);
})";
// What a point may touch is what it gathers.
constexpr const char* kGatherAll = R"(
struct Window { std::int64_t scale, offset, extent, size; };
void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::Write<double, 1> out, Window, int more) {
  double sum = x + more;
  for (std::int64_t k = 0; k < in.extent(0); ++k) sum += in.data()[k * in.stride(0)];
  out(x) = (std::int64_t)sum % 997;
})";
constexpr const char* kPermute = R"(
void body(pilum::Point<1> x, pilum::Write<double, 1> out, pilum::Read<double, 1> in, long n, long factor, long plus) {
  out(x) = in((x * factor + plus) % n);
})";
constexpr const char* kUpdate =
    "void body(pilum::Point<1> i, pilum::ReadWrite<double, 1> x, int by) { x(i) = (long)(x(i) + by * i) % 997; }";
constexpr const char* kRows = R"(
void body(pilum::Point<1> x, pilum::Read<double, 1> in, pilum::ReadWrite<double, 2> out, int plus) {
  for (std::int64_t k = out.lo(1); k < out.hi(1); ++k) out(x, k) = (std::int64_t)(out(x, k) + in(x) + plus * k) % 997;
})";
constexpr const char* kCells = R"(
void body(pilum::Point<2> x, pilum::Read<double, 2> in, pilum::Write<double, 2> out, int plus) {
  double sum = plus;
  for (std::int64_t y = in.lo(0); y < in.hi(0); ++y) sum += in(y, x[1]);
  out(x) = (std::int64_t)sum % 997;
})";
constexpr const char* kCount = R"(
void body(pilum::Point<1> x, pilum::Read<double, 2> in, pilum::Read<double, 1> with, pilum::Reduce<double, 1> total) {
  for (std::int64_t k = in.lo(1); k < in.hi(1); ++k) total((x + k) % 3) += in(x, k) + with(x);
})";

// Two arrays of n cells, one of n rows, one of 3 cells: as Arrays, and as vectors. Both take the same steps.
class Program {
 public:
  explicit Program(std::uint64_t seed) : dice_(seed) {
    n_ = 1 + roll(24);
    m_ = 1 + roll(4);
    for (std::size_t k = 0; k < 3; ++k) {
      arrays_.push_back(np::full({n_}, static_cast<double>(k)));
      cells_.push_back(Cells(static_cast<std::size_t>(n_), static_cast<double>(k)));
    }
    rows_ = np::ones({n_, m_});
    row_cells_ = Cells(static_cast<std::size_t>(n_ * m_), 1);
    totals_ = np::zeros({3});
    total_cells_ = Cells(3, 0);
  }

  void step() {
    const int kind = static_cast<int>(roll(10));
    const auto a = static_cast<std::size_t>(roll(3)), b = static_cast<std::size_t>(roll(3));
    const int more = static_cast<int>(roll(100));
    switch (kind) {
      case 0: {
        const std::int64_t low = roll(4), high = roll(4);
        return run_gather(a, b, halo(low, high), {1, -low, low + high + 1, n_}, more);
      }
      case 1: return run_gather(a, b, all, {1, -n_, 2 * n_ + 1, n_}, more);
      case 2: {
        const std::int64_t scales[] = {-2, -1, 1, 2, 3};
        const Window window{scales[roll(5)], roll(2 * n_ + 3) - n_, 1 + roll(4), n_};
        return run_gather(a, b, affine({{0, window.scale, window.offset, window.extent}}), window, more);
      }
      case 3: return run_function(a, b, 1 + roll(5), roll(n_));
      case 4: return update(a, more);
      case 5: return run_rows(a, more);
      case 6: return run_cells(more);
      case 7: return reduce_rows(b);
      case 8: return array_operation(a, b, more);
      default: return inner(a, b, more);
    }
  }

  void check() {
    for (std::size_t k = 0; k < arrays_.size(); ++k)
      EXPECT_EQ(arrays_[k].to_vector<double>(), cells_[k]) << "array " << k;
    EXPECT_EQ(rows_.to_vector<double>(), row_cells_);
    EXPECT_EQ(totals_.to_vector<double>(), total_cells_);
  }

 private:
  std::int64_t roll(std::int64_t sides) {
    return static_cast<std::int64_t>(dice_() % static_cast<std::uint64_t>(sides));
  }

  // With a body for GPUs half of the time.
  template <class Body>
  auto make(const char* name, Body body, const char* text) {
    return roll(2) ? task(name, body, gpu_body(text)) : task(name, body);
  }

  // Also with one array as both.
  void run_gather(std::size_t from, std::size_t to, const Projection& projection, Window window, int more) {
    make("gather", gather, roll(2) ? kGather : kGatherAll)({n_}, read(arrays_[from], projection), write(arrays_[to]),
                                                           window, more);
    const Cells before = cells_[from];
    for (std::int64_t i = 0; i < n_; ++i) {
      double sum = static_cast<double>(i + more);
      for (std::int64_t k = window.lo(i); k < window.hi(i); ++k) sum += before[static_cast<std::size_t>(k)];
      cells_[to][static_cast<std::size_t>(i)] = fold_small(sum);
    }
  }

  void run_function(std::size_t from, std::size_t to, std::int64_t factor, std::int64_t plus) {
    const std::int64_t n = n_;
    const auto where = [n, factor, plus](const Piece& point) {
      const std::int64_t cell = (point.lo(0) * factor + plus) % n;
      return Box({cell}, {cell + 1});
    };
    const auto permute = [](Piece piece, Write<double, 1> out, Read<double, 1> in, std::int64_t size, std::int64_t by,
                            std::int64_t from_there) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) out(i) = in((i * by + from_there) % size);
    };
    make("permute", permute, kPermute)({n_}, write(arrays_[to]), read(arrays_[from], where), n, factor, plus);
    const Cells before = cells_[from];
    for (std::int64_t i = 0; i < n_; ++i)
      cells_[to][static_cast<std::size_t>(i)] = before[static_cast<std::size_t>((i * factor + plus) % n)];
  }

  void update(std::size_t a, int more) {
    const auto body = [](Piece piece, ReadWrite<double, 1> x, int by) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) x(i) = fold_small(x(i) + static_cast<double>(by * i));
    };
    make("update", body, kUpdate)({n_}, read_write(arrays_[a]), more);
    for (std::int64_t i = 0; i < n_; ++i) {
      double& x = cells_[a][static_cast<std::size_t>(i)];
      x = fold_small(x + static_cast<double>(more * i));
    }
  }

  void run_rows(std::size_t a, int more) {
    const auto body = [](Piece piece, Read<double, 1> in, ReadWrite<double, 2> out, int plus) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        for (std::int64_t k = out.lo(1); k < out.hi(1); ++k)
          out(i, k) = fold_small(out(i, k) + in(i) + static_cast<double>(plus * k));
      }
    };
    make("rows", body, kRows)({n_}, read(arrays_[a]), read_write(rows_), more);
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < m_; ++k) {
        double& x = row_cell(i, k);
        x = fold_small(x + cells_[a][static_cast<std::size_t>(i)] + static_cast<double>(more * k));
      }
    }
  }

  void run_cells(int more) {
    const auto body = [](Piece piece, Read<double, 2> in, Write<double, 2> out, int plus) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        for (std::int64_t k = piece.lo(1); k < piece.hi(1); ++k) {
          double sum = plus;
          for (std::int64_t y = std::max(i - 1, in.lo(0)); y < std::min(i + 2, in.hi(0)); ++y) sum += in(y, k);
          out(i, k) = fold_small(sum);
        }
      }
    };
    make("cells", body, kCells)({n_, m_}, read(rows_, halo({1, 0}, {1, 0})), write(rows_), more);
    const Cells before = row_cells_;
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < m_; ++k) {
        double sum = more;
        for (std::int64_t y = std::max<std::int64_t>(i - 1, 0); y < std::min(i + 2, n_); ++y)
          sum += before[static_cast<std::size_t>(y * m_ + k)];
        row_cell(i, k) = fold_small(sum);
      }
    }
  }

  void reduce_rows(std::size_t b) {
    const auto body = [](Piece piece, Read<double, 2> in, Read<double, 1> with, Reduce<double, 1> total) {
      for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) {
        for (std::int64_t k = in.lo(1); k < in.hi(1); ++k) total((i + k) % 3) += in(i, k) + with(i);
      }
    };
    make("count", body, kCount)({n_}, read(rows_), read(arrays_[b]), reduce(totals_, Fold::Sum));
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < m_; ++k)
        total_cells_[static_cast<std::size_t>((i + k) % 3)] += row_cell(i, k) + cells_[b][static_cast<std::size_t>(i)];
    }
  }

  void array_operation(std::size_t a, std::size_t b, int more) {
    if (n_ < 2 || more % 2) {
      arrays_[a][np::all] = np::minimum(arrays_[b] + more, 500);
      const Cells before = cells_[b];
      for (std::size_t i = 0; i < before.size(); ++i) cells_[a][i] = std::min(before[i] + more, 500.0);
      return;
    }
    arrays_[a](slice(1, {})) = np::Operand(arrays_[b](slice(0, -1)));
    const Cells before = cells_[b];
    for (std::size_t i = 1; i < before.size(); ++i) cells_[a][i] = before[i - 1];
  }

  // Views: the points are those between the ends.
  void inner(std::size_t from, std::size_t to, int more) {
    if (n_ < 3) return;
    const Window window{1, 0, 3, n_};
    make("gather", gather, kGather)({n_ - 2}, read(arrays_[from], affine({{0, 1, 0, 3}})),
                                    write(arrays_[to](slice(1, -1))), window, more);
    const Cells before = cells_[from];
    for (std::int64_t i = 0; i < n_ - 2; ++i) {
      double sum = static_cast<double>(i + more);
      for (std::int64_t k = i; k < i + 3; ++k) sum += before[static_cast<std::size_t>(k)];
      cells_[to][static_cast<std::size_t>(i + 1)] = fold_small(sum);
    }
  }

  double& row_cell(std::int64_t i, std::int64_t k) { return row_cells_[static_cast<std::size_t>(i * m_ + k)]; }

  std::mt19937_64 dice_;
  std::int64_t n_, m_;
  std::vector<np::Array> arrays_;
  std::vector<Cells> cells_;
  np::Array rows_, totals_;
  Cells row_cells_, total_cells_;
};

void run(std::uint64_t seed) {
  Program program(seed);
  std::mt19937_64 dice(seed);
  for (int i = 0; i < 40; ++i) {
    program.step();
    if (dice() % 16 == 0) program.check();
  }
  program.check();
  // A loop: its plans are made again.
  Program loop(seed + 1000);
  for (int i = 0; i < 12; ++i) {
    Program same(seed + 2000);
    for (int k = 0; k < 5; ++k) same.step();
    loop.step();
    if (i % 4 == 3) same.check();
  }
  loop.check();
}

class RandomLaunches : public testing::TestWithParam<int> {};

TEST_P(RandomLaunches, GiveThePlainLoopsCellsOnEveryMachine) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  if (test::on_real_gpus()) return test::on_this_machine([seed] { run(seed); });
  struct Shape {
    int ranks, processors;
    bool gpus;
  };
  for (const auto& [ranks, processors, gpus] : {Shape{1, 1, false},
                                                {2, 1, false},
                                                {3, 1, false},
                                                {5, 1, false},
                                                {2, 2, false},
                                                {1, 1, true},
                                                {1, 3, true},
                                                {2, 2, true}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks of " << processors << (gpus ? " GPUs" : " processors"));
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = processors;
    machine.gpus = gpus;
    machine.seed = seed;
    machine.workers = seed % 3 == 0 ? 2 : 0;
    machine.window = seed % 4 == 0 ? 6 : 0;
    machine.split_bytes = seed % 5 == 0 ? 1 << 20 : 64;
    const int caches[] = {-1, 0, 1};
    machine.plan_cache = caches[seed % 3];
    machine.peers = seed % 3 != 1;
    machine.direct_after = seed % 7 < 4 ? 256 : 0;
    machine.share = machine.messages_from_gpus = seed % 2 == 0;
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { run(seed); });
    if (HasFailure()) return;
  }
}

// PILUM_RANDOM_PROGRAMS=200 for a longer search.
int programs() {
  const char* wanted = std::getenv("PILUM_RANDOM_PROGRAMS");
  return wanted ? std::atoi(wanted) : 10;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLaunches, testing::Range(1, 1 + programs()));
// Ranks that read different parts of a replicated array.
INSTANTIATE_TEST_SUITE_P(Found, RandomLaunches, testing::Values(44, 80));

}  // namespace
}  // namespace pilum
