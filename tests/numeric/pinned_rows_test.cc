// Loops that see an array at another place each time round, h(t) = u, x(slice(t, t + 2)) += y: their plans are found
// again, and the cells are those of loops on the host.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/seeds.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;
using scheduler::for_each_seed;

constexpr int kTimes = 40, kRows = 6, kColumns = 16;  // a row of int64 is 128 bytes
constexpr int kTaken[kRows] = {4, 0, 0, 5, 2, 1}, kPut[3] = {7, 2, 12};

// Numbers on the host; as the arrays' they wrap.
struct Host {
  using Cell = std::uint64_t;
  std::vector<Cell> u = std::vector<Cell>(kRows * kColumns), v = u;  // kRows x kColumns
  std::vector<Cell> h = std::vector<Cell>(kTimes * kRows * kColumns);
  std::vector<Cell> g = std::vector<Cell>(kColumns * kTimes);  // its last axis is pinned
  std::vector<Cell> w = std::vector<Cell>(kTimes * kColumns);
  std::vector<Cell> m = std::vector<Cell>(kTimes);
  Cell& at_u(int i, int j) { return u[static_cast<std::size_t>(i * kColumns + j)]; }
  Cell& at_v(int i, int j) { return v[static_cast<std::size_t>(i * kColumns + j)]; }
  Cell& at_h(int t, int i, int j) { return h[static_cast<std::size_t>((t * kRows + i) * kColumns + j)]; }
  Cell& at_g(int j, int t) { return g[static_cast<std::size_t>(j * kTimes + t)]; }
  Cell& at_w(int t, int j) { return w[static_cast<std::size_t>(t * kColumns + j)]; }
  Cell& at_m(int t) { return m[static_cast<std::size_t>(t)]; }
};

struct Arrays {
  np::Array u = np::zeros({kRows, kColumns}, DType::Int64), v = np::zeros({kRows, kColumns}, DType::Int64);
  np::Array h = np::zeros({kTimes, kRows, kColumns}, DType::Int64);
  np::Array g = np::zeros({kColumns, kTimes}, DType::Int64);
  np::Array w = np::zeros({kTimes, kColumns}, DType::Int64);
  np::Array m = np::zeros({kTimes}, DType::Int64);
  np::Array taken = np::array(std::vector<std::int64_t>(std::begin(kTaken), std::end(kTaken)));
  np::Array put = np::array(std::vector<std::int64_t>(std::begin(kPut), std::end(kPut)));
  np::Array order = (np::arange(kTimes) * 7 % kTimes).copy();
};

