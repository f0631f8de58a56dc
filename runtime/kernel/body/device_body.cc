#include "runtime/kernel/body/device_body.h"

#include <algorithm>

#include "runtime/base/check.h"
#include "runtime/kernel/body/body_layout.h"
#include "runtime/kernel/body/device_body_prelude.h"
#include "runtime/kernel/device/device_prelude.h"
#include "runtime/kernel/host/host_expression.h"
#include "runtime/kernel/host/host_types.h"
#include "runtime/kernel/ir/source_text.h"

namespace pilum::kernel {
namespace {

constexpr std::int64_t kMaxRows = 65535;      // blocks along a grid's second and third axis: threads go on with stride
constexpr std::int64_t kManyParts = 1 << 14;  // enough for every multiprocessor, in larger blocks too

// A name as a string literal's content, on one line.
std::string escaped(const std::string& name) {
  std::string text;
  for (const char character : name) {
    if (character == '"' || character == '\\') text += '\\';
    text += static_cast<unsigned char>(character) < ' ' ? ' ' : character;
  }
  return text;
}

std::string word(int number) {
  return join("call.w[", number, "]");
}

const char* access_name(Access access) {
  static constexpr const char* kNames[] = {"Read", "Write", "ReadWrite", "Reduce"};
  return kNames[static_cast<int>(access)];
}

std::string array_type(const BodyParameter& parameter) {
  const DType dtype = parameter.dtype;
  const std::string type = is_integer(dtype)         ? join("std::", name(dtype), "_t")
                           : dtype == DType::Float32 ? "float"
                           : dtype == DType::Float64 ? "double"
                           : dtype == DType::Float16 ? "pilum::half"
                           : is_complex(dtype)
                               ? dtype == DType::Complex64 ? "std::complex<float>" : "std::complex<double>"
                               : name(dtype);
  return join("pilum::", access_name(parameter.access), "<", type, ", ", parameter.rank, ">");
}

// As in the prelude.
const char* kind_name(BodyParameter::Kind kind) {
  static constexpr const char* kNames[] = {"", "kBool", "kInteger", "kFloating", "kOther"};
  return kNames[static_cast<int>(kind)];
}

std::string value_name_of(std::size_t parameter) {
  return join("a", parameter + 1);
}

class BodyEmitter {
 public:
  BodyEmitter(const BodySource& body, const BodyForm& form) : body_(body), form_(form), layout_(body, form) {}

  std::string emit() {
    text_.line("// the GPU body of ", escaped(body_.name));
    text_.line("#line 1 \"pilum's prelude\"");
    text_.raw(device_head());
    text_.raw(body_std());
    text_.raw(array_accessor());
    text_.raw("\nnamespace pilum {\n");
    text_.raw(device_types());
    text_.raw(body_points());
    text_.raw("\nnamespace detail {\n");
    text_.raw(out_of_bounds_report());
    text_.raw(body_cells_head());
    text_.raw(body_cells(body_.checked));
    text_.raw(body_cells_tail());
    text_.raw("}  // namespace detail\n");
    text_.raw(body_access_types());
    text_.raw("namespace detail {\n");
    text_.raw(body_signature());
    text_.raw(device_digits());
    text_.raw("}  // namespace detail\n}  // namespace pilum\n\nnamespace {\n");
    text_.line("#line 1 \"", source_name(body_), "\"");
    text_.raw(body_.text);
    text_.raw("\n");
    text_.line("#line 1 \"", call_name(body_), "\"");
    text_.raw("}\n\nnamespace pilum::detail {\n");
    text_.line("#line 1 \"", search_name(body_), "\"");
    text_.line("typedef Taken<decltype(&::body)> Text;");
    text_.line("#line 1 \"", call_name(body_), "\"");
    text_.line("struct Words { i64 w[", layout_.size(), "]; };");
    write_checks();
    write_call();
    layout_.reduces() ? write_reduction() : write_sweep();
    text_.raw("}  // namespace pilum::detail\n\n");
    text_.raw(
        "extern \"C\" __global__ void pilum_kernel(const __grid_constant__ pilum::detail::Words call) {\n"
        "  pilum::detail::run(call);\n}\n");
    return text_.take();
  }

