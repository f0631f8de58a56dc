#include "numeric/masks.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "numeric/body_walk.h"
#include "numeric/gpu_masks.h"
#include "numeric/library_task.h"
#include "numeric/picked_cells.h"
#include "numeric/record.h"
#include "numeric/scan_body.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/indexing.h"
#include "pilum/manipulation.h"
#include "pilum/math.h"
#include "pilum/projection.h"
#include "pilum/scan.h"
#include "pilum/statistics.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;

// A mask's rows, one after the other: all axes but the last, row-major.
class Rows {
 public:
  explicit Rows(const BoundStore& mask, int rank) : mask_(mask), rank_(rank), point_(mask.lo) {}
  std::int64_t length() const { return mask_.hi[u(rank_ - 1)] - mask_.lo[u(rank_ - 1)]; }
  // Bytes that are 0 or 1.
  const std::uint8_t* cells() const { return static_cast<const std::uint8_t*>(mask_.first) + offset(mask_); }
  std::int64_t step() const { return mask_.stride[u(rank_ - 1)]; }
  // Of another array of this shape: from its first cell to the row's.
  std::int64_t offset(const BoundStore& array) const { return cells_to(array, point_, rank_ - 1); }
  void next() {
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      if (++point_[u(axis)] < mask_.hi[u(axis)]) return;
      point_[u(axis)] = mask_.lo[u(axis)];
    }
  }

 private:
  const BoundStore& mask_;
  const int rank_;
  Piece::Bounds point_;
};

std::int64_t count_row(const std::uint8_t* cells, std::int64_t step, std::int64_t length) {
  std::int64_t count = 0;
  if (step == 1) {
    constexpr std::int64_t kBlock = 255 * 8;  // of eight counters, a byte each
    for (std::int64_t at = 0; at < length; at += kBlock) {
      const std::int64_t end = std::min(at + kBlock, length);
      std::int64_t i = at;
      std::uint64_t counters = 0;
      for (; i + 8 <= end; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, cells + i, sizeof eight);
        counters += eight;
      }
      for (int k = 0; k < 8; ++k) count += static_cast<std::int64_t>(counters >> 8 * k & 255);
      count += std::accumulate(cells + i, cells + end, std::int64_t{0});
    }
    return count;
  }
  for (std::int64_t i = 0; i < length; ++i) count += cells[i * step];
  return count;
}

// Calls visit(row, number of the row's first cell, i) for the cells lo <= k < hi of those that are true.
template <class Visit>
void for_each_true(const BoundStore& mask, int rank, std::int64_t lo, std::int64_t hi, Visit visit) {
  Rows row(mask, rank);
  std::int64_t seen = 0;
  for (std::int64_t first = 0; seen < hi; first += row.length(), row.next()) {
    const std::uint8_t* const cells = row.cells();
    const std::int64_t step = row.step(), length = row.length();
    if (seen < lo) {
      const std::int64_t here = count_row(cells, step, length);
      if (seen + here <= lo) {
        seen += here;
        continue;
      }
    }
    for (std::int64_t i = 0; i < length && seen < hi; ++i) {
      if (!cells[i * step]) continue;
      if (seen++ >= lo) visit(row, first, i);
    }
  }
}

// The form: the cell's size (0: places are wanted), the mask's rank. Stores: the result, the mask, the array.
template <class T>
void copy_true(int rank, const BodyCall& call) {
  T* to = static_cast<T*>(call.stores[0].first);
  const BoundStore& array = call.stores[2];
  const std::int64_t by = call.stores[0].stride[0], step = array.stride[u(rank - 1)];
  for_each_true(call.stores[1], rank, call.piece.lo(0), call.piece.hi(0),
                [&](const Rows& row, std::int64_t, std::int64_t i) {
                  *to = static_cast<const T*>(array.first)[row.offset(array) + i * step];
                  to += by;
                });
}

void copy_places(int rank, const BodyCall& call) {
  auto* to = static_cast<std::int64_t*>(call.stores[0].first);
  const std::int64_t by = call.stores[0].stride[0];
  for_each_true(call.stores[1], rank, call.piece.lo(0), call.piece.hi(0),
                [&](const Rows&, std::int64_t first, std::int64_t i) {
                  *to = first + i;
                  to += by;
                });
}

void compress_cells(std::span<const std::int64_t> form, const BodyCall& call) {
  const int rank = static_cast<int>(form[1]);
  if (form[0] == 0) return copy_places(rank, call);
  visit_size(form[0], [&]<class T>(T) { copy_true<T>(rank, call); });
}

