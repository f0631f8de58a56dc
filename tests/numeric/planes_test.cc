// Several fields in one array, a plane each: what is done to them is what the statements say, one after the other.
// Random programs beside lists of numbers and plain loops, on simulated machines, and single situations. Cells are
// small whole numbers. GTEST_RANDOM_SEED or PILUM_RANDOM_SEED chooses the first program, PILUM_RANDOM_COUNT how many
// there are.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pilum/pilum.h"
#include "tests/fakes/simulated_ranks.h"
#include "tests/fakes/thorough.h"

namespace pilum {
namespace {

namespace np = numeric;
using np::all, np::slice;

using Extents = std::vector<std::int64_t>;

std::int64_t count_of(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

// ---- what a program is made of

enum class Op { Add, Subtract, Multiply, Minimum, Maximum, Remainder };
enum class Compare { Greater, Equal, LessEqual };
enum class FoldOp { Sum, Max, Min };

// One index: a position, `count` cells from `first` on by `step`, a whole axis, or a new one.
struct Pick {
  enum class Kind { Position, Range, All, New } kind = Kind::All;
  std::int64_t first = 0, count = 0, step = 1;
};
using Picks = std::vector<Pick>;

// Behind the last cell of a range; none where that is before the first of all.
std::optional<std::int64_t> stop_of(const Pick& range) {
  const std::int64_t stop = range.first + range.count * range.step;
  return stop < 0 ? std::nullopt : std::optional(stop);
}

enum class Kind { Field, Plane, Alias, Vector, Part };
struct Variable {
  Kind kind = Kind::Field;
  int number = 0;
};

struct Node {
  enum class What { Name, View, Binary, Number, Where, Fold, Roll, Stack, Concatenate, Flip, Move, Swap, Copy };
  What what = What::Name;
  Variable name;
  Picks picks;
  Op op = Op::Add;
  Compare compare = Compare::Greater;
  FoldOp fold = FoldOp::Sum;
  double number = 0;
  bool number_first = false, keepdims = false;
  std::vector<std::int64_t> shifts;
  std::vector<int> axes;
  std::vector<Node> kids;
  Extents shape;
};

struct Statement {
  // Assign: target[picks] = value; Update: target[picks] op= value; Rebind: target = value; Exchange: two names.
  enum class What { Assign, Update, Rebind, Exchange, Hold, Read } what = What::Assign;
  Variable target, other;
  Picks picks;
  Op op = Op::Add;
  Node value;
};

struct Block {
  int rounds = 1;
  std::vector<Statement> statements;
};

struct Program {
  std::uint64_t seed = 0;
  std::int64_t planes = 2;
  Extents plane;
  std::vector<int> fields;  // how each is made
  int plane_names = 1, aliases = 1, window = 0;
  std::int64_t part = 1;  // planes that are seen by a name of their own
  std::vector<Block> blocks;
  std::vector<int> dropped;  // fields that nobody looks at

  Extents shape() const { return shape_of(planes); }
  Extents shape_of(std::int64_t lead) const {
    Extents whole{lead};
    whole.insert(whole.end(), plane.begin(), plane.end());
    return whole;
  }
  Extents vector_shape() const {
    Extents thin(plane.size() + 1, 1);
    thin[0] = planes;
    return thin;
  }
};

// ---- plain loops over lists of numbers

struct Inexact {};  // a number that might be rounded

struct Naive {
  std::shared_ptr<std::vector<double>> memory;
  std::vector<std::size_t> places;  // of the cells, row-major
  Extents shape;

  static Naive of(std::vector<double> cells, const Extents& shape) {
    for (const double cell : cells) {
      if (std::abs(cell) > 1e12) throw Inexact();
    }
    Naive made{std::make_shared<std::vector<double>>(std::move(cells)), {}, shape};
    made.places.resize(made.memory->size());
    std::iota(made.places.begin(), made.places.end(), std::size_t{0});
    return made;
  }
  std::vector<double> cells() const {
    std::vector<double> found(places.size());
    for (std::size_t cell = 0; cell < found.size(); ++cell) found[cell] = (*memory)[places[cell]];
    return found;
  }
  // The cells repeated to a shape.
  std::vector<double> cells(const Extents& wanted) const {
    if (wanted == shape) return cells();
    std::vector<std::size_t> steps(wanted.size(), 0);
    std::size_t step = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; step *= static_cast<std::size_t>(shape[axis]))
      if (shape[axis] != 1) steps[axis + wanted.size() - shape.size()] = step;
    std::vector<double> found(static_cast<std::size_t>(count_of(wanted)));
    Extents at(wanted.size(), 0);
    for (double& cell : found) {
      std::size_t place = 0;
      for (std::size_t axis = 0; axis < at.size(); ++axis) place += static_cast<std::size_t>(at[axis]) * steps[axis];
      cell = (*memory)[places[place]];
      for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
        if (++at[axis] < wanted[axis]) break;
    }
    return found;
  }
  // The view whose cell at `at` is this one's at where(at).
  template <class Where>
  Naive seen(const Extents& wanted, Where where) const {
    Naive view{memory, {}, wanted};
    view.places.resize(static_cast<std::size_t>(count_of(wanted)));
    Extents at(wanted.size(), 0), from(shape.size(), 0);
    for (std::size_t& place : view.places) {
      where(at, from);
      std::size_t cell = 0;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        cell = cell * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(from[axis]);
      place = places[cell];
      for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
        if (++at[axis] < wanted[axis]) break;
    }
    return view;
  }
};

double apply(Op op, double a, double b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Minimum: return std::min(a, b);
    case Op::Maximum: return std::max(a, b);
    case Op::Remainder: return a - b * std::floor(a / b);
  }
  return 0;
}

bool holds(Compare compare, double a, double b) {
  switch (compare) {
    case Compare::Greater: return a > b;
    case Compare::Equal: return a == b;
    case Compare::LessEqual: return a <= b;
  }
  return false;
}

Extents common(const Extents& a, const Extents& b) {
  Extents shape = a.size() < b.size() ? b : a;
  const Extents& shorter = a.size() < b.size() ? a : b;
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    std::int64_t& extent = shape[shape.size() - shorter.size() + axis];
    extent = extent == 1 ? shorter[axis] : extent;
  }
  return shape;
}

Naive view_of(const Naive& a, const Picks& picks) {
  Extents shape;
  std::size_t taken = 0;
  for (const Pick& pick : picks) {
    if (pick.kind == Pick::Kind::New) shape.push_back(1);
    if (pick.kind == Pick::Kind::Range) shape.push_back(pick.count);
    if (pick.kind == Pick::Kind::All) shape.push_back(a.shape[taken]);
    taken += pick.kind != Pick::Kind::New;
  }
  shape.insert(shape.end(), a.shape.begin() + static_cast<std::ptrdiff_t>(taken), a.shape.end());
  return a.seen(shape, [&](const Extents& at, Extents& from) {
    std::size_t axis = 0, place = 0;
    for (const Pick& pick : picks) {
      switch (pick.kind) {
        case Pick::Kind::Position: from[axis++] = pick.first; break;
        case Pick::Kind::Range: from[axis++] = pick.first + at[place++] * pick.step; break;
        case Pick::Kind::All: from[axis++] = at[place++]; break;
        case Pick::Kind::New: ++place; break;
      }
    }
    for (; axis < from.size(); ++axis) from[axis] = at[place++];
  });
}

Naive binary(Op op, const Naive& a, const Naive& b) {
  const Extents shape = common(a.shape, b.shape);
  std::vector<double> cells = a.cells(shape);
  const std::vector<double> right = b.cells(shape);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cells[cell] = apply(op, cells[cell], right[cell]);
  return Naive::of(std::move(cells), shape);
}

Naive with_number(Op op, const Naive& a, double number, bool number_first) {
  std::vector<double> cells = a.cells();
  for (double& cell : cells) cell = number_first ? apply(op, number, cell) : apply(op, cell, number);
  return Naive::of(std::move(cells), a.shape);
}

Naive choose(Compare compare, const Naive& a, double number, const Naive& x, const Naive& y) {
  const Extents shape = common(common(a.shape, x.shape), y.shape);
  const std::vector<double> asked = a.cells(shape), no = y.cells(shape);
  std::vector<double> cells = x.cells(shape);
  for (std::size_t cell = 0; cell < cells.size(); ++cell)
    if (!holds(compare, asked[cell], number)) cells[cell] = no[cell];
  return Naive::of(std::move(cells), shape);
}

// No axes: all of them.
Naive folded(FoldOp fold, const Naive& a, const std::vector<int>& axes, bool keepdims) {
  std::vector<char> gone(a.shape.size(), axes.empty() ? 1 : 0);
  for (const int axis : axes) gone[static_cast<std::size_t>(axis)] = 1;
  Extents kept = a.shape, shape;
  for (std::size_t axis = 0; axis < gone.size(); ++axis) {
    if (gone[axis]) kept[axis] = 1;
    if (!gone[axis] || keepdims) shape.push_back(kept[axis]);
  }
  std::vector<double> results(static_cast<std::size_t>(count_of(kept)));
  std::vector<char> begun(results.size(), 0);
  const std::vector<double> cells = a.cells();
  Extents at(a.shape.size(), 0);
  for (const double cell : cells) {
    std::size_t place = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      place = place * static_cast<std::size_t>(kept[axis]) + static_cast<std::size_t>(gone[axis] ? 0 : at[axis]);
    double& result = results[place];
    if (!begun[place]) {
      result = cell;
    } else if (fold == FoldOp::Sum) {
      result += cell;
    } else {
      result = fold == FoldOp::Max ? std::max(result, cell) : std::min(result, cell);
    }
    begun[place] = 1;
    for (std::size_t axis = at.size(); axis-- > 0; at[axis] = 0)
      if (++at[axis] < a.shape[axis]) break;
  }
  return Naive::of(std::move(results), shape);
}

