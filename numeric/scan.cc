#include "pilum/scan.h"

#include <limits>
#include <string>
#include <utility>

#include "numeric/array_state.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/gpu_scan.h"
#include "numeric/library_task.h"
#include "numeric/lines.h"
#include "numeric/scan_body.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/projection.h"

namespace pilum::numeric {
namespace {

using pilum::detail::Access;
using pilum::detail::StoreArgument;

// From so many cells along the axis on it is worth reading them twice to share them out.
constexpr std::int64_t kCutFrom = 1 << 16;

void launch_scan(const Call& call, LibraryBody&& body, const Shape& domain,
                 std::initializer_list<StoreArgument> arguments) {
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  launch(call, body, domain, std::span(arguments.begin(), arguments.size()));
}

// One thread a line, in the order of the body on the host.
std::string scan_on_gpu(Fold fold, DType dtype, int rank, std::int64_t block) {
  const std::string type = cell_type(dtype), axes = std::to_string(rank);
  std::string place;
  for (int axis = 0; axis < rank - 1; ++axis)
    place += (rank == 2 ? "x" : "x[" + std::to_string(axis) + "]") + std::string(", ");
  const bool is_bool = dtype == DType::Bool, is_float = is_floating(dtype);
  const std::string wide = is_float ? type : "std::uint64_t";  // in which integers wrap
  const auto folded = [&](const std::string& a, const std::string& b) -> std::string {
    const std::string cast = "(" + type + ")", of = "(" + wide + ")";
    switch (fold) {
      case Fold::Sum: return is_bool ? a + " || " + b : cast + "(" + of + a + " + " + of + b + ")";
      case Fold::Product: return is_bool ? a + " && " + b : cast + "(" + of + a + " * " + of + b + ")";
      case Fold::Minimum:
        return is_bool ? a + " && " + b : a + " < " + b + " || " + a + " != " + a + " ? " + a + " : " + b;
      default: return is_bool ? a + " || " + b : a + " > " + b + " || " + a + " != " + a + " ? " + a + " : " + b;
    }
  };
  // The first cell is what it is.
  return "void body(pilum::Point<" + std::to_string(rank - 1) + "> x, pilum::Write<" + type + ", " + axes +
         "> out, pilum::Read<" + type + ", " + axes + "> array) {\n  " + type +
         " before{}, within{};\n  bool has_before = false;\n  std::int64_t left = " + std::to_string(block) +
         ";\n  for (std::int64_t k = 0; k < array.hi(" + std::to_string(rank - 1) +
         "); ++k, --left) {\n    if (left == 0) {\n      before = has_before ? " + folded("before", "within") +
         " : within;\n      has_before = true;\n      left = " + std::to_string(block) + ";\n    }\n    const " + type +
         " cell = array(" + place + "k);\n    within = left == " + std::to_string(block) +
         " ? cell : " + folded("within", "cell") + ";\n    out(" + place + "k) = has_before ? " +
         folded("before", "within") + " : within;\n  }\n}\n";
}

// From so many cells on a GPU's threads share a line; and only so many lines that do not lie in a row each.
constexpr std::int64_t kTiledFrom = 4096, kMostTiled = 4096;

bool is_tiled(const Call& call, const Array& a, int axis) {
  if (a.ndim() == 1) return true;
  const auto& map = checked_state(call, a).map;
  const std::int64_t extent = a.shape()[axis];
  const bool lies_in_rows = map.store_axis_of(axis) == map.store_rank - 1;
  return extent >= kTiledFrom && (lies_in_rows || a.size() / extent <= kMostTiled);
}

// Each line along the axis by one body: the other axes may be cut.
Array scan_by_lines(const Call& call, Fold fold, const Array& a, int axis, std::int64_t block) {
  LibraryBody body{scan_lines, scan_form(fold, a.dtype(), -1, block)};
  const bool are_gpus = recorder_of(call).processors().are_gpus;
  if (are_gpus && is_tiled(call, a, axis)) {
    body.issue = issue_scan;
    body.scratch = scan_scratch;
  } else if (are_gpus) {
    body.gpu = scan_on_gpu(fold, a.dtype(), a.ndim(), block);
  }
  return launch_lines(call, std::move(body), a, axis, a.shape()[axis], a.dtype());
}

// Every point has its own place along the axes but this one, along which it has `cells`.
Projection along_axis(int rank, int axis, const AxisCells& cells) {
  Projection projection(Projection::Kind::Affine);
  for (int k = 0; k < rank; ++k) projection.axes.push_back(k == axis ? cells : AxisCells{k, 1, 0, 1});
  return projection;
}

// The axis may be cut: first what each block comes to, then these one after the other, then the cells.
Array scan_by_blocks(const Call& call, Fold fold, const Array& a, int axis) {
  const int rank = a.ndim();
  Shape blocks = a.shape();
  blocks[axis] = (blocks[axis] + kScanBlock - 1) / kScanBlock;
  const Array out = empty(a.shape(), a.dtype(), call.where), each = empty(blocks, a.dtype(), call.where);
  LibraryBody of_blocks{fold_blocks, scan_form(fold, a.dtype(), axis, kScanBlock)};
  of_blocks.is_cut = true;  // however few blocks there are: who has the cells folds them
  launch_scan(call, std::move(of_blocks), blocks,
              {{each, Access::Write, {}, Fold::Sum},
               {a, Access::Read, along_axis(rank, axis, {axis, kScanBlock, 0, kScanBlock}), Fold::Sum}});
  const Array so_far = scan_by_lines(call, fold, each, axis, std::numeric_limits<std::int64_t>::max());
  LibraryBody of_cells{scan_cells, scan_form(fold, a.dtype(), axis, kScanBlock)};
  of_cells.is_cut = true;  // into several chunks a core
  launch_scan(call, std::move(of_cells), a.shape(),
              {{out, Access::Write, {}, Fold::Sum},
               {a, Access::Read, along_axis(rank, axis, {axis, 1, 1 - kScanBlock, kScanBlock}), Fold::Sum},
               {so_far, Access::Read, along_axis(rank, axis, {-1, 1, 0, blocks[axis]}), Fold::Sum}});
  return out;
}

Array scan(const Call& call, Fold fold, const Array& cells, int axis);

// A sum is that of each part, a product is one processor's, of whole lines.
Array scan_complex(const Call& call, Fold fold, const Array& cells, int axis) {
  if (fold > Fold::Product) refuse_complex(call, cells.dtype());
  if (cells.size() == 0) return empty(cells.shape(), cells.dtype(), call.where);
  if (fold == Fold::Product) {
    LibraryBody body{multiply_lines, {static_cast<std::int64_t>(cells.dtype())}};
    return launch_lines(call, std::move(body), cells, axis, cells.shape()[axis], cells.dtype());
  }
  const Operand numbers(cells, call.where);
  return join_parts(call, scan(call, fold, real(numbers), axis), scan(call, fold, imag(numbers), axis));
}

Array scan(const Call& call, Fold fold, const Array& cells, int axis) {
  if (is_complex(cells.dtype())) return scan_complex(call, fold, cells, axis);
  if (cells.dtype() == DType::Float16)  // each rounded once
    return scan(call, fold, cells.astype(DType::Float32, call.where), axis).astype(DType::Float16, call.where);
  if (cells.size() == 0) return empty(cells.shape(), cells.dtype(), call.where);
  const auto processors = recorder_of(call).processors();
  const std::int64_t extent = cells.shape()[axis], lines = cells.size() / extent;
  if (!processors.are_gpus && extent >= kCutFrom && processors.cores > 1 && lines / 4 < processors.cores)
    return scan_by_blocks(call, fold, cells, axis);
  if (processors.are_gpus && cells.ndim() == 1 && extent <= kScanBlock) {  // a thread's, with the bits of cores
    const Array line = scan_by_lines(call, fold, expand_dims(cells, 0, call.where), 1, kScanBlock);
    return line[Index(0, call.where)];
  }
  return scan_by_lines(call, fold, cells, axis, kScanBlock);
}

Array cumulated(const Call& call, Fold fold, const Array& a, std::optional<int> axis, std::optional<DType> dtype) {
  const DType own = checked_state(call, a).dtype();
  const int rank = a.ndim();
  const bool flat = !axis || (rank == 0 && (*axis == 0 || *axis == -1));
  const int along = flat ? 0 : checked_axis(call, *axis, rank);
  const DType wanted = dtype.value_or(total_dtype(own));
  Array cells = wanted == own ? a : a.astype(wanted, call.where);
  if (flat && rank != 1) cells = cells.reshape({cells.size()}, call.where);
  return scan(call, fold, cells, along);
}

Array without_nans(const Call& call, const Array& a, double number) {
  if (!is_inexact(checked_state(call, a).dtype())) return a;
  const Array is_nan = isnan(Operand(a, call.where));
  return where(Operand(is_nan, call.where), Operand(number, call.where), Operand(a, call.where));
}

}  // namespace

Array cumsum(const Array& a, std::optional<int> axis, std::optional<DType> dtype, std::source_location where) {
  return cumulated(Call{"cumsum", where}, Fold::Sum, a, axis, dtype);
}

Array cumprod(const Array& a, std::optional<int> axis, std::optional<DType> dtype, std::source_location where) {
  return cumulated(Call{"cumprod", where}, Fold::Product, a, axis, dtype);
}

Array nancumsum(const Array& a, std::optional<int> axis, std::optional<DType> dtype, std::source_location where) {
  const Call call{"nancumsum", where};
  const int rank = checked_state(call, a).shape.rank();
  if (axis && rank > 0) static_cast<void>(checked_axis(call, *axis, rank));
  return cumulated(call, Fold::Sum, without_nans(call, a, 0), axis, dtype);
}

Array nancumprod(const Array& a, std::optional<int> axis, std::optional<DType> dtype, std::source_location where) {
  const Call call{"nancumprod", where};
  const int rank = checked_state(call, a).shape.rank();
  if (axis && rank > 0) static_cast<void>(checked_axis(call, *axis, rank));
  return cumulated(call, Fold::Product, without_nans(call, a, 1), axis, dtype);
}

namespace detail {

Array accumulate(Fold fold, const Array& a, int axis, std::optional<DType> dtype, std::source_location where) {
  const Call call{"accumulate", where};
  const ArrayState& state = checked_state(call, a);
  if (state.shape.rank() == 0) fail<ShapeError>(call, "an array without axes: a.reshape({1}) has one");
  const int along = checked_axis(call, axis, state.shape.rank());
  const bool widens = fold == Fold::Sum || fold == Fold::Product;
  const DType wanted = dtype.value_or(widens ? total_dtype(state.dtype()) : state.dtype());
  return scan(call, fold, wanted == state.dtype() ? a : a.astype(wanted, where), along);
}

void refuse_to_accumulate(std::source_location where) {
  fail<ValueError>(Call{"accumulate", where}, "the function is none of add, multiply, minimum and maximum");
}

}  // namespace detail
}  // namespace pilum::numeric
