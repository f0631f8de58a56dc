// A fold. The box is cut into chunks (my.block.y); of each, every kept cell is folded by one team of threads of a
// block:
//
//   the last axis is reduced: team = my.thread.x, `team` threads along a row and the others on other rows;
//                             cells by my.block.x and my.thread.y
//   the last axis is kept:    cells by my.block.x and my.thread.x, so that neighbours read side by side;
//                             team = my.thread.y, on different rows
//
// Where all axes are folded and cells are read from several rows too, a thread goes down columns instead
// (write_rows_in_turn). Where a row is a cell's and short, a team has some rows at hand (write_rows_at_hand).
//
// A thread folds what it meets into a few partial folds in turn; these and then the team's threads are folded as a
// tree. A "row" is a point of the reduced axes without the last one. The order follows from the extents and the block's
// shape, which follows from them too.
#include <algorithm>
#include <functional>
#include <utility>

#include "runtime/kernel/device/device_point.h"
#include "runtime/kernel/device/emit_device.h"
#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

class FoldWriter {
 public:
  FoldWriter(SourceText& text, const DevicePlan& plan)
      : text_(text),
        plan_(plan),
        partials_(plan.options.partials > 0 ? plan.options.partials : most_partial_folds(plan.kernel)),
        rows_in_turn_(columns_in_flight(plan.kernel) > 0),
        reduced_(plan.kernel.accumulations.front().reduced_axes) {}

  void write() {
    write_call_values(text_, plan_);
    write_chunk();
    plan_.options.cells > 0 ? write_rows_at_hand() : write_cells();
  }

 private:
  bool is_reduced(int axis) const { return reduced_ >> axis & 1; }
  bool rows_are_folded() const { return is_reduced(plan_.inner()); }
  std::size_t folds() const { return plan_.kernel.accumulations.size(); }
  const Accumulation& fold(std::size_t i) const { return plan_.kernel.accumulations[i]; }
  DType dtype(std::size_t i) const { return plan_.array(fold(i).argument).dtype; }
  std::string start_of(std::size_t i) const { return literal(dtype(i), start(fold(i).fold, dtype(i))); }
  std::string folded(std::size_t i, const std::string& a, const std::string& b) const {
    return binary_expression(fold_op(fold(i).fold), dtype(i), Form::Scalar, a, b);
  }
  bool is_folded_into(int array) const {
    for (std::size_t i = 0; i < folds(); ++i) {
      if (fold(i).argument == array) return true;
    }
    return false;
  }

  // This block's chunk: b0, n0: its first point and extent along axis 0.
  void write_chunk() {
    const int rank = plan_.kernel.rank;
    const auto chunks = [this](int axis) { return DevicePlan::word(plan_.layout.chunks(axis)); };
    std::string count = chunks(0);
    for (int axis = 1; axis < rank; ++axis) count += " * " + chunks(axis);
    text_.open("for (i64 chunk = my.block.y; chunk < ", count, "; chunk += my.grid.y)");
    text_.line("i64 left = chunk;");
    for (int axis = rank - 1; axis >= 0; --axis) {
      const std::string extent = DevicePlan::word(plan_.layout.extent(axis)),
                        chunk = DevicePlan::word(plan_.layout.chunk(axis));
      text_.line("const i64 b", axis, " = ", axis ? join("take_digit(left, ", chunks(axis), ")") : "left", " * ", chunk,
                 ";");
      text_.line("const i64 n", axis, " = ", chunk, " < ", extent, " - b", axis, " ? ", chunk, " : ", extent, " - b",
                 axis, ";");
    }
    std::string cells = "1", rows = "1";
    for (int axis = 0; axis < rank; ++axis) {
      if (!is_reduced(axis)) cells += join(" * n", axis);
      if (is_reduced(axis) && axis != plan_.inner()) rows += join(" * n", axis);
    }
    text_.line("const i64 cells = ", cells, ", rows = ", rows, ";");
  }

  // i0, i1, …: the cell on the kept axes.
  void write_cell() {
    int first = 0;
    while (first < plan_.kernel.rank && is_reduced(first)) ++first;
    if (first == plan_.kernel.rank) return;
    text_.line("i64 rest = cell;");
    for (int axis = plan_.kernel.rank - 1; axis >= first; --axis) {
      if (is_reduced(axis)) continue;
      text_.line("const i64 i", axis, " = b", axis, " + ",
                 axis > first ? join("take_digit(rest, n", axis, ")") : "rest", ";");
    }
  }

