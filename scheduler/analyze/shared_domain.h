// Operations that write almost the same part of an array, one after the other, cut where they differ.
#pragma once

#include <list>
#include <span>
#include <vector>

#include "runtime/machine/machine.h"
#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// `w[all] = 4.0 * p; w(slice(1, {})) -= p(slice(0, -1)); …` is as many passes over the array as there are lines, as
// their domains differ by a rim. Cut where they differ, the parts that all of them share become one task, and the rims
// small ones.
//
// `next = zeros_like(u); next(in, in) = …`: what an operation writes and a later one overwrites, unread, it need not
// write: of the fill its rims are left.
//
// A chain is operations of cells on one store, with nobody else touching it in between, each over more than half of
// what they cover together, of which at least one is at another rect than the one before it. It is cut where its shared
// part is at least as large as what is cut among processors, for a rim is a launch; where there is one beside it, the
// shared part's rows begin at a line of a GPU's memory. What such an operation is computed
// from, and nobody else reads, is cut with it. A function of the operations and the machine alone.
class SharedDomains {
 public:
  // `operations`: a window's, whose stores are numbered.
  SharedDomains(const std::vector<Operation>& operations, const machine::Machine& machine);

  // The cells of its store at which the operation is cut, which all of its chain share; of rank 0: it stays whole.
  Rect shared_part(std::size_t number) const { return shared_.empty() ? Rect{} : shared_[number]; }

  // The operation's parts, the shared one last, unless it is unread; none: it stays whole. They live as long as this
  // object.
  std::span<const Operation> parts_of(const Operation& operation, std::size_t number);

 private:
  struct Link {
    std::size_t number = 0;
    Rect cells;            // of the store
    bool updates = false;  // reads the cells that it writes
  };
  using Chain = std::vector<Link>;  // empty: none is open

  void find_chains(const std::vector<Operation>& operations, std::int64_t min_bytes);
  void close(Chain& chain, std::int64_t min_cells);
  void cut_what_they_read(const std::vector<Operation>& operations);

  const machine::Machine& machine_;
  std::vector<Rect> shared_;     // by operation, in cells of its store; of rank 0: it stays whole. Empty: all do
  std::vector<bool> is_unread_;  // by operation: its shared part is overwritten before anybody reads it
  std::list<std::vector<Operation>> parts_;
};

}  // namespace pilum::scheduler
