#include "numeric/gpu_matrix_copy.h"

#include <cstdlib>

namespace pilum::numeric {
namespace {

constexpr std::int64_t kCopiedTile = 32;
constexpr std::uint32_t kCopying = 256;  // threads of a block

// Words: 0 and 3 the first cells, read and written, each with its steps; 6 rows, 7 columns, 8 the part, 9 info, 10 and
// 11 the filling; 12 and 13 whether neighbouring threads read, and write, neighbouring rows. A tile goes through shared
// memory, so that neighbours are beside each other in memory on both sides.
constexpr const char* kMatrixCopy = R"(
struct Words { unsigned long long word[14]; };
constexpr int kTile = 32, kLines = 8;
extern "C" __global__ void __launch_bounds__(256) pilum_kernel(const Words words) {
  __shared__ Cell tile[kTile][kTile + 1];
  const long long rows = (long long)words.word[6], columns = (long long)words.word[7], part = (long long)words.word[8];
  const unsigned long long across = (unsigned long long)(columns + kTile - 1) / kTile;
  const long long row = (long long)(blockIdx.x / across) * kTile, column = (long long)(blockIdx.x % across) * kTile;
  const int x = (int)(threadIdx.x % kTile), y = (int)(threadIdx.x / kTile);
  Cell filling;
  fill(&filling, words.word[10], words.word[11]);
  const bool is_filled = words.word[9] && *(const int*)words.word[9] != 0;
  for (int k = y; k < kTile; k += kLines) {
    const int i = words.word[12] ? x : k, j = words.word[12] ? k : x;
    const long long r = row + i, c = column + j;
    if (r >= rows || c >= columns) continue;
    Cell cell;
    fill(&cell, 0, 0);
    if (is_filled || (part == 3 && r == c)) cell = filling;
    else if (part == 0 || (part == 1 && r >= c) || (part == 2 && r <= c))
      cell = ((const Cell*)words.word[0])[r * (long long)words.word[1] + c * (long long)words.word[2]];
    tile[i][j] = cell;
  }
  __syncthreads();
  for (int k = y; k < kTile; k += kLines) {
    const int i = words.word[13] ? x : k, j = words.word[13] ? k : x;
    const long long r = row + i, c = column + j;
    if (r < rows && c < columns)
      ((Cell*)words.word[3])[r * (long long)words.word[4] + c * (long long)words.word[5]] = tile[i][j];
  }
}
)";

constexpr const char* kOneWord = R"(
static __device__ __forceinline__ void fill(Cell* cell, unsigned long long a, unsigned long long) { *cell = (Cell)a; }
)";
constexpr const char* kTwoWords = R"(
struct Cell { unsigned long long a, b; };
static __device__ __forceinline__ void fill(Cell* cell, unsigned long long a, unsigned long long b) {
  cell->a = a;
  cell->b = b;
}
)";

std::uint64_t copied_word(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::uint64_t copied_word(const std::byte* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

bool is_by_rows(const MatrixPlace& place) {  // whose next cell is of the next row
  return std::abs(place.row) < std::abs(place.column);
}

}  // namespace

const std::string& matrix_copy_text(std::size_t cell_bytes) {
  static const std::string of4 = std::string("typedef unsigned Cell;") + kOneWord + kMatrixCopy,
                           of8 = std::string("typedef unsigned long long Cell;") + kOneWord + kMatrixCopy,
                           of16 = std::string(kTwoWords) + kMatrixCopy;
  return cell_bytes == 4 ? of4 : cell_bytes == 8 ? of8 : of16;
}

void copy_matrix(const MatrixCopy& copy, const scheduler::DeviceIssue& where) {
  const std::int64_t down = (copy.rows + kCopiedTile - 1) / kCopiedTile,
                     across = (copy.columns + kCopiedTile - 1) / kCopiedTile;
  const std::uint64_t words[] = {copied_word(copy.from.first),
                                 copied_word(copy.from.row),
                                 copied_word(copy.from.column),
                                 copied_word(copy.to.first),
                                 copied_word(copy.to.row),
                                 copied_word(copy.to.column),
                                 copied_word(copy.rows),
                                 copied_word(copy.columns),
                                 static_cast<std::uint64_t>(copy.part),
                                 copied_word(copy.info),
                                 copy.filling[0],
                                 copy.filling[1],
                                 is_by_rows(copy.from) ? 1U : 0U,
                                 is_by_rows(copy.to) ? 1U : 0U};
  where.launch({where.jit.get(matrix_copy_text(copy.cell_bytes))->image(),
                {static_cast<std::uint32_t>(down * across), 1, 1},
                {kCopying, 1, 1},
                words});
}

}  // namespace pilum::numeric
