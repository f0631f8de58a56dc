#include "numeric/product_parts.h"

#include <span>
#include <string>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/block_product.h"
#include "numeric/body_walk.h"
#include "numeric/field_order.h"
#include "numeric/gpu_product.h"
#include "numeric/library_task.h"
#include "pilum/projection.h"

namespace pilum::numeric {
namespace {

using pilum::detail::BodyCall;
using pilum::detail::BoundStore;
using pilum::detail::StoreArgument;
using BodyAccess = pilum::detail::Access;

// Form {dtype}, number: the length of a part. Calls `product` with matrices, for each part of the call.
template <class Product>
void for_each_part(std::span<const std::int64_t> form, const BodyCall& call, const Product& product) {
  const std::size_t size = itemsize(static_cast<DType>(form[0]));
  const auto part = static_cast<std::int64_t>(call.scalars[0]);
  const std::int64_t matrix_form[] = {form[0], 2, 0};
  const BoundStore &c = call.stores[0], &a = call.stores[1], &b = call.stores[2];
  for (std::int64_t p = c.lo[0]; p < c.hi[0]; ++p) {
    const std::int64_t lo = p * part, hi = lo + part;
    const BoundStore matrices[] = {cell_of_first_axis(c, p, 2, size), part_of_store(a, 1, lo, hi, size),
                                   part_of_store(b, 0, lo, hi, size)};
    product(std::span<const std::int64_t>(matrix_form), BodyCall{call.piece, matrices, nullptr});
  }
}

void run_parts(std::span<const std::int64_t> form, const BodyCall& call) {
  for_each_part(form, call, multiply_blocks);
}

void issue_parts(std::span<const std::int64_t> form, const BodyCall& call, const scheduler::DeviceIssue& where) {
  for_each_part(form, call, [&where](std::span<const std::int64_t> matrix_form, const BodyCall& matrices) {
    issue_product(matrix_form, matrices, where);
  });
}

// For GPUs that do not multiply: a thread computes one cell, over k in order.
std::string write_gpu_text(DType dtype) {
  const std::string type = cell_type(dtype);
  return "void body(pilum::Point<3> x, pilum::Write<" + type + ", 3> c, pilum::Read<" + type + ", 2> a, pilum::Read<" +
         type + ", 2> b, std::int64_t part) {\n  " + type +
         " sum = 0;\n  for (std::int64_t k = x[0] * part; k < (x[0] + 1) * part && k < a.hi(1); ++k) "
         "sum += a(x[1], k) * b(k, x[2]);\n  c(x) = sum;\n}\n";
}

}  // namespace

Array multiply_parts(const Call& call, const Array& a, const Array& b, std::int64_t count) {
  const std::int64_t depth = a.shape()[1], part = (depth + count - 1) / count;
  const Shape shape{(depth + part - 1) / part, a.shape()[0], b.shape()[1]};
  const Array parts = make_row_major(recorder_of(call), call, shape, a.dtype());
  split_along(parts, 0);
  Projection of_a(Projection::Kind::Affine), of_b(Projection::Kind::Affine);
  of_a.axes = {AxisCells{1, 1, 0, 1}, AxisCells{0, part, 0, part}};
  of_b.axes = {AxisCells{0, part, 0, part}, AxisCells{2, 1, 0, 1}};
  const std::vector<StoreArgument> arguments{{parts, BodyAccess::Write, Projection(aligned), Fold::Sum},
                                             {a, BodyAccess::Read, of_a, Fold::Sum},
                                             {b, BodyAccess::Read, of_b, Fold::Sum}};
  LibraryBody body{run_parts, {static_cast<std::int64_t>(a.dtype())}};
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  body.parameters.push_back(integer_parameter());
  body.gpu = write_gpu_text(a.dtype());
  body.issue = issue_parts;
  body.skill = device::GpuSkill::Products;
  body.checks = false;
  body.is_cut = true;
  const std::uint64_t numbers[] = {static_cast<std::uint64_t>(part)};
  launch(Call{"matmul", call.where}, body, parts.shape(), arguments, numbers);
  return parts;
}

}  // namespace pilum::numeric
