#include "tests/fakes/naive_recorder.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

#include "runtime/base/check.h"
#include "runtime/base/dtype_visit.h"
#include "runtime/kernel/ir/op_facts.h"
#include "scheduler/record/task_launch.h"
#include "tests/kernel/scalar_ops.h"

namespace pilum::fakes {
namespace {

using scheduler::Operation;
using scheduler::View;

using Coordinates = std::vector<std::int64_t>;

void for_each_point(const Shape& shape, const std::function<void(const Coordinates&)>& visit) {
  if (shape.elements() == 0) return;
  Coordinates point(static_cast<std::size_t>(shape.rank()), 0);
  while (true) {
    visit(point);
    int axis = shape.rank() - 1;
    while (axis >= 0 && ++point[static_cast<std::size_t>(axis)] == shape[axis])
      point[static_cast<std::size_t>(axis--)] = 0;
    if (axis < 0) return;
  }
}

template <class To>
To read_as(const std::byte* cell, DType dtype) {
  const auto load = [cell]<class T>(T value) {
    std::memcpy(&value, cell, sizeof value);
    return kernel::test::converted<To>(value);
  };
  return visit_dtype(dtype, load);
}

template <class From>
void write_as(std::byte* cell, DType dtype, From value) {
  const auto put = [&]<class T>(T) {
    const T stored = kernel::test::converted<T>(value);
    std::memcpy(cell, &stored, sizeof stored);
  };
  return visit_dtype(dtype, put);
}

// Integers wrap: they are added, subtracted and multiplied without a sign.
template <class C>
auto unsigned_of(C value) {
  return static_cast<std::make_unsigned_t<C>>(value);
}
template <class C>
C add(C a, C b) {
  if constexpr (std::is_integral_v<C>)
    return static_cast<C>(unsigned_of(a) + unsigned_of(b));
  else
    return static_cast<C>(a + b);
}
template <class C>
C subtract(C a, C b) {
  if constexpr (std::is_integral_v<C>)
    return static_cast<C>(unsigned_of(a) - unsigned_of(b));
  else
    return static_cast<C>(a - b);
}
template <class C>
C multiply(C a, C b) {
  if constexpr (std::is_integral_v<C>)
    return static_cast<C>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return static_cast<C>(a * b);
}
template <class C>
C power(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) {
    return std::pow(a, b);
  } else {
    C product = 1;
    for (; b > 0; b /= 2) {
      if (b % 2) product = multiply(product, a);
      a = multiply(a, a);
    }
    return product;
  }
}
template <class C>
C smaller(C a, C b) {
  if (a != a) return a;
  if (b != b) return b;
  return b < a ? b : a;
}
template <class C>
C larger(C a, C b) {
  if (a != a) return a;
  if (b != b) return b;
  return a < b ? b : a;
}

// The rest of a division rounded down, which has the divisor's sign; CPython's float.__mod__, and NumPy's of integers.
template <class C>
C remainder(C a, C b) {
  if constexpr (std::is_floating_point_v<C>) {
    const C rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(C(0), b);
    return (rest < 0) == (b < 0) ? rest : rest + b;
  } else {
    if (b == 0 || (std::is_signed_v<C> && b == static_cast<C>(-1))) return 0;
    const C rest = a % b;
    return rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  }
}

template <class C>
C arithmetic(kernel::Op op, C a, C b) {
  using kernel::Op;
  if constexpr (kernel::test::is_complex_number<C>) {
    return kernel::test::complex_arithmetic(op, a, b);
  } else if constexpr (std::is_same_v<C, half>) {
    if (op == Op::Nextafter) return kernel::test::next_half(a, b);
    return half(arithmetic<float>(op, a, b));
  } else if constexpr (std::is_same_v<C, bool>) {
    if (op == Op::Cast) return a;
    if (op == Op::Not) return !a;
    if (op == Op::And) return a && b;
    if (op == Op::Or) return a || b;
    if (op == Op::Xor) return a != b;
    PILUM_CHECK(false, "a bool operation {}", kernel::name(op));
  } else {
    if constexpr (std::is_floating_point_v<C>) {
      if (op == Op::Sqrt) return std::sqrt(a);
      if (kernel::is_function(op) && op != Op::Remainder && op != Op::Power)
        return op <= Op::LogGamma ? kernel::test::float_function(op, a) : kernel::test::float_function(op, a, b);
      if (op == Op::Divide) return a / b;
      if (op == Op::Remainder) return remainder(a, b);
    } else {
      if (op == Op::Remainder) return remainder(a, b);
      if (kernel::is_function(op) && op != Op::Power) return kernel::test::integer_function(op, a, b);
      if (op == Op::Not) return static_cast<C>(~a);
      if (op == Op::And) return a & b;
      if (op == Op::Or) return a | b;
      if (op == Op::Xor) return a ^ b;
    }
    switch (op) {
      case Op::Cast: return a;
      case Op::Negate: return std::is_integral_v<C> ? subtract(C(0), a) : -a;
      case Op::Absolute:
        if constexpr (std::is_floating_point_v<C>) return std::abs(a);
        return a < 0 ? subtract(C(0), a) : a;
      case Op::Add: return add(a, b);
      case Op::Subtract: return subtract(a, b);
      case Op::Multiply: return multiply(a, b);
      case Op::Power: return power(a, b);
      case Op::Minimum: return smaller(a, b);
      case Op::Maximum: return larger(a, b);
      default: PILUM_CHECK(false, "an operation {}", kernel::name(op));
    }
  }
  return a;
}

template <class C>
bool comparison(kernel::Op op, C a, C b) {
  if (op == kernel::Op::Equal) return a == b;
  if (op == kernel::Op::NotEqual) return a != b;
  if constexpr (kernel::test::is_complex_number<C>) {
    return kernel::test::complex_compare(op, a, b);
  } else {
    switch (op) {
      case kernel::Op::Less: return a < b;
      case kernel::Op::LessEqual: return a <= b;
      case kernel::Op::Greater: return a > b;
      default: return a >= b;
    }
  }
}

// What changes nothing.
template <class C>
C fold_identity(kernel::Fold fold) {
  using Limits = std::numeric_limits<C>;
  switch (fold) {
    case kernel::Fold::Sum: return detail::kIsFloating<C> ? C(-0.0) : C(0);
    case kernel::Fold::Product: return C(1);
    case kernel::Fold::Minimum: return Limits::has_infinity ? Limits::infinity() : Limits::max();
    default: return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
}

// As NumPy's: a sum of -0.0 alone is 0.0.
template <class C>
C fold_start(kernel::Fold fold) {
  return fold == kernel::Fold::Sum ? C(0) : fold_identity<C>(fold);
}

template <class C>
C folded(kernel::Fold fold, C a, C b) {
  switch (fold) {
    case kernel::Fold::Sum: return add(a, b);
    case kernel::Fold::Product: return multiply(a, b);
    case kernel::Fold::Minimum: return smaller(a, b);
    default: return larger(a, b);
  }
}

}  // namespace

// The cell of a view's point, checked against its store.
struct NaiveRecorder::Access {
  Access(std::map<StoreId, Memory>& memory, const View& view) : view(view) {
    const auto found = memory.find(view.store->id);
    PILUM_CHECK(found != memory.end(), "store {} was dropped", view.store->id.value);
    bytes = &found->second.bytes;
  }
  std::byte* cell(const Coordinates& point) const {
    PILUM_CHECK(static_cast<int>(point.size()) == view.map.view_rank && view.shape.rank() == view.map.view_rank);
    std::int64_t place = 0;
    for (int k = 0; k < view.map.store_rank; ++k) {
      const auto& axis = view.map[k];
      const std::int64_t x =
          axis.offset + (axis.axis < 0 ? 0 : axis.scale * point[static_cast<std::size_t>(axis.axis)]);
      PILUM_CHECK(x >= 0 && x < view.store->shape[k], "cell {} of axis {}", x, k);
      place = place * view.store->shape[k] + x;
    }
    return bytes->data() + place * static_cast<std::int64_t>(itemsize(view.store->dtype));
  }
  const View& view;
  std::vector<std::byte>* bytes;
};

NaiveRecorder::NaiveRecorder() : before_(scheduler::set_current_recorder(this)) {}

NaiveRecorder::~NaiveRecorder() {
  for (auto& [id, memory] : memory_) memory.store->recorder = nullptr;
  scheduler::set_current_recorder(before_);
}

scheduler::StoreRef NaiveRecorder::make_store(const Shape& shape, DType dtype, const char* operation,
                                              std::source_location where) {
  auto* store = new scheduler::Store;
  store->id = StoreId{next_id_++};
  store->shape = shape;
  store->dtype = dtype;
  store->operation = operation;
  store->where = where;
  store->recorder = this;
  scheduler::StoreRef reference(store);
  const auto size = static_cast<std::size_t>(shape.elements()) * itemsize(dtype);
  memory_.emplace(store->id, Memory{reference, std::vector<std::byte>(size)});
  return reference;
}

void NaiveRecorder::record(Operation&& operation) {
  if (const View* output = operation.output())
    PILUM_CHECK(output->shape.elements() > 0, "{} over nothing", operation.name);
  Recorded& recorded = recorded_.emplace_back(Recorded{operation.name, operation.where});
  recorded.is_reshape = std::holds_alternative<scheduler::ReshapedCopy>(operation.what);
  if (const auto* elementwise = operation.elementwise()) {
    recorded.op = elementwise->op;
    recorded.compute = elementwise->compute;
  }
  std::visit([this](const auto& what) { run(what); }, operation.what);
  if (joined_.empty()) return;
  scheduler::for_each_view(operation, [this](const View& view, bool write) {
    if (write) spread(*view.store, joined_.size());
  });
}

void NaiveRecorder::run(const scheduler::Elementwise& elementwise) {
  if (elementwise.op == kernel::Op::Complex) return put_together(elementwise);
  if (elementwise.op == kernel::Op::StandardNormal) return draw_normal(elementwise);
  visit_dtype(elementwise.compute, [&]<class C>(C) { compute<C>(elementwise); });
}

void NaiveRecorder::put_together(const scheduler::Elementwise& elementwise) {
  const auto part = [&](std::size_t k, const Coordinates& point) {
    const scheduler::Operand& input = elementwise.inputs[k];
    if (!input.is_view())
      return read_as<double>(reinterpret_cast<const std::byte*>(&input.scalar.bits), input.scalar.dtype);
    return read_as<double>(Access(memory_, input.view).cell(point), input.view.store->dtype);
  };
  const Access output(memory_, elementwise.output);
  for_each_point(elementwise.output.shape, [&](const Coordinates& point) {
    write_as(output.cell(point), elementwise.output.store->dtype, std::complex<double>(part(0, point), part(1, point)));
  });
}

void NaiveRecorder::draw_normal(const scheduler::Elementwise& elementwise) {
  const Access output(memory_, elementwise.output);
  for_each_point(elementwise.output.shape, [&](const Coordinates& point) {
    const auto word = [&](std::size_t k) {
      const scheduler::Operand& input = elementwise.inputs[k];
      if (!input.is_view()) return static_cast<std::int64_t>(input.scalar.bits);
      return read_as<std::int64_t>(Access(memory_, input.view).cell(point), input.view.store->dtype);
    };
    write_as<double>(output.cell(point), elementwise.output.store->dtype,
                     kernel::test::normal_function(word(0), word(1), word(2)));
  });
}

template <class C>
void NaiveRecorder::compute(const scheduler::Elementwise& elementwise) {
  const auto input_at = [&]<class T>(std::size_t k, const Coordinates& point, T) -> T {
    if (k >= elementwise.inputs.size()) return T();
    const scheduler::Operand& input = elementwise.inputs[k];
    if (!input.is_view()) return read_as<T>(reinterpret_cast<const std::byte*>(&input.scalar.bits), input.scalar.dtype);
    PILUM_CHECK(input.view.shape == elementwise.output.shape, "{}: input {} is not broadcast",
                kernel::name(elementwise.op), k);
    return read_as<T>(Access(memory_, input.view).cell(point), input.view.store->dtype);
  };
  std::vector<C> results;  // all inputs are read before a cell is written
  for_each_point(elementwise.output.shape, [&](const Coordinates& point) {
    if (elementwise.op == kernel::Op::Index) {
      results.push_back(static_cast<C>(point[static_cast<std::size_t>(elementwise.axis)]));
    } else if (elementwise.op == kernel::Op::Select) {
      results.push_back(input_at(0, point, bool()) ? input_at(1, point, C()) : input_at(2, point, C()));
    } else if (elementwise.inputs.size() == 3) {
      const auto word = [&](std::size_t k) { return input_at(k, point, std::int64_t()); };
      results.push_back(static_cast<C>(kernel::test::ternary_function(elementwise.op, word(0), word(1), word(2))));
    } else if (is_comparison(elementwise.op)) {
      results.push_back(
          static_cast<C>(comparison<C>(elementwise.op, input_at(0, point, C()), input_at(1, point, C()))));
    } else {
      results.push_back(arithmetic<C>(elementwise.op, input_at(0, point, C()), input_at(1, point, C())));
    }
  });
  const Access output(memory_, elementwise.output);
  std::size_t next = 0;
  for_each_point(elementwise.output.shape, [&](const Coordinates& point) {
    write_as<C>(output.cell(point), elementwise.output.store->dtype, results[next++]);
  });
}

void NaiveRecorder::run(const scheduler::Reduction& reduction) {
  visit_real_dtype(reduction.output.store->dtype, [&]<class C>(C) {
    if constexpr (!std::is_same_v<C, bool>) return reduce<C>(reduction);
    PILUM_CHECK(false, "a fold of bools");
  });
}

template <class C>
void NaiveRecorder::reduce(const scheduler::Reduction& reduction) {
  const View& from = reduction.input;
  const Access input(memory_, from);
  std::map<Coordinates, C> folds;
  for_each_point(from.shape, [&](const Coordinates& point) {
    Coordinates kept;
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      if (!(reduction.reduced_axes >> axis & 1)) kept.push_back(point[axis]);
    }
    const auto place = folds.emplace(kept, fold_start<C>(reduction.fold)).first;
    place->second = folded<C>(reduction.fold, place->second, read_as<C>(input.cell(point), from.store->dtype));
  });
  const Access output(memory_, reduction.output);
  for (const auto& [point, value] : folds) write_as<C>(output.cell(point), reduction.output.store->dtype, value);
}

