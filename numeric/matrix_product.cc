#include "numeric/matrix_product.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/block_product.h"
#include "numeric/field_order.h"
#include "numeric/gpu_product.h"
#include "numeric/library_task.h"
#include "numeric/product_parts.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/projection.h"

namespace pilum::numeric {
namespace {

using pilum::detail::StoreArgument;
using BodyAccess = pilum::detail::Access;

// A multiple of what multiply_blocks sums at once.
constexpr std::int64_t kPanel = 1024;
// Multiplications below which one chunk is the whole product: no thread is worth waking for it.
constexpr double kOneChunk = 1 << 20;

// Bytes of both operands up to which processors keep what they get of them, for the next product: weights, say. Not
// many more than of arrays that are not cut.
constexpr std::int64_t kHeld = 64 << 20, kTimesUncut = 256;

std::int64_t held_bytes(std::int64_t split_bytes) {
  return std::min(kHeld, kTimesUncut * split_bytes);
}

// How many times longer rows are than columns of a result that is cut by columns: else each processor would read all of
// the large operand.
constexpr std::int64_t kWide = 8;

// How many times longer k is than the rows and columns of a result that is summed where the operands are.
constexpr std::int64_t kThin = 16;
// Bytes up to which each chunk may have a result of its own, and each GPU.
constexpr std::int64_t kOwnResult = 256 << 10, kOwnResultOfGpu = 16 << 20;

// What a body does: its arrays are the result, then both that it reads. Fold: to a result of its own.
enum class Step : std::uint8_t { Multiply, MultiplyAdd, Fold };

BodyAccess access_of_result(Step step) {
  return step == Step::Fold          ? BodyAccess::Reduce
         : step == Step::MultiplyAdd ? BodyAccess::ReadWrite
                                     : BodyAccess::Write;
}

// "x[0], x[1], ": the batch's place.
std::string batch_index(int rank) {
  std::string text;
  for (int axis = 0; axis < rank - 2; ++axis) text += "x[" + std::to_string(axis) + "], ";
  return text;
}

// The same for GPUs that do not multiply: a thread computes one cell, over k in order.
std::string write_gpu_text(Step step, DType dtype, int rank) {
  const std::string type = cell_type(dtype), axes = std::to_string(rank);
  const std::string batch = batch_index(rank), row = "x[" + std::to_string(rank - 2) + "]",
                    column = "x[" + std::to_string(rank - 1) + "]";
  const std::string result = step == Step::MultiplyAdd ? "ReadWrite" : "Write";
  std::string text = "void body(pilum::Point<" + axes + "> x, pilum::" + result + "<" + type + ", " + axes +
                     "> c, pilum::Read<" + type + ", " + axes + "> a, pilum::Read<" + type + ", " + axes + "> b) {\n";
  text += "  " + type + " sum = " + (step == Step::MultiplyAdd ? "c(x)" : "0") + ";\n";
  text += "  for (std::int64_t k = a.lo(" + std::to_string(rank - 1) + "); k < a.hi(" + std::to_string(rank - 1) +
          "); ++k) {\n    const " + type + " left = a(" + batch + row + ", k), right = b(" + batch + "k, " + column +
          ");\n";
  // Integers wrap: they are computed without a sign, in as many bits at least as an int has.
  const std::string wide = itemsize(dtype) < 8 ? "std::uint32_t" : "std::uint64_t";
  text += dtype == DType::Bool ? "    sum = sum || (left && right);\n"
          : is_floating(dtype) || is_complex(dtype)
              ? "    sum += left * right;\n"
              : "    sum = (" + type + ")((" + wide + ")sum + (" + wide + ")left * (" + wide + ")right);\n";
  return text + "  }\n  c(x) = sum;\n}\n";
}

// Written once a thread: writing it takes longer than recording a product.
const std::string& gpu_text(Step step, DType dtype, int rank) {
  thread_local std::map<std::tuple<Step, DType, int>, std::string> written;
  std::string& text = written[{step, dtype, rank}];
  if (text.empty()) text = write_gpu_text(step, dtype, rank);
  return text;
}

// A point of the domain (…, i, j) has these cells of an array (…, r, s): r is i or all of them, s is j or all.
Projection cells_of_point(const Array& array, bool along_rows, bool along_columns) {
  const int rank = array.ndim();
  Projection projection(Projection::Kind::Affine);
  for (int axis = 0; axis < rank; ++axis) {
    const bool follows = axis < rank - 2 || (axis == rank - 2 ? along_rows : along_columns);
    projection.axes.push_back(follows ? AxisCells{axis, 1, 0, 1} : AxisCells{-1, 0, 0, array.shape()[axis]});
  }
  return projection;
}

// Its arrays lie with one GPU of several, and it takes less time there than to bring parts of them to others.
bool is_of_one_gpu(const Call& call, const std::vector<Array>& arrays, double work) {
  constexpr double kLittle = 1e9;  // products of cells
  const auto processors = recorder_of(call).processors();
  return processors.are_gpus && work < kLittle &&
         std::ranges::all_of(
             arrays,
             [&](const Array& array) {
               return array.size() * static_cast<std::int64_t>(itemsize(array.dtype())) < processors.split_bytes;
             });
}

void launch_step(const Call& call, Step step, const Array& result, const std::vector<StoreArgument>& reads,
                 const Shape& domain) {
  const Projection written = step == Step::Fold ? Projection(pilum::all) : Projection(aligned);
  std::vector<StoreArgument> arguments{{result, access_of_result(step), written, Fold::Sum}};
  arguments.insert(arguments.end(), reads.begin(), reads.end());
  LibraryBody body{multiply_blocks, {static_cast<std::int64_t>(result.dtype()), result.ndim(), step != Step::Multiply}};
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  if (step != Step::Fold) {
    body.gpu = gpu_text(step, result.dtype(), result.ndim());
    body.issue = is_multiplied_by_gpus(result.dtype()) ? issue_product : nullptr;
    body.skill = device::GpuSkill::Products;
  }
  body.checks = false;
  const std::int64_t depth = step == Step::Fold ? domain[0] : reads[0].array.shape()[reads[0].array.ndim() - 1];
  const double work = static_cast<double>(result.size()) * static_cast<double>(depth);
  body.is_cut = !is_of_one_gpu(call, {result, reads[0].array, reads[1].array}, work);
  launch(Call{"matmul", call.where}, body, domain, arguments);
}

void multiply_into(const Call& call, Step step, const Array& c, const Array& a, const Array& b) {
  launch_step(call, step, c, {read_of(a, cells_of_point(a, true, false)), read_of(b, cells_of_point(b, false, true))},
              c.shape());
}

// The whole product in one call of the body: arrays (1, …) over a domain of one point.
Array multiply_at_once(const Call& call, const Shape& shape, const Array& a, const Array& b) {
  Shape one{1};
  for (const std::int64_t extent : shape) one.push_back(extent);
  const Array c = make_row_major(recorder_of(call), call, one, a.dtype());
  const auto read = [&](const Array& array) { return read_of(expand_dims(array, 0, call.where), aligned); };
  launch_step(call, Step::Multiply, c, {read(a), read(b)}, Shape{1});
  return c[Index(0, call.where)];
}

// What GPUs read as it is: the array, or a copy.
Array readable_by_gpus(const Call& call, const Array& array) {
  return is_read_by_gpus(checked_state(call, array)) ? array : array.copy(call.where);
}

// Whether it is the operands that are cut, along k, and the result is small beside them: k is long, as of many samples
// of few variables; or few rows of a, that every processor has, are multiplied by a large b.
bool is_summed(const Call& call, const Shape& shape, const Array& a, const Array& b, std::int64_t split_bytes,
               std::int64_t most_of_result) {
  const std::int64_t depth = a.shape()[a.ndim() - 1];
  const auto size = static_cast<std::int64_t>(itemsize(a.dtype()));
  if (shape.rank() != 2 || a.dtype() == DType::Bool || shape.elements() * size > most_of_result) return false;
  const bool has_few_rows = a.size() * size < split_bytes && b.size() * size >= split_bytes &&
                            depth / kThin >= shape[0] && !lies_transposed(checked_state(call, b));
  const std::int64_t bytes = (a.size() + b.size()) * size;
  const bool lie_along_depth = lies_transposed(checked_state(call, a)) && !lies_transposed(checked_state(call, b));
  const bool is_thin = depth > kPanel && depth / kThin >= std::max(shape[0], shape[1]) &&
                       (lie_along_depth || (bytes >= split_bytes && bytes <= held_bytes(split_bytes)));
  return has_few_rows || is_thin;
}

// Each processor sums over its part of k; the sums are added up.
void fold_along_depth(const Call& call, const Array& c, const Array& a, const Array& b) {
  const auto part_of = [&](const Array& array, int along) {
    Projection projection(Projection::Kind::Affine);
    for (int axis = 0; axis < 2; ++axis)
      projection.axes.push_back(axis == along ? AxisCells{0, 1, 0, 1} : AxisCells{-1, 0, 0, array.shape()[axis]});
    return projection;
  };
  launch_step(call, Step::Fold, c, {read_of(a, part_of(a, 1)), read_of(b, part_of(b, 0))}, Shape{a.shape()[1]});
}

// The same by products of parts, one a processor, each where its part of the operands is: what GPUs can do.
Array sum_of_parts(const Call& call, const Array& a, const Array& b, std::int64_t count) {
  return sum(multiply_parts(call, readable_by_gpus(call, a), readable_by_gpus(call, b), count), 0, false, call.where);
}

// A new array of the cells k0 to k1 along an axis, which lie where they lay: what is sent of them is sent from the
// copy, and gone with it. (Of the array itself every panel that was sent would stay with who got it.)
Array copy_panel(const Call& call, const Array& array, int axis, std::int64_t k0, std::int64_t k1) {
  const Index rest(ellipsis, call.where), range(slice(k0, k1), call.where), whole(all, call.where);
  return (axis == array.ndim() - 1 ? array(rest, range) : array(rest, range, whole)).copy(call.where);
}

// Of few rows and columns more of k at a time: a panel is a sixteenth of what is held, or kPanel of k.
void multiply_panels(const Call& call, const Array& c, const Array& a, const Array& b, std::int64_t held) {
  const int rank = c.ndim();
  const std::int64_t depth = a.shape()[rank - 1];
  const std::int64_t line = (a.size() + b.size()) / depth * static_cast<std::int64_t>(itemsize(a.dtype()));
  const std::int64_t panel = kPanel * std::max<std::int64_t>(1, held / 16 / std::max<std::int64_t>(1, line * kPanel));
  for (std::int64_t k = 0; k < depth; k += panel) {
    const std::int64_t end = std::min(depth, k + panel);
    const Array left = copy_panel(call, a, rank - 1, k, end), right = copy_panel(call, b, rank - 2, k, end);
    multiply_into(call, k == 0 ? Step::Multiply : Step::MultiplyAdd, c, left, right);
  }
}

// Long lines of few cells times a small matrix, as points are turned, or the other way round: BLAS spends most of its
// time elsewhere. Sums of bools and of float16 are not those of their operations.
bool is_narrow(const Shape& shape, std::int64_t depth, DType dtype) {
  constexpr std::int64_t kNarrow = 8, kLong = 4096;
  const std::int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  return depth <= kNarrow && std::min(rows, columns) <= kNarrow && std::max(rows, columns) >= kLong &&
         dtype != DType::Bool && dtype != DType::Float16;
}

// Point by point, over k in order: fuses with what is computed of it.
Array multiply_by_points(const Call& call, const Array& a, const Array& b) {
  const int rank = a.ndim();
  Array sum;
  for (std::int64_t k = 0; k < a.shape()[rank - 1]; ++k) {
    const Array left = part_of_axis(a, rank - 1, k, 1), right = part_of_axis(b, rank - 2, k, 1);
    Array term = Operand(left, call.where) * Operand(right, call.where);
    sum = k == 0 ? std::move(term) : Operand(std::move(sum), call.where) + Operand(std::move(term), call.where);
  }
  return sum;
}

// The rows of the result lie side by side.
Array launch_by_rows(const Call& call, const Array& a, const Array& b) {
  Shape shape = a.shape();
  const int rank = shape.rank();
  const std::int64_t depth = shape[rank - 1];
  shape[rank - 1] = b.shape()[rank - 1];
  check_shape(call, shape, a.dtype());
  if (is_narrow(shape, depth, a.dtype())) return multiply_by_points(call, a, b);
  const auto processors = recorder_of(call).processors();
  const double work = static_cast<double>(shape.elements()) * static_cast<double>(depth);
  if (processors.count == 1 && !processors.are_gpus && rank < kMaxAxes && work <= kOneChunk) {
    return multiply_at_once(call, shape, a, b);
  }
  if (processors.count > 1 && processors.are_gpus && is_multiplied_by_gpus(a.dtype()) &&
      is_summed(call, shape, a, b, processors.split_bytes, kOwnResultOfGpu)) {
    return sum_of_parts(call, a, b, processors.count);
  }
  if (processors.count > 1 && !processors.are_gpus &&
      is_summed(call, shape, a, b, processors.split_bytes, kOwnResult)) {
    const Array c = zeros(shape, a.dtype(), call.where);
    fold_along_depth(call, c, a, b);
    return c;
  }
  const Array c = make_row_major(recorder_of(call), call, shape, a.dtype());
  const bool is_shared = !is_of_one_gpu(call, {a, b, c}, work);
  const std::int64_t columns = shape[rank - 1], rows = columns > 0 ? shape.elements() / columns : 0;  // of all matrices
  if (processors.count > 1 && is_shared && columns >= kWide * rows) split_along(c, rank - 1);
  const auto size = static_cast<std::int64_t>(itemsize(a.dtype()));
  if (processors.count > 1 && depth > kPanel && (a.size() + b.size()) * size > held_bytes(processors.split_bytes)) {
    multiply_panels(call, c, a, b, held_bytes(processors.split_bytes));
  } else if (processors.are_gpus && is_multiplied_by_gpus(a.dtype())) {
    multiply_into(call, Step::Multiply, c, readable_by_gpus(call, a), readable_by_gpus(call, b));
  } else {
    multiply_into(call, Step::Multiply, c, a, b);
  }
  return c;
}

// Of few columns, which lie each by itself: then it is the transposes that are multiplied.
bool has_fields(const Call& call, const Array& a, const Array& b) {
  if (a.ndim() != 2) return false;
  const Shape shape{a.shape()[0], b.shape()[1]};
  return axes_of_fields(recorder_of(call), shape) > 0 && !is_narrow(shape, a.shape()[1], a.dtype());
}

}  // namespace

bool lies_transposed(const ArrayState& state) {
  const int rank = state.shape.rank(), rows = state.map.store_axis_of(rank - 2),
            columns = state.map.store_axis_of(rank - 1);
  if (rows < 0 || columns < 0) return false;
  const int fields = state.store().field_axes;
  return (rows < fields) != (columns < fields) ? rows < fields : rows > columns;
}

Array launch_product(const Call& call, const Array& a, const Array& b) {
  if (!has_fields(call, a, b)) return launch_by_rows(call, a, b);
  return fields_last(launch_by_rows(call, b.T(call.where), a.T(call.where)), 1);
}

}  // namespace pilum::numeric
