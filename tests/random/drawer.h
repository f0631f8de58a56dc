// Draws a program statement by statement: each is tried on the oracle first, and kept where it is valid.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tests/random/dice.h"
#include "tests/random/oracle.h"
#include "tests/random/program.h"

namespace pilum::random_programs {

// What a program is like. Large ones have arrays above and below the size at which arrays are cut by default, tiny ones
// fewer cells than there are ranks, and strands are loops over arrays that have little to do with each other.
enum class Taste { Ordinary, Tiny, Strands, Large };

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed);
  Program draw();

 private:
  // Keeps the statement where it is valid.
  void add(Statement statement);
  bool runs(Oracle& state, const Statement& statement) const;

  // draw.cc: one statement
  Statement draw_statement();
  Statement draw_simple();  // what may stand in a loop, too
  Create draw_create();
  void draw_contents(Create& create);
  void draw_distribution(Create& create);
  void draw_small_integers(Create& create);
  Statement draw_read();
  Op draw_assignment_op();
  Assign draw_assignment();
  Statement draw_masked();  // cells that a mask chooses, or that indices name
  Statement draw_launch();  // of a user's task; another statement, where no array is one for tasks

  // draw_overlap.cc: statements that read what they write
  Statement draw_overlap() { return draw_overlap(draw_live()); }
  Statement draw_overlap(int name);
  Statement draw_stencil(int name);
  Statement draw_reversed(int name);
  std::vector<Statement> draw_parts();  // one of the following
  // One array updated by parts that differ by a rim, from another one or from itself; rolled; its rims copied.
  std::vector<Statement> draw_partial_updates();
  std::vector<Statement> draw_rims();
  // An array within another one with a number around it, which is read at neighbours, summed, and gone, mostly.
  std::vector<Statement> draw_padded();
  // Values that are wanted at other points than where they are made: of updates one after the other, or of a new array.
  std::vector<Statement> draw_neighbours();
  std::vector<Statement> draw_staggered(const std::vector<int>& alike, std::size_t axes);
  std::vector<Statement> draw_fields();  // three new arrays, and a loop of such updates of them
  std::vector<Statement> draw_fluxes(const std::vector<int>& alike);

  // draw_loop.cc
  Loop draw_loop();
  Loop draw_strands();
  std::optional<Loop> draw_recurrence();
  std::vector<Statement> draw_strand(int name);
  void shorten(Loop& loop);

  // Reductions over one shape, for one group: of other operands, dtypes and operations, mostly along the same axes.
  std::vector<Statement> draw_reductions();
  // A sum over an array, most often times another one, that the program reads at once or later: what follows from other
  // arrays may wait meanwhile.
  std::vector<Statement> draw_sum_that_is_read(int name);
  std::vector<int> draw_folded_axes(const Extents& shape);

  // Names and shapes.
  std::vector<int> live_names() const;
  int draw_live();  // of an exact array
  int draw_name();  // a new one, or one that is bound to something else so far
  int draw_name_besides(const std::vector<int>& taken);
  const Extents& shape_of(int name) const { return state_.view(name)->shape; }
  Leaf draw_any_view();
  Extents draw_shape();
  std::int64_t draw_extent();
  Extents draw_new_shape();

  Dice dice_;
  Taste taste_ = Taste::Ordinary;
  std::int64_t largest_array_ = 2500;  // cells
  Program program_;
  Oracle state_;
  std::vector<DType> dtypes_;
  std::array<std::int64_t, 3> extents_{};
};

}  // namespace pilum::random_programs
