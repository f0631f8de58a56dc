// Random programs of selections, on every machine, against plain loops over vectors.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all;
using Numbers = std::vector<std::int64_t>;

// An array of n numbers and one of n rows, and what they must be.
class Program {
 public:
  explicit Program(std::uint64_t seed) : dice_(seed), n_(1 + draw(40)), m_(1 + draw(6)) {
    for (std::int64_t i = 0; i < n_; ++i) line_cells_.push_back(draw(20));
    for (std::int64_t i = 0; i < n_ * m_; ++i) rows_cells_.push_back(draw(20));
    line_ = np::array(line_cells_);
    rows_ = np::array(rows_cells_).reshape({n_, m_});
  }

  void step() {
    switch (draw(12)) {
      case 0: return read_line();
      case 1: return write_line();
      case 2: return add_to_line();
      case 3: return mask_line();
      case 4: return keep_true();
      case 5: return read_rows();
      case 6: return write_rows();
      case 7: return pick_pairs();
      case 8: return add_rows();
      case 9: return find();
      case 10: return write_values();
      default: return change();
    }
  }
  void check() {
    EXPECT_EQ(line_.to_vector<std::int64_t>(), line_cells_);
    EXPECT_EQ(rows_.to_vector<std::int64_t>(), rows_cells_);
  }

 private:
  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(dice_() % static_cast<std::uint64_t>(below));
  }
  std::size_t at(std::int64_t index, std::int64_t extent) const {
    return static_cast<std::size_t>(index < 0 ? index + extent : index);
  }
  Numbers indices(std::int64_t count, std::int64_t extent) {
    Numbers drawn;
    for (std::int64_t k = 0; k < count; ++k) drawn.push_back(draw(2 * extent) - extent);
    return drawn;
  }
  Numbers values(std::int64_t count) {
    Numbers drawn;
    for (std::int64_t k = 0; k < count; ++k) drawn.push_back(draw(50));
    return drawn;
  }
  // As it is given, which every rank has, or made of it, which is cut as other results are.
  np::Array made(const Numbers& numbers) {
    np::Array array = np::array(numbers);
    if (draw(3) == 0) return array;
    np::Array more = np::arange(array.size()) * 0;
    more += array;
    return more;
  }
  std::int64_t& row(std::int64_t i, std::int64_t k) { return rows_cells_[at(i, n_) * at(m_, 0) + at(k, m_)]; }

  void read_line() {
    const Numbers index = indices(n_, n_);
    const np::Array picked = line_(np::array(index));
    line_[all] = picked + 1;
    const Numbers before = line_cells_;
    for (std::size_t k = 0; k < index.size(); ++k) line_cells_[k] = before[at(index[k], n_)] + 1;
  }
  void write_line() {
    const Numbers index = indices(draw(n_ + 5), n_), value = values(static_cast<std::int64_t>(index.size()));
    if (index.empty()) return;
    line_(made(index)) = made(value);
    for (std::size_t k = 0; k < index.size(); ++k) line_cells_[at(index[k], n_)] = value[k];
  }
  void add_to_line() {
    const Numbers index = indices(1 + draw(2 * n_), n_), value = values(static_cast<std::int64_t>(index.size()));
    np::add_at(line_, made(index), made(value));
    for (std::size_t k = 0; k < index.size(); ++k) line_cells_[at(index[k], n_)] += value[k];
  }
  void mask_line() {
    const std::int64_t bound = draw(40);
    line_(line_ > bound) -= 7;
    for (std::int64_t& cell : line_cells_) cell -= cell > bound ? 7 : 0;
  }
  void keep_true() {
    const std::int64_t bound = draw(40);
    const np::Array kept = line_(line_ < bound), flat = rows_(rows_ >= bound);
    Numbers expected;
    std::ranges::copy_if(line_cells_, std::back_inserter(expected), [&](std::int64_t cell) { return cell < bound; });
    EXPECT_EQ(kept.to_vector<std::int64_t>(), expected);
    expected.clear();
    std::ranges::copy_if(rows_cells_, std::back_inserter(expected), [&](std::int64_t cell) { return cell >= bound; });
    EXPECT_EQ(flat.to_vector<std::int64_t>(), expected);
  }
  void read_rows() {
    const Numbers index = indices(n_, n_);
    const np::Array picked = rows_(np::array(index));
    rows_[all] = picked;
    const Numbers before = rows_cells_;
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < m_; ++k)
        row(i, k) = before[at(index[static_cast<std::size_t>(i)], n_) * at(m_, 0) + at(k, m_)];
    }
  }
  void write_rows() {
    const Numbers column = indices(1 + draw(m_), m_);
    const Numbers value = values(n_);
    rows_(all, made(column)) = made(value).reshape({n_, 1});
    for (std::int64_t i = 0; i < n_; ++i) {
      for (const std::int64_t k : column) row(i, k) = value[static_cast<std::size_t>(i)];
    }
  }
  void pick_pairs() {
    const Numbers i = indices(n_, n_), k = indices(n_, m_);
    line_[all] = rows_(np::array(i), np::array(k));
    for (std::size_t c = 0; c < i.size(); ++c) line_cells_[c] = row(i[c], k[c]);
    const std::int64_t flat = draw(n_ * m_);
    EXPECT_EQ(np::take(rows_, np::array({flat}, int64)).item<std::int64_t>(), rows_cells_[at(flat, 0)]);
  }
  void add_rows() {
    const Numbers index = indices(1 + draw(n_), n_);
    np::add_at(rows_, made(index), 3);
    for (const std::int64_t i : index) {
      for (std::int64_t k = 0; k < m_; ++k) row(i, k) += 3;
    }
  }
  // Rows, pairs, numbered cells, one in each row, of which some are named again.
  void write_values() {
    const std::int64_t count = 1 + draw(2 * n_);
    const Numbers i = indices(count, n_), k = indices(count, m_), value = values(count), wide = values(count * m_);
    np::maximum_at(rows_, made(i), made(wide).reshape({count, m_}));
    for (std::int64_t c = 0; c < count * m_; ++c) {
      std::int64_t& cell = row(i[at(c / m_, 0)], c % m_);
      cell = std::max(cell, wide[at(c, 0)]);
    }
    rows_(made(i), made(k)) = made(value);
    for (std::size_t c = 0; c < i.size(); ++c) row(i[c], k[c]) = value[c];
    const Numbers flat = indices(count, n_ * m_);
    np::put(rows_, made(flat), made(value) + 1);
    for (std::size_t c = 0; c < flat.size(); ++c) rows_cells_[at(flat[c], n_ * m_)] = value[c] + 1;
    const Numbers places = indices(n_, m_), chosen = values(n_);
    np::put_along_axis(rows_, made(places).reshape({n_, 1}), made(chosen).reshape({n_, 1}), 1);
    for (std::int64_t r = 0; r < n_; ++r) row(r, places[at(r, 0)]) = chosen[at(r, 0)];
  }
  void find() {
    const std::int64_t bound = draw(30);
    const std::vector<np::Array> places = np::nonzero(rows_ > bound);
    Numbers i, k;
    for (std::int64_t cell = 0; cell < n_ * m_; ++cell) {
      if (rows_cells_[at(cell, 0)] <= bound) continue;
      i.push_back(cell / m_);
      k.push_back(cell % m_);
    }
    EXPECT_EQ(places[0].to_vector<std::int64_t>(), i);
    EXPECT_EQ(places[1].to_vector<std::int64_t>(), k);
  }
  void change() {
    line_ += 1;
    rows_[all] = rows_ - line_(all, np::newaxis);
    for (std::int64_t& cell : line_cells_) ++cell;
    for (std::int64_t i = 0; i < n_; ++i) {
      for (std::int64_t k = 0; k < m_; ++k) row(i, k) -= line_cells_[at(i, n_)];
    }
  }

  std::mt19937_64 dice_;
  const std::int64_t n_, m_;
  np::Array line_, rows_;
  Numbers line_cells_, rows_cells_;
};

