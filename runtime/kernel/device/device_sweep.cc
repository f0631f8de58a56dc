// A sweep: each thread has `vector` columns of `rows` rows. It loads all the cells that these points read, each once
// and in aligned vectors where they are, then computes, then writes. Threads at the box's border go point by point.
//
//   for some planes of the outer axes, one after the other (my.block.z, and where planes are small my.thread.z), for
//   each strip of rows (my.block.y), columns by my.block.x:
//     all points inside?  loads; values, point by point; stores
//     else                point after point, those that are inside
//
// Where rows are packed, a block's threads have a column of a row each, row beside row, `apart` of them, and the next
// of a thread's rows is so many below.
#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/kernel/device/device_point.h"

namespace pilum::kernel {
namespace {

// A row of cells of one array, as the thread's points need it: `row` rows below the thread's first one.
struct CellRow {
  int array;
  Offset offset;  // along the other axes
  int row;
  std::vector<int> columns;  // needed ones, relative to the thread's first; empty: one cell for all columns
};

class Sweep {
 public:
  Sweep(SourceText& text, const DevicePlan& plan)
      : text_(text), plan_(plan), rows_(plan.kernel.rank > 1 ? plan.options.rows : 1), columns_(plan.options.vector) {}

  void write() {
    const int rank = plan_.kernel.rank;
    const auto extent = [&](int axis) { return DevicePlan::word(plan_.layout.extent(axis)); };
    text_.line("typedef ", plan_.options.wide ? "i64" : "i32", " index;");
    write_call_values(text_, plan_);
    write_columns();
    std::string planes = "1";
    for (int axis = 0; axis < rank - 2; ++axis) planes += join(" * ", extent(axis));
    int open = 0;
    if (rank > 2) {
      const std::string each = DevicePlan::word(plan_.layout.planes());
      text_.line("const i64 planes = ", planes, ", first = (i64)(my.block.z * my.threads.z + my.thread.z) * ", each,
                 ";");
      text_.line("const i64 end = first + ", each, " < planes ? first + ", each, " : planes;");
      text_.open("for (i64 plane = first; plane < end; ++plane)"), ++open;
      text_.line("i64 left = plane;");
      for (int axis = rank - 3; axis >= 0; --axis)
        text_.line("const i64 i", axis, " = ", axis ? join("take_digit(left, ", extent(axis), ")") : "left", ";");
    }
    if (rank > 1) {
      text_.line("const index m = (index)", extent(rank - 2), ";");
      if (packed()) {
        text_.open("for (index i = (index)my.block.y * (apart * ", rows_,
                   ") + own; i < m; i += (index)my.grid.y * (apart * ", rows_, "))");
      } else {
        text_.open("for (index i = (index)(my.block.y * my.threads.y + my.thread.y) * ", rows_,
                   "; i < m; i += (index)(my.grid.y * my.threads.y) * ", rows_, ")");
      }
      ++open;
    }
    for (int array = 0; array < plan_.arrays(); ++array) write_base(array);
    if (rows_ * columns_ > 1) {
      const std::string last = join("i", below(std::to_string(rows_ - 1)), " < m");
      if (packed()) {
        text_.open("if (", last, ")");
      } else {
        text_.open("if (j >= 0 && j + ", columns_, " <= n", rows_ > 1 ? join(" && ", last) : "", ")");
      }
      write_whole();
      text_.close("} else {");
      text_.line("#pragma unroll 1");
      text_.open("for (int r = 0; r < ", rows_, "; ++r)");
      text_.line("#pragma unroll 1");
      text_.open("for (int c = 0; c < ", columns_, "; ++c)");
      text_.line("if (j + c < 0 || j + c >= n", rows_ > 1 ? join(" || i", below("r"), " >= m") : "", ") continue;");
      write_single("r", "c");
      text_.close();
      text_.close();
      text_.line("}");
    } else {
      write_single("0", "0");
    }
    while (open--) text_.close();
  }

 private:
  bool packed() const { return plan_.options.packed > 0; }
  // " + 2" rows, or so many times `apart`.
  std::string below(const std::string& row) const {
    if (row == "0") return "";
    return packed() ? join(" + ", row, " * apart") : join(" + ", row);
  }

  // The thread's first column.
  void write_columns() {
    if (packed()) {
      text_.line("constexpr index n = ", static_cast<int>(plan_.options.packed), ";");
      text_.line("const index apart = (index)my.threads.x / n, own = (index)my.thread.x / n;");
      text_.line("const index j = (index)my.thread.x - own * n;");
      text_.line("if (own >= apart) return;");
      return;
    }
    text_.line("const index n = (index)", DevicePlan::word(plan_.layout.extent(plan_.inner())), ";");
    text_.line("const index j = (index)(my.block.x * (u64)my.threads.x + my.thread.x) * ", columns_, " - (index)",
               DevicePlan::word(plan_.layout.shift()), ";");
    text_.line("if (j >= n) return;");
  }