Naive rolled(const Naive& a, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  const Naive moved = a.seen(a.shape, [&](const Extents& at, Extents& from) {
    from = at;
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const auto axis = static_cast<std::size_t>(axes[k]);
      const std::int64_t extent = a.shape[axis];
      from[axis] = ((from[axis] - shifts[k]) % extent + extent) % extent;
    }
  });
  return Naive::of(moved.cells(), moved.shape);
}

Naive concatenated(const std::vector<Naive>& parts) {
  Extents shape = parts.front().shape;
  shape.front() = 0;
  std::vector<double> cells;
  for (const Naive& part : parts) {
    shape.front() += part.shape.front();
    const std::vector<double> more = part.cells();
    cells.insert(cells.end(), more.begin(), more.end());
  }
  return Naive::of(std::move(cells), shape);
}

Naive stacked(const std::vector<Naive>& parts) {
  std::vector<Naive> rows;
  for (const Naive& part : parts) rows.push_back(view_of(part, {{Pick::Kind::New}}));
  return concatenated(rows);
}

Naive flipped(const Naive& a) {
  return a.seen(a.shape, [&](const Extents& at, Extents& from) {
    from = at;
    from[0] = a.shape[0] - 1 - at[0];
  });
}

// One axis goes to another place.
Naive moved(const Naive& a, int source, int destination) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis)
    if (axis != static_cast<std::size_t>(source)) order.push_back(axis);
  order.insert(order.begin() + destination, static_cast<std::size_t>(source));
  Extents shape;
  for (const std::size_t axis : order) shape.push_back(a.shape[axis]);
  return a.seen(shape, [&](const Extents& at, Extents& from) {
    for (std::size_t axis = 0; axis < at.size(); ++axis) from[order[axis]] = at[axis];
  });
}

// The last two axes change places.
Naive swapped(const Naive& a) {
  const int last = static_cast<int>(a.shape.size()) - 1;
  return moved(a, last, last - 1);
}

Naive copied(const Naive& a) {
  return Naive::of(a.cells(), a.shape);
}

void assign(const Naive& target, const Naive& value) {
  const std::vector<double> cells = value.cells(target.shape);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) (*target.memory)[target.places[cell]] = cells[cell];
}

void update(Op op, Naive& target, const Naive& value) {
  assign(target, binary(op, target, value));
}

// ---- the library

std::vector<np::Index> indices_of(const Picks& picks) {
  std::vector<np::Index> indices;
  for (const Pick& pick : picks) {
    switch (pick.kind) {
      case Pick::Kind::Position: indices.emplace_back(pick.first); break;
      case Pick::Kind::Range: indices.emplace_back(slice(pick.first, stop_of(pick), pick.step)); break;
      case Pick::Kind::All: indices.emplace_back(all); break;
      case Pick::Kind::New: indices.emplace_back(np::newaxis); break;
    }
  }
  return indices;
}

np::Array view_of(const np::Array& a, const Picks& picks) {
  return a(indices_of(picks));
}

np::Array binary(Op op, np::Array a, np::Array b) {
  switch (op) {
    case Op::Add: return std::move(a) + std::move(b);
    case Op::Subtract: return std::move(a) - std::move(b);
    case Op::Multiply: return std::move(a) * std::move(b);
    case Op::Minimum: return np::minimum(std::move(a), std::move(b));
    case Op::Maximum: return np::maximum(std::move(a), std::move(b));
    case Op::Remainder: return np::remainder(std::move(a), std::move(b));
  }
  return {};
}

np::Array with_number(Op op, np::Array a, double number, bool number_first) {
  switch (op) {
    case Op::Add: return number_first ? number + std::move(a) : std::move(a) + number;
    case Op::Subtract: return number_first ? number - std::move(a) : std::move(a) - number;
    case Op::Multiply: return number_first ? number * std::move(a) : std::move(a) * number;
    case Op::Minimum: return np::minimum(std::move(a), number);
    case Op::Maximum: return np::maximum(std::move(a), number);
    case Op::Remainder: return np::remainder(std::move(a), number);
  }
  return {};
}

np::Array choose(Compare compare, np::Array a, double number, np::Array x, np::Array y) {
  switch (compare) {
    case Compare::Greater: return np::where(std::move(a) > number, std::move(x), std::move(y));
    case Compare::Equal: return np::where(std::move(a) == number, std::move(x), std::move(y));
    case Compare::LessEqual: return np::where(std::move(a) <= number, std::move(x), std::move(y));
  }
  return {};
}

np::Array folded(FoldOp fold, np::Array a, const std::vector<int>& axes, bool keepdims) {
  const np::Axes over = axes.empty() ? np::Axes() : np::Axes(axes);
  switch (fold) {
    case FoldOp::Sum: return np::sum(std::move(a), over, keepdims);
    case FoldOp::Max: return np::max(std::move(a), over, keepdims);
    case FoldOp::Min: return np::min(std::move(a), over, keepdims);
  }
  return {};
}

np::Array rolled(const np::Array& a, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  if (axes.size() == 1) return np::roll(a, shifts[0], axes[0]);
  return np::roll(a, shifts, np::Axes(axes));
}

np::Array concatenated(const std::vector<np::Array>& parts) {
  return np::concatenate(parts, 0);
}

np::Array stacked(const std::vector<np::Array>& parts) {
  return np::stack(parts);
}

np::Array flipped(const np::Array& a) {
  return np::flip(a, 0);
}

np::Array moved(const np::Array& a, int source, int destination) {
  return np::moveaxis(a, source, destination);
}

np::Array swapped(const np::Array& a) {
  return np::swapaxes(a, -1, -2);
}

np::Array copied(const np::Array& a) {
  return a.copy();
}

void assign(np::Array target, np::Array value) {
  std::move(target) = std::move(value);
}

void update(Op op, np::Array& target, np::Array value) {
  switch (op) {
    case Op::Add: target += std::move(value); break;
    case Op::Subtract: target -= std::move(value); break;
    default: target *= std::move(value); break;
  }
}

// ---- the program's text

struct Text {
  std::string text;
};

const char* name_of(Op op) {
  constexpr std::array kNames{" + ", " - ", " * ", "np::minimum", "np::maximum", "np::remainder"};
  return kNames[static_cast<std::size_t>(op)];
}

std::string number_text(double number) {
  std::ostringstream text;
  text << std::showpoint << std::setprecision(2) << number;
  return text.str();
}

template <class Numbers>
std::string list_text(const Numbers& numbers) {
  std::ostringstream text;
  for (const auto number : numbers) text << (text.tellp() > 0 ? ", " : "") << number;
  return "{" + text.str() + "}";
}

std::string list_text(const std::vector<Text>& parts) {
  std::string text;
  for (const Text& part : parts) text += (text.empty() ? "" : ", ") + part.text;
  return "{" + text + "}";
}

Text view_of(const Text& a, const Picks& picks) {
  std::string text;
  for (const Pick& pick : picks) {
    text += text.empty() ? "" : ", ";
    switch (pick.kind) {
      case Pick::Kind::Position: text += std::to_string(pick.first); break;
      case Pick::Kind::Range: {
        const auto stop = stop_of(pick);
        text += "slice(" + std::to_string(pick.first) + ", " + (stop ? std::to_string(*stop) : "{}") +
                (pick.step == 1 ? "" : ", " + std::to_string(pick.step)) + ")";
        break;
      }
      case Pick::Kind::All: text += "all"; break;
      case Pick::Kind::New: text += "np::newaxis"; break;
    }
  }
  return {a.text + "(" + text + ")"};
}

Text binary(Op op, const Text& a, const Text& b) {
  if (op >= Op::Minimum) return {name_of(op) + ("(" + a.text) + ", " + b.text + ")"};
  return {"(" + a.text + name_of(op) + b.text + ")"};
}

Text with_number(Op op, const Text& a, double number, bool number_first) {
  const Text text{number_text(number)};
  return number_first ? binary(op, text, a) : binary(op, a, text);
}

Text choose(Compare compare, const Text& a, double number, const Text& x, const Text& y) {
  constexpr std::array kNames{" > ", " == ", " <= "};
  return {"np::where(" + a.text + kNames[static_cast<std::size_t>(compare)] + number_text(number) + ", " + x.text +
          ", " + y.text + ")"};
}

Text folded(FoldOp fold, const Text& a, const std::vector<int>& axes, bool keepdims) {
  constexpr std::array kNames{"np::sum(", "np::max(", "np::min("};
  return {kNames[static_cast<std::size_t>(fold)] + a.text + ", " + list_text(axes) + (keepdims ? ", true)" : ")")};
}