 private:
  void write_checks() {
    text_.open("inline u64 check_parameters()");
    text_.line("u64 wrong = check<", kCountMismatch, ", Text::kCount == ", body_.parameters.size() + 1,
               ">(Hold<Parameters<Text::kCount>>());");
    text_.line("wrong += check<0, kSame<Text::Value<0>, Point<", form_.rank,
               ">> || kSame<Text::Value<0>, Piece>>(Text::Place<0>());");
    for (std::size_t k = 0; k < body_.parameters.size(); ++k) {
      const BodyParameter& parameter = body_.parameters[k];
      const std::string has = join("Text::Value<", k + 1, ">");
      const std::string fits = parameter.kind == BodyParameter::Kind::Array
                                   ? join("kSame<Canonical<", has, ">::Type, ", array_type(parameter), ">")
                                   : join("kFits<", has, ", ", kind_name(parameter.kind), ", ", parameter.bytes, ">");
      text_.line("wrong += check<", k + 1, ", ", fits, ">(Text::Place<", k + 1, ">());");
    }
    text_.line("return wrong;");
    text_.close();
  }

  void write_call() {
    text_.open("inline void call_body(const Words& call, const Point<", form_.rank, ">& x, i64 part)");
    if (body_.checked)
      text_.line("const Refusal refusal{(OutOfBounds*)", word(0), ", ", word(1), ", ", word(2), ", ", word(3), "};");
    else
      text_.line("const Refusal refusal{};");
    text_.line("Text::Value<0> point(x);");
    int array = 0, scalar = layout_.scalars();
    for (std::size_t k = 0; k < body_.parameters.size(); ++k) {
      const BodyParameter& parameter = body_.parameters[k];
      if (parameter.kind == BodyParameter::Kind::Array) {
        write_array(k, parameter, array++);
        continue;
      }
      text_.line("Text::Value<", k + 1, "> ", value_name_of(k), " = value<Text::Value<", k + 1, ">>(&", word(scalar),
                 ");");
      scalar += BodyLayout::words_of(parameter);
    }
    std::string arguments = "point";
    for (std::size_t k = 0; k < body_.parameters.size(); ++k) arguments += ", " + value_name_of(k);
    text_.line("::body(", arguments, ");");
    text_.close();
  }

  void write_array(std::size_t k, const BodyParameter& parameter, int array) {
    const BodyForm::Array& form = form_.arrays[static_cast<std::size_t>(array)];
    const std::string name = value_name_of(k);
    text_.line("Text::Value<", k + 1, "> ", name, ";");
    std::string origin = word(layout_.base(array));
    if (parameter.access == Access::Reduce) origin += join(" + part * ", word(layout_.part_step(array)));
    text_.line("Bind::begin(", name, ", ", origin, ", refusal, ", k + 1, ");");
    for (int axis = 0; axis < parameter.rank; ++axis) {
      const BodyAxis& follows = form.axes[static_cast<std::size_t>(axis)];
      const int at = layout_.range(array, axis);
      const std::string x = join("x[", static_cast<int>(follows.of), "]");
      const std::string stride = BodyLayout::has_stride(form, axis) ? word(layout_.stride(array, axis)) : "1";
      switch (follows.kind) {
        case BodyAxis::Kind::Fixed:
          text_.line("Bind::axis(", name, ", ", axis, ", ", stride, ", ", word(at), ", ", word(at + 1), ");");
          break;
        case BodyAxis::Kind::Own:
          text_.line("Bind::axis(", name, ", ", axis, ", ", stride, ", ", x, ", ", x, " + 1);");
          break;
        case BodyAxis::Kind::Window: {
          const std::string first = join("first", k + 1, "_", axis), lo = join("lo", k + 1, "_", axis);
          text_.line("const i64 ", first, " = ", word(at + 1), " + ", word(at), " * ", x, ", ", lo, " = clip(", first,
                     ", 0, ", word(at + 3), ");");
          text_.line("Bind::axis(", name, ", ", axis, ", ", stride, ", ", lo, ", clip(", first, " + ", word(at + 2),
                     ", ", lo, ", ", word(at + 3), "));");
          break;
        }
      }
    }
  }