// One statement, by its number, of the time t >= 2; `near`: 0, 1 or 2 times back.
constexpr int kStatements = 30;
void do_on_host(Host& x, int statement, int t, int near) {
  const int s = t - near;
  const auto each = [](const std::function<void(int, int)>& cell) {
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) cell(i, j);
  };
  Host old = x;
  switch (statement) {
    case 0:
      each([&](int i, int j) {
        if (i > 0 && i + 1 < kRows) x.at_u(i, j) = old.at_u(i - 1, j) + old.at_u(i + 1, j) + 1;
      });
      break;
    case 1: each([&](int i, int j) { x.at_h(t, i, j) = old.at_u(i, j); }); break;
    case 2: each([&](int i, int j) { x.at_u(i, j) += old.at_h(s, i, j); }); break;
    case 3: each([&](int i, int j) { x.at_h(t, i, j) += 3 * old.at_v(i, j); }); break;
    case 4: {
      Host::Cell sum = 0;
      for (const Host::Cell cell : old.u) sum += cell;
      x.at_m(t) = sum;
    } break;
    case 5: each([&](int i, int j) { x.at_v(i, j) = old.at_v(i, j) * 5 + old.at_m(s); }); break;
    case 6:
      for (int j = 0; j < kColumns; ++j) x.at_g(j, t) = old.at_u(3, j);
      break;
    case 7:
      for (int j = 0; j < kColumns; ++j) x.at_w(t, j) = old.at_w(t - 1, j) + old.at_g(j, s);
      break;
    case 8:
      for (int j = 0; j + 1 < kColumns; ++j) x.at_w(t, j) = old.at_w(t, j + 1) + 2;
      break;
    case 9:
      each([&](int i, int j) {
        if (i > 0) x.at_h(t, i, j) = old.at_h(t, i - 1, j) + old.at_h(t - 2, i, j);
      });
      break;
    case 10: x.at_m(t) += 7; break;
    case 11:
      for (int j = 0; j < kColumns; ++j) x.at_u(t % kRows, j) = static_cast<Host::Cell>(j);
      break;
    case 12: {  // seen whole, too
      for (Host::Cell& cell : x.w) ++cell;
    } break;
    case 13:
      for (int j = 0; j < kColumns; ++j) x.at_h(t, 2, j) = old.at_w(s, j) + old.at_h(s, 1, j);
      break;
    case 14:
      for (int i = 0; i < kRows; ++i) x.at_h(t, i, 5) = old.at_u(i, 1);
      break;
    case 15: each([&](int i, int j) { x.at_v(i, j) += old.at_h(t, i, 4) - old.at_w(t - 1, j); }); break;
    case 16:  // tasks of the library's
      for (int j = 0; j < kColumns; ++j) x.at_w(t, j) = old.at_w(s, j) + (j > 0 ? x.at_w(t, j - 1) : 0);
      break;
    case 17:
      each([&](int i, int j) {
        x.at_v(i, j) = 0;
        for (int k = 0; k < kRows; ++k) x.at_v(i, j) += old.at_h(s, i, k) * old.at_u(k, j);
      });
      break;
    case 18: each([&](int i, int j) { x.at_h(t, i, j) = old.at_h(s, kTaken[i], j); }); break;
    case 19:
      for (int k = 0; k < 3; ++k) x.at_w(t, kPut[k]) = old.at_g(k, s);
      break;
    case 20:
      for (int j = 0; j < kColumns; ++j) x.at_w(t, j) = old.at_g(j, s);
      std::sort(&x.at_w(t, 0), &x.at_w(t, 0) + kColumns, [](Host::Cell one, Host::Cell other) {
        return static_cast<std::int64_t>(one) < static_cast<std::int64_t>(other);
      });
      break;
    case 21:
      each([&](int i, int j) {
        const int cell = i * kColumns + j;
        x.at_h(t, i, j) = old.at_h(s, cell % kRows, cell / kRows);
      });
      break;
    case 22:  // a user's
      for (int j = 0; j < kColumns; ++j) {
        x.at_w(t, j) = 9;
        for (int k = std::max(j - 1, 0); k <= std::min(j + 1, kColumns - 1); ++k) x.at_w(t, j) += old.at_g(k, s);
      }
      break;
    case 23:  // few of an axis, as if one were pinned
      for (int r = t - 1; r <= t; ++r)
        each([&](int i, int j) { x.at_h(r, i, j) = old.at_h(r - 1, i, j) + old.at_u(i, j); });
      break;
    case 24:
      each([&](int i, int j) { x.at_v(i, j) += old.at_h(t - 2, i, j) + old.at_h(t - 1, i, j) + old.at_h(t, i, j); });
      break;
    case 25:
      for (int r = t - 1; r <= t; ++r) x.at_m(r) = old.at_m(r - 1) * 3 + 1;
      break;
    case 26:
      for (int j = 0; j < kColumns; ++j) {
        x.at_w(t, j) = 0;
        for (int r = t - 2; r <= t; ++r) x.at_w(t, j) += old.at_w(r * 7 % kTimes, j);
      }
      break;
    case 27:
      for (int k = 0; k < 2; ++k) x.at_g(3 + k, t) = old.at_w(t - 1 + k, 3);
      break;
    case 28:
      x.at_m(t - 1) = old.at_m(t - 2);
      x.at_m(t) = old.at_m(t - 2) + old.at_m(t - 1);
      break;
    case 29: each([&](int i, int j) { x.at_u(i, j) += old.at_h(s, i, j) * old.at_m(s); }); break;
    default: break;
  }
}

const auto kSmooth =
    task("smooth", [](Piece piece, Read<const std::int64_t, 1> from, Write<std::int64_t, 1> to, std::int64_t more) {
      for (std::int64_t j = piece.lo()[0]; j < piece.hi()[0]; ++j) {
        std::int64_t sum = more;
        for (std::int64_t k = std::max<std::int64_t>(j - 1, 0); k <= std::min<std::int64_t>(j + 1, kColumns - 1); ++k)
          sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(from(k)));
        to(j) = sum;
      }
    });

