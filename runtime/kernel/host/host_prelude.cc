#include "runtime/kernel/host/host_prelude.h"

#include <algorithm>
#include <array>
#include <ranges>

#include "runtime/base/dtype_visit.h"
#include "runtime/kernel/host/function_text.h"
#include "runtime/kernel/host/host_complex.h"
#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

constexpr std::size_t kOps = static_cast<std::size_t>(Op::StandardNormal) + 1;

constexpr std::string_view kAbi = R"(
typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long i64;
typedef unsigned long u64;
typedef float f32;
typedef double f64;

struct BoundArray {
  char* base;       // the cell of the call's first point
  i64 stride[8];    // bytes from point to point, by domain axis
  i64 pitch[8];     // bytes from cell to cell, by store axis
};
struct KernelCall {
  i64 lo[8];        // the points lo <= x < lo + extent
  i64 extent[8];
  const BoundArray* arrays;
  const u64* scalars;
  i64 more;         // calls behind this one
};

namespace {
)";

constexpr std::string_view kStream = R"(
template <class V, class T>
inline void stream_vector(T* cell, V value) {  // past the caches; cell is aligned to the vector's size
#if defined(__clang__)
  __builtin_nontemporal_store(value, (V*)cell);
#elif defined(__AVX512F__)
  typedef long long Part __attribute__((vector_size(64)));
  if constexpr (sizeof(V) == 64) __builtin_ia32_movntdq512((Part*)cell, (Part)value);
  else *(V*)cell = value;
#elif defined(__AVX__)
  typedef long long Part __attribute__((vector_size(32)));
  if constexpr (sizeof(V) % 32 == 0) {
    Part parts[sizeof(V) / 32];
    __builtin_memcpy(parts, &value, sizeof value);
    for (unsigned i = 0; i < sizeof(V) / 32; ++i) __builtin_ia32_movntdq256((Part*)cell + i, parts[i]);
  } else *(V*)cell = value;
#elif defined(__SSE2__)
  typedef long long Part __attribute__((vector_size(16)));
  if constexpr (sizeof(V) % 16 == 0) {
    Part parts[sizeof(V) / 16];
    __builtin_memcpy(parts, &value, sizeof value);
    for (unsigned i = 0; i < sizeof(V) / 16; ++i) __builtin_ia32_movntdq((Part*)cell + i, parts[i]);
  } else *(V*)cell = value;
#else
  *(V*)cell = value;
#endif
}
inline void prefetch(const void* cell) { __builtin_prefetch((const char*)cell + 4096, 0, 2); }
inline void stream_end() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}
)";

// What the kernel makes of each dtype.
struct Uses {
  using OfDType = std::array<bool, kDTypeCount>;
  OfDType dtype{};                 // in vectors
  std::array<OfDType, kOps> op{};  // by op and operand dtype, at any level
  std::array<OfDType, kOps> vector_op{}, number_op{};
  std::array<OfDType, kDTypeCount> wraps{};  // by the dtypes to and from which casts wrap
  std::vector<FunctionCall> calls;
  OfDType loads{}, stores{}, gathers{}, scatters{}, streams{};

  bool has(Op o, DType d) const { return op[static_cast<std::size_t>(o)][static_cast<std::size_t>(d)]; }
  bool has_vector(Op o, DType d) const { return vector_op[static_cast<std::size_t>(o)][static_cast<std::size_t>(d)]; }
  bool has_number(Op o, DType d) const { return number_op[static_cast<std::size_t>(o)][static_cast<std::size_t>(d)]; }
};

// What Float16 is in sources: its bits.
DType in_text(DType dtype) {
  return dtype == DType::Float16 ? DType::UInt16 : dtype;
}

void use_memory(Uses& uses, const ArrayArgument& array, bool read, bool write, bool stream) {
  const auto d = static_cast<std::size_t>(in_text(array.dtype));
  uses.dtype[d] = true;
  const bool strided = is_strided(array);
  if (read) (strided ? uses.gathers : uses.loads)[d] = true;
  if (write) (strided ? uses.scatters : uses.stores)[d] = true;
  if (write && stream && !strided) uses.streams[d] = true;
}

