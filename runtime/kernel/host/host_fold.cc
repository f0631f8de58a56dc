#include "runtime/kernel/host/host_fold.h"

#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

// Vectors that go into the four partial folds before these are folded away. A multiple of four.
constexpr int kBlock = 128;

// Whether every cell gets its fold in one go.
bool one_total_a_cell(const HostPlan& plan) {
  const unsigned run = (1u << plan.kernel.rank) - (1u << plan.run);
  return plan.kernel.accumulations.front().reduced_axes == run;
}

struct FoldSource {
  const HostPlan& plan;
  const Accumulation& accumulation;
  DType dtype;
  bool is_bool;

  FoldSource(const HostPlan& plan, const Accumulation& accumulation)
      : plan(plan),
        accumulation(accumulation),
        dtype(plan.array(accumulation.argument).dtype),
        is_bool(dtype == DType::Bool) {}
  // Whether the order counts: then partial folds are kept short.
  bool rounds() const { return is_floating(dtype) && accumulation.fold <= Fold::Product; }
  // As it stands in lanes: a bool in vectors is a mask.
  bool masked() const { return is_bool && plan.vectorised; }
  const char* lane_type() const { return masked() ? "maski" : value_type(dtype); }
  std::string start() const {
    const std::string value = literal(dtype, kernel::start(accumulation.fold, dtype));
    return masked() ? join("(maski)-", value) : value;
  }
  std::string fold(const std::string& a, const std::string& b, Form form = Form::Scalar) const {
    return binary_expression(fold_op(accumulation.fold), dtype, form, a, b);
  }
};

void write_vector_partial(SourceText& text, const FoldSource& fold) {
  const char* vector = vector_type(fold.dtype);
  const char* lane = fold.lane_type();
  const int lanes = fold.plan.lanes;
  const std::string four = join("const ", vector, " ab = ", fold.fold("a", "b", Form::Vector),
                                ", cd = ", fold.fold("c", "d", Form::Vector), ";");
  const std::string folded = fold.fold("ab", "cd", Form::Vector);
  text.line(vector, " a = ", splat(fold.start(), vector), ", b = a, c = a, d = a;");
  if (fold.rounds()) {
    text.line(vector, " before = a;  // what ", kBlock, " vectors at a time come to");
    text.line("int left = ", kBlock, ";");
  }
  text.open("struct Tail");
  text.line("alignas(64) ", lane, " lanes[", lanes, "];");
  text.line("inline Tail() { for (", lane, "& lane : lanes) lane = ", fold.start(), "; }");
  text.line("inline void set(int lane, ", value_type(fold.dtype), " value) { lanes[lane] = ", fold.masked() ? "-" : "",
            "value; }");
  text.line("inline ", vector, " all() const { return *(const ", vector, "*)lanes; }");
  text.close("};");
  text.open("inline void fold(", vector, " value)");
  text.line("const ", vector, " next = ", fold.fold("a", "value", Form::Vector), ";");
  text.line("a = b, b = c, c = d, d = next;");
  if (fold.rounds()) {
    text.open("if (--left == 0)");
    text.line(four);
    text.line("before = ", fold.fold("before", join("(", folded, ")"), Form::Vector), ";");
    text.line("a = b = c = d = ", splat(fold.start(), vector), ";");
    text.line("left = ", kBlock, ";");
    text.close();
  }
  text.close();
  // The lanes by halves, in a register: the upper half of what is left beside the lower one.
  text.open("inline ", value_type(fold.dtype), " total() const");
  text.line(four);
  text.line(vector, " lanes = ", fold.rounds() ? fold.fold("before", join("(", folded, ")"), Form::Vector) : folded,
            ";");
  for (int half = lanes / 2; half; half /= 2) {
    std::string places;
    for (int i = 0; i < lanes; ++i) places += join(", ", half + i % half);
    text.line("lanes = ", fold.fold("lanes", join("__builtin_shufflevector(lanes, lanes", places, ")"), Form::Vector),
              ";");
  }
}