void do_on_arrays(const Arrays& x, int statement, int t, int near) {
  const int s = t - near;
  const slice inner(1, -1), low(0, -2), high(2, {}), first({}, -1), last(1, {});
  np::Array u = x.u, v = x.v;
  switch (statement) {
    case 0: u(inner) = x.u(low) + x.u(high) + 1; break;
    case 1: x.h(t) = x.u; break;
    case 2: u += x.h(s); break;
    case 3: x.h(t) += 3 * x.v; break;
    case 4: x.m(t) = np::sum(x.u); break;
    case 5: v[all] = x.v * 5 + x.m(s); break;
    case 6: x.g(all, t) = x.u(3); break;
    case 7: x.w(t) = x.w(t - 1) + x.g(all, s); break;
    case 8: x.w(t, first) = x.w(t, last) + 2; break;
    case 9: x.h(t, last) = x.h(t, first) + x.h(t - 2, last); break;
    case 10: x.m(t) += 7; break;
    case 11: x.u(t % kRows) = np::arange(kColumns); break;
    case 12: {
      np::Array w = x.w;
      w += 1;
    } break;
    case 13: x.h(t, 2) = x.w(s) + x.h(s, 1); break;
    case 14: x.h(t, all, 5) = x.u(all, 1); break;
    case 15: v += np::expand_dims(x.h(t, all, 4), 1) - x.w(t - 1); break;
    case 16: x.w(t) = np::cumsum(x.w(s)); break;
    case 17: v[all] = np::matmul(x.h(s, all, slice(0, kRows)), x.u); break;
    case 18: x.h(t) = np::take(x.h(s), x.taken, 0); break;
    case 19: x.w(t)(x.put) = x.g(slice(0, 3), s); break;
    case 20: x.w(t) = np::sort(x.g(all, s)); break;
    case 22: kSmooth({kColumns}, read(x.g(all, s), halo(1, 1)), write(x.w(t)), std::int64_t{9}); break;
    case 21: x.h(t) = np::reshape(np::transpose(x.h(s)), {kRows, kColumns}); break;
    case 23: x.h(slice(t - 1, t + 1)) = x.h(slice(t - 2, t)) + x.u; break;
    case 24: v += np::sum(x.h(slice(t - 2, t + 1)), 0); break;
    case 25: x.m(slice(t - 1, t + 1)) = x.m(slice(t - 2, t)) * 3 + 1; break;
    case 26: x.w(t) = np::sum(x.w(x.order(slice(t - 2, t + 1))), 0); break;
    case 27: x.g(slice(3, 5), t) = x.w(slice(t - 1, t + 1), 3); break;
    case 28: x.m(slice(t - 1, t + 1)) = np::cumsum(x.m(slice(t - 2, t))); break;
    case 29: u += np::squeeze(x.h(slice(s, s + 1)), 0) * x.m(slice(s, s + 1)); break;
    default: break;
  }
}

struct Statement {
  int kind, near;
};

std::vector<std::uint64_t> cells_of(const np::Array& array) {
  std::vector<std::uint64_t> cells;
  for (const std::int64_t cell : array.to_vector<std::int64_t>()) cells.push_back(static_cast<std::uint64_t>(cell));
  return cells;
}

void check_loop(const fakes::SimulatedRanks& machine, const std::vector<Statement>& body, bool asks) {
  Host host;
  for (int i = 0; i < kRows * kColumns; ++i) {
    host.u[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(i);
    host.v[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(2 * i + 1);
  }
  for (int t = 2; t < kTimes; ++t)
    for (const Statement& one : body) do_on_host(host, one.kind, t, one.near);
  fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
    const Arrays arrays;
    np::Array(arrays.u)[all] = np::arange(kRows * kColumns).reshape({kRows, kColumns});
    np::Array(arrays.v)[all] = 2 * arrays.u + 1;
    session.wait();
    for (int t = 2; t < kTimes; ++t) {
      for (const Statement& one : body) do_on_arrays(arrays, one.kind, t, one.near);
      if (asks && t % 5 == 0) (void)arrays.m(t).item<std::int64_t>();
    }
    EXPECT_EQ(cells_of(arrays.u), host.u) << "u";
    EXPECT_EQ(cells_of(arrays.v), host.v) << "v";
    EXPECT_EQ(cells_of(arrays.h), host.h) << "h";
    EXPECT_EQ(cells_of(arrays.g), host.g) << "g";
    EXPECT_EQ(cells_of(arrays.w), host.w) << "w";
    EXPECT_EQ(cells_of(arrays.m), host.m) << "m";
  });
}