void NaiveRecorder::run(const scheduler::ReshapedCopy& copy) {
  std::vector<std::byte> cells;
  const View& from = copy.input;
  const std::size_t size = itemsize(from.store->dtype);
  const Access input(memory_, from);
  for_each_point(from.shape, [&](const Coordinates& point) {
    cells.insert(cells.end(), input.cell(point), input.cell(point) + size);
  });
  write_cells(copy.output, cells);
}

void NaiveRecorder::run(const scheduler::Import& import) {
  write_cells(import.output, *import.cells);
}

void NaiveRecorder::write_cells(const View& view, const std::vector<std::byte>& cells) {
  const std::size_t size = itemsize(view.store->dtype);
  PILUM_CHECK(cells.size() == size * static_cast<std::size_t>(view.shape.elements()));
  const Access output(memory_, view);
  std::size_t next = 0;
  for_each_point(view.shape, [&](const Coordinates& point) {
    std::memcpy(output.cell(point), cells.data() + next, size);
    next += size;
  });
}

// One call of the body, for the whole domain.
void NaiveRecorder::run(const scheduler::TaskCall& call) {
  const scheduler::TaskLaunch& launch = *call.launch;
  std::vector<detail::BoundStore> stores;
  std::vector<std::vector<std::byte>> read_before;  // the values from before the launch
  read_before.reserve(launch.arguments.size());
  for (const scheduler::Argument& argument : launch.arguments) {
    const scheduler::Footprint& footprint = argument.footprint;
    const std::size_t size = itemsize(footprint.dtype);
    std::vector<std::byte>& bytes = memory_.at(argument.view.store->id).bytes;
    if (footprint.access == kernel::Access::Reduce) {
      const auto fill = [&]<class C>(C) {
        const C start = fold_identity<C>(footprint.fold);
        for (std::size_t at = 0; at < bytes.size(); at += sizeof start)
          std::memcpy(bytes.data() + at, &start, sizeof start);
      };
      if (footprint.dtype == DType::Int32) fill(std::int32_t());
      if (footprint.dtype == DType::Int64) fill(std::int64_t());
      if (footprint.dtype == DType::Float32) fill(float());
      if (footprint.dtype == DType::Float64) fill(double());
    }
    std::byte* memory = bytes.data();
    if (footprint.access == kernel::Access::Read) memory = read_before.emplace_back(bytes).data();
    detail::BoundStore& store = stores.emplace_back();
    std::int64_t pitch = 1, first = 0;
    for (int k = argument.view.map.store_rank - 1; k >= 0; --k) {
      const auto& axis = argument.view.map[k];
      first += axis.offset * pitch;
      if (axis.axis >= 0) store.stride[static_cast<std::size_t>(axis.axis)] = axis.scale * pitch;
      pitch *= argument.view.store->shape[k];
    }
    for (std::size_t k = 0; k < static_cast<std::size_t>(footprint.shape.rank()); ++k) {
      const std::int64_t extent = footprint.shape[static_cast<int>(k)];
      const AxisCells window = footprint.window(static_cast<int>(k));
      std::vector<bool> touched(static_cast<std::size_t>(extent), footprint.function() != nullptr);
      const std::int64_t points = window.axis < 0 ? 1 : launch.domain.extent(window.axis);
      for (std::int64_t x = 0; x < points; ++x) {
        for (std::int64_t i = 0; i < window.extent; ++i) {
          const std::int64_t cell = window.offset + (window.axis < 0 ? 0 : window.scale * x) + i;
          if (cell >= 0 && cell < extent) touched[static_cast<std::size_t>(cell)] = true;
        }
      }
      while (store.lo[k] < extent && !touched[static_cast<std::size_t>(store.lo[k])]) ++store.lo[k];
      store.hi[k] = extent;
      while (store.hi[k] > store.lo[k] && !touched[static_cast<std::size_t>(store.hi[k] - 1)]) --store.hi[k];
      first += store.lo[k] * store.stride[k];
    }
    store.first = memory + first * static_cast<std::int64_t>(size);
  }
  const Piece domain(launch.domain.rank, launch.domain.lo, launch.domain.hi);
  launch.body->run({domain, stores.data(), call.scalars.words().data()});
}

