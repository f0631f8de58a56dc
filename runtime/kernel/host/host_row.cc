#include "runtime/kernel/host/host_row.h"

#include <algorithm>

#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

// The offset without what a contiguous array's load says itself.
Offset outer_offset(const ArrayArgument& array, Offset offset) {
  if (array.inner == Inner::Contiguous && array.store_rank > 0)
    offset[static_cast<std::size_t>(array.store_rank - 1)] = 0;
  return offset;
}

// " + 2 * a0_pitch1" for each axis with an offset.
std::string pitches(int argument, const Offset& offset) {
  std::string text;
  for (std::size_t axis = 0; axis < offset.size(); ++axis) {
    const int cells = offset[axis];
    if (!cells) continue;
    text += cells < 0 ? " - " : " + ";
    if (std::abs(cells) != 1) text += join(std::abs(cells), " * ");
    text += join("a", argument, "_pitch", axis);
  }
  return text;
}

std::string load_vector(DType dtype, const std::string& place) {
  if (is_complex(dtype)) return join("load_", value_type(dtype), "(", place, ")");
  if (dtype != DType::Bool) return join("*(const ", memory_type(dtype), "v_any*)(", place, ")");
  return join("(__builtin_convertvector(*(const i8v_any*)(", place, "), maskv) != 0)");
}

}  // namespace

int inner_displacement(const ArrayArgument& array, const Offset& offset) {
  if (array.inner != Inner::Contiguous || array.store_rank == 0) return 0;
  return offset[static_cast<std::size_t>(array.store_rank - 1)];
}

std::string signed_term(int value) {
  return value ? join(value < 0 ? " - " : " + ", std::abs(value)) : std::string();
}

HostRow::HostRow(const HostPlan& plan) : plan_(plan) {
  const auto need = [this](int argument, const Offset& offset) {
    const RowPointer pointer{static_cast<std::int16_t>(argument), outer_offset(plan_.array(argument), offset)};
    if (std::find(pointers_.begin(), pointers_.end(), pointer) == pointers_.end()) pointers_.push_back(pointer);
  };
  for (const Node& node : plan.kernel.nodes) {
    if (node.op == Op::Load) need(node.argument, node.offset);
  }
  for (const StoreOutput& store : plan.kernel.stores) need(store.argument, {});
  if (plan.padded) find_accesses();
  if (plan.folds_rows()) return;
  for (const Accumulation& accumulation : plan.kernel.accumulations) need(accumulation.argument, {});
}

void HostRow::write_shared_bindings(SourceText& text) const {
  const int rank = plan_.kernel.rank;
  for (std::size_t i = 0; i < plan_.kernel.arrays.size(); ++i) {
    const ArrayArgument& array = plan_.kernel.arrays[i];
    const int strides = is_strided(array) || array.access == Access::Reduce ? rank : rank - 1;
    for (int axis = 0; axis < strides; ++axis) {
      text.line("const i64 a", i, "_stride", axis, " = call->arrays[", i, "].stride[", axis, "];");
    }
    for (int axis = 0; axis < array.store_rank; ++axis) {
      const auto moves = [&](const RowPointer& pointer) {
        return pointer.argument == static_cast<int>(i) && pointer.offset[static_cast<std::size_t>(axis)] != 0;
      };
      if (std::any_of(pointers_.begin(), pointers_.end(), moves))
        text.line("const i64 a", i, "_pitch", axis, " = call->arrays[", i, "].pitch[", axis, "];");
    }
  }
}

