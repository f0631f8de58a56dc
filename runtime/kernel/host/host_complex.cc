#include "runtime/kernel/host/host_complex.h"

namespace pilum::kernel {

void write_complex_number(SourceText& text, DType dtype) {
  text.line("struct __attribute__((may_alias)) ", value_type(dtype), " { ", value_type(detail::part_of(dtype)),
            " re, im; };");
}

void write_complex_vectors(SourceText& text, const HostPlan& plan, DType dtype, const ComplexMoves& moves) {
  const char* number = value_type(dtype);
  const char* vector = vector_type(dtype);
  const char* part = value_type(detail::part_of(dtype));
  const char* parts = vector_type(detail::part_of(dtype));
  const auto picked = [&](const char* a, const char* b, auto place) {
    std::string list = join("__builtin_shufflevector(", a, ", ", b);
    for (int lane = 0; lane < plan.lanes; ++lane) list += join(", ", place(lane));
    return list + ")";
  };
  const auto alternating = [&](int first) {
    return [&plan, first](int lane) { return (first + lane) / 2 + lane % 2 * plan.lanes; };
  };
  text.line("struct ", vector, " { ", parts, " re, im; };");
  if (moves.loads) {
    text.open("inline ", vector, " load_", number, "(const ", number, "* cells)");
    text.line("const ", parts, " a = *(const ", parts, "_any*)cells, b = *(const ", parts, "_any*)((const ", part,
              "*)cells + ", plan.lanes, ");");
    text.line("return {", picked("a", "b", [](int lane) { return 2 * lane; }), ",");
    text.line("        ", picked("a", "b", [](int lane) { return 2 * lane + 1; }), "};");
    text.close();
  }
  for (const bool streamed : {false, true}) {
    if (!(streamed ? moves.streams : moves.stores)) continue;
    text.open("inline void ", streamed ? "stream" : join("store_", number), "(", number, "* cells, ", vector,
              " value)");
    for (const int first : {0, plan.lanes}) {
      const std::string place = join("(", part, "*)cells + ", first);
      const std::string half = picked("value.re", "value.im", alternating(first));
      text.line(streamed ? join("stream_vector(", place, ", ", half, ");")
                         : join("*(", parts, "_any*)(", place, ") = ", half, ";"));
    }
    text.close();
  }
  const auto cell = [&](int lane) { return join("((", number, "*)(cell + stride * ", lane, "))"); };
  if (moves.gathers) {
    std::string re, im;
    for (int lane = 0; lane < plan.lanes; ++lane) {
      re += join(lane ? ", " : "", cell(lane), "->re");
      im += join(lane ? ", " : "", cell(lane), "->im");
    }
    text.open("inline ", vector, " gather_", number, "(const char* cell, i64 stride)");
    text.line("return {", parts, "{", re, "},");
    text.line("        ", parts, "{", im, "}};");
    text.close();
  }
  if (moves.scatters) {
    text.open("inline void scatter_", number, "(char* cell, i64 stride, ", vector, " value)");
    for (int lane = 0; lane < plan.lanes; ++lane)
      text.line("*", cell(lane), " = ", number, "{value.re[", lane, "], value.im[", lane, "]};");
    text.close();
  }
}

}  // namespace pilum::kernel