void write_scalar_partial(SourceText& text, const FoldSource& fold, const std::string& name) {
  const char* type = value_type(fold.dtype);
  const int lanes = fold.plan.lanes;
  const std::string lane = "slot[next % 4][lane]";
  text.line(type, " slot[4][", lanes, "], before[", lanes, "];");
  text.line("unsigned next = 0, lane = 0;");
  text.open("inline ", name, "()");
  text.line("start();");
  text.line("for (", type, "& all : before) all = ", fold.start(), ";");
  text.close();
  text.line("inline void start() { for (auto& lanes : slot) for (", type, "& all : lanes) all = ", fold.start(), "; }");
  text.open("inline void fold(", type, " value)");
  text.line(lane, " = ", fold.fold(lane, "value"), ";");
  text.line("if (++lane == ", lanes, ") end_vector();");
  text.close();
  text.open("inline void end_vector()");
  text.line("if (lane == 0) return;");
  text.line("++next, lane = 0;");
  if (fold.rounds()) text.line("if (next == ", kBlock, ") fold_slots(before), start(), next = 0;");
  text.close();
  text.open("inline void fold_slots(", type, " (&lanes)[", lanes, "]) const");
  text.open("for (int i = 0; i < ", lanes, "; ++i)");
  text.line("const ", type, " ab = ", fold.fold("slot[next % 4][i]", "slot[(next + 1) % 4][i]"), ";");
  text.line("const ", type, " cd = ", fold.fold("slot[(next + 2) % 4][i]", "slot[(next + 3) % 4][i]"), ";");
  text.line("lanes[i] = ", fold.fold("before[i]", join("(", fold.fold("ab", "cd"), ")")), ";");
  text.close();
  text.close();
  text.open("inline ", type, " total() const");
  text.line(type, " lanes[", lanes, "];");
  text.line("fold_slots(lanes);");
  text.open("for (int half = ", lanes / 2, "; half; half /= 2)");
  text.line("for (int i = 0; i < half; ++i) lanes[i] = ", fold.fold("lanes[i]", "lanes[i + half]"), ";");
  text.close();
}

}  // namespace

void write_partial_types(SourceText& text, const HostPlan& plan) {
  if (!plan.folds_rows()) return;
  for (std::size_t i = 0; i < plan.kernel.accumulations.size(); ++i) {
    const FoldSource fold(plan, plan.kernel.accumulations[i]);
    const std::string name = join("Partial", i);
    text.line();
    text.line("// ", kernel::name(fold.accumulation.fold), " of ", pilum::name(fold.dtype));
    text.open("struct ", name);
    plan.vectorised ? write_vector_partial(text, fold) : write_scalar_partial(text, fold, name);
    text.line("return lanes[0]", fold.is_bool ? " != 0;" : ";");
    text.close();
    text.close("};");
  }
}

void write_starts(SourceText& text, const HostPlan& plan) {
  if (plan.kernel.accumulations.empty() || one_total_a_cell(plan)) return;
  for (const Accumulation& accumulation : plan.kernel.accumulations) {
    const FoldSource fold(plan, accumulation);
    std::string cell = join("a", accumulation.argument, "_0");
    int open = 0;
    for (int axis = 0; axis < plan.kernel.rank; ++axis) {
      if (accumulation.reduced_axes >> axis & 1) continue;
      text.open("for (i64 i", axis, " = 0; i", axis, " < n", axis, "; ++i", axis, ")");
      cell += join(" + i", axis, " * a", accumulation.argument, "_stride", axis);
      ++open;
    }
    text.line(cell_at(memory_type(fold.dtype), cell), " = ", literal(fold.dtype, start(accumulation.fold, fold.dtype)),
              ";");
    while (open--) text.close();
  }
}

void write_partials(SourceText& text, const HostPlan& plan) {
  for (std::size_t i = 0; i < plan.kernel.accumulations.size(); ++i) text.line("Partial", i, " partial", i, ";");
}

void write_totals(SourceText& text, const HostPlan& plan, int axis) {
  const bool alone = one_total_a_cell(plan);
  for (std::size_t i = 0; i < plan.kernel.accumulations.size(); ++i) {
    const FoldSource fold(plan, plan.kernel.accumulations[i]);
    const std::string cell = cell_at(memory_type(fold.dtype), join("a", fold.accumulation.argument, "_", axis));
    const std::string total = join("partial", i, ".total()");
    text.line(cell, " = ", alone ? total : fold.fold(cell, total), ";");
  }
}

}  // namespace pilum::kernel
