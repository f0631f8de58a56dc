#include "numeric/gpu_line_copy.h"

#include <array>
#include <bit>
#include <limits>

#include "numeric/library_task.h"
#include "runtime/base/check.h"

namespace pilum::numeric {
namespace {

// Words: 0 the array's line 0, 1 its step from cell to cell, 2 the lines' first cell, 3 and 4 their steps from cell to
// cell and from line to line, 5 cells of a line, 6 lines, 7 the number of the first one, 8 whether neighbouring threads
// have cells of neighbouring lines, 9 whether to the array, 10 whether a line's last cell has its imaginary part cut,
// 11 axes, 12 … extents, 20 … the array's steps along them; then what multiplies.
constexpr std::size_t kCopiedExtents = 12, kCopiedSteps = 20, kCopiedScale = 28, kCopiedWords = 29;
constexpr std::int64_t kThreads = 256;

constexpr const char* kCopy = R"(
struct Words {
  unsigned long long word[28];
  double scale;
};
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  const unsigned long long cells = words.word[5], lines = words.word[6];
  const unsigned long long number = blockIdx.x * 256ull + threadIdx.x;
  unsigned long long line = 0, i = number;
  if (lines > 1) {
    const unsigned short_number = (unsigned)number, by = (unsigned)(words.word[8] ? lines : cells);
    line = words.word[8] ? short_number % by : short_number / by;
    i = words.word[8] ? short_number / by : short_number % by;
  }
  if (i >= cells || line >= lines) return;
  unsigned long long place = words.word[7] + line;
  long long there = (long long)i * (long long)words.word[1];
  for (int axis = (int)words.word[11] - 1; axis > 0; --axis) {
    there += (long long)(place % words.word[12 + axis]) * (long long)words.word[20 + axis];
    place /= words.word[12 + axis];
  }
  there += (long long)place * (long long)words.word[20];
  Cell* const array = (Cell*)words.word[0] + there;
  Cell* const own = (Cell*)words.word[2] + (long long)i * (long long)words.word[3] + (long long)line * (long long)words.word[4];
)";

constexpr const char* kMoved = R"(
  if (words.word[9]) {
    *array = *own;
  } else {
    *own = *array;
  }
}
)";

constexpr const char* kHalf = R"(
  const bool is_real = i == 0 || (words.word[10] && i + 1 == cells);
  Cell cell = *array;
  cell.re = cell.re * (Real)words.scale;
  cell.im = is_real ? 0 : cell.im * (Real)words.scale;
  *own = cell;
}
)";

std::uint64_t copy_word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

void launch(const LineCopy& copy, const std::string& text, bool is_even, double scale,
            const scheduler::DeviceIssue& where) {
  const std::int64_t cells = copy.cells * copy.count, blocks = (cells + kThreads - 1) / kThreads;
  PILUM_CHECK(!copy.axes.empty() && copy.axes.size() <= kCopiedSteps - kCopiedExtents, "lines of {} axes",
              copy.axes.size());
  PILUM_CHECK(copy.count == 1 || blocks * kThreads <= std::numeric_limits<std::uint32_t>::max(), "a copy of {} cells",
              cells);
  std::array<std::uint64_t, kCopiedWords> words{reinterpret_cast<std::uint64_t>(copy.array),
                                                copy_word(copy.cell_step),
                                                reinterpret_cast<std::uint64_t>(copy.lines),
                                                copy_word(copy.step),
                                                copy_word(copy.distance),
                                                copy_word(copy.cells),
                                                copy_word(copy.count),
                                                copy_word(copy.first),
                                                copy.distance < copy.step ? 1U : 0U,
                                                copy.to_array ? 1U : 0U,
                                                is_even ? 1U : 0U,
                                                copy.axes.size()};
  for (std::size_t axis = 0; axis < copy.axes.size(); ++axis) {
    words[kCopiedExtents + axis] = copy_word(copy.axes[axis].extent);
    words[kCopiedSteps + axis] = copy_word(copy.axes[axis].step);
  }
  words[kCopiedScale] = std::bit_cast<std::uint64_t>(scale);
  where.launch({where.jit.get(text)->image(),
                {static_cast<std::uint32_t>(blocks), 1, 1},
                {static_cast<std::uint32_t>(kThreads), 1, 1},
                words});
}

}  // namespace

const std::string& line_copy_text(std::size_t cell_bytes) {
  static const std::string of4 = std::string("typedef unsigned Cell;") + kCopy + kMoved,
                           of8 = std::string("typedef unsigned long long Cell;") + kCopy + kMoved,
                           of16 = std::string("struct Cell { unsigned long long a, b; };") + kCopy + kMoved;
  return cell_bytes == 4 ? of4 : cell_bytes == 8 ? of8 : of16;
}

const std::string& half_line_copy_text(std::size_t cell_bytes) {
  static const std::string cell = "struct Cell { Real re, im; };",
                           of_floats = "typedef float Real;" + cell + kCopy + kHalf,
                           of_doubles = "typedef double Real;" + cell + kCopy + kHalf;
  return cell_bytes == 8 ? of_floats : of_doubles;
}

void copy_lines(const LineCopy& copy, const scheduler::DeviceIssue& where) {
  launch(copy, line_copy_text(copy.cell_bytes), false, 1, where);
}

void copy_half_lines(const LineCopy& copy, bool is_even, double scale, const scheduler::DeviceIssue& where) {
  launch(copy, half_line_copy_text(copy.cell_bytes), is_even, scale, where);
}

}  // namespace pilum::numeric