// Of cells, row-major: what those before each one sum to.
Array sums_before(const Call& call, const Array& cells) {
  const int last = cells.ndim() - 1;
  const Operand own(cells, call.where);
  Array before = subtract(Operand(cumsum(cells, last, {}, call.where), call.where), own);
  if (last == 0) return before;
  const Array rows = sums_before(call, sum(cells, last, false, call.where));
  return add(Operand(before, call.where), Operand(expand_dims(rows, last, call.where), call.where));
}

// On several ranks, of masks that are long enough for scans to be cut: the true cells of each part of the mask are
// written to where their number says, which mostly is near; nobody sees the whole mask.
bool is_written(const Call& call, const Array& mask) {
  const auto processors = recorder_of(call).processors();
  if (processors.ranks == 1 || processors.are_gpus || mask.size() < kScanCutFrom) return false;
  return mask.ndim() == 1 || mask.shape()[0] >= std::int64_t{4} * processors.count;
}

Array written_by_number(const Call& call, const Array& mask, const Array& values, std::int64_t count) {
  const auto here = [&](const auto& operand) { return Operand(operand, call.where); };
  const Array number = sums_before(call, mask.astype(DType::Int64, call.where));
  PickedCells picked;
  picked.array = empty(Shape{count}, values.dtype(), call.where);
  picked.follows = {-1};
  picked.indices = {where(here(mask), here(number), here(-1))};
  picked.shape = picked.points = mask.shape();
  picked.skips = picked.is_cut = true;
  write_picked(call, picked, PickedWrite::Assign, values);
  return picked.array;
}

// The number of each cell, row-major.
Array cell_numbers(const Call& call, const Shape& shape) {
  Array numbers = record_index(call, shape, 0, DType::Int64);
  for (int axis = 1; axis < shape.rank(); ++axis) {
    const Array outer = multiply(Operand(numbers, call.where), Operand(shape[axis], call.where));
    numbers = add(Operand(outer, call.where), Operand(record_index(call, shape, axis, DType::Int64), call.where));
  }
  return numbers;
}

Array compressed(const Call& call, const Array& mask, const Array* array, std::int64_t count) {
  const DType dtype = array ? array->dtype() : DType::Int64;
  if (count > 0 && is_written(call, mask))
    return written_by_number(call, mask, array ? *array : cell_numbers(call, mask.shape()), count);
  const Array out = make_array(recorder_of(call).make_store(Shape{count}, dtype, call.name, call.where));
  if (count == 0) return out;
  using pilum::detail::Access;
  LibraryBody body{compress_cells, {array ? static_cast<std::int64_t>(itemsize(dtype)) : 0, mask.ndim()}};
  std::vector<pilum::detail::StoreArgument> arguments;
  const auto add = [&](const Array& one, Access access, const Projection& projection) {
    body.parameters.push_back(array_parameter(one, access));
    arguments.push_back({one, access, projection, Fold::Sum});
  };
  add(out, Access::Write, {});
  add(mask, Access::Read, Projection(Projection::Kind::Whole));
  if (array) add(*array, Access::Read, Projection(Projection::Kind::Whole));
  if (recorder_of(call).processors().are_gpus) {
    body.issue = issue_masked;
    body.scratch = masked_scratch;
  }
  launch(call, body, Shape{count}, arguments);
  return out;
}

}  // namespace

std::int64_t count_true(const Call& call, const Array& mask) {
  return mask.size() == 0 ? 0 : count_nonzero(mask, {}, false, call.where).item<std::int64_t>(call.where);
}

Array true_places(const Call& call, const Array& mask, std::int64_t count) {
  return compressed(call, mask, nullptr, count);
}

Array true_cells(const Call& call, const Array& mask, const Array& array, std::int64_t count) {
  return compressed(call, mask, &array, count);
}

std::vector<Array> true_coordinates(const Call& call, const Array& mask) {
  Array places = true_places(call, mask, count_true(call, mask));
  std::vector<Array> coordinates(static_cast<std::size_t>(mask.ndim()));
  for (int axis = mask.ndim() - 1; axis > 0; --axis) {
    const Operand extent(mask.shape()[axis], call.where);
    coordinates[u(axis)] = remainder(Operand(places, call.where), extent);
    places = floor_divide(Operand(places, call.where), extent);
  }
  coordinates[0] = places;
  return coordinates;
}

}  // namespace pilum::numeric
