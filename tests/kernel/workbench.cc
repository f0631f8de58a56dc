#include "tests/kernel/workbench.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "runtime/base/dtype_visit.h"
#include "tests/kernel/interpreter.h"

namespace pilum::kernel::test {
namespace {

template <class T>
T any_number(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random() & 1;
  } else if constexpr (std::is_integral_v<T>) {
    static constexpr T kEdges[] = {0, 1, static_cast<T>(-1), std::numeric_limits<T>::max(),
                                   std::numeric_limits<T>::min()};
    return random() % 4 ? static_cast<T>(random()) : kEdges[random() % std::size(kEdges)];
  } else if constexpr (std::is_same_v<T, half>) {
    static constexpr std::uint16_t kEdges[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x0001, 0x8400, 0x3c00};
    return half::from_bits(random() % 3 ? static_cast<std::uint16_t>(random()) : kEdges[random() % std::size(kEdges)]);
  } else {
    using Limits = std::numeric_limits<T>;
    const T edges[] = {T{0},
                       -T{0},
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::denorm_min(),
                       -Limits::min(),
                       T{1}};
    if (random() % 3 == 0) return edges[random() % std::size(edges)];
    return std::ldexp(static_cast<T>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 60) - 80);
  }
}

template <class T>
void fill_as(Field& field, Numbers numbers, std::mt19937_64& random) {
  for (std::size_t i = 0; i < field.bytes.size() / sizeof(T); ++i) {
    const T value =
        numbers == Numbers::Any ? any_number<T>(random) : static_cast<T>(static_cast<int>(random() % 19) - 9);
    std::memcpy(field.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

std::size_t start_of_lines(const std::vector<char>& bytes) {
  return -reinterpret_cast<std::uintptr_t>(bytes.data()) % 64;
}

// The fields' cells, copied to the same place relative to cache lines: a copied vector may lie elsewhere.
struct Memory {
  std::vector<std::vector<char>> buffers;
  std::vector<char*> starts;

  explicit Memory(const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      buffers.emplace_back(field.bytes.size() + 128);
      char* line = buffers.back().data() + start_of_lines(buffers.back());
      starts.push_back(line + (field.shift * static_cast<std::int64_t>(itemsize(field.dtype))) % 64);
      std::memcpy(starts.back(), field.bytes.data(), field.bytes.size());
    }
  }
};

template <class T>
bool close_enough(T a, T b, double ulps, double relative) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::memcmp(&a, &b, sizeof a) == 0) return true;
  if (ulps == 0 && relative == 0) return false;
  if (a == b) return true;
  if (std::isinf(a) || std::isinf(b)) return false;
  const T size = std::max(std::fabs(a), std::fabs(b));
  const T ulp = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return std::fabs(a - b) <= std::max<T>(static_cast<T>(ulps) * ulp, static_cast<T>(relative) * std::max<T>(size, 1));
}

// So many halves apart at most, of one sign.
bool close_halves(half a, half b, double ulps) {
  if (a != a || b != b) return a != a && b != b;
  return a.bits() == b.bits() || (ulps > 0 && std::abs(a.bits() - b.bits()) <= std::ceil(ulps));
}

template <class T>
std::string difference_as(const Field& a, const Field& b, double ulps, double relative) {
  for (std::size_t i = 0; i < a.bytes.size() / sizeof(T); ++i) {
    T x, y;
    std::memcpy(&x, a.bytes.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&y, b.bytes.data() + i * sizeof(T), sizeof(T));
    bool same;
    if constexpr (std::is_same_v<T, half>) {
      same = close_halves(x, y, ulps);
    } else if constexpr (std::is_floating_point_v<T>) {
      same = close_enough(x, y, ulps, relative);
    } else {
      same = x == y;
    }
    if (same) continue;
    std::ostringstream text;
    text.precision(17);
    text << name(a.dtype) << " cell " << i << ": " << +x << " and " << +y;
    return text.str();
  }
  return {};
}

}  // namespace

Field Field::make(DType dtype, const std::vector<std::int64_t>& extent, std::int64_t shift, std::int64_t margin) {
  Field field;
  field.dtype = dtype;
  field.rank = static_cast<int>(extent.size());
  field.margin = margin;
  field.shift = shift;
  std::int64_t pitch = static_cast<std::int64_t>(itemsize(dtype));
  for (std::size_t axis = extent.size(); axis-- > 0;) {
    field.extent[axis] = extent[axis];
    field.pitch[axis] = pitch;
    pitch *= extent[axis] + 2 * margin + (axis + 1 == extent.size() ? 3 : 0);
  }
  field.bytes.resize(static_cast<std::size_t>(pitch));
  return field;
}

