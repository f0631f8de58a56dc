// What all ranks must find alike in a recorded call: everything that messages, cuts and values follow from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "scheduler/record/operation.h"

namespace pilum::scheduler {

// The parts of a call, so that an error can say in which of them two ranks' calls differ.
enum class CallPart : std::uint8_t { Operation, Arrays, Views, Numbers, Data };
inline constexpr std::size_t kCallParts = 5;

// A call, part by part.
struct CallDigest {
  std::array<std::uint64_t, kCallParts> parts{};
  std::uint64_t& operator[](CallPart part) { return parts[static_cast<std::size_t>(part)]; }
  [[nodiscard]] std::uint64_t whole() const;
};

// Of an operation: its kind, axes and line; ids, shapes and dtypes of its stores; slices and footprints; scalars by
// their bits; imported bytes (all of them, or of more than kSampledBytes a sample), what a task's body and projections
// have captured. No addresses: they differ from rank to rank.
[[nodiscard]] CallDigest digest_of(const Operation& operation, bool all_bytes);
// Of a call that is no operation: a value asked for, a wait, the end.
[[nodiscard]] CallDigest digest_of(const char* name);
// Of cells that were read. NaNs count as one another: which one comes of a calculation is not defined.
[[nodiscard]] CallDigest digest_of(const char* name, DType dtype, std::span<const std::byte> cells, bool all_bytes);

// Of an array's identity, shape and dtype; kept in Store::digest.
[[nodiscard]] std::uint64_t digest_of(const Store& store);

inline constexpr std::size_t kSampledBytes = 64 * 1024;

// "float64 of (100, 50), number 0.3": what tells a call from others of its line.
struct CallSketch {
  std::array<std::int64_t, 3> extents{};
  std::int8_t rank = -1;  // -1: there is nothing to say
  DType dtype = DType::Float64;
  bool has_number = false;
  Scalar number;
};
[[nodiscard]] CallSketch sketch_of(const Operation& operation);
[[nodiscard]] std::string to_string(const CallSketch& sketch);
// "slices", "numbers and imported or captured data".
[[nodiscard]] std::string name_parts(std::span<const bool, kCallParts> differ);

}  // namespace pilum::scheduler