Text rolled(const Text& a, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  return {"np::roll(" + a.text + ", " + list_text(shifts) + ", " + list_text(axes) + ")"};
}

Text concatenated(const std::vector<Text>& parts) {
  return {"np::concatenate(" + list_text(parts) + ", 0)"};
}

Text stacked(const std::vector<Text>& parts) {
  return {"np::stack(" + list_text(parts) + ")"};
}

Text flipped(const Text& a) {
  return {"np::flip(" + a.text + ", 0)"};
}

Text moved(const Text& a, int source, int destination) {
  return {"np::moveaxis(" + a.text + ", " + std::to_string(source) + ", " + std::to_string(destination) + ")"};
}

Text swapped(const Text& a) {
  return {"np::swapaxes(" + a.text + ", -1, -2)"};
}

Text copied(const Text& a) {
  return {a.text + ".copy()"};
}

// ---- what a program does: to numbers, to arrays, as a text

struct Reading {
  std::string what;
  std::vector<double> cells;
};

template <class Value>
struct Names {
  std::vector<Value> fields, planes, aliases;
  Value vector, part;
  std::vector<Value> held;
  std::vector<Reading> readings;

  Value& operator[](Variable name) {
    const auto number = static_cast<std::size_t>(name.number);
    switch (name.kind) {
      case Kind::Field: return fields[number];
      case Kind::Plane: return planes[number];
      case Kind::Alias: return aliases[number];
      case Kind::Part: return part;
      case Kind::Vector: break;
    }
    return vector;
  }
};

template <class Value>
Value evaluate(const Node& node, Names<Value>& names) {
  const auto kid = [&](std::size_t number) { return evaluate(node.kids[number], names); };
  const auto kids = [&] {
    std::vector<Value> values;
    for (const Node& one : node.kids) values.push_back(evaluate(one, names));
    return values;
  };
  switch (node.what) {
    case Node::What::Name: return names[node.name];
    case Node::What::View: return view_of(kid(0), node.picks);
    case Node::What::Binary: {
      Value left = kid(0);
      return binary(node.op, std::move(left), kid(1));
    }
    case Node::What::Number: return with_number(node.op, kid(0), node.number, node.number_first);
    case Node::What::Where: {
      Value asked = kid(0), yes = kid(1);
      return choose(node.compare, std::move(asked), node.number, std::move(yes), kid(2));
    }
    case Node::What::Fold: return folded(node.fold, kid(0), node.axes, node.keepdims);
    case Node::What::Roll: return rolled(kid(0), node.shifts, node.axes);
    case Node::What::Stack: return stacked(kids());
    case Node::What::Concatenate: return concatenated(kids());
    case Node::What::Flip: return flipped(kid(0));
    case Node::What::Move: return moved(kid(0), node.axes[0], node.axes[1]);
    case Node::What::Swap: return swapped(kid(0));
    case Node::What::Copy: return copied(kid(0));
  }
  return {};
}

std::vector<double> cells_of(const Naive& a) {
  return a.cells();
}

std::vector<double> cells_of(const np::Array& a) {
  if (a.size() == 1) return {a.item<double>()};
  return a.to_vector<double>();
}

template <class Value>
void execute(const Statement& statement, Names<Value>& names) {
  switch (statement.what) {
    case Statement::What::Assign: {
      Value value = evaluate(statement.value, names);
      assign(view_of(names[statement.target], statement.picks), std::move(value));
      break;
    }
    case Statement::What::Update: {
      Value value = evaluate(statement.value, names);
      if (statement.picks.empty()) {
        update(statement.op, names[statement.target], std::move(value));
      } else {
        Value view = view_of(names[statement.target], statement.picks);
        update(statement.op, view, std::move(value));
      }
      break;
    }
    case Statement::What::Rebind: names[statement.target] = evaluate(statement.value, names); break;
    case Statement::What::Exchange: std::swap(names[statement.target], names[statement.other]); break;
    case Statement::What::Hold: names.held.push_back(evaluate(statement.value, names)); break;
    case Statement::What::Read: {
      const Value value = evaluate(statement.value, names);
      names.readings.push_back({"reading " + std::to_string(names.readings.size()), cells_of(value)});
      break;
    }
  }
}

std::string name_text(Variable name) {
  if (name.kind == Kind::Vector) return "v";
  if (name.kind == Kind::Part) return "part";
  return (name.kind == Kind::Field ? "f" : name.kind == Kind::Plane ? "p" : "alias") + std::to_string(name.number);
}

std::string text_of(const Statement& statement, Names<Text>& names) {
  const std::string value = evaluate(statement.value, names).text;
  std::string target = name_text(statement.target);
  const std::string part = view_of(Text{target}, statement.picks).text;
  switch (statement.what) {
    case Statement::What::Assign: return part + " = " + value + ";\n";
    case Statement::What::Update:
      return (statement.picks.empty() ? target : part) + " " + name_of(statement.op)[1] + "= " + value + ";\n";
    case Statement::What::Rebind: return target + " = " + value + ";\n";
    case Statement::What::Exchange: return "std::swap(" + target + ", " + name_text(statement.other) + ");\n";
    case Statement::What::Hold: return "held.push_back(" + value + ");\n";
    case Statement::What::Read: return "read(" + value + ");\n";
  }
  return {};
}

std::string to_string(const Program& program) {
  Names<Text> names;
  std::ostringstream text;
  for (std::size_t k = 0; k < program.fields.size(); ++k) {
    names.fields.push_back({"f" + std::to_string(k)});
    constexpr std::array kMade{"array + 0", "array", "zeros", "full of 3", "moveaxis of array + 0", "part of array"};
    text << names.fields.back().text << ": " << kMade[static_cast<std::size_t>(program.fields[k])] << " "
         << list_text(program.shape()) << "\n";
  }
  for (int k = 0; k < program.plane_names; ++k) names.planes.push_back({"p" + std::to_string(k)});
  for (int k = 0; k < program.aliases; ++k) {
    names.aliases.push_back({"alias" + std::to_string(k)});
    text << "alias" << k << " = f" << k << "(" << (k % 2 ? program.planes - 1 : 0) << ")\n";
  }
  names.vector = {"v"};
  names.part = {"part"};
  text << "part = f0(slice(0, " << program.part << "))\n";
  for (const Block& block : program.blocks) {
    if (block.rounds > 1) text << "for (int i = 0; i < " << block.rounds << "; ++i) {\n";
    for (const Statement& statement : block.statements)
      text << (block.rounds > 1 ? "  " : "") << text_of(statement, names);
    if (block.rounds > 1) text << "}\n";
  }
  for (const int field : program.dropped) text << "f" << field << " = np::Array();\n";
  return text.str();
}

// Small whole numbers.
std::vector<double> some_cells(std::uint64_t seed, const Extents& shape) {
  std::mt19937_64 dice(seed);
  std::vector<double> cells(static_cast<std::size_t>(count_of(shape)));
  for (double& cell : cells) cell = static_cast<double>(dice() % 13) - 4;
  return cells;
}

// With the first axis behind the others.
Extents turned_of(const Extents& shape) {
  Extents turned(shape.begin() + 1, shape.end());
  turned.push_back(shape[0]);
  return turned;
}

// 0: an array of its own; 1: cells that the program gave; 2: zeros; 3: threes; 4: its planes lie cell by cell beside
// each other; 5: it is a part of a larger one.
Naive make(int how, std::uint64_t seed, const Extents& shape, const Naive*) {
  if (how == 4) {
    const Extents turned = turned_of(shape);
    return moved(Naive::of(some_cells(seed, turned), turned), static_cast<int>(shape.size()) - 1, 0);
  }
  if (how < 2 || how == 5) return Naive::of(some_cells(seed, shape), shape);
  return Naive::of(std::vector<double>(static_cast<std::size_t>(count_of(shape)), how == 2 ? 0 : 3), shape);
}

np::Array make(int how, std::uint64_t seed, const Extents& shape, const np::Array*) {
  const Shape extents{std::span<const std::int64_t>(shape)};
  if (how == 2) return np::zeros(extents);
  if (how == 3) return np::full(extents, 3.0);
  if (how == 4) {
    const Extents turned = turned_of(shape);
    const Shape last{std::span<const std::int64_t>(turned)};
    return np::moveaxis(np::array(some_cells(seed, turned)).reshape(last) + 0.0, -1, 0);
  }
  np::Array cells = np::array(some_cells(seed, shape)).reshape(extents);
  if (how == 5) return np::concatenate({cells(slice(0, 1)), cells, cells(slice(0, 1))}, 0)(slice(1, -1));
  return how == 0 ? std::move(cells) + 0.0 : cells;
}

