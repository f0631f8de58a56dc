// One row: the points along the domain's last axis. Private to the emitter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {

// Of rows that are walked by turns: vectors of each at a time, 1 KiB of the widest dtype; and arrays, each of which has
// its place in each row.
inline constexpr int kBlockVectors = 16;
inline constexpr std::size_t kMostArraysByTurns = 8;

// A pointer that is worked out once a row: array `argument` at `offset`, whose last entry is zero where the array is
// contiguous (that part is a constant in the load itself).
struct RowPointer {
  std::int16_t argument = -1;
  Offset offset{};
  bool operator==(const RowPointer&) const = default;
};

// Cells along the row from a load's pointer: of contiguous arrays, the offset's last entry.
int inner_displacement(const ArrayArgument& array, const Offset& offset);
// " + 2", " - 2", or nothing.
std::string signed_term(int value);

// What a vector body loads or stores: a pointer, and cells from it along the row.
struct RowAccess {
  int pointer = -1, displacement = 0;
  bool written = false;
  bool operator==(const RowAccess&) const = default;
};

// Writes rows as the plan says:
//   plain       for (j = 0; j < n; ++j) scalar body
//   stores      scalar body up to the first aligned line; vector body; a last vector that overlaps it, or, where none
//               fits, scalar body to the end
//   padded      the same with one vector body, at the ends on copies: access i at `p<i> + j`, of an end in `e<i>`
//   strands     of what lies in memory: stores, or folds of each row, of several rows, or parts of one, by turns;
//               or folds of all points, of several calls
//   planes      of what lies in memory: stores, a row of each of several planes by turns
//   folded rows vector body from the first element; the rest in a vector padded with the fold's start
class HostRow {
 public:
  explicit HostRow(const HostPlan& plan);
  const std::vector<RowPointer>& pointers() const { return pointers_; }
  // Values that change once a call.
  void write_call_values(SourceText& text) const;
  // Pointers and values of the row, and its loops. Array i stands at `a<i>_<last axis>`.
  void write(SourceText& text) const;
  // Whether rows are walked several at a time, and these, with the loop over the axis before theirs, if there is one.
  bool goes_in_strands() const;
  void write_strands(SourceText& text) const;
  // Whether a row of several planes is walked at a time, and these, with the loops over the two axes before theirs.
  bool goes_in_planes() const;
  void write_planes(SourceText& text) const;
  // Whether calls are taken several at a time, and these: what they share, each one's own, and their loops.
  bool goes_in_calls() const;
  void write_calls(SourceText& text) const;
  // Locals for what the loops use of the call: stores could change the call itself, as far as a compiler knows. First
  // those that are the same of all calls that stand behind it.
  void write_shared_bindings(SourceText& text) const;
  void write_bindings(SourceText& text) const;

 private:
  int pointer_of(int argument, const Offset& offset) const;
  void write_pointers(SourceText& text) const;
  void write_row_values(SourceText& text) const;
  void write_splat(SourceText& text, ValueId id) const;
  void write_values(SourceText& text, Form form) const;
  void write_outputs(SourceText& text, Form form) const;
  void write_body(SourceText& text, Form form) const;
  void write_plain(SourceText& text) const;
  void write_stores(SourceText& text) const;
  std::string cells_to_line(std::string_view first) const;
  bool may_end_in_vector() const;
  void write_last_values(SourceText& text) const;
  void write_last_vector(SourceText& text) const;
  void write_padded(SourceText& text) const;
  void write_strand(SourceText& text) const;
  void write_folded_strand(SourceText& text) const;
  void write_alignments(SourceText& text, std::string_view first) const;
  void write_prefetches(SourceText& text) const;
  void write_folded(SourceText& text) const;
  void write_folded_vectors(SourceText& text, const std::string& end) const;
  void write_folded_rest(SourceText& text) const;
  std::string load(const Node& node, Form form) const;
  std::string read_cell(int argument, int pointer, Form form) const;
  std::string write_cell(int argument, int pointer, Form form, const std::string& value) const;
  std::string vector_store(int argument, int pointer, const std::string& value) const;
  std::string written_cells(int pointer) const;
  bool streams(int argument) const;
  void find_accesses();
  int access_of(const RowAccess& access) const;

  const HostPlan& plan_;
  std::vector<RowPointer> pointers_;
  std::vector<RowAccess> accesses_;  // where rows are padded
};

}  // namespace pilum::kernel
