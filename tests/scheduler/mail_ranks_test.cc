// Ranks whose GPUs have mail with each other, run: the same cells and bits as without, whatever their boxes hold.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <mutex>
#include <random>
#include <stdexcept>
#include <vector>

#include "pilum/pilum.h"
#include "scheduler/plan/mail.h"
#include "tests/fakes/sanitized.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/scheduler/random_loop.h"

namespace pilum::scheduler {
namespace {

namespace np = numeric;
using np::all, np::slice;

// Of a box that holds one message of 480 numbers, or several small ones.
constexpr std::int64_t kSmallBox = 20480;

fakes::SimulatedRanks gpus_with_mail(int ranks, std::int64_t box_bytes, std::uint64_t seed) {
  fakes::SimulatedRanks machine{.ranks = ranks, .seed = seed, .gpus = true, .share = true};
  machine.mail_bytes = box_bytes * (ranks - 1);
  return machine;
}

std::vector<std::uint64_t> bits_of(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

std::vector<double> draw_numbers(std::size_t count, std::mt19937& random) {
  std::vector<double> numbers;
  while (numbers.size() < count) {
    const double one = std::ldexp(1.0 + static_cast<double>(random()) * 0x1p-32, static_cast<int>(random() % 120) - 60);
    const double kinds[] = {one, -one, -0.0, 0.0, one * 0x1p-1000, 1 + one * 0x1p-60};
    numbers.push_back(kinds[random() % 6]);
  }
  return numbers;
}

// Sums, each a few times: as a plan of its own, from the cache, as a graph.
std::vector<std::uint64_t> bits_of_sums(const fakes::SimulatedRanks& machine, const std::vector<double>& numbers,
                                        std::int64_t columns) {
  std::mutex mutex;
  std::vector<std::vector<std::uint64_t>> all_bits;
  fakes::run_on_simulated_ranks(machine, [&](Session&) {
    const np::Array a = np::array(numbers).reshape({-1, columns});
    std::vector<std::uint64_t> bits;
    for (int round = 0; round < 4; ++round) {
      for (const np::Array& sum : {np::sum(a), np::sum(a, 0), np::sum(a * a, 0), np::min(a, 0)}) {
        const auto own = bits_of(np::atleast_1d(sum).to_vector<double>());
        bits.insert(bits.end(), own.begin(), own.end());
      }
    }
    const std::lock_guard lock(mutex);
    all_bits.push_back(std::move(bits));
  });
  for (const auto& bits : all_bits) EXPECT_EQ(bits, all_bits.front()) << "a rank has others";
  return all_bits.front();
}

class SumsOfRanks : public testing::TestWithParam<int> {};

TEST_P(SumsOfRanks, HaveTheSameBitsWithMailAndWithout) {
  const int ranks = GetParam();
  std::mt19937 random(static_cast<unsigned>(ranks));
  for (const std::int64_t columns : {1, 480, 481, 9000}) {  // the last ones go up and down a tree
    SCOPED_TRACE(testing::Message() << "seed " << ranks << ", " << columns << " columns");
    const std::vector<double> numbers =
        draw_numbers(static_cast<std::size_t>(columns * (columns > 1 ? 11 : 500)), random);
    const std::uint64_t seed = random();
    const auto expected = bits_of_sums(gpus_with_mail(ranks, 0, seed), numbers, columns);
    for (const std::int64_t box : {kSmallBox, std::int64_t{1} << 20}) {
      SCOPED_TRACE(testing::Message() << "boxes of " << box << " bytes");
      EXPECT_EQ(bits_of_sums(gpus_with_mail(ranks, box, seed), numbers, columns), expected);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, SumsOfRanks, testing::Range(2, 9));

class LoopsWithMail : public testing::TestWithParam<std::uint64_t> {};

// One rank plans anew what the others have as graphs.
TEST_P(LoopsWithMail, GiveTheSameBitsWhereOneRankForgetsItsPlans) {
  const std::uint64_t seed = GetParam();
  constexpr int kTimes = 24;
  for (const int ranks : {2, 3, 5}) {
    if (fakes::kIsSanitized && ranks == 3) continue;
    std::mutex mutex;
    std::vector<std::uint64_t> expected;
    for (const auto& [box, forgets] :
         {std::pair(std::int64_t{0}, false), {kSmallBox, true}, {std::int64_t{96} << 10, false}, {96 << 10, true}}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ranks << " ranks, boxes of " << box << " bytes"
                                      << (forgets ? ", one forgets" : ""));
      fakes::SimulatedRanks machine = gpus_with_mail(ranks, box, seed);
      machine.first_rank_forgets = forgets;
      fakes::run_on_simulated_ranks(machine, [&](Session&) {
        RandomLoop loop(seed);
        for (int time = 0; time < kTimes; ++time) loop.body(time);
        std::vector<std::uint64_t> bits;
        for (const np::Array& array : loop.arrays()) {
          const auto own = bits_of(np::ravel(array).to_vector<double>());
          bits.insert(bits.end(), own.begin(), own.end());
        }
        const std::lock_guard lock(mutex);
        if (expected.empty()) expected = bits;
        EXPECT_EQ(bits, expected);
      });
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LoopsWithMail, testing::Range(std::uint64_t{1}, std::uint64_t{13}));

// What is between the messages is the host's: what waits on a GPU is issued when that is done.
TEST(Mail, WaitsForWhatTheHostDoesBefore) {
  const auto twice = task("twice", [](Piece piece, ReadWrite<double, 1> x) {
    for (std::int64_t i = piece.lo(0); i < piece.hi(0); ++i) x(i) *= 2;
  });
  constexpr std::size_t kCells = 60;
  std::vector<double> expected(kCells);
  for (std::size_t i = 0; i < kCells; ++i) expected[i] = static_cast<double>(i);
  for (int step = 0; step < 8; ++step) {
    const std::vector<double> old = expected;
    for (std::size_t i = 0; i < kCells; ++i)
      expected[i] = i > 0 && i + 1 < kCells ? (old[i + 1] + old[i - 1]) * 0.5 : old[i] * 2;
  }
  for (const std::int64_t box : {std::int64_t{0}, kSmallBox, std::int64_t{1} << 20}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", boxes of " << box << " bytes");
      fakes::run_on_simulated_ranks(gpus_with_mail(3, box, seed), [&](Session&) {
        np::Array a = np::arange(60.0), wide = np::ones({12, 700});
        for (int step = 0; step < 8; ++step) {
          twice({60}, read_write(a));
          wide(slice(1, -1), all) =
              (wide(slice(2, {}), all) + wide(slice(0, -2), all)) * 0.5;  // too large for small boxes
          a(slice(1, -1)) = (a(slice(2, {})) + a(slice(0, -2))) * 0.25;
        }
        EXPECT_EQ(a.to_vector<double>(), expected);
        EXPECT_EQ(np::min(wide).item<double>(), 1.0);
      });
    }
  }
}

// What each rank threw; "" where it ended in order. The ranks' programs end, whatever happens, or the test hangs.
std::vector<std::string> errors_of(const fakes::SimulatedRanks& machine, const std::function<void(Session&)>& program) {
  std::vector<std::string> errors(static_cast<std::size_t>(machine.ranks));
  try {
    fakes::run_on_simulated_ranks(machine, [&](Session& session) {
      try {
        program(session);
        session.finish();
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(session.rank())] = error.what();
        throw;
      }
    });
  } catch (const std::exception&) {
  }
  return errors;
}

TEST(Mail, OfARankThatGivesUpIsNotWaitedForOnTheOthers) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<std::string> errors = errors_of(gpus_with_mail(3, 1 << 20, seed), [seed](Session& session) {
      np::Array x = np::ones(100);
      for (int i = 0; i < 100; ++i) {
        if (session.rank() == 1 && i == 3 * static_cast<int>(seed)) throw std::runtime_error("the program gives up");
        x(slice(1, -1)) = x(slice(2, {})) + x(slice(0, -2));
        if (i % 5 == 4) (void)np::sum(x + static_cast<double>(i)).item<double>();
      }
    });
    EXPECT_EQ(errors[1], "the program gives up");
    EXPECT_NE(errors[0], "");
    EXPECT_NE(errors[2], "");
  }
}

TEST(Mail, OfARankWhoseTaskFailsIsNotWaitedForOnTheOthers) {
  const auto refuse = task("refuse", [](Piece piece, ReadWrite<double, 1>, std::int64_t time) {
    if (time == 12 && piece.lo(0) == 0) throw std::runtime_error("the first piece is bad");
  });
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<std::string> errors = errors_of(gpus_with_mail(3, 1 << 20, seed), [&](Session&) {
      np::Array x = np::ones(99);
      for (std::int64_t i = 0; i < 40; ++i) {
        refuse({99}, read_write(x), i);
        x(slice(1, -1)) = (x(slice(2, {})) + x(slice(0, -2))) * 0.5;
      }
      (void)np::sum(x).item<double>();
    });
    EXPECT_NE(errors[0].find("the first piece is bad"), std::string::npos) << errors[0];
    EXPECT_NE(errors[1], "");
    EXPECT_NE(errors[2], "");
  }
}

}  // namespace
}  // namespace pilum::scheduler
