// The plain values of tasks that every floor shares: what a body takes, and what one call of it gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pilum/detail/array_accessor.h"
#include "pilum/dtype.h"
#include "pilum/piece.h"

namespace pilum::detail {

// What a body takes at one place after the Piece: an array, or a value.
struct BodyParameter {
  enum class Kind : std::uint8_t { Array, Bool, Integer, Floating, Other };
  Kind kind = Kind::Array;
  Access access = Access::Read;  // of an array
  DType dtype = DType::Float64;
  int rank = 0;
  std::size_t bytes = 0;  // of a value
  bool operator==(const BodyParameter&) const = default;
};

// Tells functions apart: equal for what is the same function, also when it was made anew. `type` and `object` are of
// this process alone: they may hold addresses.
struct FunctionIdentity {
  static constexpr std::uint64_t kHasState = ~std::uint64_t{0};
  std::uint64_t type = 0;    // where its code is
  std::uint64_t object = 0;  // of a pointer, what it points to; kHasState until such an object is numbered
  std::uint64_t state = 0;   // a hash of its type and of what it has captured: alike on all ranks
  bool operator==(const FunctionIdentity&) const = default;
};

// An array as one call of a body gets it: cell i lies at first + sum((i[k] - lo[k]) * stride[k]), in cells; the body
// may touch lo <= i < hi.
struct BoundStore {
  void* first = nullptr;
  Piece::Bounds lo{}, hi{}, stride{};
};

// One call of a body: its piece, the arrays in the order of the task's arguments, and the words that hold its scalars,
// each from a word of its own.
struct BodyCall {
  Piece piece;
  const BoundStore* stores = nullptr;
  const std::uint64_t* scalars = nullptr;
};

}  // namespace pilum::detail