  std::string column_stride(int array) const {
    return plan_.array(array).inner == Inner::Contiguous
               ? join("(i64)sizeof(", memory_type(plan_.array(array).dtype), ")")
               : DevicePlan::word(plan_.layout.stride(array, plan_.inner()));
  }
  std::string row_stride(int array) const {
    return DevicePlan::word(plan_.layout.stride(array, plan_.kernel.rank - 2));
  }

  // From the thread's first row to that one.
  std::string times_row_stride(int array, const std::string& row) const {
    return join(" + ", row, packed() ? " * apart * " : " * ", row_stride(array));
  }

  // The cell of the thread's first point.
  void write_base(int array) {
    std::string place = join("(char*)", DevicePlan::word(plan_.layout.base(array)));
    const int rank = plan_.kernel.rank;
    for (int axis = 0; axis < rank - 2; ++axis)
      place += join(" + i", axis, " * ", DevicePlan::word(plan_.layout.stride(array, axis)));
    if (rank > 1) place += join(" + i * ", row_stride(array));
    if (plan_.array(array).inner != Inner::Broadcast) place += join(" + j * ", column_stride(array));
    text_.line("char* const a", array, " = ", place, ";");
  }

  // Columns and rows of the argument that a load is away; the rest stays in the offset.
  int split(int array, Offset& offset, int& row) const {
    const ArrayArgument& argument = plan_.array(array);
    int column = 0;
    if (argument.inner == Inner::Contiguous && argument.store_rank > 0)
      column = std::exchange(offset[static_cast<std::size_t>(argument.store_rank - 1)], std::int8_t{0});
    row = 0;
    if (argument.row >= 0 && plan_.kernel.rank > 1 && !packed())
      row = std::exchange(offset[static_cast<std::size_t>(argument.row)], std::int8_t{0});
    return column;
  }

  CellRow& need(int array, const Offset& offset, int row) {
    for (CellRow& known : cells_) {
      if (known.array == array && known.offset == offset && known.row == row) return known;
    }
    return cells_.emplace_back(CellRow{array, offset, row, {}});
  }

  std::string row_name(const CellRow& row) const {
    const auto number = static_cast<int>(&row - cells_.data());
    return join("p", number);
  }
  static std::string cell_name(const std::string& row, int column) {
    return join("c", row, "_", column < 0 ? "m" : "", std::abs(column));
  }

  void find_cells() {
    for (const Node& node : plan_.kernel.nodes) {
      if (node.op != Op::Load) continue;
      Offset offset = node.offset;
      int row = 0;
      const int column = split(node.argument, offset, row);
      for (int r = 0; r < rows_; ++r) {
        CellRow& cells = need(node.argument, offset, row + r);
        if (plan_.array(node.argument).inner == Inner::Broadcast) continue;
        for (int c = 0; c < columns_; ++c) {
          if (std::find(cells.columns.begin(), cells.columns.end(), column + c) == cells.columns.end())
            cells.columns.push_back(column + c);
        }
      }
    }
    for (CellRow& cells : cells_) std::sort(cells.columns.begin(), cells.columns.end());
  }

  void write_loads() {
    for (const CellRow& row : cells_) {
      std::string place = join("a", row.array);
      if (row.row) place += times_row_stride(row.array, std::to_string(row.row));
      text_.line("const char* const ", row_name(row), " = ", place, plan_.displacement(row.array, row.offset), ";");
    }
    for (const CellRow& row : cells_) {
      const ArrayArgument& argument = plan_.array(row.array);
      const char* type = memory_type(argument.dtype);
      const std::string name = row_name(row);
      if (row.columns.empty()) {
        text_.line("const ", type, " ", cell_name(name, 0), " = at<", type, ">(", name, ");");
        continue;
      }
      for (std::size_t i = 0; i < row.columns.size();) {
        const int column = row.columns[i];
        if (starts_vector(row, i)) {
          const std::string pack = join(cell_name(name, column), "v");
          text_.line("const Pack<", type, ", ", columns_, "> ", pack, " = load_pack<", type, ", ", columns_, ">(", name,
                     " + ", column, " * (int)sizeof(", type, "));");
          for (int c = 0; c < columns_; ++c)
            text_.line("const ", type, " ", cell_name(name, column + c), " = ", pack, ".x[", c, "];");
          i += static_cast<std::size_t>(columns_);
        } else {
          text_.line("const ", type, " ", cell_name(name, column), " = at<", type, ">(", name, " + ", column, " * ",
                     argument.inner == Inner::Contiguous ? join("(int)sizeof(", type, ")") : column_stride(row.array),
                     ");");
          ++i;
        }
      }
    }
  }

