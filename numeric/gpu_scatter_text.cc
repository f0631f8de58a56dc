#include "numeric/gpu_scatter_text.h"

#include <algorithm>
#include <functional>

#include "numeric/dtype_rules.h"
#include "numeric/gpu_cell_text.h"
#include "runtime/kernel/body/device_body.h"
#include "scheduler/record/task_launch.h"

namespace pilum::numeric {
namespace {

template <class Word>
std::string word_at(Word word, int place = 0) {
  return "words.word[" + std::to_string(place_of_word(word, place)) + "]";
}
template <class Word>
std::string signed_at(Word word, int place = 0) {
  return "(i64)" + word_at(word, place);
}
std::string named(const char* of, int number) {
  return of + std::to_string(number);
}

template <class Word>
std::string words_of(const ScatterShape& shape) {
  return std::string("typedef long long i64;\ntypedef unsigned long long u64;\ntypedef ") +
         (shape.key_bytes == 4 ? "unsigned" : "u64") + " Key;\n#define NONE (Key)" + word_at(Word::None) +
         "\nstruct Words { u64 word[" + std::to_string(kWordCount<Word>) + "]; };\n";
}

// Row-major, of a number that ends as the first coordinate.
std::string coordinates(const char* number, const char* of, int axes, const std::function<std::string(int)>& extent) {
  std::string text;
  for (int axis = axes - 1; axis > 0; --axis) {
    text += "  const u64 " + named(of, axis) + " = " + number + " % " + extent(axis) + ";\n  " + number +
            " /= " + extent(axis) + ";\n";
  }
  return axes > 0 ? text + "  const u64 " + named(of, 0) + " = " + number + ";\n" : text;
}

std::string sum_of_steps(const char* of, int axes, const std::function<std::string(int)>& step) {
  std::string sum;
  for (int axis = 0; axis < axes; ++axis)
    sum += (axis ? " + " : "") + std::string("(i64)") + named(of, axis) + " * " + step(axis);
  return axes > 0 ? sum : "0";
}

// An index becomes a place, or the point is left out.
std::string resolved(const PickedForm& form, int index, const std::string& extent, int axis) {
  const std::string place = named("place", index);
  switch (form.mode) {
    case IndexMode::Clip:
      return "  " + place + " = " + place + " < 0 ? 0 : " + place + " >= " + extent + " ? " + extent +
             " - 1 : " + place + ";\n";
    case IndexMode::Wrap:
      return "  " + place + " %= " + extent + ";\n  if (" + place + " < 0) " + place + " += " + extent + ";\n";
    default: break;
  }
  return "  {\n    const i64 given = " + place + ";\n    if (given < 0) " + place + " += " + extent +
         ";\n    if (here && (u64)" + place + " >= (u64)" + extent + ") {\n      here = false;\n      refuse_picked({" +
         "(OutOfBounds*)" + word_at(LocateWord::Report) + ", " + signed_at(LocateWord::Task) + ", " +
         signed_at(LocateWord::File) + ", " + signed_at(LocateWord::Line) + "}, given, " + std::to_string(axis) + ", " +
         extent + ");\n    }\n  }\n";
}

// By axis of the array: where the cell of this number is along it.
std::string place_of_number(const PickedForm& form) {
  std::string cells = signed_at(LocateWord::Extents), text;
  for (int axis = 1; axis < form.rank; ++axis) cells += " * " + signed_at(LocateWord::Extents, axis);
  text += "  i64 place0 = *index0;\n" + resolved(form, 0, "(" + cells + ")", scheduler::kNumberedCell) +
          "  if (!here) place0 = 0;\n  u64 number = (u64)place0;\n";
  return text + coordinates("number", "c", form.rank, [](int axis) { return word_at(LocateWord::Extents, axis); });
}

// The same where index arrays say it, or the point does.
std::string places_of_axes(const ScatterShape& shape) {
  const PickedForm& form = shape.form;
  std::string text;
  for (int axis = 0; axis < form.rank; ++axis) {
    const int follows = form.follows[u(axis)];
    if (shape.is_of_row(axis)) continue;
    if (follows >= 0) {
      text += "  const i64 " + named("c", axis) + " = (i64)" + named("x", follows) + " + " +
              signed_at(LocateWord::PointLo, follows) + ";\n";
      continue;
    }
    const int index = -1 - follows;
    text += "  i64 " + named("c", axis) + ";\n  {\n  i64 " + named("place", index) + " = *" + named("index", index) +
            ";\n" + resolved(form, index, signed_at(LocateWord::Extents, axis), axis - form.before) + "  " +
            named("c", axis) + " = " + named("place", index) + ";\n  }\n";
  }
  return text;
}

Fold fold_of(PickedWrite write) {
  switch (write) {
    case PickedWrite::Add: return Fold::Sum;
    case PickedWrite::Multiply: return Fold::Product;
    case PickedWrite::Minimum: return Fold::Minimum;
    default: return Fold::Maximum;
  }
}

// What a cell is, and what an update makes of it.
std::string cell_text(const PickedForm& form) {
  if (form.write == PickedWrite::Assign) {
    switch (form.itemsize) {
      case 1: return "typedef unsigned char Cell;\n";
      case 2: return "typedef unsigned short Cell;\n";
      case 4: return "typedef unsigned Cell;\n";
      case 8: return "typedef u64 Cell;\n";
      default: return "struct Cell { u64 words[2]; };\n";
    }
  }
  const bool adds = form.write == PickedWrite::Add;
  if (is_complex(form.dtype)) {
    const std::string part = form.dtype == DType::Complex64 ? "float" : "double";
    return "struct Cell { " + part + " re, im; };\ninline Cell combine(Cell a, Cell b) { return " +
           (adds ? "{a.re + b.re, a.im + b.im}" : "{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}") + "; }\n";
  }
  return std::string("typedef ") + plain_cell_type(form.dtype) +
         " Cell;\ninline Cell combine(Cell a, Cell b) { return " + folded_text(fold_of(form.write), form.dtype) +
         "; }\n";
}

// Where a point's value and a row's cell are.
std::string walk_text(const ScatterShape& shape) {
  const PickedForm& form = shape.form;
  std::string text =
      "struct Walk {\n  const Words& words;\n  i64 row_cell, row_value;\n  Walk(const Words& all, u64 row) : "
      "words(all) {\n";
  text += coordinates("row", "r", form.behind, [](int axis) { return word_at(ApplyWord::RowExtents, axis); });
  text +=
      "  row_cell = " + sum_of_steps("r", form.behind, [](int axis) { return signed_at(ApplyWord::RowSteps, axis); }) +
      ";\n  row_value = " +
      sum_of_steps("r", form.behind, [](int axis) { return signed_at(ApplyWord::RowValueSteps, axis); }) + ";\n  }\n";
  int keyed = 0;
  for (int axis = 0; axis < form.rank; ++axis) keyed += !shape.is_of_row(axis);
  text += "  Cell* cell(u64 key) const {\n" +
          coordinates("key", "c", keyed, [](int axis) { return word_at(ApplyWord::PieceExtents, axis); }) +
          "  return (Cell*)" + word_at(ApplyWord::Array) + " + (row_cell + " +
          sum_of_steps("c", keyed, [](int axis) { return signed_at(ApplyWord::PieceSteps, axis); }) + ");\n  }\n";
  return text + "  Cell value(u64 point) const {\n  point += " + word_at(ApplyWord::First) + ";\n" +
         coordinates("point", "x", shape.lead(), [](int axis) { return word_at(ApplyWord::PointExtents, axis); }) +
         "  return ((const Cell*)" + word_at(ApplyWord::Values) + ")[row_value + " +
         sum_of_steps("x", shape.lead(), [](int axis) { return signed_at(ApplyWord::ValueSteps, axis); }) +
         "];\n  }\n};\n";
}

constexpr const char* kScatterAssign = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const u64 number = (u64)blockIdx.x * 256 + threadIdx.x, place = number / ROW_CELLS;
  if (place >= COUNT) return;
  const Key* const keys = (const Key*)KEYS;
  const i64* const order = (const i64*)ORDER;
  const u64 point = (u64)order[place];
  const Key key = keys[point];
  if (key == NONE || (place + 1 < COUNT && keys[order[place + 1]] == key)) return;
  const Walk walk(words, number - place * ROW_CELLS);
  *walk.cell(key) = walk.value(point);
}
)";

