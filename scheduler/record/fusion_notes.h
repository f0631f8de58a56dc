// Why operations stand in the groups in which they stand: what the fuser notes where somebody asks.
#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// A recorded call, as users know it.
struct Call {
  const char* name = "";  // empty: none
  std::source_location where;
};

// What keeps an operation out of a group.
enum class Hindrance : std::uint8_t {
  ReadsElsewhere,     // it reads at other points what the group writes
  NeedsWholeFold,     // it uses the result of a fold of the group
  WritesElsewhere,    // it writes at other points what the group writes
  FoldsIntoRead,      // it folds into an array that the group reads
  OtherAxes,          // both fold, over different axes
  OtherShape,         // it computes other points
  ReadsBeyond,        // it is part of one that was cut at the ends of a rolled or padded array that it reads
  FoldsBeyond,        // the group is cut so, or would be, and what it folds is not
  TooManyParts,       // the group would be cut so into more parts than one is
  OtherLine,          // it is a line of a large array along another axis
  OtherTiling,        // its points are cut in another way among processors
  TooManyFolds,       // the group has as many small ones as one takes on GPUs
  TooManyOperations,  // the group has as many as one takes
  TooManyStreams,     // or arrays in memory
  TooManyArrays,      // or arrays and values
  NotFused,           // it is a user's task, an import or a reshape that moves cells
  GroupNotFused,      // the group is one
};

// A kind of operation that is a group of its own.
enum class Unfused : std::uint8_t { Task, Import, Reshape };

struct Refusal {
  Hindrance hindrance = Hindrance::OtherShape;
  Call refused;          // the operation
  bool is_part = false;  // it is a part of one that was cut
  Call cause;            // of the group, for a hindrance that is one call's
  Shape refused_shape;   // of its points, and of the group's
  Shape group_shape;
  int most = 0;                     // of what there would be too many
  Unfused unfused = Unfused::Task;  // the operation, or the group, that is not fused
};

// One group, in the order of the tasks.
struct GroupNotes {
  struct Member {
    Call call;
    int number = 0;        // in its window
    bool is_part = false;  // of a call that was cut where domains differ
  };
  std::vector<Member> members;
  // Values that are made here, that no other group reads, and that get memory as the program holds them.
  std::vector<Call> held;
  // Of the operation that began the next group: all that kept it from joining this one; empty for the last group.
  std::vector<Refusal> refusals;
};
using FusionNotes = std::vector<GroupNotes>;

}  // namespace pilum::scheduler
