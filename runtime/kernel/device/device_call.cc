#include <algorithm>
#include <cstdlib>

#include "runtime/base/check.h"
#include "runtime/kernel/device/device_layout.h"
#include "runtime/kernel/device/device_point.h"
#include "runtime/kernel/device/emit_device.h"

namespace pilum::kernel {
namespace {

constexpr int kVectorBytes = 16;         // the widest access of a thread
constexpr int kRows = 4;                 // rows a thread: neighbours' loads are shared, and more of them are in flight
constexpr int kRowsAcrossPlanes = 2;     // where the loads of planes above and below come to these
constexpr std::size_t kLongKernel = 48;  // nodes: from here on one row is work enough
constexpr std::int64_t kMaxGridRows = 65535;
constexpr std::int64_t kMaxGridColumns = 2147483647;
constexpr std::int64_t kMostBlocksOfRows = 8192;  // more than a GPU has at a time: each does several times its rows

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t power_of_two_from(std::int64_t value) {
  std::int64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

std::uint32_t clamp_grid(std::int64_t blocks, std::int64_t most) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, most));
}

int vector_of(const Kernel& kernel) {
  std::size_t widest = 0;
  for (const ArrayArgument& array : kernel.arrays) {
    if (array.inner == Inner::Contiguous) widest = std::max(widest, itemsize(array.dtype));
  }
  if (widest == 0) return 1;
  return static_cast<int>(std::max<std::size_t>(1, std::min<std::size_t>(kVectorBytes / widest, 4)));
}

// Elements before the cell from which the array's rows are whole vectors; kUnaligned where rows differ in that.
std::int8_t phase_of(const Kernel& kernel, int number, const BoundArray& array, std::span<const std::int64_t> extent,
                     int vector) {
  const ArrayArgument& argument = kernel.arrays[static_cast<std::size_t>(number)];
  const auto size = static_cast<std::int64_t>(itemsize(argument.dtype));
  const std::int64_t bytes = vector * size;
  if (argument.inner != Inner::Contiguous) return DeviceOptions::kUnaligned;
  for (std::size_t axis = 0; axis + 1 < extent.size(); ++axis) {
    if (extent[axis] > 1 && array.stride[axis] % bytes != 0) return DeviceOptions::kUnaligned;
  }
  for (int axis = 0; axis + 1 < argument.store_rank; ++axis) {
    if (array.pitch[axis] % bytes != 0) return DeviceOptions::kUnaligned;
  }
  return static_cast<std::int8_t>(reinterpret_cast<std::uintptr_t>(array.base) % static_cast<std::uintptr_t>(bytes) /
                                  static_cast<std::uintptr_t>(size));
}

// Columns before the box at which the first thread's own begin.
std::int64_t shift_of(const DeviceCall& call) {
  const int primary = primary_array(call.kernel);
  if (primary < 0 || call.options.vector == 1 || !call.kernel.accumulations.empty()) return 0;
  const std::int8_t phase =
      phase_of(call.kernel, primary, call.arrays[static_cast<std::size_t>(primary)], call.extent, call.options.vector);
  return std::max<std::int64_t>(phase, 0);
}

constexpr std::int64_t kWarp = 32;

// Threads side by side along a row that is folded: as few as have some loads each in flight, so that a block has
// several short rows. Where rows fold into one another a short row's points are a thread's each, and its loads of other
// rows.
std::int64_t team_of(const Kernel& kernel, std::span<const std::int64_t> extent) {
  constexpr std::int64_t kPoints = 8, kLeast = 8;
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < extent.size(); ++axis) {
    if (kernel.accumulations.front().reduced_axes >> axis & 1) rows *= extent[axis];
  }
  const std::int64_t row = extent.back();
  const std::int64_t least = std::min(power_of_two_from(row), rows > 1 ? kWarp : kLeast);
  return std::clamp<std::int64_t>(power_of_two_from(divide_up(row, kPoints)), least, kDeviceThreads);
}

// Few points of several rows are folded into each cell: a thread goes through them, where a team would have more to do
// with each other's than with its own.
bool folds_few_points(const Kernel& kernel, std::span<const std::int64_t> extent) {
  constexpr std::int64_t kFew = 64;
  std::int64_t rows = 1;
  for (std::size_t axis = 0; axis + 1 < extent.size(); ++axis) {
    if (kernel.accumulations.front().reduced_axes >> axis & 1) rows *= extent[axis];
  }
  return rows > 1 && rows * extent.back() <= kFew && columns_in_flight(kernel) == 0;
}

bool folds_rows(const Kernel& kernel) {
  return kernel.accumulations.front().reduced_axes >> (kernel.rank - 1) & 1;
}