constexpr const char* kScatterLast = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const u64 number = (u64)blockIdx.x * 256 + threadIdx.x, point = number / ROW_CELLS;
  if (point >= COUNT) return;
  const Key key = ((const Key*)KEYS)[point];
  if (key == NONE || ((const unsigned*)ORDER)[key] != (unsigned)point + 1) return;
  const Walk walk(words, number - point * ROW_CELLS);
  *walk.cell(key) = walk.value(point);
}
)";

// A row's first thread takes its first points by itself. What is left of long rows its warp takes, 32 points a batch,
// in order all the same; each lane fetches one of a batch, kBatches at a time, while those before are combined, and
// what stands where in the order still earlier: a sum is as fast as additions that wait for each other. Where rows are
// long or narrow each cell of a row has warps of its own, else neighbouring threads have neighbouring cells.
constexpr const char* kScatterFold = R"(
constexpr int kAlone = 16, kBatches = 4;

union Exchanged {
  Cell cell;
  u64 words[(sizeof(Cell) + 7) / 8];
};
inline Cell of_lane(Cell own, unsigned lane) {
  Exchanged mine, theirs;
  mine.cell = own;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(Cell) + 7) / 8; ++i) theirs.words[i] = __shfl_sync(~0u, mine.words[i], lane);
  return theirs.cell;
}