// All that the program reads, in between and at its end.
template <class Value>
std::vector<Reading> run(const Program& program) {
  const Value* const of = nullptr;
  Names<Value> names;
  std::uint64_t seed = program.seed;
  for (const int how : program.fields) names.fields.push_back(make(how, ++seed, program.shape(), of));
  for (int k = 0; k < program.plane_names; ++k) names.planes.push_back(make(0, ++seed, program.plane, of));
  for (int k = 0; k < program.aliases; ++k) {
    const Pick pick{Pick::Kind::Position, k % 2 ? program.planes - 1 : 0};
    names.aliases.push_back(view_of(names.fields[static_cast<std::size_t>(k)], {pick}));
  }
  names.vector = make(0, ++seed, program.vector_shape(), of);
  names.part = view_of(names.fields[0], {{Pick::Kind::Range, 0, program.part, 1}});
  for (const Block& block : program.blocks) {
    for (int round = 0; round < block.rounds; ++round) {
      for (const Statement& statement : block.statements) execute(statement, names);
    }
  }
  for (const int field : program.dropped) names.fields[static_cast<std::size_t>(field)] = Value();
  std::vector<Reading> readings = std::move(names.readings);
  const auto read_all = [&](const std::vector<Value>& values, const std::string& what) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const bool dropped = what == "f" && std::ranges::count(program.dropped, static_cast<int>(k)) > 0;
      if (!dropped) readings.push_back({what + std::to_string(k), cells_of(values[k])});
    }
  };
  if (program.seed % 2) read_all(names.held, "held ");
  read_all(names.planes, "p");
  read_all(names.fields, "f");
  read_all(names.aliases, "alias");
  read_all({names.vector}, "v");
  read_all({names.part}, "part");
  if (program.seed % 2 == 0) read_all(names.held, "held ");
  return readings;
}

// ---- programs are drawn

class Drawer {
 public:
  Drawer(std::uint64_t seed, int attempt) : dice_(seed * 64 + static_cast<std::uint64_t>(attempt)), careful_(attempt) {
    program_.seed = seed;
  }

  Program draw() {
    program_.planes = once_in(20) ? 17 : once_in(16) ? 1 : between(2, 9);
    if (once_in(4)) {
      program_.plane = {once_in(4) ? between(5, 100) : between(129, 400)};
    } else {
      program_.plane = {between(5, 40), between(5, 40)};
      if (once_in(4)) program_.plane[1] = program_.plane[0];
      if (program_.planes > 9) program_.plane = {between(5, 16), between(5, 20)};
    }
    if (once_in(12)) program_.plane[once_in(2) ? 0 : program_.plane.size() - 1] = 1;
    program_.fields.resize(static_cast<std::size_t>(between(2, 4)));
    for (int& how : program_.fields) how = once_in(3) ? static_cast<int>(between(1, 5)) : 0;
    program_.plane_names = static_cast<int>(between(1, 2));
    program_.aliases = static_cast<int>(between(1, 2));
    program_.window = once_in(4) ? static_cast<int>(between(1, 12)) : 0;
    program_.part = between(1, program_.planes);
    reads_ = once_in(2);
    std::int64_t left = once_in(2) ? between(5, 15) : between(5, 40);
    while (left > 0) {
      Block block;
      const bool loops = once_in(2);
      const std::int64_t length = std::min(left, between(loops ? 2 : 1, loops ? 12 : 40));
      if (loops) block.rounds = static_cast<int>(between(3, 8));
      left -= length;
      for (std::int64_t k = 0; k < length; ++k) draw_statement(block.statements);
      program_.blocks.push_back(std::move(block));
    }
    for (int field = 0; field < std::ssize(program_.fields); ++field)
      if (once_in(6)) program_.dropped.push_back(field);
    return std::move(program_);
  }

