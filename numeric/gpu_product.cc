#include "numeric/gpu_product.h"

#include "numeric/body_walk.h"
#include "numeric/library_task.h"
#include "numeric/product_rows.h"
#include "runtime/base/check.h"

namespace pilum::numeric {
namespace {

using device::GpuMatrix;
using device::GpuProduct;
using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// Whether lines along the axis `inner` lie side by side, in order, and lines of it some way apart.
bool has_lines_along(const ArrayState& state, int inner, int outer) {
  const auto& map = state.map;
  const int in = map.store_axis_of(inner), out = map.store_axis_of(outer);
  const bool is_line = state.shape[inner] == 1 || (in >= 0 && in == map.store_rank - 1 && map[in].scale == 1);
  return is_line && (state.shape[outer] == 1 || (out >= 0 && map[out].scale > 0));
}

// The matrix of a store's last two axes at cell `batch` of those before.
GpuMatrix matrix_at(const BoundStore& store, int rank, std::size_t size, const Piece::Bounds& batch) {
  const std::size_t row = u(rank - 2), column = u(rank - 1);
  GpuMatrix matrix;
  matrix.first =
      static_cast<std::byte*>(store.first) + cells_to(store, batch, rank - 2) * static_cast<std::int64_t>(size);
  for (const bool transposed : {false, true}) {
    const std::size_t inner = transposed ? row : column, outer = transposed ? column : row;
    const std::int64_t cells = store.hi[inner] - store.lo[inner], lines = store.hi[outer] - store.lo[outer];
    const std::int64_t pitch = lines == 1 ? cells : store.stride[outer];
    if ((cells > 1 && store.stride[inner] != 1) || pitch < cells) continue;
    matrix.pitch = pitch;
    matrix.transposed = transposed;
    return matrix;
  }
  PILUM_CHECK(false, "a matrix with strides {} and {} in a product on a GPU", store.stride[row], store.stride[column]);
}

}  // namespace

bool is_multiplied_by_gpus(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float64 || is_complex(dtype);
}

bool is_read_by_gpus(const ArrayState& state) {
  const int row = state.shape.rank() - 2, column = row + 1;
  return has_lines_along(state, column, row) || has_lines_along(state, row, column);
}

void issue_product(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  const auto dtype = static_cast<DType>(form[0]);
  const int rank = static_cast<int>(form[1]), last = rank - 3;  // the batches' last axis
  BoundStore c = call.stores[0], a = call.stores[1];
  const BoundStore& b = call.stores[2];
  join_rows(c, a, b, rank);
  const auto extent = [](const BoundStore& store, int axis) { return store.hi[u(axis)] - store.lo[u(axis)]; };
  for (int axis = 0; axis < rank; ++axis) {
    if (extent(c, axis) <= 0) return;
  }
  GpuProduct product;
  product.dtype = dtype;
  product.rows = extent(c, rank - 2);
  product.columns = extent(c, rank - 1);
  product.depth = extent(a, rank - 1);
  product.adds = form[2] != 0;
  // The last axes of the batch that lie evenly apart in all three arrays are one.
  int first = rank - 2;
  const auto joins = [&](const BoundStore& store) {
    return store.stride[u(first - 1)] == store.stride[u(first)] * extent(c, first);
  };
  if (last >= 0 && a.stride[u(last)] >= 0 && b.stride[u(last)] >= 0) {
    first = last;
    product.batches = extent(c, last);
    while (first > 0 && joins(c) && joins(a) && joins(b)) product.batches *= extent(c, --first);
  }
  const std::size_t size = itemsize(dtype);
  const auto at = [&](const BoundStore& store, const Piece::Bounds& batch) {
    GpuMatrix matrix = matrix_at(store, rank, size, batch);
    if (product.batches > 1) matrix.batch_step = store.stride[u(last)];
    return matrix;
  };
  Piece::Bounds batch = c.lo;
  while (true) {
    product.c = at(c, batch);
    PILUM_CHECK(!product.c.transposed, "a product whose columns lie side by side");
    product.a = at(a, batch);
    product.b = at(b, batch);
    where.multiply(product);
    int axis = first - 1;
    for (; axis >= 0; --axis) {
      if (++batch[u(axis)] < c.hi[u(axis)]) break;
      batch[u(axis)] = c.lo[u(axis)];
    }
    if (axis < 0) return;
  }
}

}  // namespace pilum::numeric