Uses find_uses(const HostPlan& plan) {
  Uses uses;
  for (std::size_t i = 0; i < plan.kernel.nodes.size(); ++i) {
    const Node& node = plan.kernel.nodes[i];
    const DType operands = node.op == Op::FromHalf ? DType::Float32  // whose function it is
                           : node.op == Op::StandardNormal
                               ? DType::Float64
                               : in_text(node.op == Op::Select || node.a < 0 ? node.dtype : plan.node(node.a).dtype);
    const bool in_vectors = plan.levels[i] == Level::Point;
    uses.op[static_cast<std::size_t>(node.op)][static_cast<std::size_t>(operands)] = true;
    uses.vector_op[static_cast<std::size_t>(node.op)][static_cast<std::size_t>(operands)] |= in_vectors;
    uses.number_op[static_cast<std::size_t>(node.op)][static_cast<std::size_t>(operands)] |=
        !in_vectors || !plan.padded;
    uses.dtype[static_cast<std::size_t>(in_text(node.dtype))] = true;
    if (node.op == Op::Cast && wraps(operands, node.dtype))
      uses.wraps[static_cast<std::size_t>(node.dtype)][static_cast<std::size_t>(operands)] = true;
    if (node.op == Op::Load && in_vectors) use_memory(uses, plan.array(node.argument), true, false, false);
  }
  for (const ArrayArgument& array : plan.kernel.arrays)  // the type's size is used of arrays that are not loaded, too
    uses.dtype[static_cast<std::size_t>(array.dtype)] |= is_complex(array.dtype);
  for (const StoreOutput& store : plan.kernel.stores) {
    const ArrayArgument& array = plan.array(store.argument);
    use_memory(uses, array, false, true, plan.options.streaming && array.access == Access::Write);
  }
  for (const Accumulation& accumulation : plan.kernel.accumulations) {
    const ArrayArgument& array = plan.array(accumulation.argument);
    uses.dtype[static_cast<std::size_t>(array.dtype)] = true;
    const auto op = static_cast<std::size_t>(fold_op(accumulation.fold));
    uses.op[op][static_cast<std::size_t>(array.dtype)] = true;
    uses.vector_op[op][static_cast<std::size_t>(array.dtype)] = true;
    if (!plan.folds_rows()) use_memory(uses, array, true, true, false);
  }
  for (std::size_t i = 0; i < kOps; ++i) {
    const Op op = static_cast<Op>(i);
    if (!is_function(op)) continue;
    for (const DType dtype : kDTypes) {
      if (uses.has(op, dtype))
        uses.calls.push_back({op, dtype, uses.has_number(op, dtype), uses.has_vector(op, dtype)});
    }
  }
  return uses;
}

// "f64v" in registers, "f64v_any" wherever it lies in memory.
void write_vector_type(SourceText& text, const HostPlan& plan, const char* element, std::size_t bytes, bool memory) {
  const auto size = static_cast<std::size_t>(plan.lanes) * bytes;
  text.line("typedef ", element, " ", element, "v __attribute__((vector_size(", size, ")));");
  if (memory) {
    text.line("typedef ", element, " ", element, "v_any __attribute__((vector_size(", size, "), aligned(", bytes,
              "), may_alias));");
  }
}

// The signed integer of so many bytes.
DType signed_of_size(std::size_t bytes) {
  return detail::dtype_of_size(detail::DTypeKind::Signed, bytes);
}

// The integer that floats are cast to before they wrap in one that is narrower or has no sign.
DType signed_of_wraps(DType to) {
  return itemsize(to) < sizeof(std::int32_t) ? DType::Int32 : DType::Int64;
}

