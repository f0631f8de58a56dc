#include "tests/random/oracle.h"

#include <algorithm>
#include <utility>

#include "tests/random/dense_fold.h"
#include "tests/random/dense_lines.h"
#include "tests/random/dense_whole.h"
#include "tests/random/naive_draws.h"
#include "tests/random/own_functions.h"

namespace pilum::random_programs {
namespace {

Extents row_major(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (std::size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

// Calls visit(place in the buffer) for every cell, row-major.
template <class Visit>
void for_each_cell(const View& view, const Visit& visit) {
  Extents at(view.shape.size(), 0);
  for (std::int64_t cell = 0; cell < count_of(view.shape); ++cell) {
    std::int64_t place = view.offset;
    for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * view.strides[axis];
    visit(static_cast<std::size_t>(place));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < view.shape[axis]) break;
      at[axis] = 0;
    }
  }
}

struct Range {
  std::int64_t start;
  std::int64_t step;
  std::int64_t count;
};

// Python's slice.indices and len(range(...)).
Range range_of(const numeric::slice& slice, std::int64_t extent) {
  const std::int64_t step = slice.step;
  if (step == 0) throw Invalid("a step of 0");
  const std::int64_t lowest = step < 0 ? -1 : 0;
  const std::int64_t highest = step < 0 ? extent - 1 : extent;
  const auto place = [&](std::optional<std::int64_t> bound, std::int64_t otherwise) {
    if (!bound) return otherwise;
    const std::int64_t from_front = *bound < 0 ? *bound + extent : *bound;
    return std::clamp(from_front, lowest, highest);
  };
  const std::int64_t start = place(slice.start, step < 0 ? highest : lowest);
  const std::int64_t stop = place(slice.stop, step < 0 ? lowest : highest);
  std::int64_t count = 0;
  if (step > 0 && start < stop) count = (stop - start - 1) / step + 1;
  if (step < 0 && stop < start) count = (start - stop - 1) / -step + 1;
  return {start, step, count};
}

View indexed(const View& view, const std::vector<IndexItem>& items, std::int64_t round) {
  View result{view.buffer, view.offset, {}, {}};
  std::size_t axis = 0;
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::Kind::NewAxis) {
      result.shape.push_back(1);
      result.strides.push_back(0);
      continue;
    }
    if (axis == view.shape.size()) throw Invalid("too many indices");
    const std::int64_t extent = view.shape[axis];
    const std::int64_t stride = view.strides[axis++];
    if (item.kind == IndexItem::Kind::Position) {
      const std::int64_t position = item.position + item.per_round * round;
      if (position < -extent || position >= extent) throw Invalid("an index outside its axis");
      result.offset += (position < 0 ? position + extent : position) * stride;
      continue;
    }
    const Range range = range_of(item.range, extent);
    if (range.count > 0) result.offset += range.start * stride;
    result.shape.push_back(range.count);
    result.strides.push_back(range.step * stride);
  }
  for (; axis < view.shape.size(); ++axis) {
    result.shape.push_back(view.shape[axis]);
    result.strides.push_back(view.strides[axis]);
  }
  if (result.shape.size() > 5) throw Invalid("more axes than a test needs");
  return result;
}

View transposed(const View& view, const std::vector<int>& order) {
  if (order.size() != view.shape.size()) throw Invalid("an order of other axes");
  View result{view.buffer, view.offset, {}, {}};
  std::vector<bool> used(order.size(), false);
  for (int axis : order) {
    const auto place = static_cast<std::size_t>(axis);
    if (used[place]) throw Invalid("an axis twice");
    used[place] = true;
    result.shape.push_back(view.shape[place]);
    result.strides.push_back(view.strides[place]);
  }
  return result;
}

int order_of(DType dtype) {
  return dtype == DType::Bool ? 0 : is_unsigned(dtype) ? 1 : is_complex(dtype) ? 4 : is_floating(dtype) ? 3 : 2;
}

}  // namespace

View Oracle::view(const Leaf& leaf, std::int64_t round) const {
  if (!view(leaf.name)) throw Invalid("a name of nothing");
  View result = *view(leaf.name);
  for (const ViewStep& step : leaf.steps) {
    const bool index = step.kind == ViewStep::Kind::Index;
    result = index ? indexed(result, step.items, round) : transposed(result, step.order);
  }
  return result;
}

Dense Oracle::load(const View& view) const {
  const Buffer& buffer = buffers_[view.buffer];
  Dense value{buffer.dtype, view.shape};
  for_each_cell(view, [&](std::size_t place) {
    value.cells.push_back(buffer.cells[place]);
    if (!buffer.tolerance.empty()) value.tolerance.push_back(buffer.tolerance[place]);
  });
  return value;
}

void Oracle::spend(std::int64_t cells) {
  cost_ += cells + 1;
  if (cost_ > most_cells_) throw Invalid("more cells than a test needs");
}