char* Field::cell(const std::array<std::int64_t, 8>& x) {
  char* place = bytes.data();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(rank); ++axis) place += (x[axis] + margin) * pitch[axis];
  return place;
}

void fill(Field& field, Numbers numbers, std::mt19937_64& random) {
  visit_real_dtype(detail::part_of(field.dtype),
                   [&]<class T>(T) { fill_as<T>(field, std::is_same_v<T, bool> ? Numbers::Any : numbers, random); });
}

Binding Binding::identity(int field, int rank) {
  Binding binding;
  binding.field = field;
  for (int axis = 0; axis < rank; ++axis) {
    binding.axis[static_cast<std::size_t>(axis)] = axis;
    binding.step[static_cast<std::size_t>(axis)] = 1;
  }
  return binding;
}

Binding Binding::folded(int field, int rank, unsigned reduced) {
  Binding binding;
  binding.field = field;
  int kept = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (reduced >> axis & 1) continue;
    binding.axis[static_cast<std::size_t>(axis)] = kept++;
    binding.step[static_cast<std::size_t>(axis)] = 1;
  }
  return binding;
}

std::vector<std::int64_t> kept_extent(const std::vector<std::int64_t>& extent, unsigned reduced) {
  std::vector<std::int64_t> kept;
  for (std::size_t axis = 0; axis < extent.size(); ++axis)
    if (!(reduced >> axis & 1)) kept.push_back(extent[axis]);
  if (kept.empty()) kept.push_back(1);
  return kept;
}

std::vector<Field> run_with(const Problem& problem, const std::function<void(const KernelCall&)>& function) {
  Memory memory(problem.fields);
  std::vector<BoundArray> arrays;
  for (const Binding& binding : problem.bindings) {
    Field field = problem.fields[static_cast<std::size_t>(binding.field)];
    BoundArray array{};
    array.base =
        memory.starts[static_cast<std::size_t>(binding.field)] + (field.cell(binding.start) - field.bytes.data());
    for (std::size_t a = 0; a < 8; ++a) {
      if (binding.axis[a] >= 0)
        array.stride[a] = binding.step[a] * field.pitch[static_cast<std::size_t>(binding.axis[a])];
      array.pitch[a] = field.pitch[a];
    }
    arrays.push_back(array);
  }
  KernelCall call{};
  std::copy(problem.lo.begin(), problem.lo.end(), call.lo);
  std::copy(problem.extent.begin(), problem.extent.end(), call.extent);
  call.arrays = arrays.data();
  call.scalars = problem.scalars.data();
  function(call);
  std::vector<Field> result = problem.fields;
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::memcpy(result[i].bytes.data(), memory.starts[i], result[i].bytes.size());
  }
  return result;
}

std::vector<Field> run_interpreted(const Problem& problem) {
  return run_with(problem, [&](const KernelCall& call) { interpret(problem.kernel, call); });
}

std::vector<Field> run_compiled(const Problem& problem, const EmitOptions& options, const std::string& compiler) {
  const KernelFunction function = shared_jit(compiler).get_host(problem.kernel, options)->function();
  return run_with(problem, [&](const KernelCall& call) { function(&call); });
}

std::vector<Field> run_quick(const Problem& problem, const EmitOptions& options) {
  const KernelFunction function = shared_jit("", jit::CodeForm::Baseline).get_host(problem.kernel, options)->function();
  return run_with(problem, [&](const KernelCall& call) { function(&call); });
}

std::string difference(const std::vector<Field>& a, const std::vector<Field>& b, double ulps, double relative) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string text = visit_real_dtype(detail::part_of(a[i].dtype), [&]<class T>(T) {
      using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
      return difference_as<Stored>(a[i], b[i], ulps, relative);
    });
    if (!text.empty()) return "field " + std::to_string(i) + ", " + text;
  }
  return {};
}

jit::Jit& shared_jit(const std::string& compiler, jit::CodeForm form) {
  static std::map<std::pair<std::string, jit::CodeForm>, std::unique_ptr<jit::Jit>> jits;
  std::unique_ptr<jit::Jit>& jit = jits[{compiler, form}];
  if (!jit) {
    jit::JitOptions options;
    options.compiler = compiler;
    options.disk_cache = false;
    options.threads = 0;
    options.form = form;
#ifdef PILUM_SANITIZE
    options.sanitize = PILUM_SANITIZE;
#endif
    jit = jit::make_jit(options);
  }
  return *jit;
}

}  // namespace pilum::kernel::test