  bool starts_vector(const CellRow& row, std::size_t first) const {
    const int phase = plan_.options.phase[static_cast<std::size_t>(row.array)];
    if (columns_ == 1 || phase < 0 || plan_.array(row.array).inner != Inner::Contiguous) return false;
    const int column = row.columns[first];
    if (((column + phase) % columns_ + columns_) % columns_ != 0) return false;
    return first + static_cast<std::size_t>(columns_) <= row.columns.size() &&
           row.columns[first + static_cast<std::size_t>(columns_) - 1] == column + columns_ - 1;
  }

  // All of the thread's points.
  void write_whole() {
    find_cells();
    write_loads();
    for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i) {
      const char* type = memory_type(plan_.array(plan_.kernel.stores[i].argument).dtype);
      for (int r = 0; r < rows_; ++r) text_.line("Pack<", type, ", ", columns_, "> o", i, "_", r, ";");
    }
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < columns_; ++c) {
        text_.open("");
        write_point_values(
            text_, plan_,
            [&](const Node& node) {
              Offset offset = node.offset;
              int row = 0;
              const int column = split(node.argument, offset, row);
              const CellRow& cells = need(node.argument, offset, row + r);
              return as_value(plan_.array(node.argument).dtype,
                              cell_name(row_name(cells), cells.columns.empty() ? 0 : column + c));
            },
            [&](int axis) { return index(axis, std::to_string(r), std::to_string(c)); });
        for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i)
          text_.line("o", i, "_", r, ".x[", c, "] = ", in_memory(plan_, plan_.kernel.stores[i].value), ";");
        text_.close();
      }
    }
    for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i) {
      const int array = plan_.kernel.stores[i].argument;
      const char* type = memory_type(plan_.array(array).dtype);
      const bool whole = columns_ > 1 && plan_.array(array).inner == Inner::Contiguous &&
                         plan_.options.phase[static_cast<std::size_t>(array)] == 0;
      for (int r = 0; r < rows_; ++r) {
        const std::string row = join("a", array, r ? times_row_stride(array, std::to_string(r)) : "");
        if (whole) {
          text_.line(plan_.options.streaming ? "stream_pack(" : "store_pack(", row, ", o", i, "_", r, ");");
          continue;
        }
        for (int c = 0; c < columns_; ++c)
          text_.line("at<", type, ">(", row, " + ", c, " * ", column_stride(array), ") = o", i, "_", r, ".x[", c, "];");
      }
    }
  }

  std::string index(int axis, const std::string& r, const std::string& c) const {
    const std::string lo = join("call.w[", plan_.layout.lo(axis), "]");
    if (axis == plan_.inner()) return join(lo, " + j + ", c);
    if (axis == plan_.kernel.rank - 2) return join(lo, " + i", below(r));
    return join(lo, " + i", axis);
  }

  // The point `r` rows and `c` columns from the thread's first.
  void write_single(const std::string& r, const std::string& c) {
    const auto place = [&](int array, const Offset& offset) {
      std::string text = join("a", array);
      if (plan_.kernel.rank > 1 && r != "0") text += times_row_stride(array, r);
      if (plan_.array(array).inner != Inner::Broadcast && c != "0") text += join(" + ", c, " * ", column_stride(array));
      return text + plan_.displacement(array, offset);
    };
    write_point_values(
        text_, plan_,
        [&](const Node& node) {
          const DType dtype = plan_.array(node.argument).dtype;
          return as_value(dtype, join("at<", memory_type(dtype), ">(", place(node.argument, node.offset), ")"));
        },
        [&](int axis) { return index(axis, r, c); });
    for (const StoreOutput& store : plan_.kernel.stores) {
      text_.line("at<", memory_type(plan_.array(store.argument).dtype), ">(", place(store.argument, {}),
                 ") = ", in_memory(plan_, store.value), ";");
    }
  }

  SourceText& text_;
  const DevicePlan& plan_;
  int rows_ = 1, columns_ = 1;
  std::vector<CellRow> cells_;
};

}  // namespace

void write_sweep(SourceText& text, const DevicePlan& plan) {
  Sweep(text, plan).write();
}

}  // namespace pilum::kernel
