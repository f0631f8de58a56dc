#include "tests/fakes/interpreting_jit.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/base/dtype_visit.h"
#include "tests/kernel/scalar_ops.h"

namespace pilum::fakes {
namespace {

using kernel::Kernel;
using kernel::KernelCall;
using kernel::Node;
using kernel::Op;

constexpr std::int64_t kPoints = 256;  // of a row, at once

using Column = std::array<std::uint64_t, 2 * kPoints>;  // a node's values at these points, each in the cell's own bytes

template <class T>
T* cells(Column& column) {
  return reinterpret_cast<T*>(column.data());
}
template <class T>
const T* cells(const Column& column) {
  return reinterpret_cast<const T*>(column.data());
}

class RowRun {
 public:
  RowRun(const Kernel& kernel, const KernelCall& call)
      : kernel_(kernel), call_(call), last_(kernel.rank - 1), columns_(kernel.nodes.size()) {}

  void all() {
    for (int axis = 0; axis < kernel_.rank; ++axis) {
      if (call_.extent[axis] == 0) return;
    }
    start_folds();
    do {
      for (x_[last_] = 0; x_[last_] < call_.extent[last_]; x_[last_] += count_) {
        count_ = std::min(kPoints, call_.extent[last_] - x_[last_]);
        row();
      }
      x_[last_] = 0;
    } while (next_row(0));
  }

 private:
  // The next place of all axes but the last one, the axes in `held` at 0; false after the last of them.
  bool next_row(unsigned held) {
    for (int axis = last_; axis-- > 0;) {
      if (held >> axis & 1) continue;
      if (++x_[axis] < call_.extent[axis]) return true;
      x_[axis] = 0;
    }
    return false;
  }

  const kernel::ArrayArgument& argument(int number) const { return kernel_.arrays[static_cast<std::size_t>(number)]; }
  Column& column(int node) { return columns_[static_cast<std::size_t>(node)]; }

  char* place(int argument) const {
    const kernel::BoundArray& array = call_.arrays[argument];
    char* place = array.base;
    for (int axis = 0; axis < kernel_.rank; ++axis) place += x_[axis] * array.stride[axis];
    return place;
  }
  std::int64_t step(int argument) const { return call_.arrays[argument].stride[last_]; }

  void start_folds() {
    for (const kernel::Accumulation& fold : kernel_.accumulations) {
      const unsigned reduced = fold.reduced_axes;
      const std::int64_t count = reduced >> last_ & 1 ? 1 : call_.extent[last_];
      const std::uint64_t start = kernel::start(fold.fold, argument(fold.argument).dtype);
      do {
        visit_real_dtype(argument(fold.argument).dtype, [&](auto value) {
          std::memcpy(static_cast<void*>(&value), &start, sizeof value);
          char* to = place(fold.argument);
          for (std::int64_t i = 0; i < count; ++i, to += step(fold.argument)) std::memcpy(to, &value, sizeof value);
        });
      } while (next_row(reduced));
    }
  }

  void row() {
    for (std::size_t k = 0; k < kernel_.nodes.size(); ++k) evaluate(kernel_.nodes[k], columns_[k]);
    for (const auto& [to, value] : kernel_.stores) store(to, column(value));
    for (const kernel::Accumulation& fold : kernel_.accumulations) accumulate(fold);
  }

  void store(int to, const Column& values) {
    visit_dtype(argument(to).dtype, [&](auto kind) {
      using T = decltype(kind);
      char* at = place(to);
      for (std::int64_t i = 0; i < count_; ++i, at += step(to)) std::memcpy(at, cells<T>(values) + i, sizeof(T));
    });
  }

  void accumulate(const kernel::Accumulation& fold) {
    visit_real_dtype(argument(fold.argument).dtype, [&](auto kind) {
      using T = decltype(kind);
      const T* values = cells<T>(column(fold.value));
      const Op op = kernel::test::op_of(fold.fold);
      char* at = place(fold.argument);
      for (std::int64_t i = 0; i < count_; ++i, at += step(fold.argument)) {
        T total;
        std::memcpy(&total, at, sizeof total);
        total = kernel::test::arithmetic<T>(op, total, values[i]);
        std::memcpy(at, &total, sizeof total);
      }
    });
  }

