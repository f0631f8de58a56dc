#include "numeric/tall_qr.h"

#include <algorithm>
#include <vector>

#include "numeric/axis_parts.h"
#include "numeric/gpu_orthogonal.h"
#include "numeric/linalg_body.h"
#include "numeric/record.h"
#include "pilum/creation.h"
#include "pilum/linear_algebra.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"

namespace pilum::numeric {
namespace {

constexpr std::int64_t kMostColumns = 256;  // of which a block of four times as many rows fits into a core's cache

// Rows of a block: of as many cells as a GPU's block has room for, where that leaves half of them as triangles.
std::int64_t most_rows(std::int64_t columns) {
  const std::int64_t rows = kOrthogonalCells / columns;
  return rows >= 2 * columns ? rows : 4 * columns;
}

// Blocks of as many rows each, and the rows that are left. Where some number of rows leaves none it is taken: Q is made
// in place of being put together.
struct Blocks {
  std::int64_t rows, count, left;

  Blocks(std::int64_t all, std::int64_t columns) {
    const std::int64_t most = most_rows(columns), least = std::max(most * 3 / 4, 2 * columns);
    count = (all + most - 1) / most;
    rows = (all + count - 1) / count;
    for (std::int64_t even = most; even >= least; --even) {
      if (all % even != 0) continue;
      rows = even;
      break;
    }
    count = all / rows;
    left = all - count * rows;
  }
  std::int64_t end() const { return rows * count; }
};

Array rows_of(const Array& a, std::int64_t first, std::int64_t count) {
  return part_of_axis(a, 0, first, count);
}

// Of one matrix, or of each of a batch.
struct Factors {
  Array q, r;
};

Factors factors_of(const Call& call, const Array& a, bool has_q) {
  const int rank = a.ndim();
  const std::int64_t rows = a.shape()[rank - 2], columns = a.shape()[rank - 1], inner = std::min(rows, columns);
  const Shape batch = rank == 3 ? Shape{a.shape()[0]} : Shape{};
  const Factor q{a.dtype(), Shape{rows, inner}}, r{a.dtype(), Shape{inner, columns}};
  if (!has_q) return {Array(), factorized(call, Factorization::Triangular, false, batch, {r}, {a})[0]};
  auto both = factorized(call, Factorization::Orthogonal, false, batch, {q, r}, {a});
  return {std::move(both[0]), std::move(both[1])};
}

// A matrix cut into blocks: their Qs, (blocks, rows, n), that of the first one, and that of the rows left.
struct Level {
  Blocks blocks;
  Array q, first, left;
};

}  // namespace

bool is_tall(const Call& call, const Array& a) {
  if (a.ndim() != 2) return false;
  const std::int64_t rows = a.shape()[0], columns = a.shape()[1];
  if (columns > kMostColumns || rows <= most_rows(columns)) return false;
  // What GPUs leave to the host comes together there anyway.
  const bool is_a_gpus = is_orthogonalized_by_gpus(a.dtype(), most_rows(columns), columns, columns);
  return is_a_gpus || !recorder_of(call).processors().are_gpus;
}

std::pair<Array, Array> tall_qr(const Call& call, const Array& a, bool has_q) {
  const std::int64_t n = a.shape()[1];
  std::vector<Level> levels;
  Array part = a;
  while (part.shape()[0] > most_rows(n)) {
    const Blocks blocks(part.shape()[0], n);
    const Factors each =
        factors_of(call, reshape(rows_of(part, 0, blocks.end()), {blocks.count, blocks.rows, n}, call.where), has_q);
    Level level{blocks, each.q, {}, {}};
    level.first = has_q ? reshape(rows_of(each.q, 0, 1), {blocks.rows, n}, call.where)
                        : factors_of(call, rows_of(part, 0, blocks.rows), /*has_q=*/true).q;
    Array triangles = reshape(each.r, {blocks.count * n, n}, call.where);
    if (blocks.left > 0) {
      Factors left = factors_of(call, rows_of(part, blocks.end(), blocks.left), has_q);
      level.left = std::move(left.q);
      triangles = concatenated(call, {triangles, left.r}, 0);
    }
    levels.push_back(std::move(level));
    part = std::move(triangles);
  }
  const Factors last = factors_of(call, part, /*has_q=*/true);
  Array q = last.q, top = rows_of(q, 0, n);
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    top = matmul(rows_of(level->first, 0, n), top, call.where);
  const Array signs =
      factorized(call, Factorization::ReflectionSigns, false, {}, {{a.dtype(), Shape{n}}}, {std::move(top)})[0];
  Array r = Operand(expand_dims(signs, 1, call.where), call.where) * Operand(last.r, call.where);
  if (!has_q) return {Array(), std::move(r)};
  q = Operand(q, call.where) * Operand(signs, call.where);
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const Blocks& blocks = level->blocks;
    const Array shares = reshape(rows_of(q, 0, blocks.count * n), {blocks.count, n, n}, call.where);
    Array rows = reshape(matmul(level->q, shares, call.where), {blocks.end(), n}, call.where);
    if (blocks.left > 0) {
      const std::int64_t of_left = q.shape()[0] - blocks.count * n;
      const Array left = matmul(level->left, rows_of(q, blocks.count * n, of_left), call.where);
      rows = concatenated(call, {rows, left}, 0);
    }
    q = std::move(rows);
  }
  return {std::move(q), std::move(r)};
}

}  // namespace pilum::numeric