Dense Oracle::evaluate(const Expression& expression, std::int64_t round) {
  if (expression.op == Op::Number) return dense(expression.number);
  if (expression.op == Op::Leaf) return load(view(expression.leaf, round));
  std::vector<Dense> arguments;
  for (const Expression& argument : expression.arguments) {
    arguments.push_back(evaluate(argument, round));
    spend(static_cast<std::int64_t>(arguments.back().cells.size()));
  }
  if (is_drawn(expression.op)) {
    Dense drawn = drawn_of(expression, arguments);
    spend(static_cast<std::int64_t>(drawn.cells.size()));
    return drawn;
  }
  Dense result = expression.op == Op::Own      ? compute_own(expression, arguments)
                 : is_whole(expression.op)     ? compute_whole(expression, arguments)
                 : expression.op == Op::Matmul ? multiplied(arguments[0], arguments[1])
                 : is_reduction(expression.op)
                     ? reduce(expression, arguments[0], arguments.size() > 1 ? &arguments[1] : nullptr)
                 : is_along_axis(expression.op) ? compute_along_axis(expression, arguments)
                                                : compute(expression, arguments);
  spend(static_cast<std::int64_t>(result.cells.size()));
  return result;
}

// In the place of a buffer that no name is left of, if there is one: copies of a state stay small.
void Oracle::bind_new(int name, Dense value) {
  names_[static_cast<std::size_t>(name)].reset();
  const auto is_used = [&](std::size_t place) {
    return std::any_of(names_.begin(), names_.end(), [&](const auto& view) { return view && view->buffer == place; });
  };
  std::size_t place = 0;
  while (place < buffers_.size() && is_used(place)) ++place;
  if (place == buffers_.size()) buffers_.emplace_back();
  names_[static_cast<std::size_t>(name)] = View{place, 0, value.shape, row_major(value.shape)};
  buffers_[place] = Buffer{value.dtype, std::move(value.cells), std::move(value.tolerance)};
}

void Oracle::run(const Create& create) {
  Dense value{create.dtype, create.shape};
  const std::int64_t count = count_of(create.shape);
  spend(count);
  if (is_draw(create.kind)) {
    value.cells = drawn_cells(create, count);
    return bind_new(create.name, std::move(value));
  }
  for (std::int64_t cell = 0; cell < count; ++cell) {
    Cell number{.floating = create.kind == Create::Kind::Zeros ? 0 : create.value.value};
    if (create.kind == Create::Kind::Arange) number.floating += create.step.value * static_cast<double>(cell);
    if (create.kind == Create::Kind::Data) {
      number.floating = data_cell(create, cell);
      if (is_complex(create.dtype)) number.imaginary = data_cell(create, cell + 3);
    }
    value.cells.push_back(cast(number, DType::Complex128, create.dtype));
  }
  bind_new(create.name, std::move(value));
}

void Oracle::run(const Bind& bind, std::int64_t round) {
  if (bind.value.op == Op::Leaf) {
    names_[static_cast<std::size_t>(bind.name)] = view(bind.value.leaf, round);
    return;
  }
  Dense value = evaluate(bind.value, round);
  if (value.weak) throw Invalid("a number is not an array");
  bind_new(bind.name, std::move(value));
}

void Oracle::run(const Assign& assign, std::int64_t round) {
  const View target = view(assign.target, round);
  const DType dtype = this->dtype(target);
  Dense value = evaluate(assign.value, round);
  if (assign.op != Op::Leaf) {
    value = compute(Expression{.op = assign.op}, {load(target), value});
    if (order_of(value.dtype) > order_of(dtype)) throw Invalid("in place, to a lower kind");
  }
  if (value.weak && is_complex(value.dtype) && !is_complex(dtype)) throw Invalid("a complex number as a real one");
  if (value.weak) value = cast(value, dtype);  // refused where it does not fit
  if (!is_exact(target) || !value.tolerance.empty()) throw Invalid("an inexact value assigned");
  if (value.shape.size() > target.shape.size() || broadcast(value.shape, target.shape) != target.shape) {
    throw Invalid("a value that does not fit");
  }
  spend(count_of(target.shape));
  const std::vector<std::size_t> places = broadcast_places(value.shape, target.shape);
  std::size_t cell = 0;
  for_each_cell(target, [&](std::size_t place) {
    buffers_[target.buffer].cells[place] = cast(value.cells[places[cell++]], value.dtype, dtype);
  });
}

void Oracle::run(const MaskedAssign& assign, std::int64_t round) {
  const View target = view(assign.target, round);
  const DType dtype = this->dtype(target);
  const Dense mask = evaluate(assign.mask, round);
  if (mask.dtype != DType::Bool || mask.weak || mask.shape != target.shape || target.shape.empty())
    throw Invalid("no mask of the target");
  if (!is_exact(target)) throw Invalid("an inexact value as an input");
  Dense value = evaluate(assign.value, round);
  if (assign.is_chosen ? value.weak || value.shape != target.shape : !value.shape.empty())
    throw Invalid("a value that goes with no mask");
  check_exact(value);
  if (assign.op != Op::Leaf) {
    value = compute(Expression{.op = assign.op}, {load(target), value});
    if (order_of(value.dtype) > order_of(dtype)) throw Invalid("in place, to a lower kind");
  }
  if (value.weak && is_complex(value.dtype) && !is_complex(dtype)) throw Invalid("a complex number as a real one");
  if (value.weak) value = cast(value, dtype);
  if (!value.tolerance.empty()) throw Invalid("an inexact value assigned");
  spend(count_of(target.shape));
  std::size_t cell = 0;
  for_each_cell(target, [&](std::size_t place) {
    const std::size_t own = value.shape.empty() ? 0 : cell;
    if (mask.cells[cell++].integer != 0)
      buffers_[target.buffer].cells[place] = cast(value.cells[own], value.dtype, dtype);
  });
}