void write_vector_types(SourceText& text, const HostPlan& plan, const Uses& uses) {
  const auto of_numbers_or_parts = [](DType dtype, auto holds) {
    return std::any_of(kDTypes.begin(), kDTypes.end(),
                       [&](DType of) { return detail::part_of(of) == dtype && holds(static_cast<std::size_t>(of)); });
  };
  const auto used = [&](DType dtype) {
    return of_numbers_or_parts(dtype, [&](std::size_t of) { return uses.dtype[of]; });
  };
  const auto moved = [&](DType dtype) {
    return of_numbers_or_parts(dtype, [&](std::size_t of) { return uses.loads[of] || uses.stores[of]; });
  };
  const bool masks = used(DType::Bool);  // comparisons make bools
  // Numbers taken as their bits, and what floats wrap through.
  const auto any_of_size = [&](std::size_t size, auto holds) {
    return std::any_of(kDTypes.begin(), kDTypes.end(),
                       [&](DType dtype) { return itemsize(dtype) == size && holds(dtype); });
  };
  const auto words = [&](DType dtype) {
    return any_of_size(itemsize(dtype), [&](DType of) { return needs_words(uses.calls, of); });
  };
  const auto signs = [&](DType dtype) {
    return words(dtype) || any_of_size(itemsize(dtype), [&](DType of) { return uses.has(Op::Absolute, of); });
  };
  const auto between = [&](DType dtype) {
    return std::any_of(kDTypes.begin(), kDTypes.end(), [&](DType to) {
      const Uses::OfDType& from = uses.wraps[static_cast<std::size_t>(to)];
      const bool is_between = signed_of_wraps(to) == dtype || (to == DType::UInt64 && dtype == DType::Float64);
      return is_between && std::find(from.begin(), from.end(), true) != from.end();
    });
  };
  text.line();
  for (const DType dtype : {DType::UInt8, DType::Int8, DType::Int16, DType::Int32, DType::Int64, DType::UInt16,
                            DType::UInt32, DType::UInt64, DType::Float32, DType::Float64}) {
    const bool of_bools = itemsize(dtype) == 1;  // a bool in memory
    const bool for_masks = masks && (of_bools || is_signed(dtype));
    const bool for_bits = (is_unsigned(dtype) && words(dtype)) || (is_signed(dtype) && signs(dtype));
    const bool for_calls = dtype == DType::Float64 && needs_type(uses.calls, dtype);
    if (used(dtype) || for_masks || for_bits || for_calls || between(dtype))
      write_vector_type(text, plan, value_type(dtype), itemsize(dtype),
                        moved(dtype) || (of_bools && moved(DType::Bool)));
  }
  if (!masks) return;
  const char* element = value_type(signed_of_size(static_cast<std::size_t>(plan.mask_bytes)));
  text.line("typedef ", element, " maski;  // a bool in a vector: 0 or -1");
  text.line("typedef ", element, "v maskv;");
}

// "f(p), f(p + 1), …", one a lane.
std::string each_lane(const HostPlan& plan, std::string_view before, std::string_view after) {
  std::string list;
  for (int lane = 0; lane < plan.lanes; ++lane) list += join(lane ? ", " : "", before, lane, after);
  return list;
}

void write_memory_helpers(SourceText& text, const HostPlan& plan, const Uses& uses, DType dtype) {
  const auto d = static_cast<std::size_t>(dtype);
  if (is_complex(dtype)) {
    const ComplexMoves moves{uses.loads[d], uses.stores[d], uses.streams[d], uses.gathers[d], uses.scatters[d]};
    if (uses.dtype[d]) write_complex_vectors(text, plan, dtype, moves);
    return;
  }
  const char* memory = memory_type(dtype);
  const char* vector = vector_type(dtype);
  const bool is_bool = dtype == DType::Bool;
  if (uses.gathers[d]) {
    text.line("inline ", vector, " gather_", value_type(dtype), "(const char* cell, i64 stride) {");
    text.line("  return ", is_bool ? "-" : "", vector, "{",
              each_lane(plan, join(is_bool ? "(maski)" : "", "*(", memory, "*)(cell + stride * "), ")"), "};");
    text.line("}");
  }
  if (uses.streams[d]) {
    text.line("inline void stream(", memory, "* cell, ", vector, " value) { stream_vector(cell, ",
              is_bool ? "__builtin_convertvector(-value, u8v)" : "value", "); }");
  }
  if (uses.scatters[d]) {
    text.line("inline void scatter_", value_type(dtype), "(char* cell, i64 stride, ", vector, " value) {");
    for (int lane = 0; lane < plan.lanes; ++lane) {
      text.line("  *(", memory, "*)(cell + stride * ", lane, ") = (", memory, ")", is_bool ? "-" : "", "value[", lane,
                "];");
    }
    text.line("}");
  }
}

