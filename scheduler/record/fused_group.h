// A group of fused operations as it is shown to users: what it is made of, what it moves, where it ends.
#pragma once

#include "scheduler/record/fusion_notes.h"
#include "scheduler/record/instruction_facts.h"
#include "scheduler/record/traffic.h"

namespace pilum::scheduler {

struct FusedGroup {
  GroupNotes notes;
  Shape shape;                     // of the points that it computes
  Traffic traffic;                 // of all processors together
  bool on_all = false;             // every one of several processors computes all of it
  int in_registers = 0;            // values that get no memory
  InstructionTotals instructions;  // of its task, on this rank
};

// Why a window ends where it ends.
struct WindowEnd {
  enum class Why : std::uint8_t {
    Flushed,        // it was analysed, and nobody says why
    ValueRead,      // the program reads a value
    Called,         // the program makes a call that waits for what is recorded
    Full,           // of operations
    LoopFound,      // a loop of `operations` was recognised, whose rounds windows hold from then on
    LoopRounds,     // it holds whole rounds of a loop of `operations`
    MemoryIsShort,  // all of it found no memory
    Gathered        // what comes next sees few cells at a time of arrays that were cut
  };
  Why why = Why::Flushed;
  Call call;
  std::size_t operations = 0;
};

// Groups that were told once, by number, and how often they came in a row.
struct FusionEntry {
  int number = 0;
  std::int64_t rounds = 1;
};

}  // namespace pilum::scheduler