  void write_cells() {
    const bool by_rows = rows_are_folded();
    for (std::size_t i = 0; i < folds(); ++i)
      text_.line("__shared__ ", value_type(dtype(i)), " team", i, "[", kDeviceThreads, "];");
    text_.line("const int member = ", by_rows ? "my.thread.x" : "my.thread.y",
               ", members = ", by_rows ? "my.threads.x" : "my.threads.y", ", stride = ", by_rows ? "1" : "my.threads.x",
               ";");
    text_.line("const int slot = my.thread.y * my.threads.x + my.thread.x;");
    text_.line("const i64 side = ", by_rows ? "my.threads.y" : "my.threads.x", ";  // cells of a block");
    text_.open("for (i64 first = my.block.x * side; first < cells; first += my.grid.x * side)");
    text_.line("const i64 cell = first + ", by_rows ? "my.thread.y" : "my.thread.x", ";");
    for (std::size_t i = 0; i < folds(); ++i) {
      text_.line(value_type(dtype(i)), " f", i, "[", partials_, "];");
      text_.line("for (int k = 0; k < ", partials_, "; ++k) f", i, "[k] = ", start_of(i), ";");
    }
    text_.open("if (cell < cells)");
    write_cell();
    write_arrays();
    rows_in_turn_ ? write_rows_in_turn() : by_rows ? write_folded_rows() : write_folded_columns();
    text_.close();
    write_team();
    text_.close();
    text_.close();
  }

  // r: which row; its reduced axes' steps from the chunk's first point: s0, s1, …, and what the arrays move by.
  void write_row(const std::string& r) {
    int outer = 0;
    for (int axis = 0; axis < plan_.inner(); ++axis) outer += is_reduced(axis);
    if (outer > 1) text_.line("i64 steps = ", r, ";");
    int seen = 0;
    for (int axis = plan_.inner() - 1; axis >= 0; --axis) {
      if (!is_reduced(axis)) continue;
      ++seen;
      if (outer == 1) {
        text_.line("const i64 s", axis, " = ", r, ";");
      } else {
        text_.line("const i64 s", axis, " = ", seen == outer ? "steps" : join("take_digit(steps, n", axis, ")"), ";");
      }
    }
    for (int array = 0; array < plan_.arrays(); ++array) {
      if (is_folded_into(array)) continue;
      std::string place = join("a", array);
      for (int axis = 0; axis < plan_.inner(); ++axis) {
        if (is_reduced(axis)) place += join(" + s", axis, " * ", DevicePlan::word(plan_.layout.stride(array, axis)));
      }
      text_.line("char* const r", array, " = ", place, ";");
    }
  }

  // Where the cell's points begin in the arrays that are not folded into.
  void write_arrays() {
    for (int array = 0; array < plan_.arrays(); ++array) {
      if (is_folded_into(array)) continue;
      std::string place = join("(char*)", DevicePlan::word(plan_.layout.base(array)));
      for (int axis = 0; axis < plan_.kernel.rank; ++axis) {
        const std::string stride = DevicePlan::word(plan_.layout.stride(array, axis));
        place += is_reduced(axis) ? join(" + b", axis, " * ", stride) : join(" + i", axis, " * ", stride);
      }
      text_.line("char* const a", array, " = ", place, ";");
    }
  }

  // The cell of the row's column `j` (for folded rows).
  std::string place(int array, const Offset& offset) const {
    if (rows_in_turn_) return place_below(array, offset);
    std::string text = join("r", array);
    const ArrayArgument& argument = plan_.array(array);
    if (rows_are_folded() && argument.inner == Inner::Contiguous)
      text += join(" + j * (i64)sizeof(", memory_type(argument.dtype), ")");
    if (rows_are_folded() && argument.inner == Inner::Strided)
      text += join(" + j * ", DevicePlan::word(plan_.layout.stride(array, plan_.inner())));
    return text + plan_.displacement(array, offset);
  }

  // The same, of the row `k` below the first of some (write_rows_in_turn). Rows are told as multiples of one stride, so
  // that the compiler sees which cells are another row's too.
  std::string place_below(int array, Offset offset) const {
    const ArrayArgument& argument = plan_.array(array);
    int below = 0;
    if (argument.row >= 0) below = std::exchange(offset[static_cast<std::size_t>(argument.row)], std::int8_t{0});
    return join("d", array, " + (k + ", below, ") * ", DevicePlan::word(plan_.layout.stride(array, plan_.inner() - 1)),
                plan_.displacement(array, offset));
  }