// A lane's points of the next batches, and their cells.
struct Batches {
  u64 points[kBatches];
  Cell cells[kBatches];
  bool same[kBatches];
  inline void find(const i64* order, u64 at, u64 end) {
#pragma unroll
    for (int b = 0; b < kBatches; ++b) points[b] = at + 32 * b < end ? (u64)order[at + 32 * b] : ~0ull;
  }
  inline void fetch(const Walk& walk, const Key* keys, Key wanted) {
#pragma unroll
    for (int b = 0; b < kBatches; ++b) {
      same[b] = points[b] != ~0ull && keys[points[b]] == wanted;
      cells[b] = points[b] != ~0ull ? walk.value(points[b]) : Cell();
    }
  }
};

// With what the batches have of the row, and whether it goes on behind them.
inline bool combine_batches(Cell& all, const Batches& batches) {
#pragma unroll
  for (int b = 0; b < kBatches; ++b) {
    const unsigned same = __ballot_sync(~0u, batches.same[b]);
    if (same == ~0u) {
#pragma unroll
      for (unsigned i = 0; i < 32; ++i) all = combine(all, of_lane(batches.cells[b], i));
    } else {
      const unsigned count = __popc(same);
      for (unsigned i = 0; i < count; ++i) all = combine(all, of_lane(batches.cells[b], i));
      return false;
    }
  }
  return true;
}

extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const u64 number = (u64)blockIdx.x * 256 + threadIdx.x;
  const bool apart = ROW_CELLS < 32 || COUNT / 32 > (u64)NONE;
  const u64 place = apart ? number % COUNT : number / ROW_CELLS;
  const u64 row = apart ? number / COUNT : number - place * ROW_CELLS;
  const Key* const keys = (const Key*)KEYS;
  const i64* const order = (const i64*)ORDER;
  Key key = NONE;
  u64 point = 0, next = place;
  if (place < COUNT && row < ROW_CELLS) {
    point = (u64)order[place];
    key = keys[point];
    if (place > 0 && keys[order[place - 1]] == key) key = NONE;  // another thread's
  }
  Cell sum = Cell();
  bool goes_on = false;
  if (key != NONE) {
    const Walk walk(words, row);
    Cell* const cell = walk.cell(key);
    sum = *cell;
    for (int taken = 0; taken < kAlone; ++taken) {
      sum = combine(sum, walk.value(point));
      goes_on = ++next < COUNT && keys[point = (u64)order[next]] == key;
      if (!goes_on) break;
    }
    if (!goes_on) *cell = sum;
  }
  const unsigned lane = threadIdx.x % 32;
  for (unsigned waiting = __ballot_sync(~0u, goes_on); waiting;) {
    const unsigned leader = 31 - (unsigned)__clz(waiting);
    waiting &= ~(1u << leader);
    const Key wanted = (Key)__shfl_sync(~0u, (u64)key, leader);
    const Walk walk(words, __shfl_sync(~0u, row, leader));
    u64 at = __shfl_sync(~0u, next, leader) + lane;
    Cell all = of_lane(sum, leader);
    Batches now, following;
    now.find(order, at, COUNT);
    following.find(order, at += 32 * kBatches, COUNT);
    now.fetch(walk, keys, wanted);
    for (;;) {
      following.fetch(walk, keys, wanted);
      now.find(order, at += 32 * kBatches, COUNT);
      if (!combine_batches(all, now)) break;
      now.fetch(walk, keys, wanted);
      following.find(order, at += 32 * kBatches, COUNT);
      if (!combine_batches(all, following)) break;
    }
    if (lane == leader) *walk.cell(wanted) = all;
  }
}
)";

constexpr const char* kScatterAdd = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const u64 number = (u64)blockIdx.x * 256 + threadIdx.x, point = number / ROW_CELLS;
  if (point >= COUNT) return;
  const Key key = ((const Key*)KEYS)[point];
  if (key == NONE) return;
  const Walk walk(words, number - point * ROW_CELLS);
  atomicAdd((Added*)walk.cell(key), (Added)walk.value(point));
}
)";

