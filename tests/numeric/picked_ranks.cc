// As several ranks: cells that index arrays name, in a loop whose plans are made again, against a plain loop.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <pilum/pilum.h>

namespace np = pilum::numeric;
using np::slice;

int main(int argc, char** argv) {
  constexpr std::int64_t kCells = 120'000, kAsked = 9'000, kColumns = 6;
  constexpr int kRounds = 30;
  pilum::Runtime runtime(argc, argv);
  np::Array line = np::arange(kCells).copy(), at = (np::arange(kAsked) * 7919) % kCells;
  np::Array rows = np::arange(kCells * kColumns).reshape({kCells, kColumns}) * 3;
  np::Array sums = np::zeros({kAsked, kColumns}, pilum::int64);
  std::vector<std::int64_t> cells(kCells), index(kAsked), expected(kAsked * kColumns);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i) * 7919 % kCells;
  for (int round = 0; round < kRounds; ++round) {
    const np::Array picked = line(at);
    sums += rows(at);
    line(slice(0, kAsked)) += picked;
    at = (at * 31 + picked + 7) % kCells - (round % 2) * kCells;
    const std::vector<std::int64_t> before = cells;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::int64_t place = index[i] + (index[i] < 0 ? kCells : 0);
      const std::int64_t cell = before[static_cast<std::size_t>(place)];
      for (std::size_t k = 0; k < kColumns; ++k)
        expected[i * kColumns + k] += 3 * (place * kColumns + static_cast<std::int64_t>(k));
      cells[i] += cell;
      const std::int64_t next = (index[i] * 31 + cell + 7) % kCells;
      index[i] = next + (next < 0 ? kCells : 0) - (round % 2) * kCells;
    }
  }
  const bool right = line.to_vector<std::int64_t>() == cells && sums.to_vector<std::int64_t>() == expected;
  std::printf("%s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