  void write_sweep() {
    const int inner = form_.rank - 1;
    text_.open("inline void run(const Words& call)");
    text_.line("Point<", form_.rank, "> x;");
    if (inner > 1) {
      std::string outer = word(layout_.extent(0));
      for (int axis = 1; axis < inner - 1; ++axis) outer += " * " + word(layout_.extent(axis));
      text_.line("const i64 outer = ", outer, ";");
      text_.open("for (i64 z = blockIdx.z; z < outer; z += gridDim.z)");
      text_.line("i64 left = z;");
      for (int axis = inner - 2; axis >= 0; --axis) write_digit(axis);
    }
    if (inner > 0) {
      const int axis = inner - 1;
      text_.open("for (i64 y = blockIdx.y * (i64)blockDim.y + threadIdx.y; y < ", word(layout_.extent(axis)),
                 "; y += gridDim.y * (i64)blockDim.y)");
      text_.line("x.x[", axis, "] = ", word(layout_.lo(axis)), " + y;");
    }
    text_.line("const i64 column = blockIdx.x * (i64)blockDim.x + threadIdx.x;");
    text_.line("x.x[", inner, "] = ", word(layout_.lo(inner)), " + column;");
    text_.line("if (column < ", word(layout_.extent(inner)), ") call_body(call, x, 0);");
    for (int open = std::min(inner, 2); open >= 0; --open) text_.close();
  }

  void write_digit(int axis) {
    const std::string extent = word(layout_.extent(axis));
    text_.line("x.x[", axis, "] = ", word(layout_.lo(axis)), " + ",
               axis ? join("take_digit(left, ", extent, ")") : "left", ";");
  }

  void write_reduction() {
    text_.open("inline void run(const Words& call)");
    text_.line("const i64 parts = ", word(layout_.parts()), ";");
    text_.line("const i64 part = blockIdx.x * (i64)blockDim.x + threadIdx.x;");
    text_.line("if (part >= parts) return;");
    int array = 0;
    for (const BodyParameter& parameter : body_.parameters) {
      if (parameter.kind != BodyParameter::Kind::Array) continue;
      if (parameter.access == Access::Reduce) write_fill(parameter, array);
      ++array;
    }
    std::string points = word(layout_.extent(0));
    for (int axis = 1; axis < form_.rank; ++axis) points += " * " + word(layout_.extent(axis));
    text_.line("const i64 points = ", points, ";");
    text_.open("for (i64 point = part; point < points; point += parts)");
    text_.line("Point<", form_.rank, "> x;");
    text_.line("i64 left = point;");
    for (int axis = form_.rank - 1; axis >= 0; --axis) write_digit(axis);
    text_.line("call_body(call, x, part);");
    text_.close();
    text_.close();
  }

  void write_fill(const BodyParameter& parameter, int array) {
    const std::string type = memory_type(parameter.dtype);
    std::string cells = "1";
    for (int axis = 0; axis < parameter.rank; ++axis) cells += " * " + word(layout_.range(array, axis) + 1);
    const Fold fold = form_.arrays[static_cast<std::size_t>(array)].fold;
    text_.open("for (i64 cell = 0; cell < ", cells, "; ++cell)");
    text_.line("((", type, "*)(", word(layout_.base(array)), " + part * ", word(layout_.part_step(array)),
               "))[cell] = ", literal(parameter.dtype, identity(fold, parameter.dtype)), ";");
    text_.close();
  }

  const BodySource& body_;
  const BodyForm& form_;
  const BodyLayout layout_;
  SourceText text_;
};

std::uint32_t power_of_two(std::int64_t at_least, std::int64_t at_most) {
  std::uint32_t power = 1;
  while (power < at_least && power < at_most) power *= 2;
  return power;
}

std::uint32_t blocks(std::int64_t extent, std::int64_t block, std::int64_t most) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((extent + block - 1) / block, 1, most));
}

}  // namespace

std::string source_name(const BodySource& body) {
  return "the GPU body of " + escaped(body.name);
}
std::string call_name(const BodySource& body) {
  return "pilum's call of the GPU body of " + escaped(body.name);
}

std::string search_name(const BodySource& body) {
  return "pilum's search for body in " + source_name(body);
}

std::string signature_of(const BodySource& body, int rank) {
  std::string text = join("void body(pilum::Point<", rank, ">");
  for (const BodyParameter& parameter : body.parameters) text += ", " + parameter_name(parameter);
  return text + ")";
}