void HostRow::write_bindings(SourceText& text) const {
  for (int axis = 0; axis < plan_.kernel.rank; ++axis) text.line("const i64 n", axis, " = call->extent[", axis, "];");
  for (std::size_t i = 0; i < plan_.kernel.nodes.size(); ++i) {
    const Node& node = plan_.kernel.nodes[i];
    if (node.op != Op::Index || plan_.levels[i] != Level::Point) continue;
    text.line("const i64 lo", plan_.inner(), " = call->lo[", plan_.inner(), "];");
    if (!plan_.vectorised) continue;
    std::string steps;
    for (int lane = 0; lane < plan_.lanes; ++lane) steps += join(lane ? ", " : "", lane);
    text.line("const i64v steps = {", steps, "};");
  }
  for (std::size_t i = 0; i < plan_.kernel.arrays.size(); ++i)
    text.line("char* a", i, "_0 = call->arrays[", i, "].base;");
}

void HostRow::write_call_values(SourceText& text) const {
  for (std::size_t i = 0; i < plan_.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (plan_.level(id) != Level::Call) continue;
    text.line("const ", value_type(plan_.node(id).dtype), " v", id, " = ", expression(plan_, id, Form::Scalar), ";");
    write_splat(text, id);
  }
  for (std::size_t i = 0; i < plan_.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (keeps_pairs(plan_, id)) text.line("Pairs ", pairs_name(id), ";");
  }
}

void HostRow::write(SourceText& text) const {
  write_pointers(text);
  write_row_values(text);
  if (!plan_.vectorised) {
    write_plain(text);
  } else if (plan_.folds_rows()) {
    write_folded(text);
  } else if (plan_.padded) {
    write_padded(text);
  } else {
    write_stores(text);
  }
}

int HostRow::pointer_of(int argument, const Offset& offset) const {
  const RowPointer wanted{static_cast<std::int16_t>(argument), outer_offset(plan_.array(argument), offset)};
  return static_cast<int>(std::find(pointers_.begin(), pointers_.end(), wanted) - pointers_.begin());
}

void HostRow::write_pointers(SourceText& text) const {
  for (std::size_t i = 0; i < pointers_.size(); ++i) {
    const auto& [argument, offset] = pointers_[i];
    const ArrayArgument& array = plan_.array(argument);
    const char* constness = array.access == Access::Read ? "const " : "";
    const std::string place = join("a", argument, "_", plan_.inner(), pitches(argument, offset));
    if (array.inner == Inner::Contiguous) {
      const std::string type = join(constness, memory_type(array.dtype), "*");
      text.line(type, " const r", i, " = (", type, ")(", place, ");");
    } else {
      text.line(constness, "char* const r", i, " = ", place, ";");
    }
  }
}

void HostRow::write_row_values(SourceText& text) const {
  for (std::size_t i = 0; i < plan_.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (plan_.level(id) != Level::Row) continue;
    const Node& node = plan_.node(id);
    const std::string value = node.op == Op::Load    ? load(node, Form::Scalar)
                              : node.op == Op::Index ? join("call->lo[", node.axis, "] + i", node.axis)
                                                     : expression(plan_, id, Form::Scalar);
    text.line("const ", value_type(node.dtype), " v", id, " = ", value, ";");
    write_splat(text, id);
  }
}

void HostRow::write_splat(SourceText& text, ValueId id) const {
  if (!plan_.vectorised) return;
  const DType dtype = plan_.node(id).dtype;
  text.line("const ", vector_type(dtype), " w", id, " = ", splat(dtype, join("v", id)), ";");
  if (is_divisor(plan_, id)) text.line("const f64v ", reciprocal_name(id), " = reciprocal_for(w", id, ");");
}

void HostRow::write_values(SourceText& text, Form form) const {
  const int inner = plan_.inner();
  for (std::size_t i = 0; i < plan_.kernel.nodes.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    if (plan_.level(id) != Level::Point) continue;
    const Node& node = plan_.node(id);
    std::string value;
    if (node.op == Op::Load) {
      value = load(node, form);
    } else if (node.op == Op::Index) {
      value = form == Form::Scalar ? join("lo", inner, " + j") : join("lo", inner, " + j + steps");
    } else {
      value = expression(plan_, id, form);
    }
    const char* type = form == Form::Scalar ? value_type(node.dtype) : vector_type(node.dtype);
    text.line("const ", type, " ", value_name(id, form), " = ", value, ";");
  }
}

