#include "runtime/kernel/host/function_text.h"

#include <algorithm>
#include <array>
#include <string>

#include "runtime/base/check.h"
#include "runtime/kernel/ir/op_facts.h"

namespace pilum::kernel {
namespace {

using Texts = std::span<const FunctionText>;

const FunctionText* find_text(Texts texts, std::string_view name) {
  const auto found =
      std::find_if(texts.begin(), texts.end(), [&](const FunctionText& text) { return text.name == name; });
  return found == texts.end() ? nullptr : &*found;
}

const FunctionText* find_text(DType dtype, std::string_view name) {
  if (is_unsigned(dtype)) {
    if (const FunctionText* text = find_text(unsigned_texts(), name)) return text;
  }
  if (is_integer(dtype)) {
    const FunctionText* text = find_text(integer_texts(), name);
    return text ? text : find_text(random_texts(), name);
  }
  if (const FunctionText* text = find_text(exact_texts(), name)) return text;
  for (const Texts texts :
       {pair_texts(), exponential_texts(), logarithm_texts(), trigonometric_texts(), inverse_texts()}) {
    if (const FunctionText* text = find_text(texts, name)) return text;
  }
  if (dtype == DType::Float32) {
    const FunctionText* text = find_text(narrow_exp_log_texts(), name);
    return text ? text : find_text(narrow_texts(), name);
  }
  for (const Texts texts : {wide_exp_log_texts(), wide_texts(), special_texts(), normal_texts(), of_float_texts()}) {
    if (const FunctionText* text = find_text(texts, name)) return text;
  }
  return nullptr;
}

// float32 without a text of its own: computed in float64 and rounded.
bool is_widened(Op op, DType dtype) {
  return dtype == DType::Float32 && !find_text(dtype, function_name(op));
}

// What is called in float64 for it: a text that has bits enough for it, where there is one.
std::string widened_name(Op op) {
  std::string light = join(function_name(op), "_of_float");
  return find_text(of_float_texts(), light) ? light : function_name(op);
}

// The texts of one dtype that are written for numbers, and for vectors; what is needed stands before who needs it.
struct Chosen {
  std::vector<const FunctionText*> numbers, vectors;
};

void choose(Chosen& chosen, DType dtype, std::string_view name, bool vector) {
  const FunctionText* text = find_text(dtype, name);
  PILUM_CHECK(text, "no text for {} of {}", name, pilum::name(dtype));
  std::vector<const FunctionText*>& list = vector ? chosen.vectors : chosen.numbers;
  if (std::find(list.begin(), list.end(), text) != list.end()) return;
  for (std::string_view needs = text->needs; !needs.empty();) {
    const std::size_t end = std::min(needs.find(' '), needs.size());
    const bool number = needs.front() == '#';
    choose(chosen, dtype, needs.substr(number, end - number), vector && !number);
    needs.remove_prefix(std::min(end + 1, needs.size()));
  }
  list.push_back(text);
}

constexpr std::string_view kCommon = R"(#ifdef __CUDACC_RTC__
#define K(x) constant_of<(E)(x)>()
#else
#define K(x) ((E)(x) - F{})
#endif
#define KI(x) ((EI)(x) - I{})
#define KU(x) ((EU)(x) - U{})
#define BITS(x) __builtin_bit_cast(U, x)
#define FLOAT(x) __builtin_bit_cast(F, x)
)";
constexpr std::string_view kWide = R"(#define DIGITS 52
#define BIAS 1023
#define BIG 0x1p52
#define SMALLEST_NORMAL 0x1p-1022
#define HALF_ROOT 0x3fe6a09e00000000ul
#define EXP_END 710
#define LN2 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56
#define SHORT_LN2 0x1.62e42ffp-1
#define SHORT_LN2_LOW (-0x1.718432a1b0e26p-35)
#define LOG2_E 0x1.71547652b82fep0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LOG10_E 0x1.bcb7b1526e50ep-2
#define LOG10_E_LOW 0x1.95355baaafad3p-57
#define SHORT_LOG10_2 0x1.3441350ap-2
#define SHORT_LOG10_2_LOW (-0x1.0c0219dc1da99p-39)
#define HALF_PI 0x1.921fb54442d18p0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define HALF_PI_LAST (-0x1.f1976b7ed8fbcp-110)
#define SMALL 0x1p-27
#define FAR_ANGLE 0x1p30
#define FAR_UP 0x1p500
#define SIGN KU(0x8000000000000000ul)
#define EXPONENT KU(0x7ff0000000000000ul)
#define INFINITE (__builtin_inf() - F{})
#define NOT_A_NUMBER (__builtin_nan("") - F{})
#define FMOD fmod
)";
constexpr std::string_view kNarrow = R"(#define DIGITS 23
#define BIAS 127
#define BIG 0x1p23f
#define SMALLEST_NORMAL 0x1p-126f
#define HALF_ROOT 0x3f3504f3u
#define EXP_END 89
#define LN2 0x1.62e43p-1f
#define LN2_LOW (-0x1.05c61p-29f)
#define SHORT_LN2 0x1.62e4p-1f
#define SHORT_LN2_LOW 0x1.7f7d1cp-20f
#define LOG2_E 0x1.715476p0f
#define LOG2_E_LOW 0x1.4ae0cp-26f
#define LOG10_E 0x1.bcb7b2p-2f
#define LOG10_E_LOW (-0x1.5b235ep-27f)
#define SHORT_LOG10_2 0x1.3442p-2f
#define SHORT_LOG10_2_LOW (-0x1.95ec1p-19f)
#define HALF_PI 0x1.921fb6p0f
#define HALF_PI_LOW (-0x1.777a5cp-25f)
#define HALF_PI_LAST (-0x1.ee59dap-50f)
#define SMALL 0x1p-13f
#define FAR_ANGLE 0x1p16f
#define FAR_UP 0x1p60f
#define SIGN KU(0x80000000u)
#define EXPONENT KU(0x7f800000u)
#define INFINITE (__builtin_inff() - F{})
#define NOT_A_NUMBER (__builtin_nanf("") - F{})
#define FMOD fmodf
)";