std::string parameter_name(const BodyParameter& parameter) {
  static constexpr const char* kIntegers[] = {"", "std::int8_t", "std::int16_t", "", "std::int32_t", "", "",
                                              "", "std::int64_t"};
  switch (parameter.kind) {
    case BodyParameter::Kind::Array: return array_type(parameter);
    case BodyParameter::Kind::Bool: return "bool";
    case BodyParameter::Kind::Integer:
      if (parameter.bytes <= 8) return kIntegers[parameter.bytes];
      break;
    case BodyParameter::Kind::Floating:
      if (parameter.bytes <= 8) return parameter.bytes == 4 ? "float" : "double";
      break;
    default: break;
  }
  return join("a value of ", parameter.bytes, " bytes");
}

std::string refusal_text() {
  return std::string(out_of_bounds_report()) + R"(
inline void refuse_picked(const Refusal& refusal, i64 index, i64 axis, i64 extent) {
  refuse<1>(refusal, 0, &index, &axis, &extent);
}
)";
}

std::string emit_device_body(const BodySource& body, const BodyForm& form) {
  return BodyEmitter(body, form).emit();
}

DeviceShape shape_of(const DeviceBodyCall& call) {
  DeviceShape shape;
  if (call.parts > 0) {
    constexpr std::uint32_t kFew = 32, kMany = 128;
    shape.block[0] = call.parts < kManyParts ? kFew : kMany;
    shape.grid[0] = blocks(call.parts, shape.block[0], INT32_MAX);
    return shape;
  }
  const std::size_t rank = call.extent.size();
  const std::int64_t threads = call.threads;
  shape.block[0] = power_of_two(call.extent[rank - 1], threads);
  shape.grid[0] = blocks(call.extent[rank - 1], shape.block[0], INT32_MAX);
  if (rank < 2) return shape;
  shape.block[1] = power_of_two(call.extent[rank - 2], threads / shape.block[0]);
  shape.grid[1] = blocks(call.extent[rank - 2], shape.block[1], kMaxRows);
  std::int64_t outer = 1;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) outer *= call.extent[axis];
  shape.grid[2] = blocks(outer, 1, kMaxRows);
  return shape;
}

void pack_body_call(const DeviceBodyCall& call, std::vector<std::uint64_t>& words) {
  const BodyLayout layout(call.body, call.form);
  words.assign(static_cast<std::size_t>(layout.size()), 0);
  const auto set = [&words](int place, auto value) {
    words[static_cast<std::size_t>(place)] = static_cast<std::uint64_t>(value);
  };
  const auto address = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  if (call.body.checked) {
    set(0, address(call.report));
    set(1, address(call.task));
    set(2, address(call.file));
    set(3, call.line);
  }
  for (int axis = 0; axis < call.form.rank; ++axis) {
    set(layout.lo(axis), call.lo[static_cast<std::size_t>(axis)]);
    set(layout.extent(axis), call.extent[static_cast<std::size_t>(axis)]);
  }
  set(layout.parts(), call.parts);
  int array = 0;
  for (const BodyParameter& parameter : call.body.parameters) {
    if (parameter.kind != BodyParameter::Kind::Array) continue;
    const BodyPlace& place = call.places[static_cast<std::size_t>(array)];
    const BodyForm::Array& form = call.form.arrays[static_cast<std::size_t>(array)];
    const auto size = static_cast<std::int64_t>(itemsize(parameter.dtype));
    set(layout.base(array), address(place.memory.base));
    if (parameter.access == Access::Reduce) set(layout.part_step(array), place.part_step);
    for (int axis = 0; axis < parameter.rank; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const BodyRange& range = place.ranges[a];
      const int at = layout.range(array, axis);
      if (BodyLayout::has_stride(form, axis)) {
        set(layout.stride(array, axis), place.memory.stride[a] / size);
      } else {
        PILUM_CHECK(place.memory.stride[a] == size, "array {} of {} is said to be contiguous", array, call.body.name);
      }
      switch (form.axes[a].kind) {
        case BodyAxis::Kind::Own: break;
        case BodyAxis::Kind::Fixed:
          set(at, range.lo);
          set(at + 1, range.hi);
          break;
        case BodyAxis::Kind::Window:
          set(at, range.scale);
          set(at + 1, range.offset);
          set(at + 2, range.extent);
          set(at + 3, range.size);
          break;
      }
    }
    ++array;
  }
  int scalar = layout.scalars();
  for (const std::uint64_t value : call.scalars) set(scalar++, value);
}

}  // namespace pilum::kernel
