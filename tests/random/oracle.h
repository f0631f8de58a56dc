// What a program means, as NumPy defines it: arrays are views of flat buffers, and a statement reads all of its
// inputs before it writes. Slow and plain on purpose; it shares no code with what it checks.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tests/random/dense.h"
#include "tests/random/program.h"
#include "tests/random/reading.h"

namespace pilum::random_programs {

// Cells of a buffer: cell [i, j, …] lies at offset + i * strides[0] + j * strides[1] + …
struct View {
  std::size_t buffer = 0;
  std::int64_t offset = 0;
  Extents shape;
  Extents strides;
};

// The state between two statements. A value: a copy can go another way.
class Oracle {
 public:
  // Programs that compute more cells are Invalid.
  explicit Oracle(std::int64_t most_cells = std::numeric_limits<std::int64_t>::max()) : most_cells_(most_cells) {}
  // Throws Invalid, and is then to be thrown away. Readings are added to readings().
  void run(const Statement& statement, std::int64_t round = 0);

  const std::vector<Reading>& readings() const { return readings_; }
  const std::optional<View>& view(int name) const { return names_[static_cast<std::size_t>(name)]; }
  View view(const Leaf& leaf, std::int64_t round) const;
  bool is_exact(const View& view) const { return buffers_[view.buffer].tolerance.empty(); }
  DType dtype(const View& view) const { return buffers_[view.buffer].dtype; }
  Dense load(const View& view) const;
  std::int64_t cost() const { return cost_; }  // cells computed so far

 private:
  struct Buffer {
    DType dtype = DType::Float64;
    std::vector<Cell> cells;
    std::vector<double> tolerance;  // as Reading's
  };

  void run(const Create& create);
  void run(const Bind& bind, std::int64_t round);
  void run(const Assign& assign, std::int64_t round);
  void run(const MaskedAssign& assign, std::int64_t round);
  void run(const Put& put, std::int64_t round);
  void run(const Read& read, std::int64_t round);
  void run(const Launch& launch);
  Dense evaluate(const Expression& expression, std::int64_t round);
  void bind_new(int name, Dense value);
  void spend(std::int64_t cells);

  std::array<std::optional<View>, kNames> names_;
  std::vector<Buffer> buffers_;
  std::vector<Reading> readings_;
  std::int64_t most_cells_;
  std::int64_t cost_ = 0;
};

// The readings of a whole program; throws Invalid.
std::vector<Reading> expected_readings(const Program& program);

}  // namespace pilum::random_programs
