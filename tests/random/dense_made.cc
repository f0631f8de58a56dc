// Arrays made like others, and of numbers in even steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "tests/random/dense_axis.h"
#include "tests/random/dense_whole.h"

namespace pilum::random_programs {
namespace {

Dense filled_like(const Dense& x, std::int64_t number, DType dtype) {
  return Dense{dtype, x.shape,
               std::vector<Cell>(x.cells.size(), number_like(static_cast<double>(number), dtype).cells[0])};
}

// With one, two or three axes.
Dense with_axes(Dense x, std::int64_t count) {
  if (x.shape.empty()) x.shape = {1};
  if (count > 1 && x.shape.size() == 1) x.shape.insert(x.shape.begin(), 1);
  if (count > 2 && x.shape.size() == 2) x.shape.push_back(1);
  return x;
}

// Numbers or arrays in a row along a new axis.
Dense in_a_row(std::vector<Dense> parts, const Dense& like, int axis) {
  Dense none{like.dtype, like.shape};
  none.shape.insert(none.shape.begin(), 0);
  const AxisOf at(none.shape, axis);
  const auto reshape = [&](Dense& part, std::int64_t extent) {
    part.shape = like.shape;
    part.shape.insert(part.shape.begin() + static_cast<std::ptrdiff_t>(at.axis), extent);
  };
  if (parts.empty()) reshape(none, 0);
  if (parts.empty()) return none;
  std::vector<Dense> bounds;  // tolerances go the same way
  for (Dense& part : parts) {
    Dense bound{DType::Float64, like.shape};
    for (std::size_t cell = 0; cell < part.cells.size(); ++cell)
      bound.cells.push_back(Cell{.floating = part.tolerance.empty() ? 0 : part.tolerance[cell]});
    part.tolerance.clear();
    reshape(part, 1), reshape(bound, 1);
    bounds.push_back(std::move(bound));
  }
  const AxisOf along(parts[0].shape, static_cast<int>(at.axis));
  Dense result = joined(parts, along);
  bool is_exact = true;
  for (Cell bound : joined(bounds, along).cells) {
    result.tolerance.push_back(bound.floating);
    is_exact = is_exact && bound.floating == 0;
  }
  if (is_exact) result.tolerance.clear();
  return result;
}

Dense weak(double number) {
  return dense({Number::Kind::Floating, number});
}

DType dtype_of_numbers(const Dense& x, const Dense& y) {
  const DType dtype = promoted(x, y);
  if (dtype == DType::Float16) throw Invalid("steps that are rounded");
  if (!is_floating(dtype) && !is_complex(dtype)) return DType::Float64;
  const bool both = x.dtype != DType::Bool && !is_integer(x.dtype) && y.dtype != DType::Bool && !is_integer(y.dtype);
  if (!both && itemsize(dtype) < 8) throw Invalid("a dtype that NumPy's versions do not agree on");
  return dtype;
}

// start + i * step, each rounded; the last one is `stop`. Where some steps of an array are 0 and others are not, NumPy
// divides after it multiplies.
std::vector<Dense> even_steps(const Dense& x, const Dense& y, std::int64_t count, bool endpoint, DType dtype) {
  check_finite(x), check_finite(y);
  const Extents shape = broadcast(x.shape, y.shape);
  const auto spread = [&](const Dense& from) {
    Dense result{dtype, shape};
    for (const std::size_t place : broadcast_places(from.shape, shape))
      result.cells.push_back(cast(from.cells[place], from.dtype, dtype));
    return result;
  };
  const Dense start = spread(x), stop = spread(y);
  const std::int64_t steps = endpoint ? count - 1 : count;
  const Dense rise = compute({.op = Op::Subtract}, {stop, start});
  const auto is_zero = [&](Cell cell) { return !is_true(cell, dtype); };
  const auto level = std::count_if(rise.cells.begin(), rise.cells.end(), is_zero);
  const bool is_mixed = level > 0 && level < std::ssize(rise.cells);
  std::vector<Dense> parts;
  for (std::int64_t k = 0; k < count; ++k) {
    if (k == steps && k > 0) {
      parts.push_back(stop);
      continue;
    }
    const Dense step = compute({.op = Op::Divide}, {rise, weak(static_cast<double>(std::max<std::int64_t>(steps, 1)))});
    const Dense way = compute({.op = Op::Multiply}, {step, weak(static_cast<double>(k))});
    Dense part = compute({.op = Op::Add}, {way, start});
    const double unit =
        dtype == DType::Float32 || dtype == DType::Complex64 ? epsilon_of(DType::Float32) : epsilon_of(DType::Float64);
    const auto size = [](Cell cell) { return std::abs(cell.floating) + std::abs(cell.imaginary); };
    for (std::size_t cell = 0; is_mixed && cell < part.cells.size(); ++cell)
      part.tolerance.push_back(2 * unit * (size(start.cells[cell]) + size(stop.cells[cell])));
    parts.push_back(std::move(part));
  }
  return parts;
}

Dense like_both(const Dense& x, const Dense& y, DType dtype) {
  return Dense{dtype, broadcast(x.shape, y.shape)};
}

// A tolerance of the exponents counts as often as the base's logarithm says.
Dense powers_of(double base, std::vector<Dense> exponents, const Dense& like, int axis) {
  for (Dense& part : exponents) {
    const std::vector<double> off = std::exchange(part.tolerance, {});
    part = compute({.op = Op::Power}, {weak(base), part});
    for (std::size_t cell = 0; cell < off.size(); ++cell)
      part.tolerance.at(cell) += 2 * off[cell] * std::abs(std::log(base) * part.cells[cell].floating);
  }
  return in_a_row(std::move(exponents), like, axis);
}

// Each is the one before it times the same factor.
Dense even_factors(const Dense& x, const Dense& y, std::int64_t count, bool endpoint, int axis) {
  if (is_complex(x.dtype) || is_complex(y.dtype)) throw Invalid("spirals");
  if (x.dtype == DType::Float16 || y.dtype == DType::Float16) throw Invalid("steps that are rounded");
  check_finite(x), check_finite(y);
  const Dense like = like_both(x, y, DType::Float64);
  const std::vector<std::size_t> of_x = broadcast_places(x.shape, like.shape),
                                 of_y = broadcast_places(y.shape, like.shape);
  const std::int64_t steps = endpoint ? count - 1 : count;
  std::vector<Dense> parts;
  for (std::int64_t k = 0; k < count; ++k) {
    Dense part = like;
    for (std::size_t cell = 0; cell < of_x.size(); ++cell) {
      const double start = cast(x.cells[of_x[cell]], x.dtype, DType::Float64).floating,
                   stop = cast(y.cells[of_y[cell]], y.dtype, DType::Float64).floating;
      if (!(start * stop > 0)) throw Invalid("numbers of different signs");
      const bool is_end = k == 0 || k == steps;
      const long double share = is_end ? 0 : static_cast<long double>(k) / static_cast<long double>(steps);
      const auto number = static_cast<double>(start * std::pow(static_cast<long double>(stop) / start, share));
      const double logarithms = std::abs(std::log(std::abs(start))) + std::abs(std::log(std::abs(stop)));
      part.cells.push_back(Cell{.floating = k == 0 ? start : is_end ? stop : number});
      part.tolerance.push_back(is_end ? 0 : 4 * epsilon_of(DType::Float64) * (2 + logarithms) * std::abs(number));
    }
    parts.push_back(std::move(part));
  }
  return in_a_row(std::move(parts), like, axis);
}

Dense mesh(const Dense& x, const Dense& y, std::int64_t k) {
  Dense columns = raveled(x), rows = raveled(y);
  columns.cells.resize(std::min<std::size_t>(columns.cells.size(), 9));
  rows.cells.resize(std::min(rows.cells.size(), static_cast<std::size_t>(k)));
  const bool is_matrix = k % 2 == 1, second = k / 2 % 2 == 1;
  const auto width = std::ssize(columns.cells), height = std::ssize(rows.cells);
  columns.shape = {width}, rows.shape = {height};
  const Extents shape = is_matrix ? Extents{width, height} : Extents{height, width};
  return rebuilt(second ? rows : columns, shape,
                 [=](const Extents& at) { return Extents{at[second == is_matrix ? 1 : 0]}; });
}

// Coordinate by coordinate, each of all cells.
Dense coordinates(const Extents& shape, DType dtype) {
  Extents all = shape;
  all.insert(all.begin(), static_cast<std::int64_t>(shape.size()));
  if (count_of(all) > 100'000) throw Invalid("more cells than a test needs");
  Dense result{dtype, all};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int64_t after = 1;
    for (std::size_t next = axis + 1; next < shape.size(); ++next) after *= shape[next];
    for (std::int64_t cell = 0; cell < count_of(shape); ++cell)
      result.cells.push_back(cast(Cell{.integer = cell / after % shape[axis]}, DType::Int64, dtype));
  }
  return result;
}

// first, first + step, … up to but not including end.
Places range(std::int64_t first, std::int64_t end, std::int64_t step) {
  const std::int64_t way = step > 0 ? end - first : first - end, size = std::abs(step);
  if (way <= -size) throw Invalid("a negative extent");
  Places places;
  for (std::int64_t at = 0; at < way; at += size) places.push_back(step > 0 ? first + at : first - at);
  return places;
}

Dense grid(const WholeCall& call, bool is_open) {
  const std::int64_t extent = AxisOf(call.x.shape, call.axis).extent;
  const Places rows = range(call.k - 4, extent, 2), columns = range(9, call.k - 2, -3);
  const auto height = std::ssize(rows), width = std::ssize(columns);
  Dense result{DType::Int64, {2, height, width}};
  if (is_open) {
    const bool second = call.k % 2 == 1;
    result.shape = second ? Extents{1, width} : Extents{height, 1};
    for (const std::int64_t number : second ? columns : rows) result.cells.push_back(Cell{.integer = number});
    return result;
  }
  for (const bool second : {false, true}) {
    for (const std::int64_t row : rows) {
      for (const std::int64_t column : columns) result.cells.push_back(Cell{.integer = second ? column : row});
    }
  }
  return result;
}

// i * k - j
Dense of_coordinates(const Dense& x, std::int64_t k) {
  if (x.shape.size() < 2) throw Invalid("coordinates of one axis");
  const DType dtype = k % 2 == 0 ? DType::Float64 : DType::Int64;
  Dense result{dtype, {x.shape[0], x.shape[1]}};
  check_count(result.shape);
  for (std::int64_t i = 0; i < x.shape[0]; ++i) {
    for (std::int64_t j = 0; j < x.shape[1]; ++j)
      result.cells.push_back(cast(Cell{.integer = i * k - j}, DType::Int64, dtype));
  }
  return result;
}

Dense numbers_in_steps(const WholeCall& call) {
  const auto& [op, x, y, axis, k] = call;
  const std::int64_t count = AxisOf(x.shape, axis).extent;
  if (count > 50'000) throw Invalid("more cells than a test needs");
  const auto number = static_cast<double>(k);
  const bool endpoint = k % 2 == 0;
  const auto of = [](double value) { return number_like(value, DType::Float64); };
  const Dense like{DType::Float64};
  if (op == Op::GeomspaceNumbers) {
    const double sign = endpoint ? 1 : -1;
    return even_factors(of(sign * (number + 0.5)), of(sign * 100), count, endpoint, 0);
  }
  const double stop = op == Op::LogspaceNumbers ? 0.5 : 0.3 * number * number;
  std::vector<Dense> steps = even_steps(of(number - 4.5), of(stop), count, endpoint, DType::Float64);
  if (op == Op::LogspaceNumbers) return powers_of(2, std::move(steps), like, 0);
  Dense line = in_a_row(std::move(steps), like, 0);
  if (k % 3 == 0) return line;
  if (k % 3 == 2) {
    for (Cell& cell : line.cells) cell.floating = std::floor(cell.floating);
  }
  return cast(line, k % 3 == 1 ? DType::Float32 : DType::Int64);
}

}  // namespace

Dense made(const WholeCall& call) {
  const auto& [op, x, y, axis, k] = call;
  static constexpr std::array<double, 3> kBases = {2.0, 10.0, 0.5};
  static constexpr std::array kIndices = {DType::Int64, DType::Float64, DType::Int32};
  const auto way = static_cast<std::size_t>(k % 3);
  const bool endpoint = k % 2 == 0;
  const DType dtype = way == 0 ? x.dtype : way == 1 ? DType::Float32 : DType::Int64;
  switch (op) {
    case Op::ZerosLike: return filled_like(x, 0, dtype);
    case Op::OnesLike: return filled_like(x, 1, dtype);
    case Op::FullLike: return filled_like(x, k, x.dtype);
    case Op::AtLeast: return with_axes(x, k % 3 + 1);
    case Op::LinspaceNumbers:
    case Op::LogspaceNumbers:
    case Op::GeomspaceNumbers: return numbers_in_steps(call);
    case Op::Linspace: {
      const DType common = dtype_of_numbers(x, y);
      return in_a_row(even_steps(x, y, k, endpoint, common), like_both(x, y, common), axis);
    }
    case Op::Logspace: {
      const DType common = dtype_of_numbers(x, y);
      return powers_of(kBases.at(way), even_steps(x, y, k, endpoint, common), like_both(x, y, common), axis);
    }
    case Op::Geomspace: {
      const auto size = [](const Dense& a) {
        return compute({.op = Op::Add}, {compute({.op = Op::Abs}, {a}), weak(0.5)});
      };
      return even_factors(size(x), size(y), k, endpoint, axis);
    }
    case Op::Meshgrid: return mesh(x, y, k);
    case Op::Indices: return coordinates(x.shape, kIndices.at(way));
    case Op::Mgrid:
    case Op::Ogrid: return grid(call, op == Op::Ogrid);
    default: return of_coordinates(x, k);
  }
}

}  // namespace pilum::random_programs