 private:
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(dice_() % static_cast<std::uint64_t>(last - first + 1));
  }
  bool once_in(std::int64_t n) { return between(1, n) == 1; }
  bool in_hundred(std::int64_t percent) { return between(1, 100) <= percent; }

  Extents shape_of(std::int64_t lead, const Extents& window) {
    Extents shape;
    if (lead > 0) shape.push_back(lead);
    shape.insert(shape.end(), window.begin(), window.end());
    return shape;
  }
  Extents shape_of(Variable name) {
    if (name.kind == Kind::Field) return program_.shape();
    return name.kind == Kind::Part ? program_.shape_of(program_.part) : program_.plane;
  }
  Variable some_field() {
    if (once_in(3)) return favourite_;
    return {Kind::Field, static_cast<int>(between(0, std::ssize(program_.fields) - 1))};
  }
  Variable some_plane() {
    if (once_in(2)) return {Kind::Plane, static_cast<int>(between(0, program_.plane_names - 1))};
    return {Kind::Alias, static_cast<int>(between(0, program_.aliases - 1))};
  }

  // So many cells of an axis, anywhere.
  Pick some_of(std::int64_t extent, std::int64_t count) {
    if (count == extent) {
      if (!once_in(8)) return {};
      return {Pick::Kind::Range, extent - 1, count, -1};
    }
    std::int64_t step = once_in(6) && 2 * count <= extent ? 2 : 1;
    std::int64_t first = between(0, extent - 1 - (count - 1) * step);
    if (once_in(8)) {
      first += (count - 1) * step;
      step = -step;
    }
    return {Pick::Kind::Range, first, count, step};
  }
  // Cells of a plane, or none said where it is whole.
  Picks some_window(const Extents& window) {
    Picks picks;
    if (window == program_.plane && !once_in(12)) return picks;
    for (std::size_t axis = 0; axis < window.size(); ++axis)
      picks.push_back(some_of(program_.plane[axis], window[axis]));
    return picks;
  }

  static Node named(Variable name, const Extents& shape) {
    Node node;
    node.name = name;
    node.shape = shape;
    return node;
  }
  static Node over(Node::What what, std::vector<Node> kids, const Extents& shape) {
    Node node;
    node.what = what;
    node.kids = std::move(kids);
    node.shape = shape;
    return node;
  }
  static Node seen(Node of, Picks picks, const Extents& shape) {
    if (picks.empty()) return of;
    Node node = over(Node::What::View, {std::move(of)}, shape);
    node.picks = std::move(picks);
    return node;
  }
  static Node with_number(Op op, Node of, double number, bool number_first = false) {
    const Extents shape = of.shape;
    Node node = over(Node::What::Number, {std::move(of)}, shape);
    node.op = op;
    node.number = number;
    node.number_first = number_first;
    return node;
  }
  static Node both(Op op, Node a, Node b) {
    const Extents shape = common(a.shape, b.shape);
    Node node = over(Node::What::Binary, {std::move(a), std::move(b)}, shape);
    node.op = op;
    return node;
  }
  static Node fold(FoldOp op, Node of, std::vector<int> axes, bool keepdims, const Extents& shape) {
    Node node = over(Node::What::Fold, {std::move(of)}, shape);
    node.fold = op;
    node.axes = std::move(axes);
    node.keepdims = keepdims;
    return node;
  }

  Op some_op() {
    constexpr std::array kOps{Op::Add, Op::Add, Op::Subtract, Op::Subtract, Op::Multiply, Op::Minimum, Op::Maximum};
    return kOps[static_cast<std::size_t>(between(0, std::ssize(kOps) - 1))];
  }
  FoldOp some_fold() { return once_in(2) ? FoldOp::Sum : once_in(2) ? FoldOp::Max : FoldOp::Min; }

  // One name, or cells of it. No lead: a plane.
  Node leaf(std::int64_t lead, const Extents& window) {
    const Extents shape = shape_of(lead, window), whole = program_.shape();
    if (lead == 0 && once_in(2)) return seen(named(some_plane(), program_.plane), some_window(window), shape);
    Picks picks;
    const bool of_part = lead == program_.part && once_in(6);
    if (lead == 0) {
      picks.push_back({Pick::Kind::Position, between(0, program_.planes - 1)});
    } else if (!of_part && (lead != program_.planes || once_in(8))) {
      picks.push_back(some_of(program_.planes, lead));
    }
    const Picks rest = some_window(window);
    if (!rest.empty() && picks.empty()) picks.emplace_back();
    picks.insert(picks.end(), rest.begin(), rest.end());
    Node name = of_part ? named({Kind::Part}, program_.shape_of(lead)) : named(some_field(), whole);
    return seen(std::move(name), std::move(picks), shape);
  }

  // What is repeated beside a field.
  Node thin(std::int64_t lead, const Extents& window, int depth) {
    Extents shape(window.size() + 1, 1);
    shape[0] = lead;
    std::vector<int> axes(window.size());
    std::iota(axes.begin(), axes.end(), 1);
    switch (between(0, 7)) {
      case 0:
      case 1: {
        Node vector = named({Kind::Vector}, program_.vector_shape());
        if (lead == program_.planes) return vector;
        return seen(std::move(vector), {some_of(program_.planes, lead)}, shape);
      }
      case 2: return fold(some_fold(), expression(lead, window, depth - 1), axes, true, shape);
      case 3:
        if (window.size() == 2) {  // along the last axis alone
          shape[1] = window[0];
          return fold(some_fold(), expression(lead, window, depth - 1), {2}, true, shape);
        }
        [[fallthrough]];
      default: return expression(0, window, depth - 1);
    }
  }

  Node stack(std::int64_t lead, const Extents& window, int depth) {
    std::vector<Node> planes;
    const bool rolls = once_in(2);
    for (std::int64_t k = 0; k < lead; ++k) {
      Node plane = expression(0, window, lead > 9 ? 0 : static_cast<int>(between(0, std::max(0, depth - 1))));
      planes.push_back(rolls && once_in(2) ? roll(std::move(plane), 0) : std::move(plane));
    }
    return over(Node::What::Stack, std::move(planes), shape_of(lead, window));
  }

  // Along the axes of planes, the first of which is axis `from`.
  Node roll(Node of, int from) {
    const Extents shape = of.shape;
    Node node = over(Node::What::Roll, {std::move(of)}, shape);
    for (int axis = from; axis < std::ssize(shape); ++axis) {
      if (std::ssize(shape) - from > 1 && once_in(4)) continue;
      node.axes.push_back(axis);
      node.shifts.push_back(between(-3, 3));
    }
    if (node.axes.empty()) return std::move(node.kids[0]);
    return node;
  }

  Node expression(std::int64_t lead, const Extents& window, int depth) {
    if (depth <= 0) return leaf(lead, window);
    const Extents shape = shape_of(lead, window);
    const auto more = [&] { return expression(lead, window, depth - 1); };
    switch (between(0, lead > 0 ? 15 : 11)) {
      case 0: return leaf(lead, window);
      case 1:
      case 2:
      case 3:
      case 4: {
        Node left = more();
        Node right = lead > 0 && once_in(2) ? thin(lead, window, depth) : more();
        if (once_in(4)) std::swap(left, right);
        return both(some_op(), std::move(left), std::move(right));
      }
      case 5: {
        const Op op = some_op();
        return with_number(op, more(), static_cast<double>(between(-2, 3)), op < Op::Minimum && once_in(3));
      }
      case 6:
      case 7: {
        std::vector<Node> kids;
        kids.push_back(lead > 0 && once_in(4) ? thin(lead, window, depth) : more());
        kids.push_back(more());
        kids.push_back(lead > 0 && once_in(4) ? thin(lead, window, depth) : more());
        Node node = over(Node::What::Where, std::move(kids), shape);
        node.compare = static_cast<Compare>(between(0, 2));
        node.number = static_cast<double>(between(-1, 2));
        return node;
      }
      case 8: return roll(more(), lead > 0 ? 1 : 0);
      case 9: return over(once_in(3) ? Node::What::Copy : Node::What::Flip, {more()}, shape);
      case 10:
        if (lead == 0)
          return fold(some_fold(), expression(between(1, program_.planes), window, depth - 1), {0}, false, shape);
        return stack(lead, window, depth);
      case 11:
        if (lead == 0) {
          // A plane of something larger.
          const std::int64_t planes = between(1, program_.planes);
          Node node = expression(planes, window, depth - 1);
          return seen(std::move(node), {{Pick::Kind::Position, between(0, planes - 1)}}, shape);
        }
        if (window.size() == 2 && window[0] == window[1]) return over(Node::What::Swap, {more()}, shape);
        return stack(lead, window, depth);
      case 12: {
        if (lead < 2) return more();
        const std::int64_t first = between(1, lead - 1);
        std::vector<Node> parts;
        for (const std::int64_t count : {first, lead - first}) {
          if (count == 1 && once_in(2)) {
            parts.push_back(seen(expression(0, window, depth - 1), {{Pick::Kind::New}}, shape_of(1, window)));
          } else {
            parts.push_back(expression(count, window, depth - 1));
          }
        }
        return over(Node::What::Concatenate, std::move(parts), shape);
      }
      case 13: {
        Node node = over(Node::What::Roll, {more()}, shape);  // along the fields
        node.axes = {0};
        node.shifts = {between(-2, 2)};
        return node;
      }
      case 14: {
        // Seen with the fields last.
        const int last = static_cast<int>(shape.size()) - 1;
        const Extents turned = turned_of(shape);
        std::vector<Node> kids;
        for (int k = 0; k < 2; ++k) {
          Node node = over(Node::What::Move, {more()}, turned);
          node.axes = {0, last};
          kids.push_back(std::move(node));
        }
        Node node = both(some_op(), std::move(kids[0]), std::move(kids[1]));
        node = over(Node::What::Move, {std::move(node)}, shape);
        node.axes = {last, 0};
        return node;
      }
      default: {
        // Some planes of something larger.
        if (lead == program_.planes) return more();
        return seen(expression(lead + 1, window, depth - 1), {{Pick::Kind::Range, between(0, 1), lead, 1}}, shape);
      }
    }
  }

  static bool grows(const Node& node) {
    if (node.what == Node::What::Fold && node.fold == FoldOp::Sum) return true;
    const bool computes = node.what == Node::What::Binary || node.what == Node::What::Number;
    if (computes && node.op <= Op::Multiply) return true;
    return std::ranges::any_of(node.kids, grows);
  }
  // Back to small numbers.
  Node small(Node node) {
    if (!grows(node) || (careful_ == 0 && once_in(8))) return node;
    constexpr std::array kNumbers{3., 5., 7., 10., 19.};
    const double number = kNumbers[static_cast<std::size_t>(between(0, std::ssize(kNumbers) - 1))];
    if (once_in(4)) return with_number(Op::Minimum, with_number(Op::Maximum, std::move(node), -number), number);
    node = with_number(Op::Remainder, std::move(node), number);
    return once_in(2) ? with_number(Op::Subtract, std::move(node), std::floor(number / 2)) : node;
  }
  int some_depth() { return static_cast<int>(between(0, program_.planes > 9 ? 2 : 3)); }

  // Somewhere to write, and its extents.
  struct Place {
    Variable name;
    Picks picks;
    std::int64_t lead = 0;
    Extents window;
  };
  Place some_place() {
    Place place{.window = program_.plane};
    if (once_in(3))
      for (std::int64_t& extent : place.window)
        extent = once_in(3) ? extent : between(std::max<std::int64_t>(1, extent - 3), extent);
    if (once_in(6)) {
      place.name = some_plane();
      place.picks = some_window(place.window);
      return place;
    }
    if (once_in(8)) {
      place.name = {Kind::Part};
      place.lead = program_.part;
      const Picks rest = some_window(place.window);
      if (!rest.empty()) place.picks.emplace_back();
      place.picks.insert(place.picks.end(), rest.begin(), rest.end());
      return place;
    }
    place.name = some_field();
    favourite_ = place.name;
    switch (between(0, 3)) {
      case 0:
      case 1: place.picks = {{Pick::Kind::Position, between(0, program_.planes - 1)}}; break;
      case 2:
        place.lead = between(1, program_.planes);
        place.picks = {some_of(program_.planes, place.lead)};
        break;
      default: place.lead = program_.planes; break;
    }
    const Picks rest = some_window(place.window);
    if (!rest.empty() && place.picks.empty()) place.picks.emplace_back();
    place.picks.insert(place.picks.end(), rest.begin(), rest.end());
    return place;
  }

  void draw_statement(std::vector<Statement>& statements) {
    Statement statement;
    const Extents whole = program_.shape();
    const auto value_for = [&](const Place& place) {
      if (place.lead > 0 && once_in(5)) return thin(place.lead, place.window, some_depth() + 1);
      return expression(place.lead, place.window, some_depth());
    };
    const std::int64_t percent = between(1, 100);
    if (percent <= 30) {
      const Place place = some_place();
      statement.target = place.name;
      statement.picks = place.picks.empty() ? Picks{{}} : place.picks;
      statement.value = small(value_for(place));
    } else if (percent <= 50) {
      const Place place = some_place();
      statement.what = Statement::What::Update;
      statement.target = place.name;
      statement.picks = place.picks;
      statement.op = once_in(8) ? Op::Multiply : once_in(2) ? Op::Add : Op::Subtract;
      statement.value = small(value_for(place));
      const bool follow = careful_ > 1 || statement.op == Op::Multiply || once_in(2);
      statements.push_back(statement);
      if (!follow) return;
      statement.what = Statement::What::Assign;
      statement.picks = {{}};
      statement.value = small(with_number(Op::Add, named(place.name, shape_of(place.name)), 0));
    } else if (percent <= 58) {
      statement.what = Statement::What::Rebind;
      statement.target = favourite_ = some_field();
      statement.value = small(expression(program_.planes, program_.plane, some_depth()));
    } else if (percent <= 67) {
      statement.what = Statement::What::Rebind;
      statement.target = {Kind::Plane, static_cast<int>(between(0, program_.plane_names - 1))};
      statement.value = small(expression(0, program_.plane, once_in(2) ? 0 : some_depth()));
    } else if (percent <= 71) {
      statement.what = Statement::What::Rebind;
      if (once_in(3)) {
        statement.target = {Kind::Part};
        statement.value = seen(named(some_field(), whole), {some_of(program_.planes, program_.part)},
                               program_.shape_of(program_.part));
        statements.push_back(std::move(statement));
        return;
      }
      statement.target = {Kind::Alias, static_cast<int>(between(0, program_.aliases - 1))};
      statement.value =
          seen(named(some_field(), whole), {{Pick::Kind::Position, between(0, program_.planes - 1)}}, program_.plane);
    } else if (percent <= 75) {
      statement.what = Statement::What::Exchange;
      statement.target = some_field();
      statement.other = {Kind::Field, (statement.target.number + 1) % static_cast<int>(program_.fields.size())};
    } else if (percent <= 80) {
      statement.what = Statement::What::Hold;
      const std::int64_t lead = once_in(2) ? 0 : between(1, program_.planes);
      statement.value = expression(lead, program_.plane, some_depth());
      if (!small_enough(statement.value)) statement.value = small(std::move(statement.value));
    } else if (percent <= 86) {
      if (!reads_) return draw_statement(statements);
      statement.what = Statement::What::Read;
      statement.value = number_or_plane();
    } else if (percent <= 90) {
      statement.target = {Kind::Vector};
      statement.picks = {{}};
      std::vector<int> axes(program_.plane.size());
      std::iota(axes.begin(), axes.end(), 1);
      statement.value = small(fold(some_fold(), expression(program_.planes, program_.plane, some_depth()), axes, true,
                                   program_.vector_shape()));
    } else if (percent <= 93) {
      // Each field moves its own way.
      statement.target = favourite_ = some_field();
      statement.picks = {{}};
      std::vector<Node> planes;
      const Variable from = some_field();
      for (std::int64_t k = 0; k < program_.planes; ++k) {
        const std::int64_t place = once_in(6) ? between(0, program_.planes - 1) : k;
        planes.push_back(roll(seen(named(from, whole), {{Pick::Kind::Position, place}}, program_.plane), 0));
      }
      statement.value = over(Node::What::Stack, std::move(planes), whole);
    } else if (percent <= 95) {
      draw_row(statements);
      return;
    } else if (percent <= 98) {
      draw_steps(statements);
      return;
    } else {
      // Towards another one.
      statement.what = Statement::What::Update;
      statement.target = favourite_ = some_field();
      const Node target = named(statement.target, whole);
      const Node other = once_in(2) ? named(some_field(), whole) : thin(program_.planes, program_.plane, 2);
      statement.value = with_number(Op::Multiply, both(Op::Subtract, other, target), 2, true);
      if (other.shape.size() < whole.size()) statement.value.shape = whole;
      statements.push_back(statement);
      statement.what = Statement::What::Assign;
      statement.picks = {{}};
      statement.value = with_number(Op::Remainder, target, 11);
    }
    statements.push_back(std::move(statement));
  }

  // Plane after plane, each from its neighbours or those of another array.
  void draw_row(std::vector<Statement>& statements) {
    const Variable to = some_field(), from = once_in(2) ? to : some_field();
    const std::int64_t distance = between(-1, 1), added = between(0, 2);
    const bool backwards = once_in(2), in_place = once_in(3), rolls = once_in(3);
    for (std::int64_t k = 0; k < program_.planes; ++k) {
      Statement statement;
      statement.target = to;
      const std::int64_t place = backwards ? program_.planes - 1 - k : k;
      const std::int64_t other = (place + distance + program_.planes) % program_.planes;
      statement.picks = {{Pick::Kind::Position, place}};
      Node value = seen(named(from, program_.shape()), {{Pick::Kind::Position, other}}, program_.plane);
      if (rolls) value = roll(std::move(value), 0);
      if (in_place) {
        statement.what = Statement::What::Update;
        statement.op = Op::Subtract;
      } else if (added > 0) {
        Node more = added == 1 ? leaf(0, program_.plane)
                               : seen(named(to, program_.shape()), {{Pick::Kind::Position, place}}, program_.plane);
        value = small(both(once_in(2) ? Op::Add : Op::Subtract, std::move(value), std::move(more)));
      }
      statement.value = std::move(value);
      statements.push_back(std::move(statement));
    }
    favourite_ = to;
  }

  // What is made plane by plane, then changed as a whole, then read plane by plane: some of these steps.
  void draw_steps(std::vector<Statement>& statements) {
    const Extents whole = program_.shape();
    const Variable made = some_field(), plane{Kind::Plane, 0}, vector{Kind::Vector};
    const auto add = [&](Statement::What what, Variable target, Picks picks, Node value) {
      Statement statement;
      statement.what = what;
      statement.target = target;
      statement.picks = std::move(picks);
      statement.value = std::move(value);
      statements.push_back(std::move(statement));
    };
    if (!once_in(5)) {
      Node value = stack(program_.planes, program_.plane, 2);
      if (once_in(2)) {
        add(Statement::What::Rebind, made, {}, small(std::move(value)));
      } else {
        add(Statement::What::Assign, made, {{}}, small(std::move(value)));
      }
    }
    if (once_in(2)) draw_row(statements);
    if (!once_in(3)) {
      Node of = named(made, whole);
      if (once_in(2)) of = both(Op::Multiply, std::move(of), named(vector, program_.vector_shape()));
      add(Statement::What::Rebind, plane, {}, small(fold(some_fold(), std::move(of), {0}, false, program_.plane)));
    }
    if (!once_in(4)) {
      Node towards = both(Op::Multiply, named(vector, program_.vector_shape()), named(plane, program_.plane));
      Node value = both(Op::Subtract, std::move(towards), named(made, whole));
      add(Statement::What::Update, made, {}, with_number(Op::Remainder, std::move(value), 4));
    }
    if (once_in(3)) add(Statement::What::Hold, {}, {}, leaf(once_in(2) ? 0 : program_.planes, program_.plane));
    favourite_ = made;
    if (once_in(2)) {
      draw_row(statements);
    } else {
      const Variable to = some_field();
      add(Statement::What::Assign, to, {{}}, small(stack(program_.planes, program_.plane, 2)));
    }
  }

  bool small_enough(const Node& node) { return !grows(node) || careful_ == 0; }

  Node number_or_plane() {
    const Extents whole = program_.shape();
    switch (between(0, 3)) {
      case 0:
        return fold(some_fold(), expression(program_.planes, program_.plane, static_cast<int>(between(0, 1))), {},
                    false, {});
      case 1: return fold(some_fold(), expression(0, program_.plane, static_cast<int>(between(0, 1))), {}, false, {});
      case 2: {
        Picks cell;
        for (const std::int64_t extent : whole) cell.push_back({Pick::Kind::Position, between(0, extent - 1)});
        return seen(named(some_field(), whole), std::move(cell), {});
      }
      default: return leaf(0, program_.plane);
    }
  }

  std::mt19937_64 dice_;
  int careful_;
  bool reads_ = false;
  Variable favourite_;
  Program program_;
};