constexpr const char* kScatterCount = R"(
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Added sums[kCountedRows];
  const unsigned thread = threadIdx.x, rows = (unsigned)NONE;
  for (unsigned row = thread; row < rows; row += 256) sums[row] = 0;
  __syncthreads();
  const Key* const keys = (const Key*)KEYS;
  const Walk walk(words, 0);
  for (u64 point = (u64)blockIdx.x * 256 + thread; point < COUNT; point += (u64)gridDim.x * 256) {
    const Key key = keys[point];
    if (key != NONE) atomicAdd(sums + key, (Added)walk.value(point));
  }
  __syncthreads();
  for (unsigned row = thread; row < rows; row += 256) {
    if (sums[row] != 0) atomicAdd((Added*)walk.cell(row), sums[row]);
  }
}
)";

}  // namespace

std::string locate_text(const ScatterShape& shape, ScatterWay way) {
  const PickedForm& form = shape.form;
  std::string text = words_of<LocateWord>(shape) + kernel::refusal_text();
  text +=
      "extern \"C\" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {\n"
      "  const u64 own = (u64)blockIdx.x * 256 + threadIdx.x;\n  if (own >= " +
      word_at(LocateWord::Count) + ") return;\n  u64 point = " + word_at(LocateWord::First) +
      " + own;\n  bool here = true;\n";
  text += coordinates("point", "x", shape.lead(), [](int axis) { return word_at(LocateWord::PointExtents, axis); });
  int indices = form.numbered ? 1 : 0;
  for (int axis = 0; axis < form.rank && !form.numbered; ++axis) indices = std::max(indices, -form.follows[u(axis)]);
  for (int k = 0; k < indices; ++k) {
    text +=
        "  const i64* const " + named("index", k) + " = (const i64*)" + word_at(LocateWord::Indices, k) + " + (" +
        sum_of_steps("x", shape.lead(), [k](int axis) { return signed_at(LocateWord::Steps, kMaxAxes * k + axis); }) +
        ");\n";
  }
  text += form.numbered ? place_of_number(form) : places_of_axes(shape);
  text += "  u64 key = 0;\n";
  for (int axis = 0; axis < form.rank; ++axis) {
    if (shape.is_of_row(axis)) continue;
    const std::string c = named("c", axis), lo = signed_at(LocateWord::PieceLo, axis),
                      hi = signed_at(LocateWord::PieceHi, axis);
    text += "  here = here && (i64)" + c + " >= " + lo + " && (i64)" + c + " < " + hi + ";\n  key = key * (u64)(" + hi +
            " - " + lo + ") + (u64)((i64)" + c + " - " + lo + ");\n";
  }
  text += "  ((Key*)" + word_at(LocateWord::Keys) + ")[own] = here ? (Key)key : NONE;\n";
  if (way == ScatterWay::Last)
    text += "  if (here) atomicMax((unsigned*)" + word_at(LocateWord::Lasts) + " + key, (unsigned)own + 1);\n";
  return text + "}\n";
}

bool adds_in_any_order(const PickedForm& form) {
  return form.write == PickedWrite::Add && !is_inexact(form.dtype) && form.itemsize >= 4;
}

std::string apply_text(const ScatterShape& shape, ScatterWay way) {
  const PickedForm& form = shape.form;
  std::string text = words_of<ApplyWord>(shape) + cell_text(form) + walk_text(shape);
  text += "#define KEYS " + word_at(ApplyWord::Keys) + "\n#define ORDER " + word_at(ApplyWord::Order) +
          "\n#define COUNT " + word_at(ApplyWord::Count) + "\n#define ROW_CELLS " +
          (form.behind ? word_at(ApplyWord::RowCells) : "1ull") + "\n";
  const std::string added = std::string("typedef ") + (form.itemsize == 4 ? "unsigned" : "u64") + " Added;\n";
  switch (way) {
    case ScatterWay::Sorted: return text + (form.write == PickedWrite::Assign ? kScatterAssign : kScatterFold);
    case ScatterWay::Last: return text + kScatterLast;
    case ScatterWay::Added: return text + added + kScatterAdd;
    case ScatterWay::Counted:
      return text + added + "constexpr int kCountedRows = " + std::to_string(kCountedRows) + ";\n" + kScatterCount;
  }
  __builtin_unreachable();
}

}  // namespace pilum::numeric