// Calls a scalar function lane by lane.
void write_lane_function(SourceText& text, const HostPlan& plan, const char* vector, std::string_view declared,
                         std::string_view call) {
  text.line("inline ", vector, " ", declared, " {");
  text.line("  ", vector, " result = a;");
  text.line("  for (int i = 0; i < ", plan.lanes, "; ++i) result[i] = ", call, ";");
  text.line("  return result;");
  text.line("}");
}

// A quotient by one number, rounded as it is, takes the divider 16 cycles of AVX-512, and by the number's reciprocal,
// which is rounded, four steps: the first two give a neighbour of the quotient, from which, as a - b q is exact, the
// next two give the nearest (Markstein, IBM J. Res. Dev. 34, 1990). Beyond 2^400 and 2^-400, of NaNs and of divisors
// beyond 2^256, whose reciprocal is said to be NaN, the divider divides.
constexpr std::string_view kDivideBy = R"(inline f64v reciprocal_for(f64v b) {
#if defined(__clang__)
  const f64v size = __builtin_elementwise_abs(b);
  return (size > (0x1p-256 - f64v{})) & (size < (0x1p256 - f64v{})) ? (1.0 - f64v{}) / b : (__builtin_nan("") - f64v{});
#else
  return b;
#endif
}
inline f64v divide_by(f64v a, f64v b, f64v reciprocal) {
#if defined(__clang__)
  const f64v q = a * reciprocal, size = __builtin_elementwise_abs(q);
  const auto zero = a == f64v{};
  if (__builtin_reduce_and((size < (0x1p400 - f64v{})) & ((size > (0x1p-400 - f64v{})) | zero))) {
    const f64v near = __builtin_elementwise_fma(__builtin_elementwise_fma(-b, q, a), reciprocal, q);
    return zero ? q : __builtin_elementwise_fma(__builtin_elementwise_fma(-b, near, a), reciprocal, near);
  }
#endif
  return a / b;
}
)";

void write_float_helpers(SourceText& text, const HostPlan& plan, const Uses& uses, DType dtype) {
  const char* number = value_type(dtype);
  const char* vector = vector_type(dtype);
  const bool wide = dtype == DType::Float64;
  const char* suffix = wide ? "" : "f";
  const auto divides = [&](std::size_t node) { return divides_by_number(plan, static_cast<ValueId>(node)); };
  if (wide && std::ranges::any_of(std::views::iota(std::size_t{0}, plan.kernel.nodes.size()), divides))
    text.raw(kDivideBy);
  if (uses.has(Op::Sqrt, dtype)) {
    text.line("inline ", number, " sqrt(", number, " a) { return __builtin_sqrt", suffix, "(a); }");
    if (uses.has_vector(Op::Sqrt, dtype) && plan.vectorised) {
      text.raw("#if defined(__clang__)\n");
      text.line("inline ", vector, " sqrt(", vector, " a) { return __builtin_elementwise_sqrt(a); }");
      text.raw("#else\n");
      write_lane_function(text, plan, vector, join("sqrt(", vector, " a)"), join("__builtin_sqrt", suffix, "(a[i])"));
      text.raw("#endif\n");
    }
  }
}

void write_number_helpers(SourceText& text, const HostPlan& plan, const Uses& uses, DType dtype) {
  const bool floating = is_floating(dtype);
  const bool wide = itemsize(dtype) == 8;
  const auto both = [&](Op op, auto write) {
    if (!uses.has(op, dtype)) return;
    write(value_type(dtype), wide ? "i64" : "i32");
    if (plan.vectorised && uses.has_vector(op, dtype)) write(vector_type(dtype), wide ? "i64v" : "i32v");
  };
  both(Op::Minimum, [&](const char* type, const char*) {
    text.line("inline ", type, " minimum(", type, " a, ", type, " b) { return ",
              floating ? "(a <= b) | (a != a)" : "a <= b", " ? a : b; }");
  });
  both(Op::Maximum, [&](const char* type, const char*) {
    text.line("inline ", type, " maximum(", type, " a, ", type, " b) { return ",
              floating ? "(a >= b) | (a != a)" : "a >= b", " ? a : b; }");
  });
  both(Op::Absolute, [&](const char* type, const char* word) {
    if (floating) {
      text.line("inline ", type, " absolute(", type, " a) { return __builtin_bit_cast(", type, ", __builtin_bit_cast(",
                word, ", a) & ", wide ? "0x7fffffffffffffffl" : "0x7fffffff", "); }");
    } else {
      text.line("inline ", type, " absolute(", type, " a) { return ", is_signed(dtype) ? "a < 0 ? -a : a" : "a", "; }");
    }
  });
}