// One whose numbers stay exact.
Program draw_program(std::uint64_t seed) {
  for (int attempt = 0;; ++attempt) {
    Program program = Drawer(seed, attempt).draw();
    try {
      static_cast<void>(run<Naive>(program));
      return program;
    } catch (const Inexact&) {
    }
  }
}

// ---- machines

struct PlanesMachine {
  const char* name;
  int ranks, processors;
  bool gpus;
  friend void PrintTo(const PlanesMachine& machine, std::ostream* out) { *out << machine.name; }
};

constexpr PlanesMachine kPlanesMachines[] = {
    {"OneProcessor", 1, 1, false},  {"ThreeProcessors", 1, 3, false}, {"TwoRanks", 2, 1, false},
    {"OneGpu", 1, 1, true},         {"TwoGpus", 1, 2, true},          {"ThreeGpus", 1, 3, true},
    {"TwoRanksOfAGpu", 2, 1, true},
};

fakes::SimulatedRanks simulated(const PlanesMachine& machine, std::uint64_t seed, int window) {
  fakes::SimulatedRanks made;
  made.ranks = machine.ranks;
  made.processors_per_rank = machine.processors;
  made.gpus = machine.gpus;
  made.seed = seed;
  made.window = window;
  made.interpret = true;
  return made;
}

// Where what is found is not what is expected.
std::optional<std::string> difference(const std::vector<Reading>& expected, const std::vector<Reading>& found) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    std::ostringstream text;
    text << expected[k].what << ": ";
    if (found[k].cells.size() != expected[k].cells.size()) {
      text << found[k].cells.size() << " cells, expected are " << expected[k].cells.size();
      return text.str();
    }
    for (std::size_t cell = 0; cell < expected[k].cells.size(); ++cell) {
      if (found[k].cells[cell] == expected[k].cells[cell]) continue;
      text << "cell " << cell << " is " << found[k].cells[cell] << ", expected is " << expected[k].cells[cell];
      return text.str();
    }
  }
  return {};
}