void write_macros(SourceText& text, const HostPlan& plan, DType dtype, bool vector) {
  const bool wide = itemsize(dtype) == 8;
  const std::string size = std::to_string(8 * itemsize(dtype)), end = vector ? "v" : "", element = value_type(dtype);
  text.line("#define E ", element);
  text.line("#define EI i", size);
  text.line("#define EU u", size);
  text.line("#define F ", element, end);
  text.line("#define I i", size, end);
  text.line("#define U u", size, end);
  text.line("#define M ", vector ? join("i", size, "v") : "bool");
  text.line("#define P pair_", element, end);
  text.line("#define VECTOR ", vector ? 1 : 0);
  text.line("#define LANES ", vector ? plan.lanes : 1);
  if (is_integer(dtype)) {
    text.line("#define WIDTH ", size);
  } else {
    text.raw(wide ? kWide : kNarrow);
    text.line(vector ? "#define TO_F(x) __builtin_convertvector(x, F)" : "#define TO_F(x) ((F)(x))");
    text.line(vector ? "#define ALL_OF(x) all_of(x)" : "#define ALL_OF(x) (x)");
    text.line(vector ? "#define ROOT(x) root_of(x)"
              : wide ? "#define ROOT(x) __builtin_sqrt(x)"
                     : "#define ROOT(x) __builtin_sqrtf(x)");
  }
  text.raw(kCommon);
}

void end_macros(SourceText& text) {
  for (const char* name : {"E",
                           "EI",
                           "EU",
                           "F",
                           "I",
                           "U",
                           "M",
                           "P",
                           "VECTOR",
                           "LANES",
                           "WIDTH",
                           "DIGITS",
                           "BIAS",
                           "BIG",
                           "SMALLEST_NORMAL",
                           "HALF_ROOT",
                           "EXP_END",
                           "LN2",
                           "LN2_LOW",
                           "SHORT_LN2",
                           "SHORT_LN2_LOW",
                           "LOG2_E",
                           "LOG2_E_LOW",
                           "LOG10_E",
                           "LOG10_E_LOW",
                           "SHORT_LOG10_2",
                           "SHORT_LOG10_2_LOW",
                           "HALF_PI",
                           "HALF_PI_LOW",
                           "HALF_PI_LAST",
                           "SMALL",
                           "FAR_ANGLE",
                           "FAR_UP",
                           "SIGN",
                           "EXPONENT",
                           "INFINITE",
                           "NOT_A_NUMBER",
                           "FMOD",
                           "TO_F",
                           "ALL_OF",
                           "ROOT",
                           "K",
                           "KI",
                           "KU",
                           "BITS",
                           "FLOAT"})
    text.line("#undef ", name);
}

// By compilers that have no such function of vectors, lane by lane.
constexpr std::string_view kLaneFma = R"(inline F FMA(F a, F b, F c) {
  F result = a;
  for (int i = 0; i < LANES; ++i) result[i] = FMA(a[i], b[i], c[i]);
  return result;
}
)";
constexpr std::string_view kRoot = R"(inline F root_of(F a) {
#if defined(__clang__)
  return __builtin_elementwise_sqrt(a);