void HostRow::write_outputs(SourceText& text, Form form) const {
  for (const auto& [argument, value] : plan_.kernel.stores) {
    const int pointer = pointer_of(argument, {});
    const std::string name = value_name(value, form);
    text.line(form == Form::Vector ? vector_store(argument, pointer, name) : write_cell(argument, pointer, form, name));
  }
  if (plan_.folds_rows()) return;
  for (const Accumulation& accumulation : plan_.kernel.accumulations) {
    const int pointer = pointer_of(accumulation.argument, {});
    const std::string folded =
        binary_expression(fold_op(accumulation.fold), plan_.array(accumulation.argument).dtype, form,
                          read_cell(accumulation.argument, pointer, form), value_name(accumulation.value, form));
    text.line(write_cell(accumulation.argument, pointer, form, folded));
  }
}

void HostRow::write_body(SourceText& text, Form form) const {
  write_values(text, form);
  write_outputs(text, form);
}

void HostRow::write_plain(SourceText& text) const {
  const std::string n = join("n", plan_.inner());
  text.open("for (i64 j = 0; j < ", n, "; ++j)");
  write_body(text, Form::Scalar);
  if (plan_.folds_rows()) {
    for (std::size_t i = 0; i < plan_.kernel.accumulations.size(); ++i) {
      text.line("partial", i, ".fold(v", plan_.kernel.accumulations[i].value, ");");
    }
  }
  text.close();
  if (plan_.folds_rows()) {
    for (std::size_t i = 0; i < plan_.kernel.accumulations.size(); ++i) text.line("partial", i, ".end_vector();");
  }
}

// How many from `first` (" + j") on lie before a line of the array that rows are aligned for.
std::string HostRow::cells_to_line(std::string_view first) const {
  const std::string place = join("r", pointer_of(plan_.aligned, {}), first);
  return join("(i64)(-(u64)", first.empty() ? place : join("(", place, ")"), " % 64 / ",
              itemsize(plan_.array(plan_.aligned).dtype), ")");
}

void HostRow::write_stores(SourceText& text) const {
  const std::string n = join("n", plan_.inner());
  if (plan_.aligned >= 0) {
    // Elements to the next 64-byte line.
    text.line("i64 j = 0, stop = ", cells_to_line(""), ";");
    text.line("if (stop > ", n, ") stop = ", n, ";");
  } else {
    text.line("i64 j = 0, stop = 0;");
  }
  const bool ends_in_vector = may_end_in_vector();
  if (ends_in_vector) write_last_values(text);
  text.open("for (;;)");
  text.open("for (; j < stop; ++j)");
  write_body(text, Form::Scalar);
  text.close();
  text.line("if (j == ", n, ") break;");
  write_alignments(text, "");
  text.open("for (; j + ", plan_.lanes, " <= ", n, "; j += ", plan_.lanes, ")");
  write_prefetches(text);
  write_body(text, Form::Vector);
  text.close();
  if (ends_in_vector) write_last_vector(text);
  text.line("stop = ", n, ";");
  text.close();
}

// Short rows of arrays that stay in the caches take as long at their ends, cell by cell, as in between. What is
// streamed to memory or added up is not written twice.
bool HostRow::may_end_in_vector() const {
  for (std::size_t id = 0; id < plan_.kernel.nodes.size(); ++id) {
    if (keeps_pairs(plan_, static_cast<ValueId>(id))) return false;
  }
  return !plan_.options.streaming && plan_.kernel.accumulations.empty() && !plan_.kernel.stores.empty();
}