void run(std::uint64_t seed) {
  Program program(seed);
  std::mt19937_64 dice(seed);
  for (int i = 0; i < 30; ++i) {
    program.step();
    if (dice() % 8 == 0) program.check();
  }
  program.check();
  for (int i = 0; i < 6; ++i) {  // plans are made again
    Program same(seed + 1000);
    for (int k = 0; k < 4; ++k) same.step();
    same.check();
  }
}

class RandomSelections : public testing::TestWithParam<int> {};

TEST_P(RandomSelections, GiveThePlainLoopsCellsOnEveryMachine) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  struct Machine {
    int ranks, processors;
    bool gpus;
  };
  for (const auto& [ranks, processors, gpus] : {Machine{1, 1, false},
                                                {2, 1, false},
                                                {3, 1, false},
                                                {4, 1, false},
                                                {2, 2, false},
                                                {1, 1, true},
                                                {1, 3, true},
                                                {2, 2, true}}) {
    if (gpus && seed % 4 != 0) continue;  // their kernels take long to compile
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << ranks << " ranks of " << processors
                                    << (gpus ? " GPUs" : " processors"));
    fakes::SimulatedRanks machine;
    machine.ranks = ranks;
    machine.processors_per_rank = processors;
    machine.gpus = gpus;
    machine.seed = seed;
    machine.workers = seed % 3 == 0 ? 2 : 0;
    machine.window = seed % 4 == 1 ? 6 : 0;
    machine.split_bytes = seed % 5 == 0 ? 1 << 20 : 64;
    const int caches[] = {-1, 0, 1};
    machine.plan_cache = caches[seed % 3];
    if (seed % 4 != 2) machine.message_latency = 0;  // what is picked is asked for
    fakes::run_on_simulated_ranks(machine, [&](scheduler::Session&) { run(seed); });
    if (HasFailure()) return;
  }
}

// PILUM_RANDOM_PROGRAMS=200 for a longer search.
int programs() {
  const char* wanted = std::getenv("PILUM_RANDOM_PROGRAMS");
  return wanted ? std::atoi(wanted) : 12;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSelections, testing::Range(1, 1 + programs()));

}  // namespace
}  // namespace pilum