void NaiveRecorder::drop(scheduler::Store& store) noexcept {
  dropped_.insert(store.id);
  forget_dropped();
}

// One between two others stays as long as these.
void NaiveRecorder::forget_dropped() {
  const auto joined = [this](StoreId id) {
    return std::count_if(joined_.begin(), joined_.end(),
                         [id](const auto& pair) { return pair.first.store->id == id || pair.second.store->id == id; });
  };
  for (;;) {
    const auto gone = std::find_if(dropped_.begin(), dropped_.end(), [&](StoreId id) { return joined(id) < 2; });
    if (gone == dropped_.end()) return;
    const StoreId id = *gone;
    dropped_.erase(gone);
    std::erase_if(joined_,
                  [id](const auto& pair) { return pair.first.store->id == id || pair.second.store->id == id; });
    memory_.erase(id);
  }
}

void NaiveRecorder::join(const View& view, const scheduler::StoreRef& other, std::source_location) {
  joined_.emplace_back(view, scheduler::whole(other));
}

void NaiveRecorder::separate(scheduler::Store& other) noexcept {
  std::erase_if(joined_, [&](const auto& pair) { return pair.second.store->id == other.id; });
}

void NaiveRecorder::spread(const scheduler::Store& written, std::size_t but) {
  for (std::size_t k = 0; k < joined_.size(); ++k) {
    const auto& [view, other] = joined_[k];
    if (k == but) continue;
    if (view.store->id == written.id) {
      write_cells(other, read_cells(view));
      spread(*other.store, k);
    } else if (other.store->id == written.id) {
      write_cells(view, read_cells(other));
      spread(*view.store, k);
    }
  }
}

std::vector<std::byte> NaiveRecorder::fetch(const View& view, const char*, std::source_location) {
  cells_fetched_ += view.shape.elements();
  return read_cells(view);
}

std::vector<std::byte> NaiveRecorder::read_cells(const View& view) {
  std::vector<std::byte> cells;
  const std::size_t size = itemsize(view.store->dtype);
  const Access input(memory_, view);
  for_each_point(view.shape, [&](const Coordinates& point) {
    cells.insert(cells.end(), input.cell(point), input.cell(point) + size);
  });
  return cells;
}

}  // namespace pilum::fakes