// A row that is no whole number of vectors ends in one that begins before the last of the others ends. Its values are
// computed before any of the row is written: it may be written where it is read.
void HostRow::write_last_values(SourceText& text) const {
  const std::string n = join("n", plan_.inner());
  // Of long rows the end is little, and to go there first is a jump in what is read: heat 128³ took a tenth longer.
  constexpr int kMostVectors = 12;
  text.line("const bool overlaps = ", n, " >= ", plan_.lanes, " && ", n, " < ", kMostVectors * plan_.lanes, " && (", n,
            " - stop) % ", plan_.lanes, " != 0;");
  for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i)
    text.line(vector_type(plan_.node(plan_.kernel.stores[i].value).dtype), " last", i, ";");
  text.open("if (overlaps)");
  text.line("const i64 j = ", n, " - ", plan_.lanes, ";");
  write_values(text, Form::Vector);
  for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i)
    text.line("last", i, " = ", value_name(plan_.kernel.stores[i].value, Form::Vector), ";");
  text.close();
}

void HostRow::write_last_vector(SourceText& text) const {
  text.open("if (overlaps)");
  text.line("j = n", plan_.inner(), " - ", plan_.lanes, ";");
  for (std::size_t i = 0; i < plan_.kernel.stores.size(); ++i) {
    const int argument = plan_.kernel.stores[i].argument;
    text.line(vector_store(argument, pointer_of(argument, {}), join("last", i)));
  }
  text.line("break;");
  text.close();
}

// Whether each streamed array but the one that rows are aligned for is aligned too.
void HostRow::write_alignments(SourceText& text, std::string_view first) const {
  for (const StoreOutput& store : plan_.kernel.stores) {
    if (!streams(store.argument) || store.argument == plan_.aligned) continue;
    const int pointer = pointer_of(store.argument, {});
    text.line("const bool aligned", store.argument, " = ", first, "(u64)(r", pointer, " + j) % sizeof(",
              memory_type(detail::part_of(plan_.array(store.argument).dtype)), "v) == 0;");
  }
}

// What is streamed comes from memory: of each array, the row that is read first is asked for a page ahead, where the
// hardware's own prefetchers stop. Jacobi gains 8%; sums and kernels that stay in the caches gain nothing.
void HostRow::write_prefetches(SourceText& text) const {
  if (!plan_.options.streaming) return;
  for (std::size_t argument = 0; argument < plan_.kernel.arrays.size(); ++argument) {
    const ArrayArgument& array = plan_.kernel.arrays[argument];
    if (array.access == Access::Reduce || array.access == Access::Write || array.inner != Inner::Contiguous) continue;
    int first = -1;
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      if (pointers_[i].argument != static_cast<int>(argument)) continue;
      if (first < 0 || pointers_[i].offset > pointers_[static_cast<std::size_t>(first)].offset)
        first = static_cast<int>(i);
    }
    if (first >= 0) text.line("prefetch(r", first, " + j);");
  }
}

void HostRow::write_folded(SourceText& text) const {
  text.line("i64 j = 0;");
  write_folded_vectors(text, join("n", plan_.inner()));
  write_folded_rest(text);
}

void HostRow::write_folded_vectors(SourceText& text, const std::string& end) const {
  for (const StoreOutput& store : plan_.kernel.stores) {
    if (!streams(store.argument)) continue;
    text.line("const bool aligned", store.argument, " = (u64)r", pointer_of(store.argument, {}), " % sizeof(",
              memory_type(detail::part_of(plan_.array(store.argument).dtype)), "v) == 0;");
  }
  text.open("for (; j + ", plan_.lanes, " <= ", end, "; j += ", plan_.lanes, ")");
  write_body(text, Form::Vector);
  const auto& accumulations = plan_.kernel.accumulations;
  for (std::size_t i = 0; i < accumulations.size(); ++i)
    text.line("partial", i, ".fold(w", accumulations[i].value, ");");
  text.close();
}