void Oracle::run(const Put& put, std::int64_t round) {
  const View target = view(Leaf{put.target, {}}, 0);
  const DType dtype = this->dtype(target);
  const Dense indices = evaluate(put.indices, round);
  if (indices.weak || !indices.tolerance.empty() || !is_integer(indices.dtype))
    throw Invalid("indices that are no integers");
  if (!is_exact(target)) throw Invalid("an inexact array");
  if (put.value.kind == Number::Kind::Complex && !is_complex(dtype)) throw Invalid("a complex number as a real one");
  const Dense value = cast(dense(put.value), dtype);
  std::vector<std::size_t> places;
  for_each_cell(target, [&](std::size_t place) { places.push_back(place); });
  const auto count = static_cast<std::int64_t>(places.size());
  if (count == 0) throw Invalid("indices into nothing");
  spend(static_cast<std::int64_t>(indices.cells.size()) + count);
  for (Cell index : indices.cells) {
    if (indices.dtype == DType::UInt64 && index.integer < 0) throw Invalid("an index beyond all");
    buffers_[target.buffer].cells[places[static_cast<std::size_t>((index.integer % count + count) % count)]] =
        value.cells[0];
  }
}

void Oracle::run(const Read& read, std::int64_t round) {
  const View from = view(read.view, round);
  Dense value = load(from);
  if (read.item && value.cells.size() != 1) throw Invalid("item of many");
  const Statement statement{read};
  std::string text = to_string(statement);
  text.pop_back();
  readings_.push_back(
      Reading{std::move(text), value.dtype, value.shape, std::move(value.cells), std::move(value.tolerance)});
}

void Oracle::run(const Launch& launch) {
  const View target = view(Leaf{launch.target, {}}, 0);
  const View source = view(Leaf{launch.source, {}}, 0);
  for (const View& array : {target, source}) {
    if (array.shape.size() != 1 || array.shape[0] == 0 || dtype(array) != DType::Float64 || !is_exact(array)) {
      throw Invalid("an array that tasks do not take");
    }
  }
  // What has steps, and a fold's axis that was kept, repeats cells: refused.
  if (target.strides[0] != 1 || target.shape[0] == 1) throw Invalid("a view that tasks do not write");
  if (launch.says == Launch::Says::Halo && target.shape != source.shape) throw Invalid("a halo of another array");
  const std::vector<Cell> cells = load(source).cells;
  spend(target.shape[0] * launch.extent);
  std::int64_t i = 0;
  for_each_cell(target, [&](std::size_t place) {
    double sum = 0;
    for (std::int64_t k = 0; k < launch.extent; ++k) {
      const std::int64_t cell = launch.offset + launch.scale * i + k;
      if (cell >= 0 && cell < source.shape[0]) sum += cells[static_cast<std::size_t>(cell)].floating;
    }
    buffers_[target.buffer].cells[place].floating = 0.25 * sum + 0.5 * static_cast<double>(i % 5);
    ++i;
  });
}

void Oracle::run(const Statement& statement, std::int64_t round) {
  if (const auto* launch = std::get_if<Launch>(&statement.what)) run(*launch);
  if (const auto* create = std::get_if<Create>(&statement.what)) run(*create);
  if (const auto* bind = std::get_if<Bind>(&statement.what)) run(*bind, round);
  if (const auto* assign = std::get_if<Assign>(&statement.what)) run(*assign, round);
  if (const auto* masked = std::get_if<MaskedAssign>(&statement.what)) run(*masked, round);
  if (const auto* put = std::get_if<Put>(&statement.what)) run(*put, round);
  if (const auto* read = std::get_if<Read>(&statement.what)) run(*read, round);
  if (const auto* drop = std::get_if<Drop>(&statement.what)) {
    if (!view(drop->name)) throw Invalid("a name of nothing");
    names_[static_cast<std::size_t>(drop->name)].reset();
  }
  if (const auto* loop = std::get_if<Loop>(&statement.what)) {
    for (int i = 0; i < loop->rounds; ++i) {
      for (const Statement& inner : loop->block) run(inner, i);
    }
  }
}

std::vector<Reading> expected_readings(const Program& program) {
  Oracle oracle;
  for (const Statement& statement : program.statements) oracle.run(statement);
  return oracle.readings();
}

}  // namespace pilum::random_programs