  // A cell that the row's column `j` (for folded rows) reads.
  std::string loaded(const Node& node) const {
    const DType dtype = plan_.array(node.argument).dtype;
    return as_value(dtype, join("at<", memory_type(dtype), ">(", place(node.argument, node.offset), ")"));
  }

  // The point of the row's column `j` (for folded rows), folded into the partial fold `k`; what it writes is kept.
  void write_point(const std::string& k) {
    write_point(k, [this](const Node& node) { return loaded(node); });
  }
  void write_point(const std::string& k, const std::function<std::string(const Node&)>& load) {
    write_point_values(text_, plan_, load, [&](int axis) {
      const std::string lo = DevicePlan::word(plan_.layout.lo(axis));
      if (!is_reduced(axis)) return join(lo, " + i", axis);
      if (axis == plan_.inner()) return join(lo, " + b", axis, " + j");
      if (rows_in_turn_ && axis == plan_.inner() - 1) return join(lo, " + b", axis, " + row + k");
      return join(lo, " + b", axis, " + s", axis);
    });
    for (std::size_t i = 0; i < folds(); ++i) {
      const std::string partial = join("f", i, "[", k, "]");
      text_.line(partial, " = ", folded(i, partial, value_name(fold(i).value, Form::Scalar)), ";");
    }
    for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i)
      text_.line("o", i, "[", k, "] = ", in_memory(plan_, plan_.kernel.stores[i].value), ";");
  }

  // What write_point() kept of the row's column `j`.
  void write_stores(const std::string& k) {
    for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i) {
      const int array = plan_.kernel.stores[i].argument;
      text_.line("at<", memory_type(plan_.array(array).dtype), ">(", place(array, {}), ") = o", i, "[", k, "];");
    }
  }

  // The team's threads are known to the compiler: a thread's loads have one address and fixed distances.
  void write_folded_rows() {
    const int team = plan_.options.team;
    const std::string n = join("n", plan_.inner());
    text_.line("const int along = member % ", team, ", across = member / ", team, ", strips = members / ", team, ";");
    if (plan_.options.short_rows) {
      text_.line("const i64 j = along;");
      text_.open("if (j < ", n, ")");
      write_steps("at_row", "across", "strips", "rows", [this](const std::string& at) { write_row(at); });
    } else {
      text_.open("for (i64 row = across; row < rows; row += strips)");
      write_row("row");
      write_steps("at_column", "along", std::to_string(team), n,
                  [this](const std::string& at) { text_.line("const i64 j = ", at, ";"); });
    }
    text_.close();
  }

  // All axes are folded, and cells are read from several rows: plane by plane, each thread down some columns, so many
  // rows at once.
  void write_rows_in_turn() {
    const int row_axis = plan_.inner() - 1, team = plan_.options.team;
    const std::string n = join("n", plan_.inner()), m = join("n", row_axis);
    text_.line("const int along = member % ", team, ", across = member / ", team, ", strips = members / ", team, ";");
    std::string planes = "1";
    for (int axis = 0; axis < row_axis; ++axis) planes += join(" * n", axis);
    text_.open("for (i64 plane = 0; plane < ", planes, "; ++plane)");
    if (row_axis > 0) text_.line("i64 steps = plane;");
    for (int axis = row_axis - 1; axis >= 0; --axis)
      text_.line("const i64 s", axis, " = ", axis ? join("take_digit(steps, n", axis, ")") : "steps", ";");
    text_.open("for (i64 j = along; j < ", n, "; j += ", team, ")");
    for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i)
      text_.line(memory_type(plan_.array(plan_.kernel.stores[i].argument).dtype), " o", i, "[", partials_, "];");
    text_.open("for (i64 row = across * ", partials_, "; row < ", m, "; row += strips * ", partials_, ")");
    for (int array = 0; array < plan_.arrays(); ++array) {
      if (is_folded_into(array)) continue;
      std::string place = join("a", array, " + row * ", DevicePlan::word(plan_.layout.stride(array, row_axis)));
      for (int axis = 0; axis < row_axis; ++axis)
        place += join(" + s", axis, " * ", DevicePlan::word(plan_.layout.stride(array, axis)));
      const ArrayArgument& argument = plan_.array(array);
      if (argument.inner == Inner::Contiguous) place += join(" + j * (i64)sizeof(", memory_type(argument.dtype), ")");
      if (argument.inner == Inner::Strided)
        place += join(" + j * ", DevicePlan::word(plan_.layout.stride(array, plan_.inner())));
      text_.line("char* const d", array, " = ", place, ";");
    }
    const auto each = [&](const auto& write) {
      text_.line("#pragma unroll");
      text_.open("for (int k = 0; k < ", partials_, "; ++k)");
      write("k");
      text_.close();
    };
    text_.open("if (row + ", partials_, " <= ", m, ")");
    each([this](const std::string& k) { write_point(k); });
    if (!plan_.kernel.stores.empty()) each([this](const std::string& k) { write_stores(k); });
    text_.close("} else {");
    text_.line("#pragma unroll 1");
    text_.open("for (int k = 0; k < ", m, " - row; ++k)");
    text_.line("const int first = 0;");
    write_point("first");
    write_stores("first");
    text_.close();
    text_.line("}");
    text_.close();
    text_.close();
    text_.close();
  }

  void write_folded_columns() {
    write_steps("at_row", "member", "members", "rows", [this](const std::string& at) { write_row(at); });
  }

  // The point at every `step`th place from `first` on before `end`, to which `go` goes; the k-th of some in turn goes
  // to the partial fold k. These are all read before any is written: as far as the compiler knows, arrays may overlap.
  template <class Go>
  void write_steps(const std::string& place, const std::string& first, const std::string& step, const std::string& end,
                   const Go& go) {
    const std::string at = join(place, " + k * (i64)", step);
    for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i)
      text_.line(memory_type(plan_.array(plan_.kernel.stores[i].argument).dtype), " o", i, "[", partials_, "];");
    text_.line("i64 ", place, " = ", first, ";");
    text_.open("for (; ", place, " + ", partials_ - 1, " * (i64)", step, " < ", end, "; ", place, " += ", partials_,
               " * (i64)", step, ")");
    const auto each = [&](const auto& write) {
      text_.line("#pragma unroll");
      text_.open("for (int k = 0; k < ", partials_, "; ++k)");
      go(at);
      write("k");
      text_.close();
    };
    each([this](const std::string& k) { write_point(k); });
    if (!plan_.kernel.stores.empty()) each([this](const std::string& k) { write_stores(k); });
    text_.close();
    if (partials_ > 1) plan_.options.partials > 0 ? write_last_of_row(at, end, go) : write_last_points(at, end, go);
  }

  // Fewer points than that are left.
  template <class Go>
  void write_last_points(const std::string& at, const std::string& end, const Go& go) {
    text_.line("#pragma unroll");
    text_.open("for (int k = 0; k < ", partials_ - 1, "; ++k)");
    text_.line("if (", at, " >= ", end, ") continue;");
    go(at);
    write_point("k");
    write_stores("k");
    text_.close();
  }

  // Of a short row these are most of them: their cells are read first here, too. (Elsewhere it costs registers: sums of
  // columns were 10 % slower on an H200.)
  template <class Go>
  void write_last_of_row(const std::string& at, const std::string& end, const Go& go) {
    const std::vector<Node>& nodes = plan_.kernel.nodes;
    const auto is_first = [this](const Node& node) {
      return node.op == Op::Load && plan_.array(node.argument).inner != Inner::Broadcast;
    };
    const auto name = [](std::size_t load) { return join("l", load); };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is_first(nodes[i])) text_.line(value_type(nodes[i].dtype), " ", name(i), "[", partials_ - 1, "];");
    }
    const auto each_left = [&](const auto& write) {
      text_.line("#pragma unroll");
      text_.open("for (int k = 0; k < ", partials_ - 1, "; ++k)");
      text_.open("if (", at, " < ", end, ")");
      go(at);
      write();
      text_.close();
      text_.close();
    };
    each_left([&] {
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (is_first(nodes[i])) text_.line(name(i), "[k] = ", loaded(nodes[i]), ";");
      }
    });
    each_left([&] {
      write_point("k", [&](const Node& node) {
        return is_first(node) ? join(name(static_cast<std::size_t>(&node - nodes.data())), "[k]") : loaded(node);
      });
      write_stores("k");
    });
  }

  // The members' folds into one, and out.
  void write_team() {
    for (std::size_t i = 0; i < folds(); ++i) {
      for (int half = partials_ / 2; half; half /= 2) {
        text_.line("for (int k = 0; k < ", half, "; ++k) f", i,
                   "[k] = ", folded(i, join("f", i, "[k]"), join("f", i, "[k + ", half, "]")), ";");
      }
      text_.line("team", i, "[slot] = f", i, "[0];");
    }
    // Neighbours along a row are of one warp.
    const bool by_rows = rows_are_folded();
    text_.line(by_rows ? "if (members <= 32) __syncwarp(); else " : "", "__syncthreads();");
    text_.open("for (int half = members / 2; half; half /= 2)");
    text_.open("if (member < half)");
    for (std::size_t i = 0; i < folds(); ++i) {
      const std::string mine = join("team", i, "[slot]");
      text_.line(mine, " = ", folded(i, mine, join("team", i, "[slot + half * stride]")), ";");
    }
    text_.close();
    text_.line(by_rows ? "if (half <= 16) __syncwarp(); else " : "", "__syncthreads();");
    text_.close();
    text_.open("if (member == 0 && cell < cells)");
    write_cell();
    for (std::size_t i = 0; i < folds(); ++i) write_result(i, join("team", i, "[slot]"));
    text_.close();
  }

  // The cell's fold, in memory.
  void write_result(std::size_t i, const std::string& value) {
    const int array = fold(i).argument;
    std::string place = join("(char*)", DevicePlan::word(plan_.layout.base(array)), " + chunk * ",
                             DevicePlan::word(plan_.layout.chunk_step(array)));
    for (int axis = 0; axis < plan_.kernel.rank; ++axis) {
      if (!is_reduced(axis)) place += join(" + i", axis, " * ", DevicePlan::word(plan_.layout.stride(array, axis)));
    }
    text_.line("at<", memory_type(dtype(i)), ">(", place, ") = ", dtype(i) == DType::Bool ? "(u8)" : "", value, ";");
  }

  // Single rows of few points, each a cell: a team of a warp's threads has all of a row's, of some rows at a time. What
  // is beyond the last row or column is read as the last one, so that nothing is waited for, and left out.
  void write_rows_at_hand() {
    const int team = plan_.options.team, points = plan_.options.points, cells = plan_.options.cells;
    const std::string n = join("n", plan_.inner());
    const std::vector<Node>& nodes = plan_.kernel.nodes;
    const auto is_of_row = [this](const Node& node) { return plan_.array(node.argument).inner == Inner::Broadcast; };
    const auto each = [this](const char* name, int count, const auto& write) {
      text_.line("#pragma unroll");
      text_.open("for (int ", name, " = 0; ", name, " < ", count, "; ++", name, ")");
      write();
      text_.close();
    };
    const auto go_to_row = [this] {
      text_.line("const i64 wanted = first + u * side + my.thread.y, cell = wanted < cells ? wanted : cells - 1;");
      write_cell();
      write_arrays();
      for (int array = 0; array < plan_.arrays(); ++array) {
        if (!is_folded_into(array)) text_.line("char* const r", array, " = a", array, ";");
      }
    };
    const auto go_to_point = [&] {
      text_.line("const i64 at_column = my.thread.x + k * (i64)", team, ", j = at_column < ", n, " ? at_column : ", n,
                 " - 1;");
    };
    text_.line("const i64 side = my.threads.y;  // cells of a block at a time");
    text_.open("for (i64 first = my.block.x * side * ", cells, "; first < cells; first += my.grid.x * side * ", cells,
               ")");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].op != Op::Load) continue;
      text_.line(value_type(nodes[i].dtype), " l", i, "[", cells, "]",
                 is_of_row(nodes[i]) ? std::string() : join("[", points, "]"), ";");
    }
    each("u", cells, [&] {
      go_to_row();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].op == Op::Load && is_of_row(nodes[i])) text_.line("l", i, "[u] = ", loaded(nodes[i]), ";");
      }
      each("k", points, [&] {
        go_to_point();
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          if (nodes[i].op == Op::Load && !is_of_row(nodes[i])) text_.line("l", i, "[u][k] = ", loaded(nodes[i]), ";");
        }
      });
    });
    each("u", cells, [&] {
      go_to_row();
      for (std::size_t i = 0; i < folds(); ++i) text_.line(value_type(dtype(i)), " f", i, "[", points, "];");
      each("k", points, [&] {
        go_to_point();
        write_point_values(
            text_, plan_,
            [&](const Node& node) {
              const std::string name = join("l", &node - nodes.data(), "[u]");
              return is_of_row(node) ? name : name + "[k]";
            },
            [&](int axis) {
              const std::string lo = DevicePlan::word(plan_.layout.lo(axis));
              return axis == plan_.inner() ? join(lo, " + b", axis, " + j") : join(lo, " + i", axis);
            });
        for (std::size_t i = 0; i < folds(); ++i) {
          text_.line("f", i, "[k] = at_column < ", n, " ? ",
                     folded(i, start_of(i), value_name(fold(i).value, Form::Scalar)), " : ", start_of(i), ";");
        }
        if (plan_.kernel.stores.empty()) return;
        text_.open("if (at_column < ", n, " && wanted < cells)");
        for (const auto& store : plan_.kernel.stores) {
          text_.line("at<", memory_type(plan_.array(store.argument).dtype), ">(", place(store.argument, {}),
                     ") = ", in_memory(plan_, store.value), ";");
        }
        text_.close();
      });
      for (std::size_t i = 0; i < folds(); ++i) write_exchange(i);
      text_.open("if (my.thread.x == 0 && wanted < cells)");
      for (std::size_t i = 0; i < folds(); ++i) write_result(i, join("f", i, "[0]"));
      text_.close();
    });
    text_.close();
    text_.close();
  }

  // A thread's points, and then the team's, into the fold of its first thread.
  void write_exchange(std::size_t i) {
    const std::string mine = join("f", i, "[0]");
    for (int half = plan_.options.points / 2; half; half /= 2) {
      for (int k = 0; k < half; ++k) {
        const std::string to = join("f", i, "[", k, "]");
        text_.line(to, " = ", folded(i, to, join("f", i, "[", k + half, "]")), ";");
      }
    }
    const std::string type = value_type(dtype(i));
    const std::string given = itemsize(dtype(i)) < sizeof(int) ? join("(int)", mine) : mine;
    for (int half = plan_.options.team / 2; half; half /= 2) {
      text_.open("");
      text_.line("const ", type, " other = (", type, ")__shfl_xor_sync(~0u, ", given, ", ", half, ");");
      text_.line(mine, " = ", folded(i, mine, "other"), ";");
      text_.close();
    }
  }

  SourceText& text_;
  const DevicePlan& plan_;
  const int partials_;
  const bool rows_in_turn_;  // a thread goes down columns: what it reads of a row is beside the next one's
  const unsigned reduced_;
};

}  // namespace