#else
  for (int i = 0; i < LANES; ++i) a[i] = sizeof(E) == 8 ? __builtin_sqrt(a[i]) : __builtin_sqrtf(a[i]);
  return a;
#endif
}
)";

// No functions for clang: elementary functions would have many calls each to be inlined.
void write_fma(SourceText& text, DType dtype, bool vector) {
  const char* number = value_type(dtype);
  text.raw("#if defined(__clang__)\n#define FMA __builtin_elementwise_fma\n#else\n");
  if (vector) {
    text.raw(kLaneFma);
  } else {
    text.line("inline ", number, " FMA(", number, " a, ", number, " b, ", number, " c) { return __builtin_fma",
              dtype == DType::Float32 ? "f" : "", "(a, b, c); }");
  }
  text.raw("#endif\n");
}

void write_texts(SourceText& text, const HostPlan& plan, DType dtype, const Chosen& chosen) {
  // Compilers without a function of vectors call that of numbers.
  if (is_floating(dtype) && (!chosen.numbers.empty() || !chosen.vectors.empty())) write_fma(text, dtype, false);
  for (const bool vector : {false, true}) {
    const std::vector<const FunctionText*>& texts = vector ? chosen.vectors : chosen.numbers;
    if (texts.empty()) continue;
    write_macros(text, plan, dtype, vector);
    if (vector && is_floating(dtype)) write_fma(text, dtype, true);
    const auto roots = [](const FunctionText* one) { return one->text.find("ROOT(") != std::string_view::npos; };
    if (vector && std::any_of(texts.begin(), texts.end(), roots)) text.raw(kRoot);
    for (const FunctionText* one : texts) text.raw(one->text);
    end_macros(text);
  }
}

void write_widened(SourceText& text, const FunctionCall& call, const HostPlan& plan) {
  const char* name = function_name(call.op);
  const std::string wide = widened_name(call.op);
  const bool two = arity(call.op) == 2;
  if (call.numbers) {
    text.line("inline f32 ", name, two ? "(f32 a, f32 b) { return (f32)" : "(f32 a) { return (f32)", wide,
              two ? "((f64)a, (f64)b); }" : "((f64)a); }");
  }
  if (call.vectors && plan.vectorised) {
    text.line("inline f32v ", name, two ? "(f32v a, f32v b) {" : "(f32v a) {");
    text.line("  return __builtin_convertvector(", wide, "(__builtin_convertvector(a, f64v)",
              two ? ", __builtin_convertvector(b, f64v)" : "", "), f32v);");
    text.line("}");
  }
}

}  // namespace

const char* function_name(Op op) {
  if (op == Op::Remainder) return "modulo";  // C's remainder is another one
  if (op == Op::Fmod) return "rest_of";      // what is called is C's
  return name(op);
}

bool needs_words(const std::vector<FunctionCall>& calls, DType dtype) {
  return std::any_of(calls.begin(), calls.end(), [&](const FunctionCall& call) {
    return itemsize(is_widened(call.op, call.dtype) ? DType::Float64 : call.dtype) == itemsize(dtype);
  });
}

bool needs_type(const std::vector<FunctionCall>& calls, DType dtype) {
  return dtype == DType::Float64 && std::any_of(calls.begin(), calls.end(), [](const FunctionCall& call) {
           return is_widened(call.op, call.dtype);
         });
}

void write_library_declarations(SourceText& text, const std::vector<FunctionCall>& calls) {
  const bool fmod = std::any_of(calls.begin(), calls.end(), [](const FunctionCall& call) {
    return is_floating(call.dtype) && (call.op == Op::Remainder || call.op == Op::Fmod || call.op == Op::FloorDivide);
  });
  if (fmod) text.raw("extern \"C\" double fmod(double, double);\nextern \"C\" float fmodf(float, float);\n");
}

void write_functions(SourceText& text, const HostPlan& plan, const std::vector<FunctionCall>& calls) {
  std::array<Chosen, kDTypeCount> chosen;
  for (const FunctionCall& call : calls) {
    const bool is_wide = is_widened(call.op, call.dtype);
    const DType dtype = is_wide ? DType::Float64 : call.dtype;
    const std::string name = is_wide ? widened_name(call.op) : function_name(call.op);
    Chosen& of_dtype = chosen[static_cast<std::size_t>(dtype)];
    if (call.numbers) choose(of_dtype, dtype, name, /*vector=*/false);
    if (call.vectors && plan.vectorised) choose(of_dtype, dtype, name, /*vector=*/true);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) write_texts(text, plan, static_cast<DType>(i), chosen[i]);
  for (const FunctionCall& call : calls) {
    if (is_widened(call.op, call.dtype)) write_widened(text, call, plan);
  }
}

}  // namespace pilum::kernel
