// A program as a list of calls, and what may be changed in one rank's copy of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pilum/dtype.h"

namespace pilum::faults {

// One kind of call, on a source line of its own (run.cc).
enum class Kind : std::uint8_t {
  Zeros,
  Full,
  Empty,
  Arange,
  Linspace,
  Import,  // name = a new array
  Fill,
  AssignNumber,
  AssignView,  // writes
  AddNumberInPlace,
  MultiplyNumberInPlace,
  AddInPlace,
  SubtractInPlace,
  Add,
  Subtract,
  Multiply,
  Maximum,
  AddNumber,
  Where,
  AsType,  // temporary = an expression
  Sum,
  Max,
  SumAxis,
  MaxAxis,
  SubtractTotal,  // reductions, and one that is used
  Smooth,
  Scale,
  Pair,
  Gather,
  Window,
  Count,  // tasks
  Item,
  ToVector,
  Print,
  Wait,    // what looks at values, or waits
  Handle,  // copies a handle, takes a view: no call
  Return,
  Exit,
  QuickExit,
  Throw,
  Kill,
  Delay,
  Stop,
  Endless,  // what a rank must not do (Delay: it may)
};
inline constexpr int kKinds = static_cast<int>(Kind::Endless) + 1;

[[nodiscard]] const char* name(Kind kind);

// Names 0 to 3 are arrays of the program's extent or a little more, 4 and 5 temporaries, 6 holds totals, 7 a histogram.
inline constexpr int kArrays = 4, kTemporaries = 4, kTotal = 6, kHistogram = 7, kNames = 8;

// `count` cells of an array's first axis.
struct View {
  int name = 0;
  std::int64_t offset = 0, step = 1;
  bool operator==(const View&) const = default;
};

// Numbers come as bool, int or double.
struct Number {
  enum class Kind : std::uint8_t { Bool, Integer, Floating };
  Kind kind = Kind::Floating;
  double value = 0;
};

struct Step {
  Kind kind = Kind::Wait;
  int target = 0;  // the name that a new array gets
  View a, b;
  std::int64_t count = 0;    // cells of the views
  std::int64_t extent = 0;   // of a new array's first axis
  std::int64_t columns = 0;  // of its second one; 0: it has one axis
  DType dtype = DType::Float64;
  Number number;
  double per_round = 0;       // what the number grows by in every round of a loop
  int axis = 0;               // of a reduction
  std::uint64_t data = 0;     // seed of imported cells
  std::int64_t altered = -1;  // the imported cell that is another one
  bool altered_on = false;    // and all behind it
  double captured = 0;        // state of a task's body, or of a projection
  std::string task;           // a task's name
  bool other_body = false;    // the same name, another body
  std::int64_t width = 1;     // of a projection
  bool maximum = false;       // folds by maximum, not by sum
  int id = 0;                 // the step of the program that this is a copy of
};

// What the number of an arange and of a linspace comes to.
[[nodiscard]] std::int64_t first_of(const Step& step);
[[nodiscard]] double last_of(const Step& step);

// What a kind of call depends on.
struct Fields {
  bool extent = false, dtype = false, number = false, a = false, b = false, axis = false, data = false,
       captured = false, task = false, width = false, fold = false;
};
[[nodiscard]] Fields fields_of(Kind kind);

// The call with all that it depends on; empty for what is no call.
[[nodiscard]] std::string text_of(const Step& step);

// A program with its loops unrolled: what a rank does, in order.
using Program = std::vector<Step>;

// How a program for given extents is drawn.
struct Size {
  std::int64_t extent = 40;  // of arrays, at least 24
  bool two_axes = false;
};

// At most 25 steps, some of them in loops; every one is valid.
[[nodiscard]] Program draw_program(std::uint64_t seed, const Size& size);

// A step like those of such programs; between loops values are read more often.
class Dice;
[[nodiscard]] Step draw_step(Dice& dice, const Size& size, bool between_loops);

}  // namespace pilum::faults
