// The same of the library's arrays.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "pilum/pilum.h"
#include "tests/numeric/field_programs/program.h"

namespace pilum::field_programs {

inline std::vector<np::Index> indices_of(const Picks& picks) {
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

inline np::Array view_of(const np::Array& a, const Picks& picks) {
  return a(indices_of(picks));
}

inline np::Array binary(Op op, np::Array a, np::Array b) {
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

inline np::Array with_number(Op op, np::Array a, double number, bool number_first) {
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

inline np::Array choose(Compare compare, np::Array a, double number, np::Array x, np::Array y) {
  switch (compare) {
    case Compare::Greater: return np::where(std::move(a) > number, std::move(x), std::move(y));
    case Compare::Equal: return np::where(std::move(a) == number, std::move(x), std::move(y));
    case Compare::LessEqual: return np::where(std::move(a) <= number, std::move(x), std::move(y));
  }
  return {};
}

inline np::Array folded(FoldOp fold, np::Array a, const std::vector<int>& axes, bool keepdims) {
  const np::Axes over = axes.empty() ? np::Axes() : np::Axes(axes);
  switch (fold) {
    case FoldOp::Sum: return np::sum(std::move(a), over, keepdims);
    case FoldOp::Max: return np::max(std::move(a), over, keepdims);
    case FoldOp::Min: return np::min(std::move(a), over, keepdims);
  }
  return {};
}

inline np::Array rolled(const np::Array& a, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  if (axes.size() == 1) return np::roll(a, shifts[0], axes[0]);
  return np::roll(a, shifts, np::Axes(axes));
}

inline np::Array concatenated(const std::vector<np::Array>& parts) {
  return np::concatenate(parts, 0);
}

inline np::Array stacked(const std::vector<np::Array>& parts) {
  return np::stack(parts);
}

inline np::Array flipped(const np::Array& a) {
  return np::flip(a, 0);
}

inline np::Array moved(const np::Array& a, int source, int destination) {
  return np::moveaxis(a, source, destination);
}

inline np::Array swapped(const np::Array& a) {
  return np::swapaxes(a, -1, -2);
}

inline np::Array copied(const np::Array& a) {
  return a.copy();
}

inline void assign(np::Array target, np::Array value) {
  std::move(target) = std::move(value);
}

inline void update(Op op, np::Array& target, np::Array value) {
  switch (op) {
    case Op::Add: target += std::move(value); break;
    case Op::Subtract: target -= std::move(value); break;
    default: target *= std::move(value); break;
  }
}

}  // namespace pilum::field_programs
