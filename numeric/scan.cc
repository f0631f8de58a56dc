#include "pilum/scan.h"

#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "numeric/array_state.h"
#include "numeric/axis_parts.h"
#include "numeric/dtype_rules.h"
#include "numeric/elementwise.h"
#include "numeric/gpu_scan.h"
#include "numeric/library_task.h"
#include "numeric/lines.h"
#include "numeric/reductions.h"
#include "numeric/scan_body.h"
#include "numeric/shapes.h"
#include "pilum/creation.h"
#include "pilum/functions.h"
#include "pilum/manipulation.h"
#include "pilum/projection.h"

namespace pilum::numeric {
namespace {

using BodyAccess = pilum::detail::Access;
using pilum::detail::StoreArgument;

using Function = Array (*)(const Operand&, const Operand&);

void launch_scan(const Call& call, LibraryBody&& body, const Shape& domain,
                 const std::vector<StoreArgument>& arguments) {
  for (const StoreArgument& argument : arguments)
    body.parameters.push_back(array_parameter(argument.array, argument.access));
  launch(call, body, domain, arguments);
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

// So many lines keep a GPU busy by themselves.
constexpr std::int64_t kLinesEnough = 1 << 17;

bool is_cut_in_blocks(const Array& a, int axis, std::int64_t block) {
  const std::int64_t extent = a.shape()[axis], lines = a.size() / extent;
  return extent > block && lines < kLinesEnough && (extent + block - 1) / block < 65'536;  // which a grid has
}

// Rows that are read by squares. Few cells are scanned by a kernel that a graph may have.
bool is_cut_in_squares(const Call& call, const Array& a, int axis) {
  constexpr std::int64_t kSquare = 32, kManyCells = 1 << 16;
  const auto& map = checked_state(call, a).map;
  return a.shape()[axis] >= kSquare / 2 && a.size() >= kManyCells && map.store_axis_of(axis) == map.store_rank - 1;
}

// Each line along the axis by one body: the other axes may be cut.
Array scan_by_lines(const Call& call, Fold fold, const Array& a, int axis, std::int64_t block) {
  LibraryBody body{scan_lines, scan_form(fold, a.dtype(), -1, block)};
  const bool are_gpus = recorder_of(call).processors().are_gpus;
  if (are_gpus && is_tiled(call, a, axis)) {
    body.issue = issue_scan;
    body.scratch = scan_scratch;
  } else if (are_gpus && (is_cut_in_squares(call, a, axis) || is_cut_in_blocks(a, axis, block))) {
    body.issue = issue_block_scan;
    body.scratch = block_scan_scratch;
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

using Issue = decltype(LibraryBody::issue);

// What each block along the axis comes to: who has its cells folds them, however few blocks there are.
Array fold_by_blocks(const Call& call, Fold fold, const Array& a, int axis, std::int64_t block, Issue issue) {
  Shape blocks = a.shape();
  blocks[axis] = (blocks[axis] + block - 1) / block;
  const Array each = empty(blocks, a.dtype(), call.where);
  LibraryBody body{fold_blocks, scan_form(fold, a.dtype(), axis, block)};
  body.is_cut = true;
  body.issue = issue;
  launch_scan(
      call, std::move(body), blocks,
      {{each, BodyAccess::Write, {}, Fold::Sum}, read_of(a, along_axis(a.ndim(), axis, {axis, block, 0, block}))});
  return each;
}

// The cells, by what is known of the blocks: all of each of these arrays.
Array scan_of_blocks(const Call& call, LibraryBody&& body, const Array& a, int axis,
                     std::initializer_list<Array> known) {
  const std::int64_t block = body.form[3];
  const Array out = empty(a.shape(), a.dtype(), call.where);
  std::vector<StoreArgument> arguments{{out, BodyAccess::Write, {}, Fold::Sum},
                                       read_of(a, along_axis(a.ndim(), axis, {axis, 1, 1 - block, block}))};
  for (const Array& blocks : known)
    arguments.push_back(read_of(blocks, along_axis(a.ndim(), axis, {-1, 1, 0, blocks.shape()[axis]})));
  body.is_cut = true;  // into several chunks a core
  launch_scan(call, std::move(body), a.shape(), arguments);
  return out;
}

// The axis may be cut: first what each block comes to, then these one after the other, then the cells.
Array scan_by_blocks(const Call& call, Fold fold, const Array& a, int axis) {
  constexpr std::int64_t kOneBlock = std::numeric_limits<std::int64_t>::max();
  if (recorder_of(call).processors().are_gpus) {
    const std::int64_t tile = scan_tile(a.dtype());
    const Array sums = fold_by_blocks(call, fold, a, axis, tile, issue_fold_tiles);
    const Array groups = fold_by_blocks(call, fold, sums, axis, kScanGroup, issue_fold_groups);
    // A thread each, of however many cells.
    const Array lines = expand_dims(groups, 0, call.where);
    const Array so_far = scan_by_lines(call, fold, lines, axis + 1, kOneBlock)[Index(0, call.where)];
    LibraryBody body{scan_tiles, scan_form(fold, a.dtype(), axis, tile)};
    body.issue = issue_scan_tiles;
    return scan_of_blocks(call, std::move(body), a, axis, {sums, so_far});
  }
  const Array each = fold_by_blocks(call, fold, a, axis, kScanBlock, nullptr);
  const Array so_far = scan_by_lines(call, fold, each, axis, kOneBlock);
  return scan_of_blocks(call, {scan_cells, scan_form(fold, a.dtype(), axis, kScanBlock)}, a, axis, {so_far});
}

// Whether processors share a line rather than lines.
bool is_shared_along(const scheduler::Recorder::Processors& processors, const Array& a, int axis) {
  const std::int64_t extent = a.shape()[axis], lines = a.size() / extent;
  if (!processors.are_gpus) return extent >= kScanCutFrom && processors.cores > 1 && lines / 4 < processors.cores;
  return lines < processors.count && extent > scan_tile(a.dtype()) &&
         a.size() * static_cast<std::int64_t>(itemsize(a.dtype())) >= processors.split_bytes;
}

Array scan(const Call& call, Fold fold, const Array& cells, int axis);

// What a function that may be grouped in any way accumulates to: each cell takes in the one 1, 2, 4, … before it, which
// stands for as many cells.
Array accumulate_by_doubling(const Call& call, Function function, Array cells, int axis) {
  const std::int64_t extent = cells.shape()[axis];
  for (std::int64_t reach = 1; reach < extent; reach *= 2) {
    const Array next = empty(cells.shape(), cells.dtype(), call.where);
    const Array before = part_of_axis(cells, axis, 0, extent - reach),
                here = part_of_axis(cells, axis, reach, extent - reach);
    part_of_axis(next, axis, 0, reach) = Operand(part_of_axis(cells, axis, 0, reach), call.where);
    part_of_axis(next, axis, reach, extent - reach) =
        Operand(function(Operand(before, call.where), Operand(here, call.where)), call.where);
    cells = next;
  }
  return cells;
}

// A sum is that of each part, a product is one processor's, of whole lines.
Array scan_complex(const Call& call, Fold fold, const Array& cells, int axis) {
  if (cells.size() == 0) return empty(cells.shape(), cells.dtype(), call.where);
  if (fold == Fold::Product) {
    LibraryBody body{multiply_lines, {static_cast<std::int64_t>(cells.dtype())}};
    return launch_lines(call, std::move(body), cells, axis, cells.shape()[axis], cells.dtype());
  }
  if (fold != Fold::Sum) {
    const Function extremum = fold == Fold::Minimum ? static_cast<Function>(minimum) : static_cast<Function>(maximum);
    return accumulate_by_doubling(call, extremum, cells.copy(call.where), axis);
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
  if (is_shared_along(processors, cells, axis)) return scan_by_blocks(call, fold, cells, axis);
  if (processors.are_gpus && cells.ndim() == 1 && cells.size() <= kScanBlock) {  // a thread's, with the bits of cores
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

Array cumsum(const Array& a, std::optional<Axis> axis, std::optional<DType> dtype, std::source_location where) {
  return cumulated(Call{"cumsum", where}, Fold::Sum, a, axis, dtype);
}

Array cumprod(const Array& a, std::optional<Axis> axis, std::optional<DType> dtype, std::source_location where) {
  return cumulated(Call{"cumprod", where}, Fold::Product, a, axis, dtype);
}

Array nancumsum(const Array& a, std::optional<Axis> axis, std::optional<DType> dtype, std::source_location where) {
  const Call call{"nancumsum", where};
  const int rank = checked_state(call, a).shape.rank();
  if (axis && rank > 0) static_cast<void>(checked_axis(call, *axis, rank));
  return cumulated(call, Fold::Sum, without_nans(call, a, 0), axis, dtype);
}

Array nancumprod(const Array& a, std::optional<Axis> axis, std::optional<DType> dtype, std::source_location where) {
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

namespace {

// The cells in what the function gives of them, and what it is of none.
Array as_operands(const Call& call, Function function, const Array& a, std::optional<DType> dtype) {
  const Array one = dtype && *dtype != a.dtype() ? a.astype(*dtype, call.where) : a;
  Shape none;
  for (int axis = 0; axis < one.ndim(); ++axis) none.push_back(0);
  const Array like = empty(none, one.dtype(), call.where);
  DType given = one.dtype();
  try {
    given = function(Operand(like, call.where), Operand(like, call.where)).dtype();
  } catch (const DTypeError&) {
    fail<DTypeError>(call, "the function takes no cells of dtype ", given, ": cast them with astype, or give a dtype");
  }
  return one.dtype() == given ? one : one.astype(given, call.where);
}

}  // namespace

Array accumulate_associative(Function function, const Array& a, int axis, std::optional<DType> dtype,
                             std::source_location where) {
  const Call call{"accumulate", where};
  const Shape& shape = checked_state(call, a).shape;
  if (shape.rank() == 0) fail<ShapeError>(call, "an array without axes: a.reshape({1}) has one");
  const int along = checked_axis(call, axis, shape.rank());
  const Array cells = as_operands(call, function, a, dtype);
  return unshared(accumulate_by_doubling(call, function, cells, along), a, where);
}

// Axis by axis, the halves of each over and over.
Array reduce_associative(Function function, std::optional<double> of_none, const Array& a, const Axes& axes,
                         bool keepdims, std::source_location where) {
  const Call call{"reduce", where};
  const Shape shape = checked_state(call, a).shape;
  const std::uint8_t folded = folded_axes(call, axes, shape.rank());
  Array cells = as_operands(call, function, a, {});
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((folded >> axis & 1) == 0) continue;
    std::int64_t extent = shape[axis];
    if (extent == 0) {
      Shape result = cells.shape();
      result[axis] = 1;
      if (!of_none)  // also of no results, as NumPy's
        fail<ValueError>(call, "shape ", shape, " has no cells along axis ", axis,
                         ", and the function no value of none");
      cells = full(result, Operand(of_none.value_or(0), where), cells.dtype());
      continue;
    }
    if (extent == 1 && of_none == 0.0) {  // so that gcd and hypot of one cell have no sign, as NumPy's
      const Array none = zeros_like(cells, {}, where);
      cells = function(Operand(none, where), Operand(cells, where));
    }
    for (; extent > 1; extent -= extent / 2) {
      const std::int64_t half = extent / 2;
      const Array first = part_of_axis(cells, axis, 0, half), second = part_of_axis(cells, axis, extent - half, half);
      const Array both = function(Operand(first, where), Operand(second, where));
      cells = extent % 2 == 0 ? both : concatenated(call, {both, part_of_axis(cells, axis, half, 1)}, axis);
    }
  }
  if (keepdims || shape.rank() == 0) return unshared(cells, a, where);
  std::vector<int> gone;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (folded >> axis & 1) gone.push_back(axis);
  }
  return unshared(squeeze(cells, Axes(std::span<const int>(gone)), where), a, where);
}

void refuse_ungrouped(const char* name, std::source_location where) {
  fail<ValueError>(Call{name, where},
                   "the function cannot be grouped in any way: add, multiply, minimum, maximum, fmin, fmax, hypot, "
                   "logaddexp, logaddexp2, gcd, lcm, and those of logic and bits can");
}

}  // namespace detail
namespace {

Array cumulated_from(const char* name, const Array& a, std::optional<int> axis, std::optional<DType> dtype,
                     bool include_initial, std::source_location where, bool is_sum) {
  const Call call{name, where};
  const Shape shape = checked_state(call, a).shape;
  if (shape.rank() == 0) {
    return cumulated_from(name, a.reshape(Shape{1}, where), axis, dtype, include_initial, where, is_sum);
  }
  if (!axis && shape.rank() > 1) fail<ValueError>(call, "shape ", shape, " has several axes: name one");
  const int along = checked_axis(call, axis.value_or(0), shape.rank());
  Array scanned = is_sum ? cumsum(a, along, dtype, where) : cumprod(a, along, dtype, where);
  if (!include_initial) return scanned;
  Shape first = shape;
  first[along] = 1;
  return concatenate({full(first, Operand(is_sum ? 0 : 1, where), scanned.dtype()), scanned}, along, where);
}

}  // namespace

Array cumulative_sum(const Array& a, std::optional<Axis> axis, std::optional<DType> dtype, bool include_initial,
                     std::source_location where) {
  return cumulated_from("cumulative_sum", a, axis, dtype, include_initial, where, /*is_sum=*/true);
}

Array cumulative_prod(const Array& a, std::optional<Axis> axis, std::optional<DType> dtype, bool include_initial,
                      std::source_location where) {
  return cumulated_from("cumulative_prod", a, axis, dtype, include_initial, where, /*is_sum=*/false);
}

}  // namespace pilum::numeric
