// What a program does: to numbers, to arrays, as a text.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "tests/numeric/field_programs/library.h"
#include "tests/numeric/field_programs/naive.h"
#include "tests/numeric/field_programs/program.h"
#include "tests/numeric/field_programs/text.h"

namespace pilum::field_programs {

struct Reading {
  std::string what;
  std::vector<double> cells;
};

// Names that nobody uses: of a few of the values that a program computes, each for a while. Which ones is drawn, so
// that of several ranks each has its own.
template <class Value>
class Keeper {
 public:
  explicit Keeper(std::uint64_t seed) : dice_(seed) {}
  void see(const Value& value) {
    if (dice_() % 3 == 0) kept_.push_back(value);
    while (!kept_.empty() && dice_() % 3 == 0) kept_.pop_front();
  }

 private:
  std::mt19937_64 dice_;
  std::deque<Value> kept_;
};

template <class Value>
struct Names {
  std::vector<Value> fields, planes, aliases;
  Value vector, part;
  std::vector<Value> held;
  std::vector<Reading> readings;
  Keeper<Value>* keeper = nullptr;

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
Value evaluate(const Node& node, Names<Value>& names);

template <class Value>
Value compute(const Node& node, Names<Value>& names) {
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

template <class Value>
Value evaluate(const Node& node, Names<Value>& names) {
  Value value = compute(node, names);
  if (names.keeper) names.keeper->see(value);
  return value;
}

inline std::vector<double> cells_of(const Naive& a) {
  return a.cells();
}

inline std::vector<double> cells_of(const np::Array& a) {
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

inline std::string name_text(Variable name) {
  if (name.kind == Kind::Vector) return "v";
  if (name.kind == Kind::Part) return "part";
  return (name.kind == Kind::Field ? "f" : name.kind == Kind::Plane ? "p" : "alias") + std::to_string(name.number);
}

inline std::string text_of(const Statement& statement, Names<Text>& names) {
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

inline std::string to_string(const Program& program) {
  Names<Text> names;
  std::ostringstream text;
  for (std::size_t k = 0; k < program.fields.size(); ++k) {
    names.fields.push_back({"f" + std::to_string(k)});
    constexpr std::array kMade{"array + 0", "array", "zeros", "full of 3", "moveaxis of array", "part of array"};
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
inline std::vector<double> some_cells(std::uint64_t seed, const Extents& shape) {
  std::mt19937_64 dice(seed);
  std::vector<double> cells(static_cast<std::size_t>(count_of(shape)));
  for (double& cell : cells) cell = static_cast<double>(dice() % 13) - 4;
  return cells;
}

// With the first axis behind the others.
inline Extents turned_of(const Extents& shape) {
  Extents turned(shape.begin() + 1, shape.end());
  turned.push_back(shape[0]);
  return turned;
}

// 0: an array of its own; 1: cells that the program gave; 2: zeros; 3: threes; 4: its planes lie cell by cell beside
// each other; 5: it is a part of a larger one.
inline Naive make(int how, std::uint64_t seed, const Extents& shape, const Naive*) {
  if (how == 4) {
    const Extents turned = turned_of(shape);
    return moved(Naive::of(some_cells(seed, turned), turned), static_cast<int>(shape.size()) - 1, 0);
  }
  if (how < 2 || how == 5) return Naive::of(some_cells(seed, shape), shape);
  return Naive::of(std::vector<double>(static_cast<std::size_t>(count_of(shape)), how == 2 ? 0 : 3), shape);
}

inline np::Array make(int how, std::uint64_t seed, const Extents& shape, const np::Array*) {
  const Shape extents{std::span<const std::int64_t>(shape)};
  if (how == 2) return np::zeros(extents);
  if (how == 3) return np::full(extents, 3.0);
  if (how == 4) {
    const Extents turned = turned_of(shape);
    const Shape last{std::span<const std::int64_t>(turned)};
    return np::moveaxis(np::array(some_cells(seed, turned)).reshape(last), -1, 0);
  }
  np::Array cells = np::array(some_cells(seed, shape)).reshape(extents);
  if (how == 5) return np::concatenate({cells(slice(0, 1)), cells, cells(slice(0, 1))}, 0)(slice(1, -1));
  return how == 0 ? std::move(cells) + 0.0 : cells;
}

// All that the program reads, in between and at its end.
template <class Value>
std::vector<Reading> run(const Program& program, Keeper<Value>* keeper = nullptr) {
  const Value* const of = nullptr;
  Names<Value> names;
  names.keeper = keeper;
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

}  // namespace pilum::field_programs