// Rows of few points, each a cell, of which a team of a warp has all at hand: its threads fold them by exchanging them,
// and several rows are read at a time. On an H200 sums of 16 cells run at 4,150 GB/s by four rows, 3,800 by one.
void choose_rows_at_hand(const Kernel& kernel, std::span<const std::int64_t> extent, DeviceOptions& options) {
  constexpr std::int64_t kPointsAtHand = 8, kMostCells = 4;
  const bool are_single = kernel.accumulations.front().reduced_axes == 1U << (kernel.rank - 1);
  const auto is_exchanged = [&](const Accumulation& fold) {
    return !is_complex(kernel.arrays[static_cast<std::size_t>(fold.argument)].dtype);
  };
  if (!are_single || options.team > kWarp || columns_in_flight(kernel) > 0) return;
  if (!std::ranges::all_of(kernel.accumulations, is_exchanged)) return;
  const std::int64_t points = power_of_two_from(divide_up(extent.back(), options.team));
  const std::int64_t most = most_partial_folds(kernel);
  if (points > most) return;
  options.points = static_cast<std::int8_t>(points);
  options.cells =
      static_cast<std::int8_t>(std::clamp<std::int64_t>(std::min(kPointsAtHand, most) / points, 1, kMostCells));
}

std::int64_t chunks_along(const DeviceCall& call, std::size_t axis) {
  return divide_up(call.extent[axis], std::max<std::int64_t>(call.chunk[axis], 1));
}

DeviceShape shape_of_fold(const DeviceCall& call) {
  const Kernel& kernel = call.kernel;
  std::int64_t cells = 1, rows = 1, chunks = 1;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(kernel.rank); ++axis) {
    const bool reduced = kernel.accumulations.front().reduced_axes >> axis & 1;
    chunks *= chunks_along(call, axis);
    if (!reduced) cells *= call.chunk[axis];
    if (reduced && axis + 1 < static_cast<std::size_t>(kernel.rank)) rows *= call.chunk[axis];
  }
  DeviceShape shape;
  std::int64_t side = 1;
  if (folds_rows(kernel)) {
    // A team of several rows where rows are short.
    const std::int64_t strips = call.options.alone ? 1 : power_of_two_from(rows);
    const std::int64_t team = std::min<std::int64_t>(kDeviceThreads, call.options.team * strips);
    side = kDeviceThreads / team;
    shape.block = {static_cast<std::uint32_t>(team), static_cast<std::uint32_t>(side), 1};
    if (call.options.cells > 0) {
      const std::int64_t blocks = divide_up(cells, side * call.options.cells);
      shape.grid = {clamp_grid(blocks, kMostBlocksOfRows), clamp_grid(chunks, kMaxGridRows), 1};
      return shape;
    }
  } else {
    side = std::clamp<std::int64_t>(power_of_two_from(cells), 1, kWarp);
    const std::int64_t team = std::min<std::int64_t>(kDeviceThreads / side, power_of_two_from(rows));
    side = kDeviceThreads / team;
    shape.block = {static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(team), 1};
  }
  shape.grid = {clamp_grid(divide_up(cells, side), kMaxGridColumns), clamp_grid(chunks, kMaxGridRows), 1};
  return shape;
}

// The points of the axes but the last two.
std::int64_t planes_of(const DeviceCall& call) {
  std::int64_t planes = 1;
  for (std::size_t axis = 0; axis + 2 < call.extent.size(); ++axis) planes *= call.extent[axis];
  return planes;
}

// Planes that a block takes in turn: what it reads of its neighbours' is in the first cache then. As many as leave
// blocks enough.
std::int64_t planes_in_turn(const Kernel& kernel, std::int64_t planes, std::int64_t blocks_of_plane) {
  constexpr std::int64_t kEnoughBlocks = 2048, kMaxPlanes = 4;
  if (!reads_across_planes(kernel)) return 1;
  return std::clamp<std::int64_t>(planes * blocks_of_plane / kEnoughBlocks, 1, kMaxPlanes);
}

DeviceShape shape_of_tiles(const DeviceCall& call) {
  DeviceShape shape;
  shape.block = {kTile, kDeviceThreads / kTile, 1};
  shape.grid = {clamp_grid(divide_up(call.extent.back(), kTile), kMaxGridColumns),
                clamp_grid(divide_up(call.extent[call.extent.size() - 2], kTile), kMaxGridRows),
                clamp_grid(planes_of(call), kMaxGridRows)};
  return shape;
}