void write_select(SourceText& text, const HostPlan& plan, const Uses& uses, DType dtype) {
  const char* vector = vector_type(dtype);
  if (dtype == DType::Bool) {
    const DType same_type = signed_of_size(static_cast<std::size_t>(plan.mask_bytes));
    if (uses.has_vector(Op::Select, same_type)) return;
    text.line("inline maskv select(maskv c, maskv a, maskv b) { return (c & a) | (~c & b); }");
    return;
  }
  const bool same = static_cast<int>(itemsize(dtype)) == plan.mask_bytes;
  const char* narrow = vector_type(signed_of_size(itemsize(dtype)));
  text.line("inline ", vector, " select(maskv c, ", vector, " a, ", vector, " b) { return ",
            same ? "c" : join("__builtin_convertvector(c, ", narrow, ")"), " ? a : b; }");
}

// From a float's whole part, modulo 2^n; of parts that the wider integer does not hold any integer. To uint64 from
// float64, as conditions of vectors are as wide as what they choose.
void write_wraps(SourceText& text, const HostPlan& plan, DType from, DType to) {
  const DType wide = signed_of_wraps(to), first = to == DType::UInt64 ? DType::Float64 : from;
  const auto write = [&](auto type_of, auto cast) {
    const std::string wrapped = cast(cast("x", wide), to);
    text.line("inline ", type_of(to), " ", wrap_name(to), "(", type_of(from), " a) {");
    text.line("  const ", type_of(first), " x = ", first == from ? "a" : cast("a", first), ";");
    text.line("  return ",
              to == DType::UInt64 ? join("x < ", type_of(first), "{} ? ", wrapped, " : ", cast("x", to)) : wrapped,
              ";");
    text.line("}");
  };
  write(value_type, [](const std::string& a, DType dtype) { return join("(", value_type(dtype), ")", a); });
  if (!plan.vectorised) return;
  write(vector_type, [](const std::string& a, DType dtype) {
    return join("__builtin_convertvector(", a, ", ", vector_type(dtype), ")");
  });
}

}  // namespace

void write_program(SourceText& text, const Kernel& kernel) {
  const std::string program = print(kernel);
  for (std::size_t start = 0; start < program.size();) {
    const std::size_t end = program.find('\n', start);
    text.line("// ", std::string_view(program).substr(start, end - start));
    start = end + 1;
  }
}

void write_prelude(SourceText& text, const HostPlan& plan) {
  const Uses uses = find_uses(plan);
  write_library_declarations(text, uses.calls);
  text.raw(kAbi);
  if (plan.vectorised) {
    write_vector_types(text, plan, uses);
    if (plan.options.streaming) text.raw(kStream);
  }
  text.line();
  for (const DType dtype : kDTypes) {
    if (is_complex(dtype) && uses.dtype[static_cast<std::size_t>(dtype)]) write_complex_number(text, dtype);
    if (plan.vectorised) write_memory_helpers(text, plan, uses, dtype);
    if (plan.vectorised && uses.has_vector(Op::Select, dtype)) write_select(text, plan, uses, dtype);
    if (dtype != DType::Bool && !is_complex(dtype)) write_number_helpers(text, plan, uses, dtype);
    if (is_floating(dtype)) write_float_helpers(text, plan, uses, dtype);
    for (const DType from : kDTypes) {
      if (uses.wraps[static_cast<std::size_t>(dtype)][static_cast<std::size_t>(from)])
        write_wraps(text, plan, from, dtype);
    }
  }
  write_functions(text, plan, uses.calls);
}

}  // namespace pilum::kernel