TEST(PinnedRows, RandomLoopsGiveTheCellsOfLoopsOnTheHost) {
  const fakes::SimulatedRanks machines[] = {
      {.ranks = 1, .interpret = true},
      {.ranks = 1, .workers = 1, .interpret = true},
      {.ranks = 1, .gpus = true, .graph_after = 1, .interpret = true},
      {.ranks = 1, .processors_per_rank = 2, .split_bytes = 48, .interpret = true},
      {.ranks = 1, .processors_per_rank = 2, .split_bytes = 1 << 20, .gpus = true, .interpret = true},
      {.ranks = 2, .split_bytes = 64, .interpret = true},
      {.ranks = 3, .split_bytes = 64, .interpret = true},
      {.ranks = 2, .processors_per_rank = 2, .split_bytes = 64, .gpus = true, .interpret = true},
      {.ranks = 1, .processors_per_rank = 3, .split_bytes = 64, .gpus = true, .graph_after = 1, .interpret = true},
      {.ranks = 3, .split_bytes = 64, .first_rank_forgets = true, .interpret = true},
      {.ranks = 3, .split_bytes = 1 << 20, .first_rank_forgets = true, .interpret = true},
      {.ranks = 2, .split_bytes = 64, .window = 4, .interpret = true},
  };
  for_each_seed(fakes::kIsSanitized ? 30 : 120, [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Statement> body(1 + random() % 6);
    for (Statement& one : body) {
      // Places that move, mostly.
      one.kind = static_cast<int>(random() % kStatements);
      if ((one.kind == 11 || one.kind == 12) && random() % 3) one.kind = 1;
      one.near = static_cast<int>(random() % 3);
    }
    fakes::SimulatedRanks machine = machines[random() % std::size(machines)];
    machine.seed = seed;
    check_loop(machine, body, random() % 4 == 0);
  });
}

// Of a loop of one body, those that follow the first few are replays.
TEST(PinnedRows, PlansOfRowsAreFoundAgain) {
  for (const bool gpus : {false, true}) {
    fakes::run_on_simulated_ranks({.ranks = 1, .gpus = gpus}, [&](scheduler::Session& session) {
      const std::int64_t times = 200;
      np::Array u = np::ones({8, 16}), h = np::zeros({times, 8, 16}), m = np::zeros(times);
      const slice inner(1, -1), low(0, -2), high(2, {});
      for (std::int64_t t = 0; t < times; ++t) {
        u(inner) = 0.5 * (u(low) + u(high));
        h(t) = u;
        m(t) = np::sum(u);
      }
      session.wait();
      EXPECT_LE(session.plan_cache().misses, 20) << "of 200 times round";
      EXPECT_EQ(m(times - 1).item<double>(), 128);
      EXPECT_EQ(np::sum(h).item<double>(), 128.0 * static_cast<double>(times));
    });
  }
}

// Rows of 80 bytes, and columns: they begin at 8 and at 16 places behind a vector's, each of which has its plan.
TEST(PinnedRows, PlansOfOddRowsAreFoundAgain) {
  fakes::run_on_simulated_ranks({.ranks = 1}, [&](scheduler::Session& session) {
    const std::int64_t times = 300;
    np::Array u = np::ones({10}), h = np::zeros({times, 10}), columns = np::zeros({10, times});
    for (std::int64_t t = 0; t < times; ++t) {
      u *= 2 - u;
      h(t) = u + 1;
      columns(all, t) = 3 * u;
    }
    session.wait();
    EXPECT_LE(session.plan_cache().misses, 60) << "of 300 times round";
    EXPECT_EQ(np::sum(h).item<double>(), 2 * 3000.0);
    EXPECT_EQ(np::sum(columns).item<double>(), 3 * 3000.0);
  });
}

// What a task reads or writes, and what is reshaped, too.
TEST(PinnedRows, PlansOfTasksOnRowsAreFoundAgain) {
  for (const bool gpus : {false, true}) {
    fakes::run_on_simulated_ranks({.ranks = 1, .gpus = gpus}, [&](scheduler::Session& session) {
      const std::int64_t times = 100;
      np::Array u = np::zeros({16, 16}), h = np::ones({times, 16, 16}), lines = np::zeros({times, 256});
      const np::Array half = 0.5 * np::eye(16);
      for (std::int64_t t = 0; t < times; ++t) {
        u[all] = np::matmul(u, half) + np::matmul(h(t), half);
        lines(t) = np::reshape(np::transpose(u), {256});
      }
      session.wait();
      EXPECT_LE(session.plan_cache().misses, 20) << "of 100 times round";
      EXPECT_EQ(lines(0, 5).item<double>(), 0.5);
      EXPECT_EQ(np::sum(lines(times - 1)).item<double>(), 256.0);
    });
  }
}

