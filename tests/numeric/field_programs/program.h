// What a random program over fields in one array is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include "pilum/pilum.h"

namespace pilum::field_programs {

namespace np = numeric;
using np::all, np::slice;

using Extents = std::vector<std::int64_t>;

inline std::int64_t count_of(const Extents& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

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
inline std::optional<std::int64_t> stop_of(const Pick& range) {
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

}  // namespace pilum::field_programs
