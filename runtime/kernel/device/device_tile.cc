// A sweep over arrays that lie across: neighbours along a row of the domain are rows apart in memory, neighbours down a
// column side by side. A block takes a square of points. It reads such arrays down the columns into shared memory, then
// goes along the rows like any sweep, so that reads and writes are both of whole lines:
//
//   memory, side by side by my.thread.x   tile[column][row]   (a cell longer than it is wide: no two of a warp's
//   points, side by side by my.thread.x   tile[column][row]    accesses of one column meet in a bank)
//
// (Ruetsch and Micikevicius, Optimizing Matrix Transpose in CUDA, 2009.)
#include <algorithm>

#include "runtime/kernel/device/device_point.h"

namespace pilum::kernel {
namespace {

class TileWriter {
 public:
  TileWriter(SourceText& text, const DevicePlan& plan)
      : text_(text), plan_(plan), crossed_(crossed_arrays(plan.kernel)) {}

  void write() {
    const int rank = plan_.kernel.rank;
    const auto extent = [&](int axis) { return DevicePlan::word(plan_.layout.extent(axis)); };
    write_call_values(text_, plan_);
    text_.line("const i64 n = ", extent(rank - 1), ", m = ", extent(rank - 2), ";");
    text_.line("const i64 column0 = my.block.x * (i64)", kTile, ";");
    for (const int array : crossed_)
      text_.line("__shared__ ", cell_type(array), " tile", array, "[", kTile, "][", kTile + 1, "];");
    std::string planes = "1";
    for (int axis = 0; axis < rank - 2; ++axis) planes += join(" * ", extent(axis));
    text_.open("for (i64 plane = my.block.z; plane < ", planes, "; plane += my.grid.z)");
    if (rank > 2) text_.line("i64 left = plane;");
    for (int axis = rank - 3; axis >= 0; --axis)
      text_.line("const i64 i", axis, " = ", axis ? join("take_digit(left, ", extent(axis), ")") : "left", ";");
    text_.open("for (i64 row0 = my.block.y * (i64)", kTile, "; row0 < m; row0 += my.grid.y * (i64)", kTile, ")");
    for (int array = 0; array < plan_.arrays(); ++array) write_base(array);
    write_reads();
    text_.line("__syncthreads();");
    write_points();
    text_.line("__syncthreads();  // before the tiles are used again");
    text_.close();
    text_.close();
  }

 private:
  const char* cell_type(int array) const { return memory_type(plan_.array(array).dtype); }
  bool is_crossed(int array) const { return std::find(crossed_.begin(), crossed_.end(), array) != crossed_.end(); }
  std::string stride(int array, int axis) const { return DevicePlan::word(plan_.layout.stride(array, axis)); }

  // The cell of the square's first point.
  void write_base(int array) {
    const int rank = plan_.kernel.rank;
    std::string place = join("(char*)", DevicePlan::word(plan_.layout.base(array)));
    for (int axis = 0; axis < rank - 2; ++axis) place += join(" + i", axis, " * ", stride(array, axis));
    place += join(" + row0 * ", stride(array, rank - 2), " + column0 * ", stride(array, rank - 1));
    text_.line("char* const a", array, " = ", place, ";");
  }

  // Opens a loop over the square's points that are inside, rows and columns `i` and `j` of it.
  void open_points(const char* i, const char* j) {
    text_.line("#pragma unroll");
    text_.open("for (int step = 0; step < ", kTile, "; step += ", kDeviceThreads / kTile, ")");
    text_.line("const int i = ", i, ", j = ", j, ";");
    text_.line("if (row0 + i >= m || column0 + j >= n) continue;");
  }

  void write_reads() {
    open_points("my.thread.x", "my.thread.y + step");
    for (const int array : crossed_) {
      text_.line("tile", array, "[j][i] = at<", cell_type(array), ">(a", array, " + i * (i64)sizeof(", cell_type(array),
                 ") + j * ", stride(array, plan_.inner()), ");");
    }
    text_.close();
  }

  void write_points() {
    const int rank = plan_.kernel.rank;
    const auto place = [&](int array, const Offset& offset) {
      return join("a", array, " + i * ", stride(array, rank - 2), " + j * ", stride(array, rank - 1),
                  plan_.displacement(array, offset));
    };
    open_points("my.thread.y + step", "my.thread.x");
    write_point_values(
        text_, plan_,
        [&](const Node& node) {
          const int array = node.argument;
          return as_value(plan_.array(array).dtype,
                          is_crossed(array) ? join("tile", array, "[j][i]")
                                            : join("at<", cell_type(array), ">(", place(array, node.offset), ")"));
        },
        [&](int axis) {
          const std::string lo = DevicePlan::word(plan_.layout.lo(axis));
          if (axis == rank - 1) return join(lo, " + column0 + j");
          if (axis == rank - 2) return join(lo, " + row0 + i");
          return join(lo, " + i", axis);
        });
    for (const StoreOutput& store : plan_.kernel.stores) {
      text_.line("at<", cell_type(store.argument), ">(", place(store.argument, {}),
                 ") = ", in_memory(plan_, store.value), ";");
    }
    text_.close();
  }

  SourceText& text_;
  const DevicePlan& plan_;
  const std::vector<int> crossed_;
};

}  // namespace

std::vector<int> crossed_arrays(const Kernel& kernel) {
  constexpr std::size_t kMost = 4;  // tiles that leave shared memory for several blocks
  std::vector<int> crossed;
  if (kernel.rank < 2 || !kernel.accumulations.empty()) return crossed;
  for (std::size_t i = 0; i < kernel.arrays.size() && crossed.size() < kMost; ++i) {
    const ArrayArgument& array = kernel.arrays[i];
    const bool across = array.access == Access::Read && array.inner == Inner::Strided && array.store_rank > 0 &&
                        array.row == array.store_rank - 1;
    const bool in_place = std::all_of(kernel.nodes.begin(), kernel.nodes.end(), [&](const Node& node) {
      return node.op != Op::Load || node.argument != static_cast<int>(i) || node.offset == Offset{};
    });
    if (across && in_place) crossed.push_back(static_cast<int>(i));
  }
  return crossed;
}

void write_tiled_sweep(SourceText& text, const DevicePlan& plan) {
  TileWriter(text, plan).write();
}

}  // namespace pilum::kernel
