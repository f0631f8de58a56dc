#include "pilum/creation.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>

#include "numeric/elementwise.h"
#include "numeric/field_order.h"
#include "numeric/listed_cells.h"
#include "numeric/nested.h"
#include "numeric/record.h"
#include "numeric/shapes.h"
#include "pilum/math.h"
#include "runtime/base/dtype_visit.h"

namespace pilum::numeric {
namespace {

Array fill(const Call& call, const Shape& shape, const Operand& value, DType dtype) {
  const Operand* const operands[] = {&value};
  return record_new(call, Rule{kernel::Op::Cast, dtype, dtype}, operands, shape);
}

Array apply(const Call& call, kernel::Op op, const Array& array, const Operand& number, DType dtype) {
  const Operand operand(array, call.where);
  const Operand* const operands[] = {&operand, &number};
  return record_new(call, Rule{op, dtype, dtype}, operands);
}

bool is(const Operand& number, double value) {
  return value_of(number) == value;
}

// numbers * step + start, without what changes nothing: 0.0 is added where it makes 0.0 of -0.0, that is 0 * step.
Array scaled(const Call& call, Array numbers, const Operand& start, const Operand& step, DType dtype) {
  if (!is(step, 1)) numbers = apply(call, kernel::Op::Multiply, numbers, step, dtype);
  if (!is(start, 0) || std::signbit(value_of(step))) numbers = apply(call, kernel::Op::Add, numbers, start, dtype);
  return numbers;
}

// start + k * step for k in 0 … count - 1, computed in `dtype`, as NumPy does: the first one is `start` itself, be it
// -0.0 or the step not finite.
Array progression(const Call& call, std::int64_t count, const Operand& start, const Operand& step, DType dtype) {
  static_cast<void>(to_scalar(call, start, dtype));  // refused before anything is recorded
  if (count == 1) return fill(call, Shape{1}, start, dtype);
  const Scalar distance = to_scalar(call, step, dtype);
  Array numbers = scaled(call, record_index(call, Shape{count}, 0, dtype), start, step, dtype);
  const bool negative_zero = is(start, 0) && std::signbit(value_of(start));
  const bool finite = std::isfinite(pilum::cast(distance, DType::Float64).as<double>());
  if (count > 0 && is_floating(dtype) && (negative_zero || !finite)) numbers(Index(0, call.where)) = start;
  return numbers;
}

// Integers from start until stop, exactly.
std::int64_t count_steps(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const __int128 distance = step > 0 ? __int128{stop} - start : __int128{start} - stop;
  const __int128 stride = step > 0 ? __int128{step} : -__int128{step};
  return distance <= 0 ? 0 : static_cast<std::int64_t>(std::min<__int128>((distance - 1) / stride + 1, INT64_MAX));
}

std::int64_t count_steps(const Call& call, double start, double stop, double step) {
  const double steps = (stop - start) / step;
  const double count = std::ceil(steps);
  if (!(std::abs(count) < 0x1p63)) {
    fail<ValueError>(call, "from ", start, " to ", stop, " in steps of ", step,
                     " is not a countable number of steps: all three must be finite, and the step large enough");
  }
  if (steps == 0 && stop != start) return std::signbit(steps) ? 0 : 1;  // a step that is infinite, or much too large
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

// The step between the first two values as they are in T: what NumPy fills with.
template <class T>
double rounded_step(double start, double step) {
  return static_cast<double>(static_cast<T>(start + step) - static_cast<T>(start));
}

std::complex<double> complex_value(const Operand& number) {
  return {value_of(number), number.kind() == Operand::Kind::Complex ? number.imaginary() : 0.0};
}

// By the larger part of the divisor, as Python divides.
std::complex<double> quotient(std::complex<double> a, std::complex<double> b) {
  if (std::abs(b.real()) >= std::abs(b.imag())) {
    const double ratio = b.imag() / b.real(), size = b.real() + b.imag() * ratio;
    return {(a.real() + a.imag() * ratio) / size, (a.imag() - a.real() * ratio) / size};
  }
  const double ratio = b.real() / b.imag(), size = b.real() * ratio + b.imag();
  return {(a.real() * ratio + a.imag()) / size, (a.imag() * ratio - a.real()) / size};
}

// As many as go both ways, along the real axis and along the other one.
Array complex_range(const Call& call, const Operand& start, const Operand& stop, const Operand& step, DType dtype) {
  const std::complex<double> first = complex_value(start), by = complex_value(step);
  if (by == 0.0) fail<ValueError>(call, "a step of 0 never reaches the stop: use another");
  const std::complex<double> steps = quotient(complex_value(stop) - first, by);
  const double count = std::min(std::ceil(steps.real()), std::ceil(steps.imag()));
  if (!(std::abs(std::ceil(steps.real())) < 0x1p63 && std::abs(std::ceil(steps.imag())) < 0x1p63))
    fail<ValueError>(call, "that is not a countable number of steps: start, stop and step must be finite");
  if (!(count > 0)) return empty(Shape{0}, dtype, call.where);
  const DType part = pilum::detail::part_of(dtype);
  const auto along = [&](double from, double distance) {
    const bool is_narrow = part == DType::Float32;
    const double rounded = is_narrow ? rounded_step<float>(from, distance) : rounded_step<double>(from, distance);
    return progression(call, static_cast<std::int64_t>(count), Operand(from, call.where), Operand(rounded, call.where),
                       part);
  };
  return join_parts(call, along(first.real(), by.real()), along(first.imag(), by.imag()));
}

template <class T>
void put(const T& value, std::byte* out) {
  std::memcpy(out, &value, sizeof value);
}

template <class T>
void convert(const Call& call, const T* cells, std::size_t count, DType to, std::byte* out) {
  for (std::size_t k = 0; k < count; ++k, out += itemsize(to)) {
    if constexpr (ComplexNumber<T>) {
      if (!is_complex(to)) refuse_complex(call, dtype_of<T>);
      to == DType::Complex64 ? put(std::complex<float>(cells[k]), out) : put(std::complex<double>(cells[k]), out);
    } else {
      const std::uint64_t bits = to_scalar(call, Operand(cells[k]), to).bits;  // the imaginary part is 0 as it is
      std::memcpy(out, &bits, std::min(itemsize(pilum::detail::part_of(to)), sizeof bits));
    }
  }
}

// The cells in dtype `to`, each checked to fit.
std::vector<std::byte> converted(const Call& call, const void* cells, std::size_t count, DType from, DType to) {
  std::vector<std::byte> bytes(count * itemsize(to));
  visit_dtype(from, [&]<class T>(T) { convert(call, static_cast<const T*>(cells), count, to, bytes.data()); });
  return bytes;
}

// One cell as a number, which is no part of a plan, as cells from outside are: loops with np::array(0.0) find theirs
// again.
void record_number(const Call& call, const Array& array, const std::byte* cell) {
  scheduler::Elementwise fill;
  fill.output = ArrayAccess::state(array)->view();
  fill.compute = array.dtype();
  fill.inputs.resize(1);
  fill.inputs[0].scalar.dtype = array.dtype();
  std::memcpy(&fill.inputs[0].scalar.bits, cell, itemsize(array.dtype()));
  recorder_of(call).record({call.name, call.where, std::move(fill)});
}

Array import_bytes(const Call& call, const Shape& shape, DType dtype, std::vector<std::byte>&& bytes) {
  scheduler::Recorder& recorder = recorder_of(call);
  Array array = make_new(recorder, call, shape, dtype);
  if (bytes.empty()) return array;
  if (bytes.size() == itemsize(dtype) && !is_complex(dtype) && dtype != DType::Float16) {
    record_number(call, array, bytes.data());
    return array;
  }
  if (array.size() <= kMostListedCells && array.ndim() > 0) {
    record_listed_cells(call, array, bytes);
    return array;
  }
  recorder.record({call.name, call.where,
                   scheduler::Import{ArrayAccess::state(array)->view(),
                                     std::make_shared<const std::vector<std::byte>>(std::move(bytes))}});
  return array;
}

}  // namespace

Array zeros(Shape shape, DType dtype, std::source_location where) {
  return fill(Call{"zeros", where}, shape, Operand(0, where), dtype);
}

Array ones(Shape shape, DType dtype, std::source_location where) {
  return fill(Call{"ones", where}, shape, Operand(1, where), dtype);
}

Array empty(Shape shape, DType dtype, std::source_location where) {
  const Call call{"empty", where};
  check_shape(call, shape, dtype);
  return make_new(recorder_of(call), call, shape, dtype);
}

Array full(Shape shape, const Operand& value, std::optional<DType> dtype) {
  const Call call{"full", value.where()};
  const Operand* const operands[] = {&value};
  const Shape from = common_shape(call, operands, recorder_of(call));
  const DType wanted = dtype.value_or(value.is_large() ? DType::UInt64 : common_dtype(operands));
  check_shape(call, shape, wanted);
  if (!broadcasts_to(from, shape)) {
    fail<ShapeError>(call, "a value of shape ", from, " does not broadcast to ", shape,
                     ": give it that shape, or fewer axes or extents of 1");
  }
  return fill(call, shape, value, wanted);
}

Array arange(const Operand& stop, std::optional<DType> dtype) {
  return arange(Operand(0, stop.where()), stop, 1, dtype);
}

Array arange(const Operand& start, const Operand& stop, const Operand& step, std::optional<DType> dtype) {
  const Call call{"arange", start.where()};
  const Operand* const numbers[] = {&start, &stop, &step};
  for (const Operand* number : numbers) {
    if (number->kind() == Operand::Kind::Array) {
      fail<DTypeError>(call, "start, stop and step are numbers here: get the array's with item()");
    }
  }
  if (is_complex(common_dtype(numbers))) {
    if (dtype && !is_complex(*dtype))
      for (const Operand* number : numbers) static_cast<void>(to_scalar(call, *number, *dtype));
    return complex_range(call, start, stop, step, dtype.value_or(DType::Complex128));
  }
  if (dtype && is_complex(*dtype)) {
    const Array range = arange(start, stop, step, pilum::detail::part_of(*dtype));
    return range.astype(*dtype, call.where);
  }
  if (value_of(step) == 0) fail<ValueError>(call, "a step of 0 never reaches the stop: use another");
  const DType common = common_dtype(numbers);
  const DType natural = common == DType::Bool ? DType::Int64 : common;
  for (const Operand* number : numbers) static_cast<void>(to_scalar(call, *number, natural));
  const DType wanted = dtype.value_or(natural);
  const double first = value_of(start);
  const std::int64_t count = is_floating(natural) ? count_steps(call, first, value_of(stop), value_of(step))
                                                  : count_steps(start.integer(), stop.integer(), step.integer());
  if (count == 0) return empty(Shape{0}, wanted, call.where);  // the start need not fit the dtype
  if (wanted == DType::Bool) {
    if (count > 2) {
      fail<DTypeError>(call, "a range of bools has at most 2 values, and this one has ", count,
                       ": make it of integers, then astype(bool_)");
    }
    const Array range = arange(start, stop, step, natural);
    const Operand operand(range, call.where);
    const Operand* const operands[] = {&operand};
    return record_new(call, Rule{kernel::Op::Cast, wanted, wanted}, operands);
  }
  if (!is_floating(natural)) {
    // Downwards without a sign: by what the step is modulo 2^n.
    const bool wraps = is_unsigned(wanted) && step.integer() < 0 && !step.is_large();
    const std::uint64_t modulo = range_of(wanted).highest & static_cast<std::uint64_t>(step.integer());
    return progression(call, count, start, wraps ? Operand(modulo, call.where) : step, wanted);
  }
  if (wanted == DType::Float16) {  // NumPy computes each in float32
    const Operand from(static_cast<float>(half(first)), call.where);
    const Operand by(rounded_step<half>(first, value_of(step)), call.where);
    return progression(call, count, from, by, DType::Float32).astype(DType::Float16, call.where);
  }
  const double rounded = wanted == DType::Float32   ? rounded_step<float>(first, value_of(step))
                         : wanted == DType::Float64 ? rounded_step<double>(first, value_of(step))
                                                    : std::trunc(first + value_of(step)) - std::trunc(first);
  return progression(call, count, start, Operand(rounded, call.where), wanted);
}

Array linspace(double start, double stop, std::int64_t count, bool endpoint, DType dtype, std::source_location where) {
  const Call call{"linspace", where};
  if (count < 0) fail<ValueError>(call, "a count of ", count, " is negative: ask for 0 numbers or more");
  const double steps = static_cast<double>(endpoint ? count - 1 : count);
  const double distance = stop - start;
  const double step = steps > 0 ? distance / steps : distance;
  Array numbers = record_index(call, Shape{count}, 0, DType::Float64);
  const bool vanishes = step == 0 && distance != 0;  // too small to be a step
  if (vanishes) numbers = apply(call, kernel::Op::Divide, numbers, Operand(steps, where), DType::Float64);
  numbers = scaled(call, numbers, Operand(start, where), Operand(vanishes ? distance : step, where), DType::Float64);
  if (endpoint && count > 1) numbers(Index(-1, where)) = Operand(stop, where);
  if (dtype == DType::Float64) return numbers;
  Array whole = numbers.astype(dtype, where);  // towards 0
  if (!is_integer(dtype)) return whole;
  const Operand above(whole, where);
  return numeric::where(above > Operand(numbers, where), above - Operand(1, where), above);
}

namespace detail {

Array import_cells(Cells&& cells, DType from, std::optional<DType> dtype, std::source_location where) {
  const Call call{"array", where};
  if (cells.ragged) refuse_ragged(call, cells.shape);
  const DType to = dtype.value_or(from);
  check_shape(call, cells.shape, to);
  if (to == from) return import_bytes(call, cells.shape, to, std::move(cells.bytes));
  return import_bytes(call, cells.shape, to,
                      converted(call, cells.bytes.data(), cells.bytes.size() / itemsize(from), from, to));
}

Array import_cells(const void* cells, std::size_t count, DType from, std::optional<DType> dtype,
                   std::source_location where) {
  Cells list{{static_cast<std::int64_t>(count)}, {}};
  const auto* first = static_cast<const std::byte*>(cells);
  list.bytes.assign(first, first + count * itemsize(from));
  return import_cells(std::move(list), from, dtype, where);
}

Array import_bits(const std::vector<bool>& bits, std::optional<DType> dtype, std::source_location where) {
  std::vector<std::byte> cells;
  for (bool bit : bits) cells.push_back(std::byte{bit});
  return import_cells(cells.data(), cells.size(), DType::Bool, dtype, where);
}

}  // namespace detail

}  // namespace pilum::numeric