// Some cell is read from a point that differs along another axis than the columns', and than the rows' unless they
// count.
bool reads_across(const Kernel& kernel, bool rows_count) {
  return std::any_of(kernel.nodes.begin(), kernel.nodes.end(), [&](const Node& node) {
    if (node.op != Op::Load) return false;
    const ArrayArgument& array = kernel.arrays[static_cast<std::size_t>(node.argument)];
    for (int axis = 0; axis < array.store_rank; ++axis) {
      const bool is_column = array.inner == Inner::Contiguous && axis == array.store_rank - 1;
      const bool counts = !is_column && (rows_count || axis != array.row);
      if (counts && node.offset[static_cast<std::size_t>(axis)] != 0) return true;
    }
    return false;
  });
}

// Cells that are written a few bytes apart, columns of short rows: a thread's next point is its neighbour's, so that
// what a warp writes at once lies as near as it can.
bool writes_nearby(const Kernel& kernel, std::span<const BoundArray> arrays) {
  constexpr std::int64_t kNear = 64;  // bytes
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    if (kernel.arrays[i].inner != Inner::Strided || kernel.arrays[i].access == Access::Read) continue;
    if (std::abs(arrays[i].stride[kernel.rank - 1]) <= kNear) return true;
  }
  return false;
}

// Rows of few points of which no whole power of two of threads takes vectors: a block takes many of them.
bool packs_rows(const Kernel& kernel, std::span<const std::int64_t> extent, int vector) {
  constexpr std::int64_t kShort = 32, kManyRows = 32;
  const std::int64_t row = extent.back();
  if (kernel.rank < 2 || row < 2 || row >= kShort || extent[extent.size() - 2] < kManyRows) return false;
  return row % vector != 0 || power_of_two_from(row / vector) != row / vector;
}

// A block's rows, one beside the other, and as many times those that its threads have below them.
DeviceShape shape_of_packed(const DeviceCall& call, std::int64_t planes) {
  const std::int64_t rows = call.extent[call.extent.size() - 2];
  const std::int64_t beside = call.threads / call.options.packed;
  DeviceShape shape;
  shape.block[0] = static_cast<std::uint32_t>(call.threads);
  shape.grid[1] = clamp_grid(divide_up(rows, beside * call.options.rows), kMaxGridRows);
  shape.grid[2] = clamp_grid(divide_up(planes, planes_in_turn(call.kernel, planes, shape.grid[1])), kMaxGridRows);
  return shape;
}

}  // namespace

bool reads_across_rows(const Kernel& kernel) {
  return reads_across(kernel, /*rows_count=*/true);
}

bool reads_across_planes(const Kernel& kernel) {
  return reads_across(kernel, /*rows_count=*/false);
}

int primary_array(const Kernel& kernel) {
  int first_read = -1;
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    if (kernel.arrays[i].inner != Inner::Contiguous) continue;
    if (kernel.arrays[i].access == Access::Write || kernel.arrays[i].access == Access::ReadWrite)
      return static_cast<int>(i);
    if (first_read < 0) first_read = static_cast<int>(i);
  }
  return first_read;
}

DeviceOptions choose_device_options(const Kernel& kernel, std::span<const BoundArray> arrays,
                                    std::span<const std::int64_t> extent, bool streaming) {
  constexpr std::int64_t kNarrow = std::int64_t{1} << 30;
  DeviceOptions options;
  options.streaming = streaming;
  options.wide = std::any_of(extent.begin(), extent.end(), [](std::int64_t n) { return n > kNarrow; });
  options.phase.assign(kernel.arrays.size(), DeviceOptions::kUnaligned);
  if (!kernel.accumulations.empty()) {
    if (!folds_rows(kernel)) return options;
    options.alone = folds_few_points(kernel, extent);
    if (options.alone) return options;
    options.team = static_cast<std::int16_t>(team_of(kernel, extent));
    options.short_rows = extent.back() <= options.team;
    if (!options.short_rows && columns_in_flight(kernel) == 0) {
      const std::int64_t points = power_of_two_from(divide_up(extent.back(), options.team));
      if (points < most_partial_folds(kernel)) options.partials = static_cast<std::int8_t>(points);
    }
    choose_rows_at_hand(kernel, extent, options);
    return options;
  }
  const bool fills_tiles = kernel.rank > 1 && std::min(extent.back(), extent[extent.size() - 2]) >= kTile / 2;
  options.tiled = fills_tiles && !crossed_arrays(kernel).empty();
  if (options.tiled) return options;
  const int primary = primary_array(kernel);
  options.vector =
      static_cast<std::int8_t>(extent.back() > 1 && !writes_nearby(kernel, arrays) ? vector_of(kernel) : 1);
  if (kernel.rank > 1 && kernel.nodes.size() < kLongKernel && extent[extent.size() - 2] > 1)
    options.rows = static_cast<std::int8_t>(reads_across_planes(kernel) ? kRowsAcrossPlanes : kRows);
  if (packs_rows(kernel, extent, options.vector)) {
    options.packed = static_cast<std::int8_t>(extent.back());
    options.vector = 1;
  }
  if (options.vector == 1 || primary < 0) return options;
  const int shift =
      std::max<int>(phase_of(kernel, primary, arrays[static_cast<std::size_t>(primary)], extent, options.vector), 0);
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    const int phase = phase_of(kernel, static_cast<int>(i), arrays[i], extent, options.vector);
    if (phase >= 0) options.phase[i] = static_cast<std::int8_t>((phase - shift + options.vector) % options.vector);
  }
  return options;
}