std::optional<std::string> failure_on(const PlanesMachine& machine, const Program& program) {
  const std::vector<Reading> expected = run<Naive>(program);
  std::mutex mutex;
  std::optional<std::string> failure;
  try {
    fakes::run_on_simulated_ranks(simulated(machine, program.seed, program.window), [&](scheduler::Session&) {
      const auto found = difference(expected, run<np::Array>(program));
      const std::lock_guard lock(mutex);
      if (found) failure = found;
    });
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  return failure;
}

// Programs that are a step smaller.
void each_smaller(const Node& node, const std::function<bool(Node)>& take, bool& taken) {
  for (const Node& kid : node.kids) {
    if (taken) return;
    if (kid.shape == node.shape) taken = take(kid);
  }
  for (std::size_t k = 0; k < node.kids.size() && !taken; ++k) {
    each_smaller(
        node.kids[k],
        [&](Node kid) {
          Node changed = node;
          changed.kids[k] = std::move(kid);
          return take(std::move(changed));
        },
        taken);
  }
}

Program shrink(Program program, const PlanesMachine& machine) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto take = [&](const Program& other) {
    if (std::chrono::steady_clock::now() > end) return false;
    try {
      if (!failure_on(machine, other)) return false;
    } catch (const Inexact&) {
      return false;
    }
    program = other;
    return true;
  };
  for (bool taken = true; taken;) {
    taken = false;
    const Program from = program;
    for (std::size_t k = 0; k < from.blocks.size() && !taken; ++k) {
      Program other = from;
      other.blocks.erase(other.blocks.begin() + static_cast<std::ptrdiff_t>(k));
      taken = take(other);
      for (int rounds = 1; rounds < from.blocks[k].rounds && !taken; ++rounds) {
        other = from;
        other.blocks[k].rounds = rounds;
        taken = take(other);
      }
      for (std::size_t place = from.blocks[k].statements.size(); place-- > 0 && !taken;) {
        other = from;
        std::vector<Statement>& statements = other.blocks[k].statements;
        statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(place));
        taken = take(other);
        if (taken) break;
        const auto with_value = [&](Node value) {
          other = from;
          other.blocks[k].statements[place].value = std::move(value);
          return take(other);
        };
        each_smaller(from.blocks[k].statements[place].value, with_value, taken);
      }
    }
    for (int how = 0; how < 2 && !taken; ++how) {
      Program other = from;
      if (how == 0) other.dropped.clear();
      if (how == 1) std::ranges::fill(other.fields, 0);
      if (other.dropped == from.dropped && other.fields == from.fields) continue;
      taken = take(other);
    }
  }
  return program;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class PlanesOnMachines : public testing::TestWithParam<PlanesMachine> {};

TEST_P(PlanesOnMachines, RandomProgramsAreTheirStatementsOneAfterTheOther) {
  const std::uint64_t first =
      setting("PILUM_RANDOM_SEED", static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * 1000);
  // Kernels of GPUs take 40 ms each to compile, those of cores are interpreted.
  const std::uint64_t count = setting("PILUM_RANDOM_COUNT", GetParam().gpus ? (fakes::is_thorough() ? 40 : 5) : 60);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Program program = draw_program(seed);
    const auto failure = failure_on(GetParam(), program);
    if (!failure) continue;
    const Program smallest = shrink(program, GetParam());
    FAIL() << "PILUM_RANDOM_SEED=" << seed << " PILUM_RANDOM_COUNT=1: " << *failure
           << "\nthe smallest program like it: " << failure_on(GetParam(), smallest).value_or("(it fails sometimes)")
           << "\n"
           << to_string(smallest);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, PlanesOnMachines, testing::ValuesIn(kPlanesMachines),
                         [](const auto& machine) { return machine.param.name; });

// ---- single situations

// Planes of rows and columns, as a list.
struct Cube {
  std::int64_t planes, rows, columns;
  std::vector<double> cells;

  double& operator()(std::int64_t plane, std::int64_t row, std::int64_t column) {
    return cells[static_cast<std::size_t>((plane * rows + row) * columns + column)];
  }
  np::Array array() const { return np::array(cells).reshape({planes, rows, columns}) + 0.0; }
  // For each plane, row and column.
  template <class Body>
  void each(Body body) {
    for (std::int64_t i = 0; i < planes; ++i) {
      for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) body(i, y, x, (*this)(i, y, x));
      }
    }
  }
  std::vector<double> plane(std::int64_t number) const {
    const std::ptrdiff_t size = rows * columns;
    return {cells.begin() + number * size, cells.begin() + (number + 1) * size};
  }
};

// Of so many planes, larger and smaller than 1 KB each, on all machines.
void on_planes_machines(std::int64_t planes, const std::function<void(const Cube&)>& program) {
  for (const PlanesMachine& machine : kPlanesMachines) {
    fakes::run_on_simulated_ranks(simulated(machine, 3, 0), [&](scheduler::Session&) {
      for (const auto& [rows, columns] : {std::pair{13, 12}, {3, 5}, {30, 25}}) {
        // Other sizes are other kernels, which take time to compile for GPUs.
        if (machine.gpus && rows != 13 && (rows > 13 || machine.ranks * machine.processors > 1)) continue;
        SCOPED_TRACE(testing::Message() << machine.name << ", planes of " << rows << " by " << columns);
        program({planes, rows, columns, some_cells(7, {planes, rows, columns})});
      }
    });
    if (testing::Test::HasFailure()) return;
  }
}

void expect_cells(const np::Array& found, const std::vector<double>& expected) {
  EXPECT_EQ(found.to_vector<double>(), expected);
}

TEST(Planes, OneOfItsOwnIsReadBeforeAnyIsWritten) {
  on_planes_machines(4, [](Cube cube) {
    np::Array f = cube.array();
    for (int round = 0; round < 5; ++round) {
      f[all] = f + f(2);
      f -= f(0);
      f(slice(1, {})) = f(1) - f(slice(1, {}));
      f(all, slice(1, {})) += f(3, slice(0, -1)) * np::remainder(f(1, slice(1, {})), 2);
      f[all] = np::remainder(f, 11);
      Cube old = cube;
      cube.each([&](auto, auto y, auto x, double& cell) { cell += old(2, y, x); });
      old = cube;
      cube.each([&](auto, auto y, auto x, double& cell) { cell -= old(0, y, x); });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell = i > 0 ? old(1, y, x) - cell : cell; });
      old = cube;
      cube.each([&](auto, auto y, auto x, double& cell) {
        if (y > 0) cell += old(3, y - 1, x) * apply(Op::Remainder, old(1, y, x), 2);
      });
      for (double& cell : cube.cells) cell = apply(Op::Remainder, cell, 11);
    }
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, ShiftedOnesOfOneArrayAreReadBeforeAnyIsWritten) {
  on_planes_machines(5, [](Cube cube) {
    np::Array f = cube.array(), backwards = f(slice({}, {}, -1));
    const std::int64_t last = cube.planes - 1;
    for (int round = 0; round < 4; ++round) {
      f(slice(1, {})) = f(slice(0, -1)) + 1;
      f(slice(0, -1)) -= f(slice(1, {})) * 2;
      f[all] = backwards;
      backwards += f;
      f[all] = np::roll(f, 2, 0) - np::flip(f, 0);
      f[all] = np::remainder(f, 7);
      Cube old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell = i > 0 ? old(i - 1, y, x) + 1 : cell; });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell -= i < last ? old(i + 1, y, x) * 2 : 0; });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell = old(last - i, y, x); });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell += old(last - i, y, x); });
      old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = old((i + last - 1) % (last + 1), y, x) - old(last - i, y, x);
      });
      for (double& cell : cube.cells) cell = apply(Op::Remainder, cell, 7);
    }
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, WrittenOneAfterTheOtherSeeWhatIsBefore) {
  on_planes_machines(6, [](Cube cube) {
    np::Array f = cube.array();
    const std::int64_t count = cube.planes;
    for (int round = 0; round < 3; ++round) {
      for (std::int64_t i = 1; i < count; ++i) f(i) += f(i - 1);
      for (std::int64_t i = 0; i < count; ++i) f(i) = np::roll(f((i + 1) % count), {1, -2}, {0, 1}) - f(i);
      f[all] = np::remainder(f, 9);
      cube.each([&](auto i, auto y, auto x, double& cell) { cell += i > 0 ? cube(i - 1, y, x) : 0; });
      for (std::int64_t i = 0; i < count; ++i) {
        Cube old = cube;
        cube.each([&](auto k, auto y, auto x, double& cell) {
          if (k != i) return;
          const std::int64_t row = (y - 1 + cube.rows) % cube.rows, column = (x + 2) % cube.columns;
          cell = old((i + 1) % count, row, column) - cell;
        });
      }
      for (double& cell : cube.cells) cell = apply(Op::Remainder, cell, 9);
    }
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, AnAliasSeesWhatIsWrittenAndOutlivesItsArraysName) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array();
    np::Array alias = f(1), two = f(slice(1, {}));
    f[all] = f * 2;
    for (double& cell : cube.cells) cell *= 2;
    expect_cells(alias, cube.plane(1));
    alias += f(0);  // the array sees it
    cube.each([&](auto i, auto y, auto x, double& cell) { cell += i == 1 ? cube(0, y, x) : 0; });
    expect_cells(f, cube.cells);
    two[all] = two(slice({}, {}, -1));
    Cube old = cube;
    cube.each([&](auto i, auto y, auto x, double& cell) { cell = i > 0 ? old(3 - i, y, x) : cell; });
    np::Array next = f - 1;
    f = next * 2;  // another array: the views are of the first
    alias[all] = f(2) + two(1);
    old = cube;
    cube.each(
        [&](auto i, auto y, auto x, double& cell) { cell = i == 1 ? (old(2, y, x) - 1) * 2 + old(2, y, x) : cell; });
    std::vector<double> of_f = old.cells;
    for (double& cell : of_f) cell = (cell - 1) * 2;
    expect_cells(f, of_f);
    expect_cells(alias, cube.plane(1));
    expect_cells(two(0), cube.plane(1));
    expect_cells(two(1), cube.plane(2));
    const np::Array gone = (f + 1)(2), stacked = np::stack({gone, gone * 2})(1);  // planes of what has no name
    f[all] = 0.0;
    std::vector<double> of_stacked = old.plane(2);
    for (double& cell : of_stacked) cell = ((cell - 1) * 2 + 1) * 2;
    expect_cells(stacked, of_stacked);
  });
}