// Minibatches, whose rows a slice of an order names.
TEST(PinnedRows, PlansOfMinibatchesAreFoundAgain) {
  for (const bool gpus : {false, true}) {
    fakes::run_on_simulated_ranks({.ranks = 1, .gpus = gpus}, [&](scheduler::Session& session) {
      const std::int64_t batches = 200, rows = 16;
      const np::Array x = np::ones({batches * rows, 4}), y = np::arange(batches * rows);
      const np::Array order = (np::arange(batches * rows) * 7 % (batches * rows)).copy();
      np::Array w = np::zeros(4), seen = np::zeros({}, DType::Int64);
      for (std::int64_t batch = 0; batch < batches; ++batch) {
        const np::Array picked = order(slice(batch * rows, (batch + 1) * rows));
        w += np::matmul(x(picked).T(), np::matmul(x(picked), w) * 0.0 + 1.0);
        seen += np::sum(y(picked));
      }
      session.wait();
      EXPECT_LE(session.plan_cache().misses, 30) << "of 200 batches";
      EXPECT_EQ(w.to_vector<double>(), std::vector<double>(4, static_cast<double>(batches * rows)));
      EXPECT_EQ(seen.item<std::int64_t>(), batches * rows * (batches * rows - 1) / 2);
    });
  }
}

// Of arrays that are cut along the axis where they are seen: each part's rows by one plan, whoever wants them.
TEST(PinnedRows, PlansOfRowsOfOnePartAreFoundAgain) {
  const fakes::SimulatedRanks machines[] = {{.ranks = 2, .split_bytes = 64},
                                            {.ranks = 3, .split_bytes = 64},
                                            {.ranks = 1, .processors_per_rank = 2, .split_bytes = 64, .gpus = true}};
  for (const fakes::SimulatedRanks& machine : machines) {
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session& session) {
      const std::int64_t times = 300, rows = 8;
      const np::Array x = np::arange(times * rows * 16).reshape({times * rows, 16}).copy();
      np::Array u = np::ones({64, 16}), h = np::zeros({times, 16}), blocks = np::zeros({times * rows, 16});
      np::Array w = np::zeros(16);
      for (std::int64_t t = 0; t < times; ++t) {
        u(slice(1, -1)) = 0.5 * (u(slice(0, -2)) + u(slice(2, {})));
        h(t) = u(5) + 1;
        const slice block(t * rows, (t + 1) * rows);
        w += np::sum(x(block), 0);
        blocks(block) = 2 * x(block);
      }
      session.wait();
      EXPECT_LE(session.plan_cache().misses, 60) << "of 300 times round";
      EXPECT_EQ(np::sum(h).item<double>(), 2 * 16.0 * static_cast<double>(times));
      const double all = np::sum(x).item<double>();
      EXPECT_EQ(np::sum(w).item<double>(), all);
      EXPECT_EQ(np::sum(blocks).item<double>(), 2 * all);
    });
  }
}

// A rank that once had all cells of a cut array, in one place, owns some of them: the plan of a row of one owner's was
// taken for that of another one's, whose message nobody sent.
TEST(PinnedRows, OfARankThatHadAllCells) {
  fakes::SimulatedRanks machine{.ranks = 5, .split_bytes = 933, .window = 4, .cache_bytes = 1, .memory_bandwidth = 1e6};
  fakes::run_on_simulated_ranks(machine, [](scheduler::Session&) {
    constexpr std::size_t kSide = 16;
    np::Array a = (np::arange(256.0) % 25).reshape({kSide, kSide}).copy();
    np::Array c = np::arange(0.5, 8.5, 1.0);
    const np::Array d = c + c;
    const slice inner(1, -1), low(0, -2), high(2, {});
    a(inner, inner) = 0.25 * (a(low, inner) + a(high, inner) + a(inner, low) + a(inner, high));
    std::vector<double> cells = a.to_vector<double>();
    c += np::ceil(a(slice(7, {}, -1), 2));
    for (std::int64_t i = 0; i < 7; ++i) a(1 + i) += a(i) * 0.5 - d(slice({}, 6, -2));
    for (std::size_t i = 0; i < 7 * kSide; ++i) cells[i + kSide] += cells[i] * 0.5 - 15;
    EXPECT_EQ(a.to_vector<double>(), cells);
  });
}

}  // namespace
}  // namespace pilum