  void load(const Node& node, Column& to) {
    visit_dtype(node.dtype, [&](auto kind) {
      using T = decltype(kind);
      const char* from = place(node.argument);
      for (std::size_t k = 0; k < node.offset.size(); ++k)
        from += node.offset[k] * call_.arrays[node.argument].pitch[k];
      for (std::int64_t i = 0; i < count_; ++i, from += step(node.argument)) {
        if constexpr (std::is_same_v<T, bool>) {
          cells<T>(to)[i] = *reinterpret_cast<const unsigned char*>(from) != 0;
        } else {
          std::memcpy(cells<T>(to) + i, from, sizeof(T));
        }
      }
    });
  }

  void fill(DType dtype, std::uint64_t bits, Column& to) {
    visit_real_dtype(dtype, [&](auto value) {
      if constexpr (std::is_same_v<decltype(value), bool>) {
        value = (bits & 0xff) != 0;
      } else {
        std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
      }
      std::fill_n(cells<decltype(value)>(to), count_, value);
    });
  }

  void cast(const Node& node, Column& to) {
    visit_real_dtype(kernel_.nodes[static_cast<std::size_t>(node.a)].dtype, [&](auto kind) {
      const auto* from = cells<decltype(kind)>(column(node.a));
      visit_real_dtype(node.dtype, [&](auto wanted) {
        using T = decltype(wanted);
        for (std::int64_t i = 0; i < count_; ++i) {
          if constexpr (std::is_same_v<T, bool>) {
            cells<T>(to)[i] = from[i] != 0;
          } else {
            cells<T>(to)[i] = kernel::test::converted<T>(from[i]);
          }
        }
      });
    });
  }

  void select(const Node& node, Column& to) {
    visit_real_dtype(node.dtype, [&](auto kind) {
      using T = decltype(kind);
      const bool* condition = cells<bool>(column(node.a));
      const T *yes = cells<T>(column(node.b)), *no = cells<T>(column(node.c));
      for (std::int64_t i = 0; i < count_; ++i) cells<T>(to)[i] = condition[i] ? yes[i] : no[i];
    });
  }

  void ternary(const Node& node, Column& to) {
    using Word = std::int64_t;
    const Word *a = cells<Word>(column(node.a)), *b = cells<Word>(column(node.b)), *c = cells<Word>(column(node.c));
    if (node.op == Op::StandardNormal) {
      for (std::int64_t i = 0; i < count_; ++i) cells<double>(to)[i] = kernel::test::normal_function(a[i], b[i], c[i]);
      return;
    }
    for (std::int64_t i = 0; i < count_; ++i)
      cells<Word>(to)[i] = kernel::test::ternary_function(node.op, a[i], b[i], c[i]);
  }

  template <class T>
  void take_part(const Node& node, Column& to) {
    const auto* from = cells<std::complex<T>>(column(node.a));
    for (std::int64_t i = 0; i < count_; ++i) cells<T>(to)[i] = node.op == Op::Real ? from[i].real() : from[i].imag();
  }
  template <class T>
  void put_together(const Node& node, Column& to) {
    const T *re = cells<T>(column(node.a)), *im = cells<T>(column(node.b));
    for (std::int64_t i = 0; i < count_; ++i) cells<std::complex<T>>(to)[i] = {re[i], im[i]};
  }

  void to_half(const Node& node, Column& to) {
    for (std::int64_t i = 0; i < count_; ++i) cells<half>(to)[i] = half(cells<float>(column(node.a))[i]);
  }
  void from_half(const Node& node, Column& to) {
    for (std::int64_t i = 0; i < count_; ++i) cells<float>(to)[i] = cells<half>(column(node.a))[i];
  }