TEST(Planes, HeldValuesStayAsTheyWere) {
  on_planes_machines(4, [](Cube cube) {
    np::Array f = cube.array(), h = np::zeros_like(f);
    Cube of_h = cube;
    of_h.cells.assign(cube.cells.size(), 0);
    std::vector<np::Array> held;
    std::vector<std::vector<double>> expected;
    for (int round = 0; round < 4; ++round) {
      held.push_back(f(1) + h(2));
      held.push_back(f(3).copy());
      held.push_back(np::sum(f, 0));
      held.push_back(np::stack({f(0), h(1)}));
      std::vector<double> sum = cube.plane(1), planes = cube.plane(0), folded(sum.size(), 0);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += of_h.plane(2)[k];
      for (std::int64_t i = 0; i < 4; ++i) {
        for (std::size_t k = 0; k < folded.size(); ++k) folded[k] += cube.plane(i)[k];
      }
      const std::vector<double> second = of_h.plane(1);
      planes.insert(planes.end(), second.begin(), second.end());
      expected.insert(expected.end(), {sum, cube.plane(3), folded, planes});
      h[all] = f;
      f(slice(0, 2)) = np::remainder(h(slice(2, {})) * 2, 5);
      f += 1;
      of_h = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = (i < 2 ? apply(Op::Remainder, of_h(i + 2, y, x) * 2, 5) : cell) + 1;
      });
    }
    for (std::size_t k = 0; k < held.size(); ++k) expect_cells(held[k], expected[k]);
    expect_cells(f, cube.cells);
    expect_cells(h, of_h.cells);
  });
}

TEST(Planes, RolledOnesGoBackIntoTheirArray) {
  on_planes_machines(9, [](Cube cube) {
    np::Array f = cube.array();
    const np::Array v = np::arange(9).reshape({9, 1, 1}) * 1.0;
    np::Array density, largest;
    std::vector<double> of_density, of_largest;
    for (int round = 0; round < 5; ++round) {
      std::vector<np::Array> planes;
      for (std::int64_t i = 0; i < 9; ++i) planes.push_back(np::roll(f(i), {i / 3 - 1, i % 3 - 1}, {0, 1}));
      f[all] = np::stack(planes);
      density = np::sum(f, 0);
      largest = np::max(f, 0);
      f += 2 * (np::remainder(v * density, 5) - f);
      f[all] = np::where(f > 1, np::remainder(f, 6), largest);
      Cube old = cube;
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = old(i, (y - (i / 3 - 1) + cube.rows) % cube.rows, (x - (i % 3 - 1) + cube.columns) % cube.columns);
      });
      of_density.assign(static_cast<std::size_t>(cube.rows * cube.columns), 0);
      of_largest.assign(of_density.size(), -1e9);
      const auto at = [&](auto y, auto x) { return static_cast<std::size_t>(y * cube.columns + x); };
      cube.each([&](auto, auto y, auto x, double& cell) {
        of_density[at(y, x)] += cell;
        of_largest[at(y, x)] = std::max(of_largest[at(y, x)], cell);
      });
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell += 2 * (apply(Op::Remainder, static_cast<double>(i) * of_density[at(y, x)], 5) - cell);
        cell = cell > 1 ? apply(Op::Remainder, cell, 6) : of_largest[at(y, x)];
      });
    }
    expect_cells(f, cube.cells);
    expect_cells(density, of_density);
    expect_cells(largest, of_largest);
  });
}

TEST(Planes, OneAloneIsAField) {
  on_planes_machines(1, [](Cube cube) {
    np::Array f = cube.array(), h = f + 1, alias = f(0);
    f(slice(1, {})) = f(slice(0, -1));  // of no planes
    f[all] = np::stack({np::roll(f(0), 1, 1)}) + f(0);
    h -= h(0) - f;
    f += np::flip(np::concatenate({f(slice(0, 0)), f}), 0);
    f(slice({}, {}, -1)) = np::sum(f, 0) - h;
    Cube old = cube, of_h = cube;
    cube.each([&](auto, auto y, auto x, double& cell) { cell += old(0, y, (x - 1 + cube.columns) % cube.columns); });
    of_h = cube;
    expect_cells(h, of_h.cells);
    for (double& cell : cube.cells) cell = 2 * cell - cell;
    expect_cells(f, cube.cells);
    alias += 1;
    for (double& cell : cube.cells) cell += 1;
    expect_cells(f(0), cube.cells);
    EXPECT_EQ(np::sum(f).item<double>(), std::accumulate(cube.cells.begin(), cube.cells.end(), 0.0));
  });
}

TEST(Planes, TradePlacesByACopyAndNotByAView) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array();
    for (int round = 0; round < 4; ++round) {  // round and round
      const np::Array first = f(0).copy();
      f(0) = f(1);
      f(1) = f(2);
      f(2) = first;
    }
    const Cube old = cube;
    expect_cells(f(0), old.plane(1));
    expect_cells(f(1), old.plane(2));
    expect_cells(f(2), old.plane(0));
    const np::Array first = f(0);
    f(0) = f(1);
    f(1) = first;  // what was written there
    f(2, slice(1, {}), slice(1, {})) = f(1, slice(0, -1), slice(0, -1));
    f(1, slice(0, -1), slice(0, -1)) = f(2, slice(1, {}), slice(1, {})) - 1;
    cube.each([&](auto i, auto y, auto x, double& cell) {
      cell = Cube(old)(i < 2 || (y > 0 && x > 0) ? 2 : 0, i == 2 && x > 0 && y > 0 ? y - 1 : y,
                       i == 2 && x > 0 && y > 0 ? x - 1 : x);
      if (i == 1 && y + 1 < old.rows && x + 1 < old.columns) cell -= 1;
    });
    expect_cells(f, cube.cells);
  });
}

TEST(Planes, InnerPartsOfTwoArraysTakeTurns) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array(), g = f.copy();
    Cube other = cube;
    const np::Array v = np::array({1.0, 2.0, 3.0}).reshape({3, 1, 1});
    const slice inner(1, -1), before(0, -2), behind(2, {});
    for (int round = 0; round < 5; ++round) {
      for (std::int64_t i = 0; i < 3; ++i)
        g(i, inner, inner) =
            np::remainder(f(i, before, inner) + f(i, behind, inner) - f((i + 1) % 3, inner, before), 9);
      g(all, 0) = f(all, -1) + v(all, 0);  // the edges
      std::swap(f, g);
      f(slice(0, 2)) -= g(slice(1, {}));
      f[all] = np::remainder(f * v, 10);
      Cube next = other;
      next.each([&](auto i, auto y, auto x, double& cell) {
        if (y > 0 && y + 1 < cube.rows && x > 0 && x + 1 < cube.columns)
          cell = apply(Op::Remainder, cube(i, y - 1, x) + cube(i, y + 1, x) - cube((i + 1) % 3, y, x - 1), 9);
      });
      next.each([&](auto i, auto y, auto x, double& cell) {
        if (y == 0) cell = cube(i, cube.rows - 1, x) + static_cast<double>(i + 1);
      });
      other = cube;
      cube = next;
      cube.each([&](auto i, auto y, auto x, double& cell) { cell -= i < 2 ? other(i + 1, y, x) : 0; });
      cube.each([&](auto i, auto, auto, double& cell) {
        cell = apply(Op::Remainder, cell * static_cast<double>(i + 1), 10);
      });
    }
    expect_cells(f, cube.cells);
    expect_cells(g, other.cells);
  });
}

TEST(Planes, NumbersReadInBetweenAreOfTheirTime) {
  on_planes_machines(3, [](Cube cube) {
    np::Array f = cube.array();
    const np::Array alias = f(1);
    for (int round = 0; round < 5; ++round) {
      const np::Array sums = np::sum(f, {1, 2}), whole = np::sum(f), next = f + sums(np::newaxis, np::newaxis, all).T();
      f(1) = np::minimum(f(0), f(2)) + 1;
      f[all] = np::remainder(f + np::remainder(sums.reshape({3, 1, 1}), 3), 8);
      std::vector<double> of_sums;
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::vector<double> plane = cube.plane(i);
        of_sums.push_back(std::accumulate(plane.begin(), plane.end(), 0.0));
      }
      EXPECT_EQ(next(2, 1, 1).item<double>(), cube(2, 1, 1) + of_sums[2]);
      cube.each([&](auto i, auto y, auto x, double& cell) {
        cell = i == 1 ? std::min(cube(0, y, x), cube(2, y, x)) + 1 : cell;
      });
      cube.each([&](auto i, auto, auto, double& cell) {
        cell = apply(Op::Remainder, cell + apply(Op::Remainder, of_sums[static_cast<std::size_t>(i)], 3), 8);
      });
      EXPECT_EQ(whole.item<double>(), of_sums[0] + of_sums[1] + of_sums[2]);
      EXPECT_EQ(f(1, 2, 2).item<double>(), cube(1, 2, 2));
      expect_cells(alias, cube.plane(1));
      expect_cells(sums, of_sums);
    }
    expect_cells(f, cube.cells);
  });
}

}  // namespace
}  // namespace pilum