// Folds of a thread in turn, so that loads of as many points are in flight. Measured on an H200: sums of one or two
// arrays and of four run at 4,050 and 4,140 GB/s with 16 and 8, 3,930 and 3,930 with half as many; a sum over five
// points takes 0.31 ms with 4 rows at once, 0.34 with 8, 0.58 with 16.
int most_partial_folds(const Kernel& kernel) {
  constexpr int kFew = 4, kSome = 8, kMany = 16;
  const bool along_rows = kernel.accumulations.front().reduced_axes >> (kernel.rank - 1) & 1;
  if (!along_rows || reads_across_rows(kernel)) return kFew;
  const auto loads =
      std::count_if(kernel.nodes.begin(), kernel.nodes.end(), [](const Node& node) { return node.op == Op::Load; });
  int partials = loads <= 2 ? kMany : loads <= 6 ? kSome : kFew;
  constexpr std::size_t kMostRegisters = 32;  // of partial folds
  while (partials > kFew && kernel.accumulations.size() * static_cast<std::size_t>(partials) > kMostRegisters)
    partials /= 2;
  // Where a point is much work its loads wait for nothing, and the text of many points leaves the cache of
  // instructions.
  constexpr std::size_t kFunction = 100, kMostWork = 2000;  // in nodes
  std::size_t work = 0;
  for (const Node& node : kernel.nodes) work += is_elementary(node.op) ? kFunction : 1;
  while (partials > 1 && work * static_cast<std::size_t>(partials) > kMostWork) partials /= 2;
  return partials;
}

std::int64_t columns_in_flight(const Kernel& kernel) {
  if (kernel.rank < 2 || kernel.accumulations.empty() || !reads_across_rows(kernel)) return 0;
  for (int axis = 0; axis < kernel.rank; ++axis) {
    if (!(kernel.accumulations.front().reduced_axes >> axis & 1)) return 0;
  }
  return static_cast<std::int64_t>(kDeviceThreads) * most_partial_folds(kernel);
}

void write_device_fold(SourceText& text, const DevicePlan& plan) {
  FoldWriter(text, plan).write();
}

}  // namespace pilum::kernel