  void compute(const Node& node, Column& to) {
    const DType dtype = kernel_.nodes[static_cast<std::size_t>(node.a)].dtype;
    visit_real_dtype(dtype, [&](auto kind) {
      using T = decltype(kind);
      const T* a = cells<T>(column(node.a));
      if (node.b < 0) {
        for (std::int64_t i = 0; i < count_; ++i) cells<T>(to)[i] = kernel::test::unary<T>(node.op, a[i]);
        return;
      }
      const T* b = cells<T>(column(node.b));
      if (kernel::test::compares(node.op)) {
        for (std::int64_t i = 0; i < count_; ++i) cells<bool>(to)[i] = kernel::test::comparison<T>(node.op, a[i], b[i]);
      } else {
        for (std::int64_t i = 0; i < count_; ++i) cells<T>(to)[i] = kernel::test::arithmetic<T>(node.op, a[i], b[i]);
      }
    });
  }

  void evaluate(const Node& node, Column& to) {
    switch (node.op) {
      case Op::Load: return load(node, to);
      case Op::Index:
        for (std::int64_t i = 0; i < count_; ++i)
          cells<std::int64_t>(to)[i] = call_.lo[node.axis] + x_[node.axis] + (node.axis == last_ ? i : 0);
        return;
      case Op::Argument: return fill(node.dtype, call_.scalars[node.argument], to);
      case Op::Constant: return fill(node.dtype, node.bits, to);
      case Op::Cast: return cast(node, to);
      case Op::Select: return select(node, to);
      case Op::Real:
      case Op::Imaginary:
        return node.dtype == DType::Float32 ? take_part<float>(node, to) : take_part<double>(node, to);
      case Op::Complex:
        return node.dtype == DType::Complex64 ? put_together<float>(node, to) : put_together<double>(node, to);
      case Op::ToHalf: return to_half(node, to);
      case Op::FromHalf: return from_half(node, to);
      case Op::PhiloxLow:
      case Op::PhiloxHigh:
      case Op::StandardNormal: return ternary(node, to);
      default: return compute(node, to);
    }
  }

  const Kernel& kernel_;
  const KernelCall& call_;
  const int last_;
  std::vector<Column> columns_;
  std::int64_t x_[8] = {};
  std::int64_t count_ = 0;
};

// A compiled kernel is a function without an object: as many functions as there may be kernels, each with its own.
constexpr std::size_t kMaxKernels = 4096;
std::array<const Kernel*, kMaxKernels> interpreted;

template <std::size_t number>
void run_interpreted(const KernelCall* call) {
  for (std::int64_t c = 0; c <= call->more; ++c) RowRun(*interpreted[number], call[c]).all();
}

template <std::size_t... numbers>
constexpr std::array<kernel::KernelFunction, sizeof...(numbers)> functions_of(std::index_sequence<numbers...>) {
  return {run_interpreted<numbers>...};
}
constexpr auto kFunctions = functions_of(std::make_index_sequence<kMaxKernels>());

class InterpretedKernel final : public jit::HostKernel {
 public:
  InterpretedKernel(const Kernel& kernel, std::size_t number)
      : kernel_(kernel), text_(kernel::print(kernel)), number_(number) {
    interpreted[number] = &kernel_;
  }
  bool ready() const override { return true; }
  const std::string& source() const override { return text_; }
  kernel::KernelFunction function() const override { return kFunctions[number_]; }
  const Kernel& kernel() const { return kernel_; }

 private:
  const Kernel kernel_;
  const std::string text_;
  const std::size_t number_;
};

class InterpretingJit final : public jit::Jit {
 public:
  std::shared_ptr<const jit::HostKernel> get_host(const Kernel& kernel, const kernel::EmitOptions&) override {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = kernels_.equal_range(kernel::hash(kernel));
    for (auto known = first; known != last; ++known) {
      if (known->second->kernel() == kernel) return known->second;
    }
    if (kernels_.size() == kMaxKernels) throw std::logic_error("more kernels than there are functions to run them");
    auto made = std::make_shared<const InterpretedKernel>(kernel, kernels_.size());
    kernels_.emplace(kernel::hash(kernel), made);
    return made;
  }
  bool is_quick() override { return true; }
  jit::JitStatistics statistics() const override { return {}; }

 private:
  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::shared_ptr<const InterpretedKernel>> kernels_;
};

}  // namespace

std::shared_ptr<jit::Jit> interpreting_jit() {
  static const std::shared_ptr<jit::Jit> jit = std::make_shared<InterpretingJit>();
  return jit;
}

}  // namespace pilum::fakes