void HostRow::write_folded_rest(SourceText& text) const {
  const std::string n = join("n", plan_.inner());
  const auto& accumulations = plan_.kernel.accumulations;
  text.open("if (j < ", n, ")");
  for (std::size_t i = 0; i < accumulations.size(); ++i) text.line("Partial", i, "::Tail tail", i, ";");
  text.open("for (int lane = 0; j < ", n, "; ++j, ++lane)");
  write_body(text, Form::Scalar);
  for (std::size_t i = 0; i < accumulations.size(); ++i)
    text.line("tail", i, ".set(lane, v", accumulations[i].value, ");");
  text.close();
  for (std::size_t i = 0; i < accumulations.size(); ++i) text.line("partial", i, ".fold(tail", i, ".all());");
  text.close();
}

std::string HostRow::load(const Node& node, Form form) const {
  const ArrayArgument& array = plan_.array(node.argument);
  const int pointer = pointer_of(node.argument, node.offset);
  const bool is_bool = array.dtype == DType::Bool && form == Form::Scalar;
  if (array.access == Access::Read && array.inner == Inner::Broadcast) {
    return join(cell_at(memory_type(array.dtype), join("r", pointer)), is_bool ? " != 0" : "");
  }
  if (is_strided(array)) return join(read_cell(node.argument, pointer, form), is_bool ? " != 0" : "");
  const int displacement = inner_displacement(array, node.offset);
  if (form == Form::Vector && plan_.padded) {
    return load_vector(array.dtype, join("p", access_of({pointer, displacement, false}), " + j"));
  }
  const std::string place = join("j", signed_term(displacement));
  if (form == Form::Vector) return load_vector(array.dtype, join("r", pointer, " + ", place));
  return join("r", pointer, "[", place, "]", is_bool ? " != 0" : "");
}

std::string HostRow::read_cell(int argument, int pointer, Form form) const {
  const ArrayArgument& array = plan_.array(argument);
  if (is_strided(array)) {
    const std::string stride = join("a", argument, "_stride", plan_.inner());
    const char* type = memory_type(array.dtype);
    return form == Form::Scalar
               ? cell_at(type, join("r", pointer, " + j * ", stride))
               : join("gather_", value_type(array.dtype), "(r", pointer, " + j * ", stride, ", ", stride, ")");
  }
  return form == Form::Scalar ? join("r", pointer, "[j]") : load_vector(array.dtype, join("r", pointer, " + j"));
}

std::string HostRow::write_cell(int argument, int pointer, Form form, const std::string& value) const {
  if (form == Form::Scalar) return join(read_cell(argument, pointer, form), " = ", value, ";");
  const ArrayArgument& array = plan_.array(argument);
  if (!is_strided(array)) {
    if (is_complex(array.dtype))
      return join("store_", value_type(array.dtype), "(", written_cells(pointer), ", ", value, ");");
    const bool is_bool = array.dtype == DType::Bool;
    return join("*(", memory_type(array.dtype), "v_any*)(", written_cells(pointer),
                ") = ", is_bool ? join("__builtin_convertvector(-(", value, "), u8v)") : value, ";");
  }
  const std::string stride = join("a", argument, "_stride", plan_.inner());
  return join("scatter_", value_type(array.dtype), "(r", pointer, " + j * ", stride, ", ", stride, ", ", value, ");");
}

std::string HostRow::vector_store(int argument, int pointer, const std::string& value) const {
  std::string plain = write_cell(argument, pointer, Form::Vector, value);
  if (!streams(argument)) return plain;
  const std::string stream = join("stream(", written_cells(pointer), ", ", value, ");");
  if (argument != plan_.aligned) return join("if (aligned", argument, ") ", stream, " else ", plain);
  return plan_.padded ? join("if (!few) ", stream, " else ", plain) : stream;
}

std::string HostRow::written_cells(int pointer) const {
  return plan_.padded ? join("p", access_of({pointer, 0, true}), " + j") : join("r", pointer, " + j");
}

bool HostRow::streams(int argument) const {
  const ArrayArgument& array = plan_.array(argument);
  return plan_.options.streaming && plan_.vectorised && array.access == Access::Write &&
         array.inner == Inner::Contiguous;
}

}  // namespace pilum::kernel