DeviceShape shape_of(const DeviceCall& call) {
  const Kernel& kernel = call.kernel;
  PILUM_CHECK(call.extent.size() == static_cast<std::size_t>(kernel.rank), "a call of {} axes", call.extent.size());
  if (!kernel.accumulations.empty()) return shape_of_fold(call);
  if (call.options.tiled) return shape_of_tiles(call);
  if (call.options.packed) return shape_of_packed(call, planes_of(call));
  constexpr std::int64_t kBlockColumns = 64;  // threads; the block's others lie on other rows
  const std::int64_t columns = divide_up(call.extent.back() + shift_of(call), call.options.vector);
  const std::int64_t rows =
      kernel.rank > 1 ? divide_up(call.extent[static_cast<std::size_t>(kernel.rank - 2)], call.options.rows) : 1;
  const std::int64_t down = std::min<std::int64_t>(
      power_of_two_from(rows), call.threads / std::min<std::int64_t>(power_of_two_from(columns), kBlockColumns));
  const std::int64_t planes = kernel.rank > 2 ? planes_of(call) : 1;
  const std::int64_t of_plane = std::min<std::int64_t>(power_of_two_from(columns), call.threads / down);
  // A block has several planes where one is small.
  constexpr std::int64_t kMostDeep = 64;  // CUDA's, along z
  const std::int64_t deep = std::min({call.threads / (of_plane * down), power_of_two_from(planes), kMostDeep});
  const std::int64_t across = std::max(of_plane, kWarp / std::min(kWarp, down * deep));
  DeviceShape shape;
  shape.block = {static_cast<std::uint32_t>(across), static_cast<std::uint32_t>(down),
                 static_cast<std::uint32_t>(deep)};
  shape.grid = {clamp_grid(divide_up(columns, across), kMaxGridColumns),
                clamp_grid(divide_up(rows, down), kMaxGridRows), 1};
  if (kernel.rank > 2) {
    const std::int64_t in_turn = planes_in_turn(kernel, planes, std::int64_t{shape.grid[0]} * shape.grid[1]);
    shape.grid[2] = clamp_grid(divide_up(planes, in_turn * deep), kMaxGridRows);
  }
  return shape;
}

void pack_device_call(const DeviceCall& call, std::vector<std::uint64_t>& words) {
  const DeviceLayout layout{call.kernel};
  const int rank = call.kernel.rank;
  words.clear();
  words.reserve(static_cast<std::size_t>(layout.size()));
  const auto put = [&words](std::int64_t value) { words.push_back(static_cast<std::uint64_t>(value)); };
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    const BoundArray& array = call.arrays[i];
    words.push_back(reinterpret_cast<std::uintptr_t>(array.base));
    for (int axis = 0; axis < rank; ++axis) put(array.stride[axis]);
    for (int axis = 0; axis < call.kernel.arrays[i].store_rank; ++axis) put(array.pitch[axis]);
  }
  for (const std::int64_t lo : call.lo) put(lo);
  for (const std::int64_t extent : call.extent) put(extent);
  for (const std::int64_t chunk : call.chunk) put(chunk);
  for (std::size_t axis = 0; axis < call.chunk.size(); ++axis) put(chunks_along(call, axis));
  for (std::size_t i = 0; i < call.arrays.size(); ++i) put(i < call.chunk_step.size() ? call.chunk_step[i] : 0);
  put(shift_of(call));
  const bool sweeps = call.kernel.accumulations.empty() && !call.options.tiled && rank > 2;
  const DeviceShape shape = sweeps ? shape_of(call) : DeviceShape();
  put(sweeps ? divide_up(planes_of(call), std::int64_t{shape.grid[2]} * shape.block[2]) : 1);
  for (const std::uint64_t scalar : call.scalars) words.push_back(scalar);
  PILUM_CHECK(static_cast<int>(words.size()) == layout.size(), "{} words of {}", words.size(), layout.size());
}

}  // namespace pilum::kernel
